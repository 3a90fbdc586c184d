// Finds fields that parsing does not bring to light: in texts and bytes within a body, in lists of names and values, and
// in members that a second one of the same name hides. Recorders wrap bodies in ways of their own. Pure.
import { bytesIn, encodedBytes, isStillPacked, textOf } from './bytes.ts'

const MAX_DEPTH = 3

/** What tools print in the place of a value that they don't go into. */
const UNPRINTED = /^\[(?:object \w+|Object|Array|Circular[^\]]*|Truncated|Max depth[^\]]*|\d+ items?)\]$/i

/** What they put beside the members that they kept. */
const CUT = /^[_$@]+(?:is_?)?truncated$/i

const unescaped = (text: string): string => {
  try {
    return text.includes('%22') ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}

const escaped = (name: string) => name.replaceAll(/[^\w]/g, String.raw`\$&`)

/** Makes a test for whether a text has one of these names as a member of JSON, of a script or of a form. */
const mentionOf = (names: readonly string[]): ((text: string) => boolean) => {
  const any = names.map(escaped).join('|')
  const asMember = new RegExp(
    String.raw`["'](?:${any})\\*["']\s*:|[({,]\s*(?:${any})\s*:|(?:^|[&?;])(?:${any})=`,
  )
  return (text) => asMember.test(text)
}

/** Live answers are looked into as well, and a text of 64 kB could grow a thousandfold. In bytes. */
const MAX_UNPACKED = 1024 * 1024

/** The text in bytes. In UTF-16 every second byte is zero. */
const readable = (bytes: Uint8Array): string => textOf(bytes, { maxBytes: MAX_UNPACKED }).replaceAll('\0', '')

/** What an item of a list adds to a text that was cut into pieces. */
const pieceOf = (item: unknown): string => {
  if (typeof item === 'string') {
    const bytes = encodedBytes(item)
    return bytes === undefined ? item : readable(bytes)
  }
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return ''
  const { data } = item as Record<string, unknown>
  const bytes = bytesIn(data)
  if (bytes !== undefined) return readable(bytes)
  return Object.values(item)
    .filter((value) => typeof value === 'string')
    .join('')
}

export type Hiding = {
  /** Whether any of the fields may be inside something in a document that was not looked into. */
  inValue: (value: unknown) => boolean
  /** Whether any of the fields may be in a member of a text that a second one of the same name hides. */
  byRepetition: (text: string, value: unknown) => boolean
}

/** Prepares the search for these fields where parsing does not bring them to light. */
export const createHiding = (names: readonly string[], isReplacement: (name: string) => boolean): Hiding => {
  const mentions = mentionOf(names)
  const wanted = new Set(names)
  const isWanted = (value: unknown) => typeof value === 'string' && wanted.has(value)
  const inText = (text: string, depth: number): boolean => {
    if (text.length < 4 || depth > MAX_DEPTH) return false
    if (mentions(unescaped(text)) || UNPRINTED.test(text)) return true
    const bytes = encodedBytes(text)
    if (bytes === undefined) return false
    const inner = readable(bytes)
    return isStillPacked(bytes, inner) || inText(inner, depth + 1)
  }
  const inBytes = (list: unknown): boolean => {
    const bytes = bytesIn(list)
    return bytes !== undefined && inText(readable(bytes), 1)
  }
  const inList = (list: readonly unknown[]): boolean => {
    if (list.every((item) => Array.isArray(item) && item.length === 2))
      return list.some((item) => isWanted((item as unknown[])[0]))
    // A stream that was recorded in pieces may be cut anywhere.
    if (list.length > 1 && inText(list.map(pieceOf).join(''), 0)) return true
    return inBytes(list)
  }
  const hides = (value: unknown): boolean => {
    if (typeof value === 'string') return inText(value, 0)
    if (typeof value !== 'object' || value === null) return false
    if (Array.isArray(value)) return inList(value) || value.some(hides)
    if (Object.hasOwn(value, '0') && inBytes(Object.values(value))) return true
    const { name, key, value: itsValue } = value as Record<string, unknown>
    if (itsValue !== undefined && (isWanted(name) || isWanted(key))) return true
    for (const member in value) {
      const inner: unknown = Reflect.get(value, member)
      if (inner === true && CUT.test(member)) return true
      if ((typeof inner === 'string' || !isReplacement(member)) && hides(inner)) return true
    }
    return false
  }
  // Looked for first, as comparing takes as long as reading did: a name can only be hidden as itself, with escapes, or
  // in a body that is written twice.
  const hints = [...names, String.raw`\u00`]
  const byRepetition = (text: string, value: unknown) =>
    (hints.some((hint) => text.includes(hint)) || isWrittenTwice(text)) && hidesMembers(text, value)
  return { inValue: hides, byRepetition }
}

const isWrittenTwice = (text: string) =>
  ['"request"', '"response"', '"body"'].some((name) => text.indexOf(name) !== text.lastIndexOf(name))

const membersIn = (text: string): number => {
  let count = 0
  const member = /"\s*:/g
  while (member.test(text)) count += 1
  return count
}

const SPLIT_DEPTH = 3

/** How many members a value has when it is written, which is done in pieces as a HAR is large. */
const membersOf = (value: unknown, depth = 0): number => {
  if (typeof value !== 'object' || value === null || depth === SPLIT_DEPTH)
    return membersIn(JSON.stringify(value))
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + membersOf(item, depth + 1), 0)
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + membersIn(`${JSON.stringify(name)}:`) + membersOf(inner, depth + 1),
    0,
  )
}

/**
 * Whether a text has more members than what was parsed of it: of two with one name, the parser keeps the last. Strings
 * count the same in both, as they escape their quotes. What nests too deep to be written again may hide anything.
 */
export const hidesMembers = (text: string, value: unknown): boolean => {
  // Words have no members, whatever they quote.
  if (Array.isArray(value) && value.length === 0) return false
  try {
    return membersIn(text) > membersOf(value)
  } catch {
    return true
  }
}
