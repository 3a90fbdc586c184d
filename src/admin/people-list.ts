// Part of everyone: whom a filter and a search leave, a page at a time. However many people there are, it goes through
// them once, in the order of their addresses, and holds no more than a page of them.
import type { PersonApp } from '../people/person.ts'
import { CRITERIA, fellBackAt, type PersonSummary } from './person-summary.ts'
import { countDue } from './reminder.ts'
import { FILTER_NAMES, matchingFilters, matchingPeople, type Filter, type PeopleQuery } from './filters.ts'

export const PEOPLE_A_PAGE = 25

/**
 * A page of people, with how many each filter would leave of what is searched for.
 * @param all in the order of their addresses
 */
export async function listPeople(all: AsyncIterable<PersonSummary>, wanted: PeopleQuery) {
  const people: PersonSummary[] = []
  let hasMore = false
  const counts = Object.fromEntries(FILTER_NAMES.map((filter) => [filter, 0])) as Record<Filter, number>
  for await (const summary of all) {
    const fits = matchingFilters(summary, wanted)
    if (fits === undefined) continue
    for (const filter of FILTER_NAMES) if (fits(filter)) counts[filter]++
    if (summary.person.email <= wanted.after || !fits(wanted.filter)) continue
    if (people.length < PEOPLE_A_PAGE) people.push(summary)
    else hasMore = true
  }
  return { people, hasMore, total: counts[wanted.filter], counts }
}

export const MAX_ADDRESSES = 500

export type Addresses = {
  /** The first ones in order, MAX_ADDRESSES at most, without people who want no emails. */
  emails: string[]
  /** How many there are, of everyone who fits. */
  total: number
  optedOut: number
  /** Left out, too: all that they lack is on hold. */
  held: number
  /** The app that is asked for, among the others of one person who has it. */
  apps: readonly PersonApp[]
  /** Of them the command emails so many now; and how many later, the first of them when (milliseconds since 1970). */
  due: number
  later: { count: number; from: number }
}

/**
 * @param all in the order of their addresses
 * @param now milliseconds since 1970
 * @param heldApps no one is emailed about them
 */
export async function listAddresses(
  all: AsyncIterable<PersonSummary>,
  wanted: PeopleQuery,
  now: number,
  heldApps: ReadonlySet<string>,
): Promise<Addresses> {
  const emails: string[] = []
  let total = 0
  let [optedOut, held] = [0, 0]
  const due = countDue(now)
  let apps: readonly PersonApp[] = []
  for await (const summary of matchingPeople(all, wanted)) {
    if (apps.length === 0 && summary.apps.some(({ instance }) => instance === wanted.app)) apps = summary.apps
    if (CRITERIA.optedOut(summary)) {
      optedOut++
      continue
    }
    const open = summary.apps.filter(({ state }) => state === 'waiting' || state === 'skipped')
    if (open.length > 0 && open.every(({ instance }) => heldApps.has(instance))) {
      held++
      continue
    }
    total++
    if (emails.length < MAX_ADDRESSES) emails.push(summary.person.email)
    due.add(summary)
  }
  return { emails, total, optedOut, held, ...due.counts, apps }
}

/** How far a person is, and since when. */
export function latestStage(summary: PersonSummary) {
  const { signedInAt, openedAt, leftAt, unknownAt } = summary.person
  const stages = [
    { stage: 'gone', at: leftAt ?? unknownAt },
    { stage: 'fellBack', at: fellBackAt(summary) },
    { stage: 'finished', at: CRITERIA.finished(summary) ? summary.finishedAt : undefined },
    { stage: 'nothing', at: CRITERIA.nothing(summary) ? summary.checkedAt : undefined },
    { stage: 'signedIn', at: signedInAt },
    { stage: 'opened', at: openedAt },
    { stage: 'invited', at: summary.invitedAt },
  ] as const
  return stages.find(({ at }) => at !== undefined) ?? ({ stage: 'known', at: undefined } as const)
}
