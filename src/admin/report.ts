// Counts people by app, by department and by day, in one pass, so that memory doesn't grow with the people.
import { delistedInstances, pausedApps, PROGRESS_STATES, unansweredDelistings } from '../people/keep-state.ts'
import type { KeepState } from '../people/keep-state.ts'
import { mayHaveBeenSent, type PersonApp } from '../people/person.ts'
import { nextEmailTimes } from './next-email.ts'
import { CRITERIA, type PersonSummary } from './person-summary.ts'

/** When an email leaves that may leave `at`. Times are milliseconds since 1970. */
type WorkdayFrom = (at: number, person: PersonSummary['person']) => number
/** `since`: the counts of days begin after it. `state`: of the last run; apps in question are left out. */
type ReportOptions = { since?: number | undefined; state?: KeepState; workdayFrom?: WorkdayFrom }

type Criterion = keyof typeof CRITERIA
const CRITERION_NAMES = Object.keys(CRITERIA) as Criterion[]
const LIST_CHANGES = ['added', 'gone', 'left', 'invited', 'reminded'] as const
/** Events in the period of a comparison. */
export const CHANGES = ['fellBack', 'returned', 'newApp', 'delisted', ...LIST_CHANGES] as const
const DAY_CRITERIA = ['signedIn', 'finished', ...CHANGES, 'acted'] as const
const INVITED_CRITERIA = ['opened', 'signedIn', 'finished', 'nothing', 'ready'] as const
const GROUP_CRITERIA = [
  'signedIn',
  'finished',
  'hadToConnect',
  'nothing',
  'emptied',
  ...PROGRESS_STATES,
] as const
export const DAY_MS = 86_400_000

/** States of an app in report.json: `waiting` is `unconnected`. */
const APP_STATES = ['waiting', 'connected', 'skipped', 'blocked', 'off'] as const
const FUNNEL_STAGES = ['invited', 'opened', 'signedIn', 'connecting', 'finished'] as const

/** The UTC day, YYYY-MM-DD. @param at milliseconds since 1970 */
export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** @param at milliseconds since 1970 @returns undefined for an infinite time */
export const isoTime = (at = NaN) => (Number.isFinite(at) ? new Date(at).toISOString() : undefined)

export const zeros = <K extends readonly string[]>(names: K) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<K[number], number>

/** @param name of a department; absent: all small ones together */
const newGroup = (name?: string) => ({ name, people: 0, ...zeros(GROUP_CRITERIA) })

/**
 * People by the day of an event. `fellBack`: fell back that day, and still are. `left`: had connected everything, and
 * are gone. `added`: to the list. `newApp`: no longer ready, only because of new apps. `delisted`: ready since an app
 * in question left their list. `returned`: connected everything again. `reminded`: emails about unconnected, lost or
 * new apps. `acted`: those of them whose apps are connected now.
 */
const newDay = (day: string) => ({ day, ...zeros(DAY_CRITERIA) })

export const newAppCounts = (instance: string, name: string) => ({
  instance,
  name,
  counts: zeros(APP_STATES),
  /** People of `waiting` who returned from a consent that was never confirmed. */
  unconfirmed: 0,
  /** People whose access has ended, also if another instance has taken its place. */
  lapsed: 0,
  /** People of `lapsed` who lost the app in a mass disconnect whose emails are paused. */
  onHold: 0,
  /** People for whom the app is unstartable: the service lists it without a usable URL. */
  noAddress: 0,
  /** People who got an email about the app as a new one, or since they lost it. */
  emailed: 0,
  /** People who get the first of these emails once they are below the quarterly limit. */
  limited: 0,
  /** People whose first of these emails isn't due yet, or isn't sent: they opted out, or the last one bounced. */
  unsent: 0,
  /** People of these three who lost the app, or had, in a mass disconnect whose emails were resumed. */
  releasedEmailed: 0,
  releasedLimited: 0,
  releasedUnsent: 0,
})

/** Dates are ISO 8601. */
export type AppCounts = ReturnType<typeof newAppCounts> & {
  /** When someone first reported that an admin has to approve the app. */
  blockedSince?: string
  /** When the first of `limited` can be emailed again. */
  limitedUntil?: string
  /** When the app was last new for someone. */
  newestAt?: string
  /** The app replaced another one then. */
  isMoved?: boolean
  /** Set if the reader can't approve the app. */
  owners?: readonly string[]
}
type GroupCounts = ReturnType<typeof newGroup>
type DayCounts = ReturnType<typeof newDay>

function addTo(counts: Partial<Record<Criterion, number>>, met: ReadonlySet<Criterion>): void {
  for (const criterion of met) if (counts[criterion] !== undefined) counts[criterion]++
}

