// GET /admin: figures, funnel, trend and action items, from the report alone. Pure.
import { areMany } from '../campaigns/clusters.ts'
import { WORKING_HOURS } from '../campaigns/working-time.ts'
import type { TextKey } from '../web/languages/catalogue.ts'
import type { Texts } from '../web/languages/texts.ts'
import { compareSince, describeComparison, dominantApp } from './comparison.ts'
import { approvalItem, approvedLines, describeWait, earlyApproval, needOf } from './approval-texts.ts'
import { peopleUrl, type Filter } from './filters.ts'
import { createPlot } from './plot.ts'
import { activeMassDisconnects, PROGRESS_STATES, unansweredDelistings } from '../people/keep-state.ts'
import type { KeepState } from '../people/keep-state.ts'
import { PEOPLE_FILE } from './people-csv.ts'
import { delistedCounts, describeLostApp } from './removal-texts.ts'
import { DAY_MS, utcDay } from './report.ts'
import type { AppCounts, Report } from './report.ts'
import { COMMAND } from '../version.ts'
import { appTable, groupTable, shareFormatter, widthOf } from './sorted-table.ts'

const KEEP_COMMAND = `${COMMAND} keep PEOPLE.csv`

/** The command for paused emails or a removal. Undefined if the name of an app isn't safe in a shell. */
export const keepCommand = (option: 'release' | 'removed', ...apps: readonly string[]): string | undefined =>
  apps.every((instance) => /^\w[\w.-]*$/.test(instance))
    ? [KEEP_COMMAND, ...apps.map((instance) => `--${option} ${instance}`)].join(' ')
    : undefined

const COMMANDS: { [Kind in ItemKind]?: string } = {
  due: `${COMMAND} invite send ${PEOPLE_FILE} --remind-after 7`,
  stopped: KEEP_COMMAND,
  missing: KEEP_COMMAND,
  emptied: `${COMMAND} status EMAIL`,
  uncertain: `${COMMAND} invite send PEOPLE.csv --retry-unknown`,
}

type TextContext = Parameters<typeof approvedLines>[2]

/** @param context.now milliseconds since 1970 @param context.since the query's, untrusted */
export function overviewPage(
  report: Report,
  keepState: KeepState,
  t: Texts,
  { since, now, ...company }: Omit<TextContext, 't'> & { since: unknown },
) {
  const comparison = compareSince(report, keepState, now, since)
  const freshness = freshnessOf(report, t)
  const { lastRunAt: ranAt, pausedUntil = 0 } = keepState
  const isAnyoneInvited = report.funnel.invited > 0 || report.lastEmailAt !== undefined
  return {
    ...freshness,
    freshness: [
      ...freshness.freshness,
      ...(ranAt === undefined ? [] : [t('admin.lastRun', { when: t.moment(ranAt) })]),
      ...(pausedUntil > now ? [t('admin.paused', { day: t.day(pausedUntil) })] : []),
      ...approvedLines(report, keepState, { t, now, ...company }),
    ],
    stats: statsOf(report, keepState, t),
    since: comparison && {
      changes: describeComparison(comparison, t),
      day: comparison.row.day,
      first: keepState.days[0]?.day,
      last: utcDay(now - DAY_MS),
    },
    isAnyoneInvited,
    steps: isAnyoneInvited ? [] : firstSteps(keepState, t),
    /** False if only the admin is on record: the page shows the first steps. */
    isBegun: isAnyoneInvited || report.people > 1,
    /** False in an outage that emptied all lists. */
    hasFigures: !report.isNoneLeft || report.hadToConnect > 0,
    funnel: funnelOf(report, t),
    funnelTitle: t('admin.funnelTitle', { count: report.hadToConnect }),
    needs: describeActionItems(report, keepState, { t, now, ...company }).map((need, index) => ({
      id: `need-${index}`,
      ...need,
    })),
    ...trendOf(report, keepState, t, now),
    groups: groupTable(report.groups, { columns: ['name', 'ready', 'notStarted', 'stuck', 'fellBack'] }, t),
    apps: appTable(report.datasources, { columns: ['name', 'connected', 'waiting', 'stuck', 'lapsed'] }, t),
    figures: FIGURES.map((filter) => ({
      label: t(`admin.figure.${filter}`),
      count: report[filter],
      href: peopleUrl({ filter }),
    })),
  }
}

