// Changes since an earlier day, from the counts that `onramp keep` left on it. Pure.
import type { DailyCounts, KeepState, NewApp } from '../people/keep-state.ts'
import type { Texts } from '../web/languages/texts.ts'
import { utcDay, type Report } from './report.ts'
import { shareFormatter } from './sorted-table.ts'

const DAY_MS = 86_400_000

/** `newApps`: with the names of the report. */
type Comparison = Record<'moreReady' | 'fellBack' | 'newApp' | 'reminded' | 'acted', number> & {
  row: DailyCounts
  newApps: NewApp[]
}

/**
 * With the newest row up to the day that is asked for, else up to a week ago, else with the oldest.
 * @param requestedDay the query's `since`, untrusted: YYYY-MM-DD
 * @returns undefined: `onramp keep` left no row before today
 */
export function compareSince(
  { ready, days, datasources }: Pick<Report, 'ready' | 'days' | 'datasources'>,
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
  const sum = (what: 'fellBack' | 'newApp' | 'reminded' | 'acted') =>
    since.reduce((all, day) => all + day[what], 0)
  const flows = {
    fellBack: sum('fellBack'),
    newApp: sum('newApp'),
    reminded: sum('reminded'),
    acted: sum('acted'),
  }
  const names = new Map(datasources.map(({ instance, name }) => [instance, name]))
  const newApps = (keepState.newApps ?? [])
    .filter(({ noticedAt }) => utcDay(noticedAt) > row.day)
    .map((app) => ({ ...app, name: names.get(app.instance) ?? app.name }))
  return { row, moreReady: ready - row.ready, ...flows, newApps }
}

export function describeComparison(
  { row, moreReady, fellBack, newApp, reminded, acted, newApps }: Comparison,
  t: Texts,
): string[] {
  const count = Math.abs(moreReady)
  const cause = { app: newApps[0]?.name ?? '', number: newApps.length, people: newApp }
  const isByNewApps = moreReady < 0 && (newApps.length > 0 || newApp > 0)
  const ready = isByNewApps
    ? t('admin.since.fewerNew', { count, ...cause })
    : t(moreReady < 0 ? 'admin.since.fewer' : 'admin.since.more', { count })
  const changes = t.list([ready, t('admin.since.fellBack', { count: fellBack })])
  const since = t('admin.since', { day: t.day(Date.parse(row.day)), changes })
  const added = newApps.map(({ name: app, people }) => t('admin.since.new', { app, count: people }))
  if (reminded === 0) return [since, ...added]
  const share = shareFormatter(t)(acted, reminded)
  return [since, ...added, t('admin.since.reminded', { count: reminded, acted, share })]
}
