// Looks for deprecated fields in a body by name, and how sure a place is. Values are never reported. Pure.
// A field inside a named replacement is not the deprecated one of the same name.
import type { Entry, FieldEntry, Side } from '../schedule/schedule.ts'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Reads a body: a value that was parsed, bytes, JSON as text, or several documents of a line each (JSON Lines).
 * `unread` is why some or all of it could not be read, as the end of a sentence: that may hold anything.
 */
export const readBody = (body: unknown): { documents: object[]; unread?: string } => {
  if (body instanceof Uint8Array) return readBody(Buffer.from(body).toString('utf8'))
  if (isObject(body)) return { documents: [body] }
  const text = typeof body === 'string' ? body.replace(/^\uFEFF/, '').trim() : 'null'
  if (text === '') return { documents: [] }
  const whole = parsed(text)
  const lines =
    whole === undefined
      ? text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parsed(line)]))
      : [whole]
  const documents = lines.filter(isObject)
  return documents.length === lines.length ? { documents } : { documents, unread: 'is cut off or not JSON' }
}

/** What the schedule says of the fields of one operation. */
export type Fields = Record<Side, ReadonlyMap<string, FieldEntry[]>> & {
  /** Whether a member holds what the operation is about: what it has counts as the body's own. */
  isHolder: (name: string) => boolean
  /** Whether a member replaces something: what is inside is not looked at. */
  isReplacement: (name: string) => boolean
}

/** A name without case and style: `channel_invite_info` and `ChannelInviteInfo` are one. */
const plainName = (name: string) => name.toLowerCase().replaceAll('_', '')

/** The members that a replacement names: `a.b and C.d (a remark)` names b and d, free text none. */
const replacingNames = ({ replacement = '' }: Entry): string[] =>
  replacement
    .replace(/\s*\([^)]*\)\s*$/, '')
    .split(/\s*[,/]\s*|\s+(?:and|or)\s+/)
    .filter((part) => /^[\w$]+(?:\.[\w$]+)*$/.test(part))
    .map((part) => plainName(part.split('.').at(-1) ?? ''))

/** Prepares the fields among the entries of one operation for the search. */
export const fieldsOf = (entries: readonly Entry[]): Fields => {
  const all = entries.filter((entry) => entry.kind === 'field')
  const holders = new Set(all.flatMap(({ place }) => place.holders ?? []).map(plainName))
  const replacements = new Set(all.flatMap(replacingNames))
  for (const { field } of all) replacements.delete(plainName(field))
  const on = (side: Side) => all.filter(({ place }) => place.in === side || place.in === 'either')
  return {
    request: Map.groupBy(on('request'), ({ field }) => field),
    response: Map.groupBy(on('response'), ({ field }) => field),
    isHolder: (name) => holders.has(plainName(name)),
    isReplacement: (name) => replacements.has(plainName(name)),
  }
}

/** How far a member is from the body: its own, one of what the operation is about, or deeper. */
export type Level = 0 | 1 | 2

/** The level of what is inside a member. */
export const levelBelow = (level: Level, name: string, { isHolder }: Fields): Level =>
  level === 0 && isHolder(name) ? 1 : 2

/** How sure a field is at a level; undefined where it is something else. */
export const sureAt = ({ place }: FieldEntry, level: Level): 'exact' | 'name' | undefined => {
  if (level === 0) return 'exact'
  if (place.depth === 'top') return undefined
  return level === 1 ? 'exact' : 'name'
}

/** The stack is finite, so nothing is looked for below this. */
const MAX_DEPTH = 1_000

/**
 * Reports every deprecated field of a document, and texts that name one as a member, as they may be JSON.
 * @returns false when the document nests too deep to be looked through
 */
export const searchFields = (
  document: unknown,
  fields: Fields,
  side: Side,
  found: (entry: FieldEntry, sure: 'exact' | 'name', path: readonly (string | number)[]) => void,
): boolean => {
  const wanted = fields[side]
  const path: (string | number)[] = []
  let isWhole = true
  const look = (value: unknown, level: Level): void => {
    if (typeof value === 'string' && value.includes('"'))
      for (const [name, entries] of wanted)
        if (value.includes(`"${name}`)) for (const entry of entries) found(entry, 'name', path)
    if (!isObject(value)) return
    if (path.length > MAX_DEPTH) isWhole = false
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) lookAt(index, item, level)
    else
      for (const name of Object.keys(value)) {
        const member: unknown = Reflect.get(value, name)
        lookAt(name, member, level)
      }
  }
  const lookAt = (step: string | number, value: unknown, level: Level) => {
    path.push(step)
    if (typeof step === 'number') look(value, level)
    else {
      for (const entry of wanted.get(step) ?? []) {
        const sure = sureAt(entry, level)
        if (sure !== undefined) found(entry, sure, path)
      }
      if (typeof value === 'string' || !fields.isReplacement(step))
        look(value, levelBelow(level, step, fields))
    }
    path.pop()
  }
  look(document, 0)
  return isWhole
}
