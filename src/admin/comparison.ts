// Changes since an earlier day or the last digest, from the daily counts of `onramp keep`. Pure.
import type { DailyCounts, KeepState } from '../people/keep-state.ts'
import type { Texts } from '../web/languages/texts.ts'
import { DAY_MS, CHANGES, utcDay, zeros, type Report } from './report.ts'

type ComparedReport = Pick<Report, 'ready' | 'finished' | 'days' | 'changeCounts' | 'datasources'>

/** Ready people with something to connect. Undefined for rows of earlier versions. */
const doneIn = ({ ready, nothing }: DailyCounts): number | undefined =>
  nothing === undefined ? undefined : ready - nothing

/**
 * Compares with the newest row up to the requested day, else up to a week ago, else with the oldest row.
 * @param sinceDay the query's `since`, untrusted: YYYY-MM-DD
 * @returns undefined if `onramp keep` left no row before today
 */
export function compareSince(report: ComparedReport, keepState: KeepState, now: number, sinceDay?: unknown) {
  const isDay = typeof sinceDay === 'string' && /^\d{4}-\d\d-\d\d$/.test(sinceDay)
  const before = keepState.days.filter(({ day }) => day < utcDay(now))
  const upTo = isDay ? sinceDay : utcDay(now - 7 * DAY_MS)
  const row = before.findLast(({ day }) => day <= upTo) ?? before[0]
  if (row === undefined) return undefined
  const since = report.days.filter(({ day }) => day > row.day)
  const changeCounts = zeros(CHANGES)
  for (const counts of since) for (const what of CHANGES) changeCounts[what] += counts[what]
  return compareWith(row, report, changeCounts, keepState, (at) => utcDay(at) > row.day)
}

/** Compares with the last digest; without one, with a week ago. @param report made since that digest */
export function compareWithDigest(report: ComparedReport, keepState: KeepState, now: number) {
  const { digest } = keepState
  if (digest === undefined || report.changeCounts === undefined) return compareSince(report, keepState, now)
  return compareWith(digest, report, report.changeCounts, keepState, (at) => at > digest.at)
}

function compareWith(
  row: DailyCounts & { at?: number },
  report: ComparedReport,
  changeCounts: NonNullable<Report['changeCounts']>,
  { massDisconnects, newApps = [], delistedApps = [] }: KeepState,
  isSince: (at: number) => boolean,
) {
  const before = doneIn(row)
  const moreReady = before === undefined ? report.ready - row.ready : report.finished - before
  const known = new Map(report.datasources.map((app) => [app.instance, app]))
  const withCurrentName = <App extends { instance: string; name: string }>(app: App) => {
    const { name = app.name, emailed = 0, limited = 0, lapsedLimited = 0 } = known.get(app.instance) ?? {}
    return { ...app, name, emailed, limited, lapsedLimited }
  }
  return {
    row,
    before,
    moreReady,
    ...changeCounts,
    newApps: newApps.filter(({ noticedAt }) => isSince(noticedAt)).map(withCurrentName),
    removed: delistedApps.filter(({ markedRemovedAt = 0 }) => isSince(markedRemovedAt)).map(withCurrentName),
    resumed: massDisconnects.filter(({ resumedAt = 0 }) => isSince(resumedAt)).map(withCurrentName),
    /** Apps that are new for at least one person. */
    newForSome: report.datasources.filter(({ newestAt = 0 }) => isSince(+new Date(newestAt))),
  }
}

const MAX_NAMED = 3

type Compared = ReturnType<typeof compareWith>

/** "Slack has moved, Notion is new". Apps that are new for a few people are listed with the number of these people. */
function describeCauses({ newApps, newForSome, newApp: people }: Compared, t: Texts): string {
  const isForMany = newApps.length > 0
  const apps = isForMany ? newApps : newForSome
  const moved = apps.flatMap(({ name, isMoved }) => (isMoved ? name : []))
  const added = apps.flatMap(({ name, isMoved }) => (isMoved ? [] : name))
  const causeOf = (key: 'Moved' | 'New', names: readonly string[], number = names.length) => {
    const [app, second = ''] = names
    const values = { number, people, second, apps: t.list(names.slice(0, MAX_NAMED)) }
    return app === undefined ? [] : [t(`admin.since.cause${key}`, { app, ...values })]
  }
  const isListed = !isForMany && moved.length === 0
  return t.list([...causeOf('Moved', moved), ...causeOf('New', added, isListed ? 0 : added.length)])
}

export function describeComparison(compared: Compared, t: Texts): string[] {
  const { row, moreReady, fellBack, left, returned, newApp, reminded, newApps } = compared
  const count = Math.abs(moreReady)
  // Of the others, some may have left the list.
  const isByNewApps = moreReady < 0 && newApp > 0 && newApp * 2 >= count
  const ready = isByNewApps
    ? t('admin.since.fewerFor', { count, causes: describeCauses(compared, t) })
    : t(moreReady < 0 ? 'admin.since.fewer' : 'admin.since.more', { count })
  const fallen = fellBack === 0 ? [] : [t('admin.since.fellBack', { count: fellBack })]
  const gone = left === 0 ? [] : [t('admin.since.left', { count: left })]
  const changes = t.list([ready, ...fallen, ...gone])
  return [
    row.at === undefined
      ? t('admin.since.day', { day: t.day(Date.parse(row.day)), changes })
      : t('admin.since', { when: t.moment(row.at), changes }),
    ...newApps.flatMap(({ name: app, people, isMoved: hasMoved, emailed, limited }) => [
      t(hasMoved ? 'admin.since.moved' : 'admin.since.new', { app, count: people }),
      ...(limited > 0 ? [t('admin.since.emailed', { app, emailed, limited })] : []),
    ]),
    ...compared.resumed.flatMap(
      ({ name: app, lapsed, had, resumedAt = 0, emailed, lapsedLimited: limited }) => [
        t('admin.since.released', { app, lapsed, had, day: t.day(resumedAt) }),
        ...(limited > 0 ? [t('admin.since.emailed', { app, emailed, limited })] : []),
      ],
    ),
    ...compared.removed.map(({ name: app }) => t('admin.since.removed', { app })),
    ...(returned === 0 ? [] : [t('admin.since.returned', { count: returned })]),
    ...(reminded === 0 ? [] : [t('admin.since.reminders', { count: reminded })]),
  ]
}
