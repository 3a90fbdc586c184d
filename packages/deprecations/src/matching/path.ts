// The path of an address, as the server that is asked would understand it. Pure.

// Step by step, so that one with a wrong encoding does not keep the others from being read.
const decoded = (step: string): string => {
  try {
    return decodeURI(step)
  } catch {
    return step
  }
}

// As clients send it (WHATWG URL, 4.4): without dot segments; parameters of a segment (RFC 3986 3.3) are no part of it.
const plain = (path: string): string => {
  const kept: string[] = []
  for (const segment of path.replaceAll('\\', '/').split('/')) {
    const [name = ''] = segment.split(';', 1)
    if (name === '..') kept.pop()
    else if (name !== '.') kept.push(name)
  }
  return kept.join('/')
}

/** The path of a URL or path, decoded, without scheme, host, query and fragment. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  const bare = (end < 0 ? url : url.slice(0, end)).trim()
  const host = bare.indexOf('://')
  const start = host < 0 ? 0 : bare.indexOf('/', host + 3)
  const path = start < 0 ? '/' : bare.slice(start)
  const read = path.includes('%') ? path.split('/').map(decoded).join('/') : path
  return /;|\\|\/\./.test(read) ? plain(read) : read
}
