// GET /admin: figures, funnel, trend and what needs an administrator, from the report alone. Pure.
import type { Texts } from '../web/languages/texts.ts'
import { compareSince, describeComparison } from './comparison.ts'
import { peopleUrl } from './filters.ts'
import { createPlot } from './plot.ts'
import {
  activeMassDisconnects,
  PERSON_STATES,
  unansweredRemovals,
  type KeepState,
} from '../people/keep-state.ts'
import { PEOPLE_FILE } from './people-csv.ts'
import {
  REMIND_AFTER_DAYS,
  utcDay,
  FUNNEL_STAGES,
  peopleStuckAt,
  type AppCounts,
  type Report,
} from './report.ts'
import { COMMAND } from '../version.ts'
import { appTable, groupTable, shareFormatter } from './sorted-table.ts'

type Formatting = { t: Texts; share: ReturnType<typeof shareFormatter> }

const DAY_MS = 86_400_000

/** Resumes the paused emails about an app, or answers that it was removed. Undefined: a shell would read more in its name. */
export const answerCommand = (instance: string, option: 'release' | 'removed'): string | undefined =>
  /^\w[\w.-]*$/.test(instance) ? `${COMMAND} keep PEOPLE.csv --${option} ${instance}` : undefined

const REMIND_COMMAND = `${COMMAND} invite send ${PEOPLE_FILE} --remind-after ${REMIND_AFTER_DAYS}`

/** @param times.now milliseconds since 1970 @param times.since from the query, untrusted */
export function overviewPage(
  report: Report,
  keepState: KeepState,
  t: Texts,
  { now, since }: { now: number; since: unknown },
) {
  const formatting = { t, share: shareFormatter(t) }
  const comparison = compareSince(report, keepState, now, since)
  const freshness = freshnessOf(report, t)
  const { lastRunAt: ranAt } = keepState
  const isAnyoneInvited = report.funnel.invited > 0 || report.lastEmailAt !== undefined
  return {
    ...freshness,
    freshness: [
      ...freshness.freshness,
      ...(ranAt === undefined ? [] : [t('admin.lastRun', { when: t.moment(ranAt) })]),
    ],
    stats: statsOf(report, formatting),
    since: comparison && {
      changes: describeComparison(comparison, t),
      day: comparison.row.day,
      first: keepState.days[0]?.day,
      last: utcDay(now - DAY_MS),
    },
    inviteCommand: `${COMMAND} invite send PEOPLE.csv`,
    isAnyoneInvited,
    /** Otherwise only the admin is on record, and the page says how to begin. */
    isBegun: isAnyoneInvited || report.people > 1,
    funnel: funnelOf(report, formatting),
    funnelTitle: t('admin.funnelTitle', { count: report.toConnect }),
    needs: describeActionItems(report, keepState, t, now).map((need, index) => ({
      id: `need-${index}`,
      ...need,
    })),
    ...trendOf(report, keepState, t, now),
    groups: groupTable(report.groups, { columns: ['name', 'ready', 'notStarted', 'stuck', 'fellBack'] }, t),
    apps: appTable(report.datasources, { columns: ['name', 'connected', 'waiting', 'stuck', 'lapsed'] }, t),
    figures: FIGURES.map((what) => ({
      what: t(`admin.figure.${what}`),
      count: report[what],
      href: peopleUrl({ filter: what }),
    })),
  }
}

/** One sentence on the first day, a drawing later. */
function trendOf(report: Report, { days }: KeepState, t: Texts, now: number) {
  const plot = createPlot(report, days, now)
  if (plot?.isFirstDay !== true) return { plot, early: undefined }
  const wait = [1, 1, 1, 1, 1, 3, 2][new Date(now).getUTCDay()] ?? 1
  return { plot: undefined, early: t('admin.trend.early', { day: t.date(now + wait * DAY_MS) }) }
}

const FIGURES = ['skipped', 'blocked', 'deferred', 'failed', 'uncertain', 'optedOut'] as const

