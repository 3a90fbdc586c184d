// How far everyone is: counted over all people, by app, by department and day by day. Pure, except that it reads them one
// after the other, so that many people take no more memory.
import { mayHaveBeenSent, type PersonApp } from '../people/person.ts'
import { PERSON_STATES } from '../people/keep-state.ts'
import { CRITERIA, fellBackAt, hasAppIn, type Criterion, type PersonSummary } from './person-summary.ts'
import { DueReminders } from './due-reminders.ts'

const ALL_FACTS = Object.keys(CRITERIA) as Criterion[]

const noCounts = <K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>

/** Adds one to each count that has the name of a fact. */
function countFacts(counts: Partial<Record<Criterion, number>>, facts: ReadonlySet<Criterion>): void {
  for (const fact of facts) if (counts[fact] !== undefined) counts[fact]++
}

/**
 * New ones on a day; `day` is YYYY-MM-DD in UTC. A day keeps who finished on it. `fellBack`: since that day, up to now.
 * `reminded`: their newest reminder, or email about what ended, left on it. `acted`: of these, who has connected since what
 * it was about.
 */
export type DayCounts = Record<(typeof OF_DAY)[number], number> & { day: string }

/** The UTC day of a moment, YYYY-MM-DD. @param at milliseconds since 1970 */
export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

const OF_DAY = ['invited', 'signedIn', 'finished', 'fellBack', 'reminded', 'acted'] as const

const OF_INVITED = ['opened', 'signedIn', 'finished', 'nothing', 'ready'] as const
export const FUNNEL_STAGES = ['invited', 'opened', 'signedIn', 'connecting', 'finished'] as const

export type Report = Record<Criterion, number> & {
  /** When it was made, and the service's oldest answer in it; ISO dates. */
  madeAt: string
  asOf: string | undefined
  /** When the newest email left; an ISO date. */
  lastEmailAt: string | undefined
  /** Everyone of whom something is written down, invited or not; those who are gone are counted nowhere else. */
  people: number
  /** Records that could not be read, and so are counted nowhere else. */
  unread: number
  /** Counted among the invited: shares of them are taken from these. */
  ofInvited: Record<(typeof OF_INVITED)[number], number>
  /** Counted among the invited whom the service did not find without apps. `connecting`: at least one app is connected. */
  funnel: Record<(typeof FUNNEL_STAGES)[number], number>
  /** Among those who have not started. */
  notInvited: number
  notStartedOptedOut: number
  /** Due for an invitation or a reminder now; and how many become due later, the first of them when (an ISO date). */
  due: number
  dueLater: { count: number; from: string | undefined }
  /** The apps of those in progress, and how many of them are connected. */
  inProgressApps: { all: number; connected: number }
  datasources: AppCounts[]
  groups: GroupCounts[]
  days: DayCounts[]
}

/**
 * @param now milliseconds since 1970
 * @param unread how many records could not be read, once all are through
 */
export async function createReport(
  all: AsyncIterable<PersonSummary>,
  now: number,
  unread: () => number = () => 0,
): Promise<Report> {
  const totals = createTotals(now)
  const apps = createApps()
  const groups = createGroups()
  const days = new Map<string, DayCounts>()
  let gone = 0
  for await (const summary of all) {
    if (CRITERIA.gone(summary)) {
      gone++
      continue
    }
    const facts = new Set(ALL_FACTS.filter((fact) => CRITERIA[fact](summary)))
    totals.count(summary, facts)
    groups.count(summary.person.group, facts)
    apps.count(summary)
    countDays(days, summary)
  }
  return {
    madeAt: new Date(now).toISOString(),
    ...totals.shown(),
    gone,
    unread: unread(),
    datasources: apps.shown(),
    groups: groups.shown(),
    days: [...days.values()].sort((one, other) => one.day.localeCompare(other.day)),
  }
}

type Totals = Omit<Report, 'madeAt' | 'unread' | 'datasources' | 'groups' | 'days'>

function createTotals(now: number) {
  const counts = { ...noCounts(ALL_FACTS), people: 0, notInvited: 0, notStartedOptedOut: 0 }
  const ofInvited = noCounts(OF_INVITED)
  const funnel = noCounts(FUNNEL_STAGES)
  const inProgressApps = { all: 0, connected: 0 }
  let asOf = Infinity
  let lastEmail = -Infinity
  const reminders = new DueReminders(now)
  return {
    count(summary: PersonSummary, facts: ReadonlySet<Criterion>): void {
      counts.people++
      countFacts(counts, facts)
      const isInvited = facts.has('invited')
      if (facts.has('notStarted') && facts.has('optedOut')) counts.notStartedOptedOut++
      if (isInvited) countFacts(ofInvited, facts)
      else if (facts.has('notStarted')) counts.notInvited++
      if (isInvited && !facts.has('nothing')) countFunnel(funnel, summary, facts)
      if (facts.has('notStarted')) reminders.add(summary)
      if (facts.has('inProgress')) countApps(inProgressApps, summary)
      asOf = Math.min(asOf, summary.checkedAt ?? Infinity)
      for (const mailing of summary.mailings)
        if (mayHaveBeenSent(mailing)) lastEmail = Math.max(lastEmail, mailing.at)
    },
    shown: (): Totals => ({
      asOf: dateOf(asOf),
      lastEmailAt: dateOf(lastEmail),
      ...counts,
      due: reminders.due,
      dueLater: { count: reminders.later.count, from: dateOf(reminders.later.from) },
      ofInvited,
      funnel,
      inProgressApps,
    }),
  }
}