/** report.json. Dates are ISO 8601. */
export type Report = Omit<Totals, 'asOf' | 'lastEmailAt' | 'dueLater'> & {
  madeAt: string
  asOf: string | undefined
  lastEmailAt: string | undefined
  dueLater: { count: number; from: string | undefined }
  gone: number
  unread: number
  datasources: AppCounts[]
  /** Apps that left `count` lists, and are still on `listed` lists. */
  delistedApps: { instance: string; count: number; listed: number }[]
  /** Apps are in question, and no list has an app left, as if the service failed. Left out of report.json. */
  isNoneLeft: boolean
  groups: GroupCounts[]
  days: DayCounts[]
  /** Left out of report.json: the people of `fellBack` and of `newApp` on that UTC day, by lost app and by new app. */
  lostByDay: { day: string; instance: string; count: number }[]
  newByDay: Report['lostByDay']
}

/**
 * Counts everyone. People with the state `gone` count in `gone` only.
 * @param now milliseconds since 1970
 * @param options.unreadable returns the number of unreadable records; called at the end
 */
export async function createReport(
  all: AsyncIterable<PersonSummary>,
  now: number,
  { unreadable = () => 0, ...options }: ReportOptions & { unreadable?: () => number } = {},
): Promise<Report> {
  const counter = new ReportCounter(now, options)
  for await (const summary of all) counter.add(summary)
  return counter.report(unreadable())
}

/** Delisted apps that no figure counts, even for people who still have them listed. */
function uncountedApps(state: KeepState): Set<string> {
  const pausedInstances = pausedApps(state)
  return new Set([...delistedInstances(state)].filter((instance) => !pausedInstances.has(instance)))
}

type AppDays = Map<string, Report['lostByDay'][number]>
const lostInstance = ({ instance, lostAs = instance, lapsedAt }: PersonApp) => (lapsedAt ? lostAs : [])
const newInstance = ({ instance, newAt }: PersonApp) => (newAt ? instance : [])

/** Counts one person after the other, because each step of an async generator takes as long as counting a person. */
export class ReportCounter {
  readonly #now: number
  readonly #since: number
  readonly #workdayFrom: WorkdayFrom
  readonly #uncounted: ReadonlySet<string>
  readonly #areAppsInQuestion: boolean
  readonly #totals = newTotals()
  readonly #apps = new Map<string, AppCounts>()
  readonly #groups = new Map<string, GroupCounts>()
  /** By the number of the UTC day since 1970. */
  readonly #days = new Map<number, DayCounts>()
  readonly #lostByDay: AppDays = new Map()
  readonly #newByDay: AppDays = new Map()
  readonly #delistedCounts = new Map<string, number>()
  #gone = 0

  constructor(now: number, { since = -Infinity, state, workdayFrom = (at) => at }: ReportOptions) {
    this.#now = now
    this.#since = since
    this.#uncounted = state === undefined ? new Set() : uncountedApps(state)
    this.#areAppsInQuestion = state !== undefined && unansweredDelistings(state).length > 0
    this.#workdayFrom = workdayFrom
  }

