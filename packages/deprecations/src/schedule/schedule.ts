// Entries of the schedule, their status on a day, and their texts. Pure.
// An item works until the day before its removal date, UTC (contract, section 9).
import { z } from 'zod'

const DAY_MS = 86_400_000
const timeOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

/** `YYYY-MM-DD` in UTC. Days are compared as text. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

export const daySchema = z.iso.date('must be a day that exists, YYYY-MM-DD')

const text = z.string().min(1).max(2_000)

const deprecation = {
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, dots, dashes or underscores')
    .describe('Stable and unique: calendars, waivers and reports refer to it.'),
  api: z.enum(['client', 'indexing']),
  method: z.string().regex(/^[A-Z]+$/, 'must be a method in capital letters'),
  path: z
    .string()
    .regex(/^\/[^\s?#]*$/, 'must be a path that starts with / and has no query')
    .describe('A path template; {name} is any one segment.'),
  replacement: text.optional().describe('What to use instead.'),
  advice: text.optional().describe('What to do if there is no replacement.'),
  reason: text.optional(),
  note: text.optional().describe('What else the service states about it.'),
  announced: daySchema,
  removal: daySchema.describe('The item works until the day before this date (UTC).'),
}

const spot = z.strictObject({
  in: z.enum(['request', 'response', 'either']),
  depth: z.enum(['top', 'any']).describe('top: only a member of the body itself.'),
  holders: z
    .array(text)
    .optional()
    .describe("Members of the body that hold what the operation is about: theirs count as the body's own."),
})

const endpointEntry = z.strictObject({ kind: z.literal('endpoint'), ...deprecation })
const fieldEntry = z.strictObject({ kind: z.literal('field'), field: text, place: spot, ...deprecation })
const printedMembers = {
  status: z.looseObject({}).optional().describe('On the day the list was printed; ignored when read.'),
}

/** The schema of schedule files. */
export const scheduleSchema = z
  .strictObject({
    $schema: z.string().optional(),
    asOf: daySchema.optional().describe('The date for which the list was printed; ignored when read.'),
    entries: z.array(
      z.discriminatedUnion('kind', [endpointEntry.extend(printedMembers), fieldEntry.extend(printedMembers)]),
    ),
  })
  .superRefine(({ entries }, context) => {
    const seen = new Set<string>()
    for (const [index, { id, announced, removal }] of entries.entries()) {
      const fault = (message: string) =>
        context.addIssue({ code: 'custom', path: ['entries', index], message })
      if (announced >= removal) fault(`announced ${announced} is not before removal ${removal}`)
      if (seen.has(id)) fault(`the id "${id}" is used twice: ids must be unique`)
      seen.add(id)
    }
  })

type FieldEntry = z.infer<typeof fieldEntry>
export type Entry = z.infer<typeof endpointEntry> | FieldEntry
export type Schedule = readonly Entry[]

/** `daysLeft` until the removal date; 0 or less once removed. */
type Status = { state: 'unannounced' | 'announced' | 'removed'; daysLeft: number }

export const statusOn = (entry: Entry, day: string): Status => {
  const daysLeft = (timeOf(entry.removal) - timeOf(day)) / DAY_MS
  if (daysLeft <= 0) return { state: 'removed', daysLeft }
  return { state: day < entry.announced ? 'unannounced' : 'announced', daysLeft }
}

/** The last day on which the item works. */
export const fixBy = (entry: Entry): string => dayOf(new Date(timeOf(entry.removal) - DAY_MS))

/** `POST /rest/api/v1/chat` */
export const operationOf = (entry: Entry): string => `${entry.method} ${entry.path}`

/** `citations (response) of POST /rest/api/v1/chat` */
export const titleOf = (entry: Entry): string =>
  entry.kind === 'endpoint' ? operationOf(entry) : `${fieldOf(entry)} of ${operationOf(entry)}`

/** `trackingToken (top level, request or response)` */
export const fieldOf = ({ field, place }: FieldEntry): string => {
  const side = place.in === 'either' ? 'request or response' : place.in
  return `${field} (${place.depth === 'top' ? 'top level, ' : ''}${side})`
}

/** `use answer.trackingToken`, or the service's advice if the item has no replacement. */
export const adviceFor = (entry: Entry): string => {
  const { replacement, advice = 'no replacement stated' } = entry
  return (replacement === undefined ? advice : `use ${replacement}`) + remarksOf(entry)
}

/** The service's reason and note, as ` (reason; note)`; empty without both. */
export const remarksOf = ({ reason, note }: Entry): string => {
  const parts = [reason === 'deprecated' ? undefined : reason, note].filter((part) => part !== undefined)
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}

/** `1 request`, `12,000 requests` */
export const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`

/** `37 days ago`, `55 days left, fix by 2027-01-14` */
const timeLeftText = (entry: Entry, { state, daysLeft }: Status): string => {
  if (state !== 'removed') return `${countText(daysLeft, 'day')} left, fix by ${fixBy(entry)}`
  return daysLeft === 0 ? 'today' : `${countText(-daysLeft, 'day')} ago`
}

/** `removed on 2026-10-15, 37 days ago; use text` */
export const removalText = (entry: Entry, status: Status): string => {
  const verb = status.state === 'removed' ? 'removed' : 'removal'
  return `${verb} on ${entry.removal}, ${timeLeftText(entry, status)}; ${adviceFor(entry)}`
}

export type EntryFilter = {
  asOf: string
  api?: string | undefined
  /** A part of `METHOD path`, in any letter case. */
  operation?: string | undefined
  /** Only entries whose removal is at most this many days away. */
  within?: number | undefined
}

export type ListedEntry = Entry & { status: Status & { fixBy: string } }

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

/** Entries with their status on a day, sorted by removal date, then by operation. */
export const listEntries = (schedule: Schedule, asOf: string): ListedEntry[] =>
  schedule
    .map((entry) => ({ ...entry, status: { ...statusOn(entry, asOf), fixBy: fixBy(entry) } }))
    .sort((a, b) => compare(a.removal, b.removal) || compare(operationOf(a), operationOf(b)))

export const selectEntries = (
  entries: readonly ListedEntry[],
  { api, operation = '', within }: Omit<EntryFilter, 'asOf'>,
): ListedEntry[] => {
  const piece = operation.toLowerCase()
  return entries.filter((entry) => {
    const { daysLeft } = entry.status
    if (api !== undefined && entry.api !== api) return false
    if (within !== undefined && (daysLeft <= 0 || daysLeft > within)) return false
    return operationOf(entry).toLowerCase().includes(piece)
  })
}

export const filterEntries = (schedule: Schedule, { asOf, ...choice }: EntryFilter): ListedEntry[] =>
  selectEntries(listEntries(schedule, asOf), choice)

/** Groups by removal date, then by operation. `timeLeft`: `55 days left, fix by 2027-01-14`, `removed 37 days ago`. */
export const groupByRemoval = (entries: readonly ListedEntry[]) =>
  [...Map.groupBy(entries, ({ removal }) => removal)].map(([removal, ofDay]) => {
    const [first] = ofDay as [ListedEntry, ...ListedEntry[]]
    const isRemoved = first.status.state === 'removed'
    const timeLeft = `${isRemoved ? 'removed ' : ''}${timeLeftText(first, first.status)}`
    const operations = [...Map.groupBy(ofDay, operationOf)].map(([operation, items]) => ({
      operation,
      items,
    }))
    return { removal, timeLeft, removed: isRemoved, operations }
  })

/** A schedule file, which `--schedule` and `diff` read. */
export const listJson = (entries: readonly ListedEntry[], asOf: string) => ({ asOf, entries })