/** Someone who got to a stage has been through the ones before it, also where no one saw that: it only ever narrows. */
function countFunnel(funnel: Report['funnel'], summary: PersonSummary, facts: ReadonlySet<Criterion>): void {
  const reached = {
    invited: true,
    opened: facts.has('opened'),
    signedIn: facts.has('signedIn'),
    connecting: hasAppIn(summary, 'connected'),
    finished: facts.has('finished'),
  }
  const furthest = FUNNEL_STAGES.findLastIndex((stage) => reached[stage])
  for (const stage of FUNNEL_STAGES.slice(0, furthest + 1)) funnel[stage]++
}

function countApps(counts: Report['inProgressApps'], { apps }: PersonSummary): void {
  for (const { state } of apps) {
    if (state !== 'off') counts.all++
    if (state === 'connected') counts.connected++
  }
}

const dateOf = (at: number) => (Number.isFinite(at) ? new Date(at).toISOString() : undefined)

function countDays(days: Map<string, DayCounts>, summary: PersonSummary): void {
  const { person, apps, connectedAt, invitedAt, finishedAt, reminder } = summary
  const isConnected = (app: string) =>
    apps.some(({ instance, state }) => instance === app && state === 'connected')
  const isNew = connectedAt >= (reminder?.at ?? 0)
  const hasActed = reminder?.apps?.every(isConnected) ?? (CRITERIA.ready(summary) && isNew)
  const moments: [(typeof OF_DAY)[number], number | undefined][] = [
    ['invited', invitedAt],
    ['signedIn', person.signedInAt],
    // Everything was switched off since: ready from the first day, like everyone with nothing to connect.
    ['finished', CRITERIA.nothing(summary) ? undefined : finishedAt],
    ['fellBack', fellBackAt(summary)],
    ['reminded', reminder?.at],
    ['acted', hasActed ? reminder?.at : undefined],
  ]
  for (const [what, at] of moments) {
    if (at === undefined) continue
    const day = utcDay(at)
    const found = days.get(day) ?? { day, ...noCounts(OF_DAY) }
    found[what]++
    days.set(day, found)
  }
}

export type AppCounts = {
  instance: string
  name: string
  counts: Record<PersonApp['state'], number>
  /** Among those that are waiting: the consent never showed. */
  unconfirmed: number
  /** Had it connected, and have lost access. */
  lapsed: number
  /** Can't connect it: the service lists it without a usable address. */
  noAddress: number
}

const MAX_APPS = 500

function createApps() {
  const apps = new Map<string, AppCounts>()
  return {
    count(summary: PersonSummary): void {
      for (const { instance, name, state, isUnconfirmed, hasNoAddress, lapsedAt } of summary.apps) {
        const found = apps.get(instance)
        if (found === undefined && apps.size >= MAX_APPS) continue
        const app = found ?? {
          instance,
          name,
          counts: { waiting: 0, connected: 0, skipped: 0, blocked: 0, off: 0 },
          unconfirmed: 0,
          lapsed: 0,
          noAddress: 0,
        }
        app.counts[state]++
        if (isUnconfirmed) app.unconfirmed++
        if (lapsedAt !== undefined) app.lapsed++
        if (hasNoAddress) app.noAddress++
        apps.set(instance, app)
      }
    },
    /** The ones that most people wait for come first. */
    shown: (): AppCounts[] =>
      [...apps.values()].sort(
        (one, other) => other.counts.waiting - one.counts.waiting || one.name.localeCompare(other.name, 'en'),
      ),
  }
}

/** People who can do something about the app: it is not switched off for them. */
export const peopleWithApp = ({ counts }: AppCounts): number =>
  counts.waiting + counts.connected + counts.skipped + counts.blocked

export const peopleStuckAt = ({ counts, unconfirmed }: AppCounts): number => counts.blocked + unconfirmed

const OF_GROUP = ['signedIn', 'finished', 'nothing', ...PERSON_STATES] as const

/** A department or a place. `name` undefined: the small ones together. */
export type GroupCounts = Record<(typeof OF_GROUP)[number] | 'people', number> & { name: string | undefined }

const MAX_GROUPS = 500
/** Smaller ones are never shown alone: their figures would show who it is. */
const MIN_PEOPLE = 5

const noGroup = (name: string | undefined): GroupCounts => ({ name, people: 0, ...noCounts(OF_GROUP) })

function createGroups() {
  const groups = new Map<string, GroupCounts>()
  return {
    count(name: string | undefined, facts: ReadonlySet<Criterion>): void {
      if (name === undefined || (!groups.has(name) && groups.size >= MAX_GROUPS)) return
      const group = groups.get(name) ?? noGroup(name)
      group.people++
      countFacts(group, facts)
      groups.set(name, group)
    },
    /** The least ready first, the small ones together at the end. */
    shown(): GroupCounts[] {
      const large = [...groups.values()].filter(({ people }) => people >= MIN_PEOPLE)
      const small = noGroup(undefined)
      for (const group of groups.values())
        if (group.people < MIN_PEOPLE)
          for (const figure of ['people', ...OF_GROUP] as const) small[figure] += group[figure]
      large.sort((one, other) => one.ready / one.people - other.ready / other.people)
      return small.people < MIN_PEOPLE ? large : [...large, small]
    },
  }
}
