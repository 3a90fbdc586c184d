// Looks for deprecated fields in a document by name, and how sure a place is. Values are never reported.
// A field inside a named replacement is not the deprecated one of the same name.
import type { Entry, FieldEntry, Side } from '../schedule/schedule.ts'

/** What the schedule says of the fields of one operation. */
export type Fields = {
  /** The entries of one side by the field's name. */
  request: ReadonlyMap<string, FieldEntry[]>
  response: ReadonlyMap<string, FieldEntry[]>
  /** Members that hold what the operation is about: what they have counts as the body's own. In lower case. */
  holders: ReadonlySet<string>
  /** Members that replace something: what is inside is not looked at. In lower case. */
  replacements: ReadonlySet<string>
}

/** How sure a place is: as a member of the body or of what the operation is about, or only by its name. */
export type Placed = 'exact' | 'name'

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
  const own = new Set(all.map(({ field }) => plainName(field)))
  const byName = (other: Side) =>
    Map.groupBy(
      all.filter(({ place }) => place.in !== other),
      ({ field }) => field,
    )
  return {
    request: byName('response'),
    response: byName('request'),
    holders: new Set(all.flatMap(({ place }) => place.holders ?? []).map(plainName)),
    replacements: new Set(all.flatMap(replacingNames).filter((name) => !own.has(name))),
  }
}

export const isHolder = ({ holders }: Fields, name: string): boolean => holders.has(plainName(name))

export const isReplacement = ({ replacements }: Fields, name: string): boolean =>
  replacements.has(plainName(name))

/** How sure the place of a field is, by the names that lead to it; undefined where it is something else. */
export const placed = (
  { place }: FieldEntry,
  names: readonly string[],
  fields: Fields,
): Placed | undefined => {
  if (names.length <= 1) return 'exact'
  if (place.depth === 'top') return undefined
  return names.length === 2 && isHolder(fields, names[0] ?? '') ? 'exact' : 'name'
}

/** The stack is finite, so nothing is looked for below this. */
const MAX_DEPTH = 1_000

type Found = (entry: FieldEntry, placed: Placed, path: readonly (string | number)[]) => void

/**
 * Reports every deprecated field of a document. A text that names one as a member may be JSON in a text.
 * @returns false when the document nests too deep to be looked through
 */
export const searchFields = (document: unknown, fields: Fields, side: Side, found: Found): boolean => {
  const wanted = fields[side]
  const path: (string | number)[] = []
  const names: string[] = []
  const lookInText = (text: string) => {
    if (!text.includes('"')) return
    for (const [name, entries] of wanted)
      if (text.includes(`"${name}`)) for (const entry of entries) found(entry, 'name', path)
  }
  const lookAtMember = (name: string, value: unknown): boolean => {
    names.push(name)
    for (const entry of wanted.get(name) ?? []) {
      const sure = placed(entry, names, fields)
      if (sure !== undefined) found(entry, sure, path)
    }
    const isWhole = typeof value !== 'string' && isReplacement(fields, name) ? true : look(value)
    names.pop()
    return isWhole
  }
  const look = (value: unknown): boolean => {
    if (typeof value === 'string') lookInText(value)
    if (typeof value !== 'object' || value === null) return true
    if (path.length > MAX_DEPTH) return false
    let isWhole = true
    for (const name of Object.keys(value)) {
      const member: unknown = Reflect.get(value, name)
      path.push(Array.isArray(value) ? Number(name) : name)
      if (!(Array.isArray(value) ? look(member) : lookAtMember(name, member))) isWhole = false
      path.pop()
    }
    return isWhole
  }
  return look(document)
}
