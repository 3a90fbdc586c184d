// Changes since an earlier day or the last digest, from the daily counts of `onramp keep`. Pure.
import {
  isAnsweredRemoved,
  unansweredDelistings,
  type DailyCounts,
  type KeepState,
} from '../people/keep-state.ts'
import type { Texts } from '../web/languages/texts.ts'
import { DAY_MS, CHANGES, newAppCounts, peopleStuckAt, utcDay, zeros } from './report.ts'
import type { AppCounts, Report } from './report.ts'

type ComparedReport = Pick<Report, 'ready' | 'finished' | 'days' | 'datasources' | 'lostByDay' | 'newByDay'>

/**
 * Compares with the newest row up to the requested day, else up to a week ago, else with the oldest row.
 * @param sinceDay the query's `since`, untrusted: YYYY-MM-DD
 * @returns undefined if `onramp keep` left no row before today
 */
export function compareSince(report: ComparedReport, keepState: KeepState, now: number, sinceDay?: unknown) {
  const isDay = typeof sinceDay === 'string' && /^\d{4}-\d\d-\d\d$/.test(sinceDay)
  const rowsBefore = keepState.days.filter(({ day }) => day < utcDay(now))
  const upTo = isDay ? sinceDay : utcDay(now - 7 * DAY_MS)
  const row = rowsBefore.findLast(({ day }) => day <= upTo) ?? rowsBefore[0]
  if (row === undefined) return undefined
  const isSince = ({ day }: { day: string }) => day > row.day
  const [lostByDay, newByDay] = [report.lostByDay.filter(isSince), report.newByDay.filter(isSince)]
  const since = { days: report.days.filter(isSince), lostByDay, newByDay }
  return compareWith(row, { ...report, ...since }, keepState, (at) => utcDay(at) > row.day)
}

/** Compares with the last digest; without one, with a week ago. @param report made since that digest */
export function compareWithDigest(report: ComparedReport, keepState: KeepState, now: number) {
  const { digest } = keepState
  if (digest === undefined) return compareSince(report, keepState, now)
  return compareWith(digest, report, keepState, (at) => at > digest.at)
}

/** The app that affects most people, and at least half of `count`. */
export function dominantApp(apps: readonly AppCounts[], count: number, peopleAffected = peopleStuckAt) {
  const [first, second] = apps
    .filter((app) => peopleAffected(app) > 0)
    .sort((one, other) => peopleAffected(other) - peopleAffected(one))
  const [most = 0, next = 0] = [first, second].map((app) => app && peopleAffected(app))
  return count > 0 && most > next && most * 2 >= count ? first : undefined
}

/** Adds up the days of each instance. */
function peopleByInstance(rows: Report['lostByDay']): ReadonlyMap<string, number> {
  const people = new Map<string, number>()
  for (const { instance, count } of rows) people.set(instance, count + (people.get(instance) ?? 0))
  return people
}

/** @param report its days begin after the row */
function compareWith(
  row: DailyCounts & { at?: number },
  report: ComparedReport,
  { newApps: ongoing = [], appEvents = [], ...state }: KeepState,
  isSince: (at: number) => boolean,
) {
  // Rows of earlier versions don't say who had nothing to connect.
  const readyBefore = row.nothing === undefined ? undefined : row.ready - row.nothing
  const moreReady = readyBefore === undefined ? report.ready - row.ready : report.finished - readyBefore
  const countsByInstance = new Map(report.datasources.map((app) => [app.instance, app]))
  const isAnswer = ({ what }: { what: string }) => what === 'removed' || what === 'hidden'
  const answerTimes = new Map(appEvents.filter(isAnswer).map(({ instance, at }) => [instance, at]))
  // An answer ends what was before, and is over itself once the app is back, or counts as connected.
  const isSuperseded = (event: (typeof appEvents)[number]) =>
    event.at < (answerTimes.get(event.instance) ?? 0) ||
    (isAnswer(event) && !isAnsweredRemoved(state, event.instance))
  const events = appEvents
    .filter((event) => isSince(event.at) && !isSuperseded(event))
    .map(({ instance, name, ...event }) => ({
      ...(countsByInstance.get(instance) ?? newAppCounts(instance, name)),
      ...event,
    }))
  const newApps = new Map<string, (typeof events)[number] & { hasMoved: boolean }>()
  for (const event of events) {
    const { what, instance, people } = event
    const hasMoved =
      countsByInstance.get(instance)?.isMoved !== false &&
      ongoing.some((app) => app.instance === instance && app.isMoved === true)
    const earlierPeople = newApps.get(instance)?.people ?? 0
    if (what === 'new') newApps.set(instance, { ...event, people: earlierPeople + people, hasMoved })
  }
  const changeCounts = zeros(CHANGES)
  for (const counts of report.days) for (const what of CHANGES) changeCounts[what] += counts[what]
  const lostPeople = peopleByInstance(report.lostByDay)
  const lostBy = ({ instance }: { instance: string }) => lostPeople.get(instance) ?? 0
  const peopleWithNewApp = peopleByInstance(report.newByDay)
  const hasAppMoved = ({ instance, isMoved: hasMoved = false }: AppCounts) =>
    newApps.get(instance)?.hasMoved ?? hasMoved
  return {
    row,
    before: readyBefore,
    moreReady,
    ...changeCounts,
    /** The app that most people who fell back have lost. */
    lostApp: dominantApp(report.datasources, changeCounts.fellBack, lostBy),
    newApps: [...newApps.values()],
    /** Oldest first. */
    events,
    /** Names of apps that no figure counts. */
    inQuestion: unansweredDelistings(state).map(({ name }) => name),
    /** Apps that have moved for a few people. */
    movedForSome: report.datasources.filter(
      ({ instance, isMoved: hasMoved, newestAt = 0 }) =>
        hasMoved === true && !newApps.has(instance) && isSince(+new Date(newestAt)),
    ),
    /** New apps with the people who are no longer ready because of them, most first. */
    causes: report.datasources
      .map((app) => ({
        name: app.name,
        people: peopleWithNewApp.get(app.instance) ?? 0,
        hasMoved: hasAppMoved(app),
      }))
      .filter(({ people }) => people > 0)
      .sort((one, other) => other.people - one.people),
  }
}

