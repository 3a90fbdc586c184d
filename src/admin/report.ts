// How far everyone is: counted over all arrivals, by datasource, by group and day by day. Pure, except that it reads the
// arrivals one after the other, so that many people take no more memory.
import type { Arrival, SourceState } from '../arrivals/arrival.ts'
import { noneUnread, type Unread } from '../arrivals/unread.ts'
import { FACTS, invitedAt, type Fact } from './facts.ts'

const ALL_FACTS = Object.keys(FACTS) as Fact[]

const noCounts = <K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>

/** Adds one to each count that has the name of a fact. */
function countFacts(counts: Partial<Record<Fact, number>>, facts: ReadonlySet<Fact>): void {
  for (const fact of facts) if (counts[fact] !== undefined) counts[fact]++
}

type Datasource = { instance: string; name: string; counts: Record<SourceState, number> }

/** New ones on a day; `day` is YYYY-MM-DD in UTC. */
export type Day = { day: string; invited: number; signedIn: number; finished: number }

const FIGURES = ['people', 'signedIn', 'finished', 'nothing', 'ready'] as const

/** A department or a place. `name` undefined: the small ones together. */
type Group = Record<(typeof FIGURES)[number], number> & { name: string | undefined }

const OF_INVITED = ['opened', 'signedIn', 'finished', 'nothing', 'ready'] as const

export type Report = Record<Fact, number> & {
  /** When it was made, and the service's oldest answer in it; ISO dates. */
  madeAt: string
  asOf: string | undefined
  /** Everyone of whom something is written down, invited or not. */
  people: number
  /** Records that could not be read, and so are counted nowhere else. */
  unread: Unread
  /** Counted among the invited: shares of them are taken from these. */
  ofInvited: Record<(typeof OF_INVITED)[number], number>
  datasources: Datasource[]
  groups: Group[]
  days: Day[]
}

/**
 * @param now milliseconds since 1970
 * @param unread what could not be read of `all`; complete when that ends
 */
export async function makeReport(
  all: AsyncIterable<Arrival>,
  now: number,
  unread: Unread = noneUnread(),
): Promise<Report> {
  const counts = noCounts(ALL_FACTS)
  const ofInvited = noCounts(OF_INVITED)
  const datasources = new Map<string, Datasource>()
  const groups = createGroups()
  const days = new Map<string, Day>()
  let people = 0
  let asOf = Infinity
  for await (const arrival of all) {
    const facts = new Set(ALL_FACTS.filter((fact) => FACTS[fact](arrival)))
    people++
    countFacts(counts, facts)
    if (facts.has('invited')) countFacts(ofInvited, facts)
    groups.count(arrival.group, facts)
    countSources(datasources, arrival)
    countDays(days, arrival)
    asOf = Math.min(asOf, arrival.asOf ?? Infinity)
  }
  return {
    madeAt: new Date(now).toISOString(),
    asOf: asOf === Infinity ? undefined : new Date(asOf).toISOString(),
    unread: { ...unread },
    people,
    ...counts,
    ofInvited,
    datasources: [...datasources.values()].sort(byWaiting),
    groups: groups.shown(),
    days: [...days.values()].sort((one, other) => one.day.localeCompare(other.day)),
  }
}

function countDays(days: Map<string, Day>, arrival: Arrival): void {
  const { signedInAt: signedIn, finishedAt: finished } = arrival
  const moments = { invited: invitedAt(arrival), signedIn, finished }
  for (const what of ['invited', 'signedIn', 'finished'] as const) {
    const at = moments[what]
    if (at === undefined) continue
    const day = new Date(at).toISOString().slice(0, 10)
    const found = days.get(day) ?? { day, invited: 0, signedIn: 0, finished: 0 }
    found[what]++
    days.set(day, found)
  }
}

/** The datasources that most people wait for come first. */
const byWaiting = (one: Datasource, other: Datasource) =>
  other.counts.waiting - one.counts.waiting || one.name.localeCompare(other.name, 'en')

const MAX_DATASOURCES = 500
const STATES = ['waiting', 'connected', 'skipped', 'blocked', 'off'] as const

function countSources(datasources: Map<string, Datasource>, { sources }: Arrival): void {
  for (const { instance, name, state } of sources) {
    const found = datasources.get(instance)
    if (found === undefined && datasources.size >= MAX_DATASOURCES) continue
    const datasource = found ?? { instance, name, counts: noCounts(STATES) }
    datasource.counts[state]++
    datasources.set(instance, datasource)
  }
}

const MAX_GROUPS = 500
const MIN_PEOPLE = 5

const noGroup = (name: string | undefined): Group => ({ name, ...noCounts(FIGURES) })

/** Groups of fewer than five people are counted together, because their figures would show who it is. */
function createGroups() {
  const groups = new Map<string, Group>()
  return {
    count(name: string | undefined, facts: ReadonlySet<Fact>): void {
      if (name === undefined || (!groups.has(name) && groups.size >= MAX_GROUPS)) return
      const group = groups.get(name) ?? noGroup(name)
      group.people++
      countFacts(group, facts)
      groups.set(name, group)
    },
    /** The least finished first, the small ones at the end. */
    shown(): Group[] {
      const large = [...groups.values()].filter(({ people }) => people >= MIN_PEOPLE)
      const small = noGroup(undefined)
      for (const group of groups.values())
        if (group.people < MIN_PEOPLE) for (const figure of FIGURES) small[figure] += group[figure]
      large.sort((one, other) => one.ready / one.people - other.ready / other.people)
      return small.people === 0 ? large : [...large, small]
    },
  }
}

/** Shown where there is nothing to take a share of. */
export const NO_SHARE = '–'

/**
 * `87%`; a dash where the whole is nothing. Only all is "100%" and only none is "0%": what would round to them is shown
 * as less, or more. Both numbers are counted over the same people.
 */
export function shareOf(part: number, whole: number): string {
  if (whole <= 0) return NO_SHARE
  const percent = Math.min(100, Math.max(0, (part / whole) * 100))
  const shown = Math.min(part < whole ? 99 : 100, Math.round(percent))
  return part > 0 && shown === 0 ? '<1%' : `${shown}%`
}