/** A dry run or a run in the keep state proves that the list was read. */
const firstSteps = ({ dryRun, lastRunAt }: KeepState, t: Texts) => [
  {
    text: t('admin.step.list'),
    detail: dryRun && t('admin.step.people', { count: dryRun.people }),
    isDone: lastRunAt !== undefined || dryRun?.faults === 0,
  },
  {
    text: t('admin.step.dryRun'),
    command: `${KEEP_COMMAND} --dry-run`,
    isDone: dryRun !== undefined,
  },
  {
    text: t('admin.step.firstRun', { from: t.hour(WORKING_HOURS.from), to: t.hour(WORKING_HOURS.to) }),
    command: KEEP_COMMAND,
    isDone: lastRunAt !== undefined,
  },
]

/** Days until the next working day, from Sunday to Saturday. */
const UNTIL_WORKING_DAY = [1, 1, 1, 1, 1, 3, 2]

/** A sentence on the day of the first invitations, a chart later. */
function trendOf(report: Report, { days }: KeepState, t: Texts, now: number) {
  const first = report.days.find(({ invited }) => invited > 0) ?? report.days[0]
  if (first === undefined || first.day < utcDay(now))
    return { plot: createPlot(report, days, now), early: undefined }
  const wait = UNTIL_WORKING_DAY[new Date(now).getUTCDay()] ?? 1
  return { plot: undefined, early: t('admin.trend.early', { day: t.date(now + wait * DAY_MS) }) }
}

const FIGURES = ['skipped', 'blocked', 'deferred', 'failed', 'uncertain', 'optedOut', 'limited'] as const

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
    unreadable: unread === 0 ? undefined : t('admin.unread', { records: describeUnreadable(unread) }),
  }
}

export const describeUnreadable = (records: number): string =>
  `${records === 1 ? 'one record' : `${records.toLocaleString('en')} records`} that can't be read (run ${COMMAND} doctor)`

function statsOf(report: Report, keepState: KeepState, t: Texts) {
  const share = shareFormatter(t)
  const { finished, hadToConnect, inProgressApps, lastEmailAt } = report
  const none: string[] = []
  const inQuestion = unansweredDelistings(keepState).map(({ name }) => name)
  const mostly = (app: AppCounts | undefined) => (app ? [t('admin.mostly', { app: app.name })] : none)
  const { count: due, from } = report.dueLater
  const dateOf = (iso: string) => t.date(Date.parse(iso))
  const details = {
    ready: [
      t('admin.readyOf', { ready: finished, people: hadToConnect }),
      ...(inQuestion.length === 0 ? none : [t('admin.inQuestion', { apps: t.list(inQuestion) })]),
    ],
    // What they lack may be an app that might have been removed, which no figure counts.
    inProgress:
      inProgressApps.all === inProgressApps.connected
        ? none
        : [t('admin.appsDone', { share: share(inProgressApps.connected, inProgressApps.all) })],
    notStarted: [
      ...(lastEmailAt === undefined ? none : [t('admin.lastEmail', { day: dateOf(lastEmailAt) })]),
      ...(from === undefined ? none : [t('admin.remindersDue', { count: due, day: dateOf(from) })]),
    ],
    stuck: mostly(dominantApp(report.datasources, report.stuck)),
    fellBack: mostly(dominantApp(report.datasources, report.fellBack, ({ lapsed }) => lapsed)),
  }
  const apartOf = (state: string, filter: 'nothing' | 'unchecked' | 'notInvited') => {
    const count = report[filter]
    return { state, count, text: t(`admin.apart.${filter}`, { count }), href: peopleUrl({ filter }) }
  }
  const partsOfState = [
    apartOf('ready', 'nothing'),
    apartOf('ready', 'unchecked'),
    apartOf('notStarted', 'notInvited'),
  ]
  return PROGRESS_STATES.map((state) => {
    // The figure leaves out people with nothing to connect.
    const filter = state === 'ready' ? 'finished' : state
    const limitedFigure = { name: t('admin.figure.limited'), count: report.limitedIn[state] }
    return {
      state,
      label: t(`admin.stat.${state}`),
      count: report[filter],
      figure: state === 'ready' ? share(finished, hadToConnect) : t.number(report[state]),
      details: [...details[state], ...(limitedFigure.count > 0 ? [t('admin.option', limitedFigure)] : [])],
      apart: partsOfState.filter((note) => note.state === state && note.count > 0),
      means: t(`admin.means.${state}`),
      isTrouble: (state === 'stuck' || state === 'fellBack') && report[state] > 0,
      href: peopleUrl({ filter }),
    }
  })
}

function funnelOf({ funnel, hadToConnect }: Report, t: Texts) {
  return (Object.keys(funnel) as (keyof typeof funnel)[]).map((stage) => ({
    label: t(`admin.funnel.${stage}`),
    href: peopleUrl({ filter: stage }),
    width: widthOf(funnel[stage], hadToConnect),
    count: funnel[stage],
    share: shareFormatter(t)(funnel[stage], hadToConnect),
  }))
}

