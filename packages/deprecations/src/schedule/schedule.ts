// What a deprecation is and where it is on a day: the words of the schedule and its arithmetic.
// Pure, imports nothing. An item is available before its removal date (UTC) and gone from that date on (contract, section 9).

/** A UTC calendar day, `YYYY-MM-DD`; two days compare as text. */
export type Day = string
export type Side = 'request' | 'response'

/** Where a field is deprecated: in which body, and whether only as a member of the body itself (`top`). */
export type Place = {
  in: Side | 'either'
  depth: 'top' | 'any'
  /** Members of the body that hold what the operation is about: what they bear counts as the body's own. */
  holders?: readonly string[] | undefined
}

type Deprecation = {
  /** Stable: calendars, waivers, metrics and reports refer to it. */
  id: string
  api: 'client' | 'indexing'
  method: string
  /** A path template such as `/rest/api/v1/governance/data/policies/{id}`. */
  path: string
  /** What to use instead; absent when the schedule states none. */
  replacement?: string | undefined
  /** What to do where there is nothing to use instead. */
  advice?: string | undefined
  reason?: string | undefined
  announced: Day
  removal: Day
}

type EndpointEntry = Deprecation & { kind: 'endpoint' }
export type FieldEntry = Deprecation & { kind: 'field'; field: string; place: Place }
export type Entry = EndpointEntry | FieldEntry
export type Schedule = readonly Entry[]

/** Where an entry stands on a day; `daysLeft` is whole days until the removal date, 0 or less once it is removed. */
export type Status = {
  state: 'unannounced' | 'announced' | 'removed'
  daysLeft: number
}

const dayInMilliseconds = 86_400_000
const timeOf = (day: Day) => Date.parse(`${day}T00:00:00Z`)

/** The UTC day of a moment. */
export const dayOf = (moment: Date): Day => moment.toISOString().slice(0, 10)

/** Whether a text is a day that exists: `2026-02-30` is not. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(timeOf(text)) && dayOf(new Date(timeOf(text))) === text

/** Whole days from one day to another; negative when `to` is earlier. */
export const daysBetween = (from: Day, to: Day): number => (timeOf(to) - timeOf(from)) / dayInMilliseconds

/** Where an entry stands on a UTC day: available before its removal date, removed from it on (contract, section 9). */
export const statusOn = (entry: Entry, day: Day): Status => {
  const daysLeft = daysBetween(day, entry.removal)
  if (daysLeft <= 0) return { state: 'removed', daysLeft }
  return { state: day < entry.announced ? 'unannounced' : 'announced', daysLeft }
}

/** The last day on which the item is still there: the day by which clients must have changed. */
export const fixBy = (entry: Entry): Day => dayOf(new Date(timeOf(entry.removal) - dayInMilliseconds))

/** `POST /rest/api/v1/chat` */
export const operationOf = (entry: Entry): string => `${entry.method} ${entry.path}`

/** The deprecated thing as people say it: `citations in the response of POST /rest/api/v1/chat`. */
export const titleOf = (entry: Entry): string =>
  entry.kind === 'endpoint' ? operationOf(entry) : `${fieldOf(entry)} of ${operationOf(entry)}`

/** The field with its place: `trackingToken (top level, request or response)`. */
export const fieldOf = (entry: FieldEntry): string => {
  const side = entry.place.in === 'either' ? 'request or response' : entry.place.in
  return `${entry.field} (${entry.place.depth === 'top' ? 'top level, ' : ''}${side})`
}

/** What to do about an entry, as half a sentence: `use answer.trackingToken`. */
export const insteadOf = (entry: Entry): string => {
  const what =
    entry.replacement === undefined ? (entry.advice ?? 'no replacement stated') : `use ${entry.replacement}`
  return entry.reason === undefined || entry.reason === 'deprecated' ? what : `${what} (${entry.reason})`
}

const faultsOf = ({ announced, removal, path, method }: Entry): string[] => {
  const faults = Object.entries({ announced, removal })
    .filter(([, day]) => !isDay(day))
    .map(([name, day]) => `${name} "${day}" is not a day: write YYYY-MM-DD`)
  if (faults.length === 0 && announced >= removal)
    faults.push(`announced ${announced} is not before removal ${removal}`)
  if (!path.startsWith('/')) faults.push(`path "${path}" must start with /`)
  if (!/^[A-Z]+$/.test(method)) faults.push(`method "${method}" must be in capital letters`)
  return faults
}

/**
 * Everything a type cannot express: days that exist and are in order, ids that are unique, paths that start at the root.
 * `at` is the index of the entry.
 */
export const faultsIn = (schedule: Schedule): { at: number; message: string }[] => {
  const seen = new Set<string>()
  return schedule.flatMap((entry, at) => {
    const messages = faultsOf(entry)
    if (seen.has(entry.id)) messages.push(`the id "${entry.id}" is used twice: ids must be unique`)
    seen.add(entry.id)
    return messages.map((message) => ({ at, message }))
  })
}
