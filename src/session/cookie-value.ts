// The value of our cookie in a Cookie header. What surprises: express-session reads the header on its own (with the
// package "cookie"), so this reads exactly as that does. Of two cookies with one name the first one counts.

const isSpace = (character: string | undefined) => character === ' ' || character === '\t'

/**
 * @param header the Cookie header
 * @returns the decoded value of the first cookie of this name, or undefined; undecodable text comes back as it is
 */
export function cookieValue(header: string, name: string): string | undefined {
  for (let start = 0; start < header.length;) {
    const equals = header.indexOf('=', start)
    if (equals < 0) return undefined
    const semicolon = header.indexOf(';', equals)
    const end = semicolon < 0 ? header.length : semicolon
    // Text in front without "=" is no cookie.
    const begin = Math.max(start, header.lastIndexOf(';', equals) + 1)
    if (trimmed(header, begin, equals) === name) return decoded(unquoted(trimmed(header, equals + 1, end)))
    start = end + 1
  }
  return undefined
}

/** Without spaces and tabs around: String.trim would take more away than the other reader does. */
function trimmed(text: string, start: number, end: number): string {
  while (start < end && isSpace(text[start])) start++
  while (end > start && isSpace(text[end - 1])) end--
  return text.slice(start, end)
}

const unquoted = (value: string) =>
  value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value

function decoded(value: string): string {
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