export function freshnessOf(report: Report, t: Texts) {
  const { asOf, people: count, gone, unread } = report
  return {
    freshness: [
      t('admin.known', { count }),
      asOf === undefined ? t('admin.notChecked') : t('admin.oldest', { when: t.date(Date.parse(asOf)) }),
    ],
    gone:
      gone === 0
        ? undefined
        : {
            href: peopleUrl({ filter: 'gone' }),
            label: t('admin.option', { name: t('admin.filter.gone'), count: gone }),
          },
    unread: unread === 0 ? undefined : t('admin.unread', { records: describeUnread(unread) }),
  }
}

export const describeUnread = (unread: number): string =>
  `${unread === 1 ? 'one record' : `${unread.toLocaleString('en')} records`} that can't be read (run ${COMMAND} doctor)`

/** The app that affects at least half of these people. @param at how many an app affects */
function dominantApp(
  { datasources }: Pick<Report, 'datasources'>,
  count: number,
  at: (app: AppCounts) => number = peopleStuckAt,
): AppCounts | undefined {
  const [first] = datasources.toSorted((one, other) => at(other) - at(one))
  return first !== undefined && at(first) > 0 && at(first) * 2 >= count ? first : undefined
}

function statsOf(report: Report, { t, share }: Formatting) {
  const { finished, toConnect, inProgressApps, lastEmailAt } = report
  const none: string[] = []
  const mostly = (app: AppCounts | undefined, otherwise = none) =>
    app === undefined ? otherwise : [t('admin.mostly', { app: app.name })]
  const { count, from } = report.dueLater
  const dateOf = (iso: string) => t.date(Date.parse(iso))
  const details = {
    ready: [t('admin.readyOf', { ready: finished, people: toConnect })],
    inProgress:
      inProgressApps.all === 0
        ? none
        : [t('admin.appsDone', { share: share(inProgressApps.connected, inProgressApps.all) })],
    notStarted: [
      ...(lastEmailAt === undefined ? none : [t('admin.lastEmail', { day: dateOf(lastEmailAt) })]),
      ...(from === undefined ? none : [t('admin.remindersDue', { count, day: dateOf(from) })]),
    ],
    stuck: mostly(dominantApp(report, report.stuck), report.stuck === 0 ? none : [t('admin.means.stuck')]),
    fellBack:
      report.fellBack === 0 ? none : mostly(dominantApp(report, report.fellBack, ({ lapsed }) => lapsed)),
  }
  /** Counted apart, each with its own list. */
  const apart = { ready: ['nothing', 'unchecked'], notStarted: ['notInvited'] } as const
  return PERSON_STATES.map((what) => {
    const filter = what === 'ready' ? 'finished' : what
    const others = what === 'ready' || what === 'notStarted' ? apart[what] : []
    return {
      what,
      label: t(`admin.stat.${what}`),
      count: report[filter],
      figure: what === 'ready' ? share(finished, toConnect) : t.number(report[what]),
      details: details[what],
      apart: others
        .filter((other) => report[other] > 0)
        .map((other) => ({
          text: t(`admin.apart.${other}`, { count: report[other] }),
          count: report[other],
          href: peopleUrl({ filter: other }),
        })),
      means: t(`admin.means.${what}`),
      isTrouble: (what === 'stuck' || what === 'fellBack') && report[what] > 0,
      href: peopleUrl({ filter }),
    }
  })
}

function funnelOf({ funnel, toConnect }: Report, { t, share }: Formatting) {
  return FUNNEL_STAGES.map((what) => ({
    label: t(`admin.funnel.${what}`),
    href: peopleUrl({ filter: what }),
    width: toConnect === 0 ? 0 : Number(((funnel[what] / toConnect) * 100).toFixed(1)),
    count: funnel[what],
    share: share(funnel[what], toConnect),
  }))
}

type ActionItem = {
  kind: 'app' | 'noAddress' | 'otherApps' | 'notStarted' | 'failed' | 'deferred' | 'uncertain' | 'unconfirmed'
  count: number
  app?: AppCounts
  href: string
}

const MAX_APPS = 3