  add(summary: PersonSummary): void {
    const moments = momentsOf(summary)
    addToDays(this.#days, moments, this.#since)
    this.#addByDay(this.#lostByDay, () => summary.apps.flatMap(lostInstance), moments.fellBack[0])
    this.#addByDay(this.#newByDay, () => summary.apps.flatMap(newInstance), moments.newApp[0])
    if (CRITERIA.gone(summary)) {
      this.#gone++
      return
    }
    const met = new Set(CRITERION_NAMES.filter((criterion) => CRITERIA[criterion](summary)))
    const { dueAt, limitedUntil } = nextEmailTimes(summary, this.#now)
    addToTotals(this.#totals, summary, met, limitedUntil !== undefined)
    if (met.has('notStarted')) this.#addDue(summary, dueAt)
    if (met.has('inProgress')) this.#addApps(summary)
    addToGroup(this.#groups, summary.person.group, met)
    addToApps(this.#apps, summary, { limitedUntil, workdayFrom: this.#workdayFrom })
    for (const app of summary.delistedInstances)
      this.#delistedCounts.set(app, (this.#delistedCounts.get(app) ?? 0) + 1)
  }

  #addByDay(counts: AppDays, instancesOf: () => string[], at = -Infinity): void {
    if (at <= this.#since) return
    const day = utcDay(at)
    for (const instance of instancesOf())
      counts.set(day + instance, { day, instance, count: 1 + (counts.get(day + instance)?.count ?? 0) })
  }

  #addDue({ person }: PersonSummary, due: number): void {
    const { dueLater } = this.#totals
    if (due <= this.#now) this.#totals.due++
    else if (due < Infinity) {
      dueLater.count++
      if (due < dueLater.from) dueLater.from = Math.min(dueLater.from, this.#workdayFrom(due, person))
    }
  }

  #addApps({ apps }: PersonSummary): void {
    const { inProgressApps } = this.#totals
    for (const { instance, state } of apps) {
      if (state === 'off' || this.#uncounted.has(instance)) continue
      inProgressApps.all++
      if (state === 'connected') inProgressApps.connected++
    }
  }

  /** @param unread the number of unreadable records */
  report(unread: number): Report {
    const totals = this.#totals
    const datasources = [...this.#apps.values()].filter(({ instance }) => !this.#uncounted.has(instance))
    const delistedApps = [...this.#delistedCounts].map(([instance, count]) => ({
      instance,
      count,
      listed: peopleOpen(this.#apps.get(instance)),
    }))
    return {
      madeAt: new Date(this.#now).toISOString(),
      ...totals,
      asOf: isoTime(totals.asOf),
      lastEmailAt: isoTime(totals.lastEmailAt),
      dueLater: { count: totals.dueLater.count, from: isoTime(totals.dueLater.from) },
      gone: this.#gone,
      unread,
      datasources: datasources.sort(
        (one, other) => other.counts.waiting - one.counts.waiting || one.name.localeCompare(other.name, 'en'),
      ),
      delistedApps,
      isNoneLeft:
        this.#areAppsInQuestion &&
        datasources.every((app) => peopleWithApp(app) === app.counts.connected) &&
        delistedApps.every(({ listed }) => listed === 0),
      groups: withSmallTogether([...this.#groups.values()]),
      days: [...this.#days.values()].sort((one, other) => one.day.localeCompare(other.day)),
      lostByDay: [...this.#lostByDay.values()],
      newByDay: [...this.#newByDay.values()],
    }
  }
}

/** Times are milliseconds since 1970. */
const newTotals = () => ({
  asOf: Infinity,
  lastEmailAt: -Infinity,
  /** Left out of report.json: the newest email that was rejected, or came back. */
  lastFailed: { at: -Infinity, email: '' },
  ...zeros(CRITERION_NAMES),
  people: 0,
  due: 0,
  limited: 0,
  /** The people of `limited` in each state. */
  limitedIn: zeros(PROGRESS_STATES),
  dueLater: { count: 0, from: Infinity },
  ofInvited: zeros(INVITED_CRITERIA),
  /** People with something to connect, by recorded events: a stage may have more people than the one before. */
  funnel: zeros(FUNNEL_STAGES),
  inProgressApps: { all: 0, connected: 0 },
})

type Totals = ReturnType<typeof newTotals>

function addToTotals(
  totals: Totals,
  summary: PersonSummary,
  met: ReadonlySet<Criterion>,
  isAtLimit: boolean,
): void {
  totals.people++
  addTo(totals, met)
  const isInvited = met.has('invited')
  if (isInvited) addTo(totals.ofInvited, met)
  if (met.has('hadToConnect')) addTo(totals.funnel, met)
  if (isAtLimit) {
    totals.limited++
    addTo(totals.limitedIn, met)
  }
  if (met.has('failed')) {
    const at = Math.max(...summary.emails.map((email) => email.at))
    if (at > totals.lastFailed.at) totals.lastFailed = { at, email: summary.person.email }
  }
  totals.asOf = Math.min(totals.asOf, summary.checkedAt ?? Infinity)
  for (const email of summary.emails)
    if (mayHaveBeenSent(email)) totals.lastEmailAt = Math.max(totals.lastEmailAt, email.at)
}

/** @returns milliseconds since 1970 */
function momentsOf(summary: PersonSummary): Record<(typeof DAY_CRITERIA)[number], (number | undefined)[]> {
  const { person, invitedAt, finishedAt, goneAt, returnedAt, reminderTimes, actedTimes } = summary
  const isGone = CRITERIA.gone(summary)
  const isInFunnel = !isGone && CRITERIA.hadToConnect(summary)
  const lossTimes = summary.apps.flatMap(({ lapsedAt }) => lapsedAt ?? []).sort((one, other) => one - other)
  return {
    // The funnel leaves out people whose apps were all turned off since: they have nothing to connect.
    invited: isInFunnel ? [invitedAt] : [],
    signedIn: isInFunnel ? [person.signedInAt] : [],
    finished: isInFunnel ? [finishedAt] : [],
    // A later loss is no second fall. Some of these people wait for an admin by now.
    fellBack: isGone || finishedAt === undefined ? [] : lossTimes.slice(0, 1),
    left: finishedAt === undefined ? [] : [goneAt],
    added: [person.listedAt],
    gone: [goneAt],
    returned: isGone ? [] : [returnedAt],
    newApp: [summary.newAppAt],
    delisted: [CRITERIA.finished(summary) ? summary.delistedAt : undefined],
    reminded: isGone ? [] : reminderTimes,
    acted: isGone ? [] : actedTimes,
  }
}

function addToDays(days: Map<number, DayCounts>, moments: ReturnType<typeof momentsOf>, since: number): void {
  for (const name of DAY_CRITERIA)
    for (const at of moments[name]) {
      if (at === undefined || at <= since) continue
      const day = Math.floor(at / DAY_MS)
      const counts = days.get(day) ?? newDay(utcDay(at))
      counts[name]++
      days.set(day, counts)
    }
}

const MAX_APPS = 500
const RELEASED = { emailed: 'releasedEmailed', limited: 'releasedLimited', unsent: 'releasedUnsent' } as const

function countsOf(apps: Map<string, AppCounts>, instance: string, name: string): AppCounts | undefined {
  if (!apps.has(instance) && apps.size < MAX_APPS) apps.set(instance, newAppCounts(instance, name))
  return apps.get(instance)
}

function addToApps(
  apps: Map<string, AppCounts>,
  summary: PersonSummary,
  { limitedUntil, workdayFrom }: { limitedUntil: number | undefined; workdayFrom: WorkdayFrom },
): void {
  for (const entry of summary.apps) {
    const { instance, name, state, isUnconfirmed, isUnstartable, blockedAt } = entry
    const { lapsedAt, newAt, movedFrom, lostAs = instance, massDisconnect } = entry
    const app = countsOf(apps, instance, name)
    const lostApp = lapsedAt === undefined ? undefined : countsOf(apps, lostAs, name)
    if (lostApp !== undefined) lostApp.lapsed++
    if (lostApp !== undefined && massDisconnect === 'paused') lostApp.onHold++
    if (app === undefined) continue
    app.counts[state === 'unconnected' ? 'waiting' : state]++
    if (isUnconfirmed) app.unconfirmed++
    if (isUnstartable) app.noAddress++
    const isEmailed = summary.emailedApps.includes(instance)
    const isPutOff = limitedUntil !== undefined && summary.awaitedApps.includes(instance)
    if (isEmailed || summary.awaitedApps.includes(instance)) {
      const sent = isEmailed ? 'emailed' : isPutOff ? 'limited' : 'unsent'
      app[sent]++
      if (massDisconnect === 'resumed') app[RELEASED[sent]]++
    }
    const first = Date.parse(app.limitedUntil ?? '9999')
    if (isPutOff && limitedUntil < first)
      app.limitedUntil = new Date(Math.min(first, workdayFrom(limitedUntil, summary.person))).toISOString()
    // Parsing the last time is five times as fast as formatting each one.
    if (newAt !== undefined && (app.newestAt === undefined || newAt > Date.parse(app.newestAt)))
      Object.assign(app, { newestAt: isoTime(newAt), isMoved: movedFrom !== undefined })
    if (blockedAt !== undefined && blockedAt < Date.parse(app.blockedSince ?? '9999'))
      Object.assign(app, { blockedSince: isoTime(blockedAt) })
  }
}

const peopleOpen = (app?: AppCounts): number =>
  app === undefined ? 0 : peopleWithApp(app) - app.counts.connected + app.counts.off

/** People to whom the service listed the app, except where it is off. */
export const peopleWithApp = ({ counts }: AppCounts): number =>
  counts.waiting + counts.connected + counts.skipped + counts.blocked

export const peopleStuckAt = ({ counts, unconfirmed }: AppCounts): number => counts.blocked + unconfirmed

const MAX_GROUPS = 500
/** Smaller departments are shown together, because their figures could identify a person. */
const MIN_PEOPLE = 5

function addToGroup(groups: Map<string, GroupCounts>, name: string | undefined, met: ReadonlySet<Criterion>) {
  if (name === undefined || (!groups.has(name) && groups.size >= MAX_GROUPS)) return
  const group = groups.get(name) ?? newGroup(name)
  group.people++
  addTo(group, met)
  groups.set(name, group)
}

/** Sorts departments from the least ready, and puts the small ones together at the end. */
function withSmallTogether(groups: readonly GroupCounts[]): GroupCounts[] {
  const large = groups.filter(({ people }) => people >= MIN_PEOPLE)
  const small = newGroup()
  for (const group of groups)
    if (group.people < MIN_PEOPLE)
      for (const name of ['people', ...GROUP_CRITERIA] as const) small[name] += group[name]
  const finishedShare = ({ finished, hadToConnect, ready, people }: GroupCounts) =>
    hadToConnect === 0 ? ready / people : finished / hadToConnect
  large.sort((one, other) => finishedShare(one) - finishedShare(other))
  return small.people < MIN_PEOPLE ? large : [...large, small]
}
