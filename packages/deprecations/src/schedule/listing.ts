// The schedule as people look at it: chosen by API, operation and days, in the order of removal, with the days left.
// The command line, the page, JSON and CSV all show this.
import {
  daysIn,
  fixBy,
  operationOf,
  statusOn,
  type Day,
  type Entry,
  type Schedule,
  type Status,
} from './schedule.ts'

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
export const chooseEntries = (schedule: Schedule, { asOf, api, operation = '', within }: Choice): Listed[] =>
  schedule
    .map((entry) => ({ ...entry, status: { ...statusOn(entry, asOf), fixBy: fixBy(entry) } }))
    .filter((entry) => {
      const { daysLeft } = entry.status
      if (api !== undefined && entry.api !== api) return false
      if (within !== undefined && (daysLeft <= 0 || daysLeft > within)) return false
      return operationOf(entry).toLowerCase().includes(operation.toLowerCase())
    })
    .sort((a, b) => compare(a.removal, b.removal) || compare(operationOf(a), operationOf(b)))

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b))

type RemovalDay = {
  removal: Day
  /** `55 days left, fix by 2027-01-14` or `removed 37 days ago` */
  standing: string
  removed: boolean
  operations: { operation: string; items: Listed[] }[]
}

/** Chosen entries grouped for reading: by removal date, then by operation. */
export const byRemoval = (entries: readonly Listed[]): RemovalDay[] =>
  [...Map.groupBy(entries, ({ removal }) => removal)].map(([removal, ofDay]) => {
    const [{ status }] = ofDay as [Listed, ...Listed[]]
    const removed = status.state === 'removed'
    return {
      removal,
      standing: removed ? daysIn(status) : `${daysIn(status)}, fix by ${status.fixBy}`,
      removed,
      operations: [...Map.groupBy(ofDay, operationOf)].map(([operation, items]) => ({ operation, items })),
    }
  })

/** The list as a schedule file: `deprecations list --json` is what `--schedule` and `diff` read. */
export const listJson = (entries: readonly Listed[], asOf: Day) => ({ asOf, entries })
