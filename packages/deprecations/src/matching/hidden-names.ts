// Notices members of a JSON text that parsing it loses. Pure; values are not looked at.

const occurrences = (text: string, name: string) => {
  let count = 0
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) count += 1
  return count
}

// Of two members with one name the parser keeps the last, so the text has the name more often than what was parsed. In a
// string of JSON every quote is escaped, so a quoted name is a member or a whole value.
export const hidesNames = (
  { text, value }: { text: unknown; value: unknown },
  names: Iterable<string>,
): boolean => {
  if (typeof text !== 'string' || (Array.isArray(value) && value.length === 0)) return false
  let again: string | undefined
  for (const name of names) {
    const quoted = JSON.stringify(name)
    if (!text.includes(quoted)) continue
    again ??= JSON.stringify(value)
    if (occurrences(text, quoted) > occurrences(again, quoted)) return true
  }
  return false
}
