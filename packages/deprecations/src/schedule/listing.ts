// The schedule as people look at it: chosen by API, operation and days, in the order of removal, with what is left of it.
// The command line, the page, JSON and CSV all show this.
import { fixBy, operationOf, statusOn, type Day, type Entry, type Schedule, type Status } from './schedule.ts'
import { daysIn } from './words.ts'

export type Choice = {
  asOf: Day
  api?: string | undefined
  /** A piece of `METHOD path`, upper or lower case. */
  operation?: string | undefined
  /** Only what is removed within so many days from `asOf` and is not removed yet. */
  within?: number | undefined
}

export type Listed = Entry & { status: Status & { fixBy: Day } }

/** The chosen entries, soonest removal first, then by operation; on one operation in the schedule's own order. */
export const chooseEntries = (schedule: Schedule, choice: Choice): Listed[] =>
  schedule
    .map((entry) => ({ ...entry, status: { ...statusOn(entry, choice.asOf), fixBy: fixBy(entry) } }))
    .filter((entry) => isChosen(entry, choice))
    .sort((a, b) => compare(a.removal, b.removal) || compare(operationOf(a), operationOf(b)))

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

const isChosen = (entry: Listed, { api, operation, within }: Choice) => {
  const { daysLeft } = entry.status
  if (api !== undefined && entry.api !== api) return false
  if (within !== undefined && (daysLeft <= 0 || daysLeft > within)) return false
  return operationOf(entry)
    .toLowerCase()
    .includes((operation ?? '').toLowerCase())
}

export type RemovalDay = {
  removal: Day
  /** `55 days left, fix by 2027-01-14` or `removed 37 days ago` */
  standing: string
  removed: boolean
  operations: { operation: string; api: string; items: Listed[] }[]
}

const standingOf = ({ status }: Listed) =>
  status.state === 'removed' ? daysIn(status) : `${daysIn(status)}, fix by ${status.fixBy}`

/** Chosen entries grouped for reading: by removal date, then by operation. */
export const byRemoval = (entries: readonly Listed[]): RemovalDay[] =>
  [...Map.groupBy(entries, ({ removal }) => removal)].map(([removal, ofDay]) => ({
    removal,
    standing: ofDay[0] === undefined ? '' : standingOf(ofDay[0]),
    removed: ofDay[0]?.status.state === 'removed',
    operations: [...Map.groupBy(ofDay, operationOf)].map(([operation, items]) => ({
      operation,
      api: items[0]?.api ?? '',
      items,
    })),
  }))

/** The list as a schedule file: `deprecations list --json` is what `--schedule` and `diff` read. */
export const listJson = (entries: readonly Listed[], asOf: Day) => ({ asOf, entries })

type Cell = string | number | undefined

const columns: readonly (readonly [string, (entry: Listed) => Cell])[] = [
  ['id', ({ id }) => id],
  ['api', ({ api }) => api],
  ['kind', ({ kind }) => kind],
  ['method', ({ method }) => method],
  ['path', ({ path }) => path],
  ['field', (entry) => (entry.kind === 'field' ? entry.field : undefined)],
  ['place', (entry) => (entry.kind === 'field' ? entry.place.in : undefined)],
  ['depth', (entry) => (entry.kind === 'field' ? entry.place.depth : undefined)],
  ['replacement', ({ replacement }) => replacement],
  ['advice', ({ advice }) => advice],
  ['reason', ({ reason }) => reason],
  ['announced', ({ announced }) => announced],
  ['removal', ({ removal }) => removal],
  ['fix_by', ({ status }) => status.fixBy],
  ['days_left', ({ status }) => status.daysLeft],
  ['state', ({ status }) => status.state],
]

// A sheet would take a cell that starts so for a formula; the apostrophe tells it not to.
const harmless = (text: string) => (/^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text)
const cellText = (value: Cell) => {
  const text = harmless(String(value ?? ''))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The list as CSV (RFC 4180) with a line of column names. */
export const listCsv = (entries: readonly Listed[]): string => {
  const rows = entries.map((entry) => columns.map(([, read]) => read(entry)))
  return [columns.map(([name]) => name), ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}
