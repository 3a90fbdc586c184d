// When everyone will be ready: at the present pace, and how many people a day a target date takes; and what has changed
// since a day. Pure. It says nothing where there is too little to go by, because a wrong date is worse than none.
import { rowOf, type DayRow, type Upkeep } from '../people/upkeep.ts'
import type { Day, Report } from './report.ts'

const DAY_MS = 86_400_000
/** A pace is taken from the last two weeks, and from no less than this. */
const PACE_DAYS = 14
const MIN_PACE_DAYS = 3
const MIN_PACE_PEOPLE = 5
export const MAX_TARGET_DAYS = 730

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** The first and the last day that may be a target. */
export const targetRange = (now: number) => ({
  first: dayOf(now),
  last: dayOf(now + MAX_TARGET_DAYS * DAY_MS),
})

export type Target = { kind: 'none' } | { kind: 'unusable' } | { kind: 'day'; day: string; endsAt: number }

/** @param asked the query's `target`, untrusted: YYYY-MM-DD, within two years. The whole day counts (UTC). */
export function targetOf(asked: unknown, now: number): Target {
  if (asked === undefined || asked === '') return { kind: 'none' }
  const { first, last } = targetRange(now)
  const at = typeof asked === 'string' && /^\d{4}-\d\d-\d\d$/.test(asked) ? Date.parse(asked) : NaN
  if (!Number.isFinite(at)) return { kind: 'unusable' }
  const day = dayOf(at)
  if (day !== asked || day < first || day > last) return { kind: 'unusable' }
  return { kind: 'day', day, endsAt: at + DAY_MS }
}

/** More people a day are ready than two weeks ago; undefined: fewer than three days, or than five people, to go by. */
export function paceOf(days: readonly Day[], now: number): number | undefined {
  const begun = days.find(({ finished }) => finished > 0)
  if (begun === undefined) return undefined
  const start = Math.max(Date.parse(begun.day), Date.parse(dayOf(now)) - (PACE_DAYS - 1) * DAY_MS)
  const span = (now - start) / DAY_MS
  const more = moreReadySince(days, start)
  return span < MIN_PACE_DAYS || more < MIN_PACE_PEOPLE ? undefined : more / span
}

/** Who finished, without those who no longer have everything connected. @param start the beginning of a day in UTC */
export const moreReadySince = (days: readonly Day[], start: number): number =>
  days
    .filter(({ day }) => Date.parse(day) >= start)
    .reduce((sum, { finished, fellBack, reopened }) => sum + finished - fellBack - reopened, 0)

export type Comparison = Record<'moreReady' | 'fellBack' | 'reminded' | 'repaired', number> & { row: DayRow }

/**
 * With the newest row up to the day that is asked for, else up to a week ago, else with the oldest.
 * @param asked the query's `since`, untrusted: YYYY-MM-DD
 * @returns undefined: `onramp keep` left no row before today
 */
export function comparisonOf(
  { ready, days }: Pick<Report, 'ready' | 'days'>,
  upkeep: Upkeep,
  now: number,
  asked?: unknown,
): Comparison | undefined {
  const isDay = typeof asked === 'string' && /^\d{4}-\d\d-\d\d$/.test(asked)
  const before = upkeep.days.filter(({ day }) => day < dayOf(now))
  const row = rowOf({ ...upkeep, days: before }, isDay ? asked : dayOf(now - 7 * DAY_MS)) ?? before[0]
  if (row === undefined) return undefined
  const since = days.filter(({ day }) => day > row.day)
  const sum = (what: 'fellBack' | 'reminded' | 'repaired') => since.reduce((all, day) => all + day[what], 0)
  const [fellBack, reminded, repaired] = [sum('fellBack'), sum('reminded'), sum('repaired')]
  return { row, moreReady: ready - row.ready, fellBack, reminded, repaired }
}

export type Outlook = {
  /** People who are not ready. */
  left: number
  /** People a day; undefined: too little to go by. */
  pace: number | undefined
  /** When that is through; undefined: not within two years, or unknown. */
  doneAt: number | undefined
  target: { day: string; days: number; aDay: number; readyByThen: number | undefined } | undefined
}

export function outlookOf(
  { days, people, ready }: Pick<Report, 'days' | 'people' | 'ready'>,
  now: number,
  target: Target,
): Outlook {
  const left = Math.max(0, people - ready)
  const pace = paceOf(days, now)
  const doneAt = pace === undefined ? undefined : now + (left / pace) * DAY_MS
  const isFar = doneAt !== undefined && doneAt - now > MAX_TARGET_DAYS * DAY_MS
  const outlook = { left, pace, doneAt: isFar ? undefined : doneAt }
  if (target.kind !== 'day') return { ...outlook, target: undefined }
  const exactDays = Math.max(0, (target.endsAt - now) / DAY_MS)
  const wholeDays = Math.max(1, Math.ceil(exactDays))
  const readyByThen = pace === undefined ? undefined : Math.min(people, Math.floor(ready + pace * exactDays))
  const aDay = Math.ceil(left / wholeDays)
  return { ...outlook, target: { day: target.day, days: wholeDays, aDay, readyByThen } }
}