/** No hourly run for three hours, as in the alert OnrampKeepMissing, and neither a pause nor another cause is known. */
const isRunMissing = ({ lastRunAt = Infinity, stopped, pausedUntil = 0 }: KeepState, now: number): boolean =>
  now - lastRunAt >= 3 * 3_600_000 && stopped === undefined && now >= pausedUntil

const MAX_APPS = 3

const mostFirst = (apps: readonly AppCounts[], peopleAffected: (app: AppCounts) => number): AppCounts[] =>
  apps.filter((app) => peopleAffected(app)).sort((one, other) => peopleAffected(other) - peopleAffected(one))

/** Items whose reason is in the texts. */
type ItemKind<Key = TextKey> = Key extends `admin.need.${infer Kind}Why` ? Kind : never

const createItemFor =
  ({ notInvited, notStartedOptedOut: optedOut }: Report, t: Texts) =>
  (
    kind: ItemKind,
    count: number,
    list: Filter,
    app?: { instance: string; name: string },
    more: Record<string, string | number> = {},
  ) => {
    const { name = '', instance = '' } = app ?? {}
    const values = { count, notInvited, optedOut, app: name, instance, label: t('overview.block'), ...more }
    return {
      kind,
      isUndelivered: false,
      count,
      href: peopleUrl({ filter: list, ...(app && { app: app.instance }) }),
      title: t(`admin.need.${kind}`, values),
      detail: t(`admin.need.${kind}Why`, values),
      command: COMMANDS[kind],
      action: t('admin.view', { count }),
    }
  }

/** One item for each app in question, or one for all in an outage that emptied all lists. */
function describeQuestions(report: Report, keepState: KeepState, t: Texts) {
  const createItem = createItemFor(report, t)
  const apps = unansweredDelistings(keepState)
  if (report.isNoneLeft && apps.length > 1)
    return [
      {
        ...createItem('removed', apps.length, 'all', undefined, { listed: 0 }),
        action: '',
        title: t('admin.need.emptyListsTitle'),
        detail: t('admin.need.emptyLists', { apps: t.list(apps.map(({ name }) => name)) }),
        command: `${COMMAND} doctor`,
      },
    ]
  const outage = report.isNoneLeft ? [t('admin.need.noneLeft')] : []
  return apps.map((app) => {
    const { count, listed } = delistedCounts(report, app.instance)
    const item = createItem('removed', count, 'removed', app, { listed })
    const approval = keepState.approvals?.find(({ instance }) => instance === app.instance)
    const approvalText = approval?.waitingPeople ? [approvalItem(approval, app.name, t).title] : []
    const { texts, entry } = describeLostApp(app, keepState, report, t)
    const detail = t.sentences([...outage, ...texts, item.detail, ...approvalText])
    return { ...item, detail, command: entry ?? keepCommand('removed', app.instance) }
  })
}

/** One item for each app that many people don't know they have to connect, because of the limit of emails. */
function describeUntold(report: Report, t: Texts) {
  const untoldPeople = ({ limited, emailed }: AppCounts) =>
    areMany(limited, limited + emailed) ? limited : 0
  return mostFirst(report.datasources, untoldPeople)
    .slice(0, MAX_APPS)
    .map((app) => {
      const day = t.date(Date.parse(app.limitedUntil ?? ''))
      return createItemFor(report, t)('untold', app.limited, 'limited', app, { day })
    })
}

/** People whose lists are empty at once, with their department if it is one. */
function emptiedItem(report: Report, t: Texts) {
  const item = createItemFor(report, t)('emptied', report.emptied, 'emptied')
  const { name } = report.groups.find(({ emptied }) => emptied === report.emptied) ?? {}
  return name ? { ...item, title: `${item.title} · ${t('admin.only.group', { name })}` } : item
}

/** An app that people wait for. Its owners, or the reader, have to approve it, or to tell them that it works. */
function blockedAppItem(app: AppCounts, report: Report, keepState: KeepState, context: TextContext) {
  const { t } = context
  const { name, instance, blockedSince } = app
  const item = createItemFor(report, t)('app', app.counts.blocked, 'blocked', app)
  const stored = keepState.approvals?.find((one) => one.instance === instance)
  const approval = stored ?? earlyApproval(instance, report)
  const { owners = approval.owners } = app
  const wait = describeWait(instance, keepState, context)
  if (stored !== undefined || (owners.length > 0 && blockedSince !== undefined))
    return { ...item, ...approvalItem({ ...approval, owners }, name, t, wait) }
  const first = blockedSince === undefined ? [] : [t('admin.need.appSince', { day: t.date(approval.since) })]
  return { ...item, detail: t.sentences([item.detail, t('approval.inSettings', { app: name }), ...first]) }
}

