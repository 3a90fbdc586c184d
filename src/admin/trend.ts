// When everyone will be ready: at the present pace, and how many people a day a target date takes; and what has changed
// since a day. Pure. It says nothing where there is too little to go by, because a wrong date is worse than none.
import type { DayRow, Upkeep } from '../people/upkeep.ts'
import type { Report } from './report.ts'

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

export type Counted = Pick<Report, 'days' | 'nothing' | 'people' | 'ready'>

/**
 * How many were ready at the end of each day: as `onramp keep` counted them, else more by those who finished on it. `from`: at
 * the beginning. Since when others had nothing to connect is not known: from there on, as far as the first count has them.
 */
export function readyByDay({ days, nothing, ready: isNow }: Counted, rows: readonly DayRow[], now: number) {
  const counted = new Map(rows.map(({ day, ready }) => [day, ready])).set(dayOf(now), isNow)
  const finished = new Map(days.map((day) => [day.day, day.finished]))
  const [first] = rows
  const by = days
    .filter(({ day }) => first && day <= first.day)
    .reduce((sum, { finished: one }) => sum + one, 0)
  const from = first === undefined ? nothing : Math.max(0, Math.min(nothing, first.ready - by))
  let ready = from
  const all = [...new Set([...finished.keys(), ...counted.keys()])].toSorted()
  const counts = all.map((day): [string, number] => [
    day,
    (ready = counted.get(day) ?? ready + (finished.get(day) ?? 0)),
  ])
  return { from, counts }
}

/** More people a day are ready than two weeks ago; undefined: fewer than three days, or than five people, to go by. */
export function paceOf(report: Counted, rows: readonly DayRow[], now: number): number | undefined {
  const begun = report.days.find(({ finished }) => finished > 0)
  if (begun === undefined) return undefined
  const start = Math.max(Date.parse(begun.day), Date.parse(dayOf(now)) - (PACE_DAYS - 1) * DAY_MS)
  const span = (now - start) / DAY_MS
  const { from, counts } = readyByDay(report, rows, now)
  const more = report.ready - (counts.findLast(([day]) => day < dayOf(start))?.[1] ?? from)
  return span < MIN_PACE_DAYS || more < MIN_PACE_PEOPLE ? undefined : more / span
}

export type Comparison = Record<'moreReady' | 'fellBack' | 'reminded' | 'acted', number> & { row: DayRow }

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
  const upTo = isDay ? asked : dayOf(now - 7 * DAY_MS)
  const row = before.findLast(({ day }) => day <= upTo) ?? before[0]
  if (row === undefined) return undefined
  const since = days.filter(({ day }) => day > row.day)
  const sum = (what: 'fellBack' | 'reminded' | 'acted') => since.reduce((all, day) => all + day[what], 0)
  const flows = { fellBack: sum('fellBack'), reminded: sum('reminded'), acted: sum('acted') }
  return { row, moreReady: ready - row.ready, ...flows }
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

export function outlookOf(report: Counted, rows: readonly DayRow[], now: number, target: Target): Outlook {
  const { people, ready } = report
  const left = Math.max(0, people - ready)
  const pace = paceOf(report, rows, now)
  const daysLeft = pace === undefined ? Infinity : left / pace
  const outlook = { left, pace, doneAt: daysLeft > MAX_TARGET_DAYS ? undefined : now + daysLeft * DAY_MS }
  if (target.kind !== 'day') return { ...outlook, target: undefined }
  const exactDays = Math.max(0, (target.endsAt - now) / DAY_MS)
  const wholeDays = Math.max(1, Math.ceil(exactDays))
  const readyByThen = pace === undefined ? undefined : Math.min(people, Math.floor(ready + pace * exactDays))
  const aDay = Math.ceil(left / wholeDays)
  return { ...outlook, target: { day: target.day, days: wholeDays, aDay, readyByThen } }
}