/** Apps first, by the people they affect; emails last. */
function actionItemsOf(report: Report): ActionItem[] {
  const blocked = report.datasources
    .filter(({ counts }) => counts.blocked > 0)
    .toSorted((one, other) => other.counts.blocked - one.counts.blocked)
  const named = blocked.length === MAX_APPS + 1 ? blocked : blocked.slice(0, MAX_APPS)
  const needs: ActionItem[] = named.map((app) => ({
    kind: 'app',
    count: app.counts.blocked,
    app,
    href: peopleUrl({ filter: 'blocked', app: app.instance }),
  }))
  const broken = report.datasources.filter(({ noAddress }) => noAddress > 0)
  for (const app of broken.toSorted((one, other) => other.noAddress - one.noAddress).slice(0, MAX_APPS))
    needs.push({
      kind: 'noAddress',
      count: app.noAddress,
      app,
      href: peopleUrl({ filter: 'noAddress', app: app.instance }),
    })
  const others: ActionItem[] = [
    { kind: 'otherApps', count: blocked.length - named.length, href: '/admin/apps?sort=stuck' },
    { kind: 'unconfirmed', count: report.unconfirmed, href: peopleUrl({ filter: 'unconfirmed' }) },
    { kind: 'notStarted', count: report.due, href: peopleUrl({ filter: 'due' }) },
    { kind: 'failed', count: report.failed, href: peopleUrl({ filter: 'failed' }) },
    { kind: 'deferred', count: report.deferred, href: peopleUrl({ filter: 'deferred' }) },
    { kind: 'uncertain', count: report.uncertain, href: peopleUrl({ filter: 'uncertain' }) },
  ]
  return [...needs, ...others.filter(({ count }) => count > 0)]
}

/** Scheduled runs email people themselves. Three hours, as in the alert OnrampKeepMissing. */
const hasRecentRun = ({ lastRunAt = -Infinity }: KeepState, now: number): boolean =>
  now - lastRunAt < 3 * 3_600_000

/** Action items with their texts. Mass disconnects come first, because they keep people from being emailed. */
export function describeActionItems(report: Report, keepState: KeepState, t: Texts, now: number) {
  const massDisconnectItems = activeMassDisconnects(keepState).map(
    ({ instance, name, lapsed, had, noticedAt }) => {
      const known = report.datasources.find((one) => one.instance === instance)
      const [app, count] = [known?.name ?? name, known?.lapsed ?? 0]
      return {
        count,
        href: peopleUrl({ filter: 'lapsed', app: instance }),
        title: t('admin.need.massDisconnect', { app, lapsed, had, day: t.day(noticedAt) }),
        detail: t.sentences([t('admin.digest.likely', { app }), t('admin.need.massDisconnectWhy')]),
        command: answerCommand(instance, 'release'),
        action: t('admin.view', { count }),
      }
    },
  )
  const removedItems = unansweredRemovals(keepState).map(({ instance, name: app, people: count }) => ({
    count,
    href: '/admin/apps',
    title: t('admin.need.removed', { app, count }),
    detail: t('admin.need.removedWhy'),
    command: answerCommand(instance, 'removed'),
    action: t('admin.allApps'),
  }))
  // A run of onramp keep reminds people itself.
  const needs = actionItemsOf(report).filter(
    ({ kind }) => kind !== 'notStarted' || !hasRecentRun(keepState, now),
  )
  return [
    ...massDisconnectItems,
    ...removedItems,
    ...needs.map((need) => describeActionItem(need, report, t)),
  ]
}

function describeActionItem({ kind, count, app, href }: ActionItem, report: Report, t: Texts) {
  const { notStartedOptedOut: optedOut, notInvited } = report
  const values = { count, notInvited, optedOut, app: app?.name ?? '', label: t('overview.block') }
  const since = kind === 'app' ? app?.blockedSince : undefined
  const why = t(`admin.need.${kind}Why`, values)
  return {
    count,
    href,
    title: t(`admin.need.${kind}`, values),
    detail:
      since === undefined
        ? why
        : t.sentences([why, t('admin.need.appSince', { day: t.date(Date.parse(since)) })]),
    command: kind === 'notStarted' ? REMIND_COMMAND : undefined,
    action: kind === 'otherApps' ? t('admin.allApps') : t('admin.view', { count }),
  }
}