/** Items of /admin: mass disconnects, because they pause emails; then apps, by people affected; then emails. */
export function describeActionItems(report: Report, keepState: KeepState, context: TextContext) {
  const { t, now } = context
  const { datasources } = report
  const approvals = new Map(keepState.approvals?.map((approval) => [approval.instance, approval]))
  const createItem = createItemFor(report, t)
  const massDisconnects = activeMassDisconnects(keepState).map((disconnect) => {
    const { instance: former, movedTo, name, noticedAt } = disconnect
    const appOf = (instance?: string) => datasources.find((one) => one.instance === instance)
    // The company file may name a replacement since the last run.
    const { instance, onHold: count } = appOf(former) ?? appOf(movedTo) ?? { instance: former, onHold: 0 }
    const lapsed = Math.max(disconnect.lapsed, count)
    const values = { lapsed, had: Math.max(disconnect.had, lapsed), day: t.day(noticedAt) }
    const item = createItem('massDisconnect', count, 'onHold', { instance, name }, values)
    const likely = movedTo === undefined ? [t('admin.digest.likely', { app: name })] : []
    const why = movedTo === former ? t('admin.need.movedRelease') : item.detail
    return {
      ...item,
      detail: t.sentences([...describeLostApp(disconnect, keepState, report, t).texts, ...likely, why]),
      command: keepCommand('release', movedTo ?? former),
    }
  })
  const { stopped, needs, lastRunAt } = keepState
  /** An item about runs is about no people, so it opens no list. */
  const runItem = (kind: 'stopped' | 'missing' | 'run', at?: number, why = '') => {
    const next = t(stopped?.needsConfirm ? 'admin.need.stoppedConfirm' : 'admin.need.stoppedThen')
    const item = createItem(kind, 0, 'all', undefined, { when: t.moment(at ?? 0), why, next })
    const confirmation = kind === 'stopped' &&
      stopped?.needsConfirm && { command: `${KEEP_COMMAND} --confirm` }
    return at === undefined ? [] : [{ ...item, ...confirmation, href: '/admin', action: '' }]
  }
  const blockedApps = mostFirst(datasources, ({ instance, counts }) => {
    const approval = approvals.get(instance)
    const { stage, waitingPeople, isUndelivered, isUntried, unreachable = 0 } = approval ?? {}
    if (isUndelivered) return Infinity
    if (approval && needOf(approval) === 'messenger') return unreachable
    // No admin is needed while one person tests the app, or once everyone can connect it.
    return (stage === 'approved' && !isUntried) || (stage === 'confirmed' && waitingPeople === 0)
      ? 0
      : counts.blocked
  })
  const namedApps = blockedApps.length === MAX_APPS + 1 ? blockedApps : blockedApps.slice(0, MAX_APPS)
  const unstartable = mostFirst(datasources, ({ noAddress }) => noAddress).slice(0, MAX_APPS)
  const isKept = (lastRunAt ?? stopped) !== undefined
  /** Where keep runs, its next run sends these emails. */
  const unlessKept = (count: number) => (isKept ? 0 : count)
  const otherItems = [
    {
      ...createItem('otherApps', blockedApps.length - namedApps.length, 'blocked'),
      action: t('admin.allApps'),
      href: '/admin/apps?sort=stuck',
    },
    createItem('unconfirmed', report.unconfirmed, 'unconfirmed'),
    createItem('due', unlessKept(report.due), 'due'),
    createItem('failed', report.failed, 'failed', undefined, {
      day: t.date(Math.max(report.lastFailed.at, 0)),
      email: report.lastFailed.email || 'none',
    }),
    createItem('deferred', unlessKept(report.deferred), 'deferred'),
    createItem('uncertain', report.uncertain, 'uncertain'),
  ]
  return [
    ...runItem('stopped', stopped?.at, stopped?.why),
    ...runItem('missing', isRunMissing(keepState, now) ? lastRunAt : undefined),
    ...runItem('run', needs?.length ? lastRunAt : undefined, needs?.join(' ')),
    ...massDisconnects,
    ...[emptiedItem(report, t), ...describeQuestions(report, keepState, t)].filter(({ count }) => count > 0),
    ...namedApps.map((app) => blockedAppItem(app, report, keepState, context)),
    ...unstartable.map((app) => createItem('noAddress', app.noAddress, 'noAddress', app)),
    ...(isKept ? describeUntold(report, t) : []),
    ...otherItems.filter(({ count }) => count > 0),
  ]
}
