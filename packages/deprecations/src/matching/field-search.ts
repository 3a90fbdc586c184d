// Looks for deprecated fields in a document: by name, and how sure a place is. Values are never read, only names.
// A field inside a named replacement is not the deprecated one of the same name.
import { createHiding, type Hiding } from './hidden-text.ts'
import type { Entry, FieldEntry, Side } from '../schedule/schedule.ts'

/** What the schedule says of the fields of one operation. */
export type Fields = {
  all: FieldEntry[]
  /** By the field's name. */
  request: Map<string, FieldEntry[]>
  response: Map<string, FieldEntry[]>
  /** Members that hold what the operation is about: what they bear counts as the body's own. */
  isHolder: (name: string) => boolean
  /** Members that replace something: what is inside is not looked at. */
  isReplacement: (name: string) => boolean
  /** Whether a side may have fields that parsing does not bring to light. */
  hiding: Record<Side, Hiding>
}

/** How sure a place is: as a member of the body or of what the operation is about, or only by its name. */
export type Placed = 'exact' | 'name'

export type Search = {
  fields: Fields
  side: Side
  report: (entry: FieldEntry, placed: Placed, path: readonly (string | number)[]) => void
}

/** The stack is finite, so nothing is looked for below this. */
const MAX_DEPTH = 1_000
const MAX_KNOWN = 2_000
const DOTTED_NAME = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/

/** A name without case and style: `channel_invite_info` and `ChannelInviteInfo` are one. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** The names in a replacement as paths of plain names: `a.b and C.d (a remark)` has two. Free text has none. */
const replacementPaths = ({ replacement = '' }: Entry): string[][] => {
  const parts = replacement
    .replace(/\s*\([^)]*\)\s*$/, '')
    .split(/\s*[,/]\s*|\s+(?:and|or)\s+/)
    .filter((part) => part !== '')
  if (!parts.every((part) => DOTTED_NAME.test(part))) return []
  return parts.map((part) => part.split('.').map(plainName))
}

/** Makes a test for whether a member is a replacement that any of these entries names, in the singular or the plural. */
const replacementsOf = (entries: readonly Entry[]): ((name: string) => boolean) => {
  const last = entries.flatMap(replacementPaths).map((steps) => steps.at(-1) ?? '')
  const names = new Set(last.flatMap((name) => [name, `${name}s`]))
  for (const entry of entries) if (entry.kind === 'field') names.delete(plainName(entry.field))
  if (names.size === 0) return () => false
  // Bodies repeat few names many times. Names that are data come without end, so the memory is bounded.
  const known = new Map<string, boolean>()
  return (name) => {
    const answer = known.get(name) ?? names.has(plainName(name))
    if (known.size < MAX_KNOWN) known.set(name, answer)
    return answer
  }
}

/** Prepares the fields among the entries of one operation for the search. */
export const fieldsOf = (entries: readonly Entry[]): Fields => {
  const all = entries.filter((entry) => entry.kind === 'field')
  const holders = new Set(all.flatMap(({ place }) => place.holders ?? []).map(plainName))
  const byName = (other: Side) =>
    Map.groupBy(
      all.filter(({ place }) => place.in !== other),
      ({ field }) => field,
    )
  const [request, response, isReplacement] = [byName('response'), byName('request'), replacementsOf(entries)]
  const hidingOf = (wanted: Map<string, unknown>) => createHiding([...wanted.keys()], isReplacement)
  return {
    all,
    request,
    response,
    isHolder: (name) => holders.size > 0 && holders.has(plainName(name)),
    isReplacement,
    hiding: { request: hidingOf(request), response: hidingOf(response) },
  }
}

/** Whether names lead to a field's own replacement: `answer.trackingToken` replaces `trackingToken`. */
const isOwnReplacement = (entry: Entry, names: readonly string[]): boolean =>
  replacementPaths(entry).some(
    (steps) =>
      steps.length > 1 &&
      steps.length <= names.length &&
      steps.every((step, index) => step === plainName(names.at(index - steps.length) ?? '')),
  )

/** How sure the place of a field is, by the names that lead to it; undefined where it is something else. */
export const placed = (entry: FieldEntry, names: readonly string[], fields: Fields): Placed | undefined => {
  if (names.length <= 1) return 'exact'
  if (entry.place.depth === 'top' || isOwnReplacement(entry, names)) return undefined
  return names.length === 2 && fields.isHolder(names[0] ?? '') ? 'exact' : 'name'
}

/** The names in a member that recorders made of nested ones: `announcement.boardId`, `messages[0].citations`. */
const flattened = (name: string): string[] =>
  /[.[/]|^\s|\s$/.test(name)
    ? name
        .split(/[.[\]/]+/)
        .flatMap((step) => step.trim() || [])
        .filter((step) => !/^\d+$/.test(step))
    : []

/** Reports every deprecated field of a document. @returns false when it nests too deep to be looked through */
export const searchFields = (document: unknown, { fields, side, report }: Search): boolean => {
  const wanted = fields[side]
  const path: (string | number)[] = []
  let whole = true
  const found = (entries: readonly FieldEntry[]) => {
    const names = path.filter((step) => typeof step === 'string')
    for (const entry of entries) {
      const sure = placed(entry, names, fields)
      if (sure !== undefined) report(entry, sure, path)
    }
  }
  const foundFlat = (steps: readonly string[]) => {
    const outer = path.slice(0, -1).filter((step) => typeof step === 'string')
    if (steps.slice(0, -1).some(fields.isReplacement)) return
    for (const entry of wanted.get(steps.at(-1) ?? '') ?? [])
      if (placed(entry, [...outer, ...steps], fields) !== undefined) report(entry, 'name', path)
  }
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (path.length > MAX_DEPTH) {
      whole = false
      return
    }
    const isList = Array.isArray(value)
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name]
      const entries = isList ? undefined : wanted.get(name)
      path.push(isList ? Number(name) : name)
      if (entries !== undefined) found(entries)
      else if (!isList) foundFlat(flattened(name))
      if (isList || typeof member !== 'object' || !fields.isReplacement(name)) look(member)
      path.pop()
    }
  }
  look(document)
  return whole
}