const MAX_NAMED = 3

type Compared = ReturnType<typeof compareWith>

/** "Slack (12) has moved, Notion (3) is new". Apps that are new for a few people follow the number of these people. */
function describeCauses({ causes, newApps, newApp: people, moreReady }: Compared, t: Texts): string {
  const movedCauses = causes.filter(({ hasMoved }) => hasMoved)
  const newCauses = causes.filter(({ hasMoved }) => !hasMoved)
  // Others became ready meanwhile, so the fall is smaller than its cause.
  const isExceeded = causes.some(({ people: affected }) => affected > -moreReady)
  const isListed = newApps.length === 0 && movedCauses.length === 0 && !isExceeded
  const isOnlyCause = causes.length === 1 && (isListed || causes[0]?.people === -moreReady)
  const causeOf = (key: 'Moved' | 'New', apps: Compared['causes'], number = apps.length) => {
    const names = apps.map(({ name, people: count }) =>
      isOnlyCause || isExceeded
        ? name
        : t(name.endsWith(')') ? 'admin.since.cause' : 'admin.option', { name, count }),
    )
    const [app, second = ''] = names
    const moreNames =
      names.length > MAX_NAMED ? [t('admin.person.more', { count: names.length - MAX_NAMED })] : []
    const values = { number, people, second, apps: t.list([...names.slice(0, MAX_NAMED), ...moreNames]) }
    return app === undefined ? [] : [t(`admin.since.cause${key}`, { app, ...values })]
  }
  return t.list([
    ...causeOf('Moved', movedCauses),
    ...causeOf('New', newCauses, isListed ? 0 : newCauses.length),
  ])
}

function describeReady(compared: Compared, t: Texts): string {
  const { moreReady, causes, delisted } = compared
  const count = Math.abs(moreReady)
  const isForApps = moreReady < 0 && causes.length > 0
  const ready = isForApps
    ? t('admin.since.fewerFor', { count, causes: describeCauses(compared, t) })
    : t(moreReady < 0 ? 'admin.since.fewer' : 'admin.since.more', { count })
  return delisted === 0 ? ready : t.list([ready, t('admin.since.delisted', { count: delisted })])
}

function describeEvents({ events, newApps }: Compared, t: Texts): string[] {
  const newest = new Map(events.map((event) => [`${event.what} ${event.instance}`, event]))
  return events.flatMap((event) => {
    const { what, instance, name: app, at, people: lapsed, people: count, had = lapsed } = event
    const { releasedEmailed: emailed, releasedLimited: limited, releasedUnsent: others } = event
    // An app that is back after its removal is new.
    const isNew = what === 'listed' && newApps.some((newApp) => newApp.instance === instance)
    if (what === 'new' || isNew) return []
    const values = { app, lapsed, had, count, day: t.day(at) }
    if (what !== 'released') return [t(`admin.since.${what}`, values)]
    const isNewest = newest.get(`${what} ${instance}`) === event
    const afterwards =
      isNewest && limited > 0 ? [t('admin.since.emailed', { app, emailed, limited, others })] : []
    return [t('admin.since.released', values), ...afterwards]
  })
}

export function describeComparison(compared: Compared, t: Texts): string[] {
  const { row, fellBack, lostApp, left, returned, reminded, newApps, movedForSome, inQuestion } = compared
  const fellBackText = fellBack === 0 ? [] : [t('admin.since.fellBack', { count: fellBack })]
  const leftText = left === 0 ? [] : [t('admin.since.left', { count: left })]
  const changes = t.list([describeReady(compared, t), ...fellBackText, ...leftText])
  const onList = (['added', 'gone', 'invited'] as const)
    .filter((what) => compared[what] > 0)
    .map((what) => t(`admin.since.${what}`, { count: compared[what] }))
  return [
    row.at === undefined
      ? t('admin.since.day', { day: t.day(Date.parse(row.day)), changes })
      : t('admin.since', { when: t.moment(row.at), changes }),
    ...(lostApp === undefined ? [] : [t('admin.digest.lost', { app: lostApp.name })]),
    ...newApps.flatMap(({ name: app, people: count, hasMoved, emailed, limited, unsent: others }) => [
      hasMoved ? t('admin.since.moved', { app }) : t('admin.since.new', { app, count }),
      ...(limited > 0 ? [t('admin.since.emailed', { app, emailed, limited, others })] : []),
    ]),
    ...movedForSome.map(({ name: app }) => t('admin.since.moved', { app })),
    ...new Set(describeEvents(compared, t)),
    ...(inQuestion.length === 0 ? [] : [t('admin.inQuestion', { apps: t.list(inQuestion) })]),
    ...(returned === 0 ? [] : [t('admin.since.returned', { count: returned })]),
    ...(onList.length === 0 ? [] : [t.list(onList)]),
    ...(reminded === 0 ? [] : [t('admin.since.reminders', { count: reminded })]),
  ]
}
