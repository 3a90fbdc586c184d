// Changes since an earlier day, from the counts that `onramp keep` left on it. Pure.
import type { DailyCounts, KeepState } from '../people/keep-state.ts'
import type { Texts } from '../web/languages/texts.ts'
import { utcDay, type Report } from './report.ts'
import { shareFormatter } from './sorted-table.ts'

const DAY_MS = 86_400_000

type Comparison = Record<'moreReady' | 'fellBack' | 'reminded' | 'acted', number> & { row: DailyCounts }

/**
 * With the newest row up to the day that is asked for, else up to a week ago, else with the oldest.
 * @param requestedDay the query's `since`, untrusted: YYYY-MM-DD
 * @returns undefined: `onramp keep` left no row before today
 */
export function compareSince(
  { ready, days }: Pick<Report, 'ready' | 'days'>,
  keepState: KeepState,
  now: number,
  requestedDay?: unknown,
): Comparison | undefined {
  const isDay = typeof requestedDay === 'string' && /^\d{4}-\d\d-\d\d$/.test(requestedDay)
  const before = keepState.days.filter(({ day }) => day < utcDay(now))
  const upTo = isDay ? requestedDay : utcDay(now - 7 * DAY_MS)
  const row = before.findLast(({ day }) => day <= upTo) ?? before[0]
  if (row === undefined) return undefined
  const since = days.filter(({ day }) => day > row.day)
  const sum = (what: 'fellBack' | 'reminded' | 'acted') => since.reduce((all, day) => all + day[what], 0)
  const flows = { fellBack: sum('fellBack'), reminded: sum('reminded'), acted: sum('acted') }
  return { row, moreReady: ready - row.ready, ...flows }
}

export function describeComparison(
  { row, moreReady, fellBack, reminded, acted }: Comparison,
  t: Texts,
): string[] {
  const ready = t(moreReady < 0 ? 'admin.since.fewer' : 'admin.since.more', { count: Math.abs(moreReady) })
  const changes = t.list([ready, t('admin.since.fellBack', { count: fellBack })])
  const since = t('admin.since', { day: t.day(Date.parse(row.day)), changes })
  if (reminded === 0) return [since]
  const share = shareFormatter(t)(acted, reminded)
  return [since, t('admin.since.reminded', { count: reminded, acted, share })]
}
