// Looks for deprecated fields in a document: by name, and how sure a place is. Values are never read, only names.
import { isOwnReplacement, plainName, replacementsOf } from './replacement.ts'
import type { Entry, FieldEntry, Side } from '../schedule/schedule.ts'

/** What the schedule says of the fields of one operation. */
export type Fields = {
  all: FieldEntry[]
  request: Map<string, FieldEntry[]>
  response: Map<string, FieldEntry[]>
  /** Members that hold what the operation is about: what they bear counts as the body's own. */
  isHolder: (name: string) => boolean
  /** Members that replace something: what lies inside is not looked at. */
  isReplacement: (name: string) => boolean
}

/** How sure a place is: as a member of the body or of what the operation is about, or only by its name. */
export type Placed = 'exact' | 'name'

export type Search = {
  fields: Fields
  side: Side
  report: (entry: FieldEntry, placed: Placed, path: readonly (string | number)[]) => void
}

/** Deeper than this nothing is looked for: the stack is finite. */
const deepest = 1_000

const add = (fields: Map<string, FieldEntry[]>, entry: FieldEntry) => {
  fields.set(entry.field, [...(fields.get(entry.field) ?? []), entry])
}

/** Prepares the fields among the entries of one operation for looking. */
export const fieldsOf = (entries: readonly Entry[]): Fields => {
  const all = entries.filter((entry) => entry.kind === 'field')
  const holders = new Set(all.flatMap(({ place }) => place.holders ?? []).map(plainName))
  const [request, response] = [new Map<string, FieldEntry[]>(), new Map<string, FieldEntry[]>()]
  for (const entry of all) {
    if (entry.place.in !== 'response') add(request, entry)
    if (entry.place.in !== 'request') add(response, entry)
  }
  const isHolder = (name: string) => holders.size > 0 && holders.has(plainName(name))
  return { all, request, response, isHolder, isReplacement: replacementsOf(entries) }
}

/** How sure the place of a field is, by the names that lead to it; undefined where it is something else. */
export const placed = (entry: FieldEntry, names: readonly string[], fields: Fields): Placed | undefined => {
  if (names.length <= 1) return 'exact'
  if (entry.place.depth === 'top' || isOwnReplacement(entry, names)) return undefined
  return names.length === 2 && fields.isHolder(names[0] ?? '') ? 'exact' : 'name'
}

/** Reports every deprecated field of a document. Resolves to false when it nests too deep to be looked through. */
export const searchFields = (document: unknown, { fields, side, report }: Search): boolean => {
  const wanted = fields[side]
  const path: (string | number)[] = []
  let whole = true
  const found = (name: string) => {
    const names = path.filter((step) => typeof step === 'string')
    for (const entry of wanted.get(name) ?? []) {
      const sure = placed(entry, names, fields)
      if (sure !== undefined) report(entry, sure, path)
    }
  }
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (path.length > deepest) {
      whole = false
      return
    }
    const isList = Array.isArray(value)
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name]
      path.push(isList ? Number(name) : name)
      if (!isList && wanted.has(name)) found(name)
      if (isList || typeof member !== 'object' || !fields.isReplacement(name)) look(member)
      path.pop()
    }
  }
  look(document)
  return whole
}
