// Part of everyone: whom a filter and a search leave, a page at a time. However many people there are, it goes through
// them once, in the order of their addresses, and holds no more than a page of them.
import type { PersonApp } from '../people/person.ts'
import { FACTS, fellBackAt, type Profile } from './profile.ts'
import { countDue } from './reminder.ts'
import { FILTER_NAMES, filtersOf, fitting, type Filter, type Wanted } from './filters.ts'

export const PEOPLE_A_PAGE = 25

/**
 * A page of people, with how many each filter would leave of what is searched for.
 * @param all in the order of their addresses
 */
export async function listPeople(all: AsyncIterable<Profile>, wanted: Wanted) {
  const people: Profile[] = []
  let hasMore = false
  const counts = Object.fromEntries(FILTER_NAMES.map((filter) => [filter, 0])) as Record<Filter, number>
  for await (const profile of all) {
    const fits = filtersOf(profile, wanted)
    if (fits === undefined) continue
    for (const filter of FILTER_NAMES) if (fits(filter)) counts[filter]++
    if (profile.person.email <= wanted.after || !fits(wanted.filter)) continue
    if (people.length < PEOPLE_A_PAGE) people.push(profile)
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
  all: AsyncIterable<Profile>,
  wanted: Wanted,
  now: number,
  heldApps: ReadonlySet<string>,
): Promise<Addresses> {
  const emails: string[] = []
  let total = 0
  let [optedOut, held] = [0, 0]
  const due = countDue(now)
  let apps: readonly PersonApp[] = []
  for await (const profile of fitting(all, wanted)) {
    if (apps.length === 0 && profile.apps.some(({ instance }) => instance === wanted.app)) apps = profile.apps
    if (FACTS.optedOut(profile)) {
      optedOut++
      continue
    }
    const open = profile.apps.filter(({ state }) => state === 'waiting' || state === 'skipped')
    if (open.length > 0 && open.every(({ instance }) => heldApps.has(instance))) {
      held++
      continue
    }
    total++
    if (emails.length < MAX_ADDRESSES) emails.push(profile.person.email)
    due.add(profile)
  }
  return { emails, total, optedOut, held, ...due.counts, apps }
}

/** How far a person is, and since when. */
export function stageOf(profile: Profile) {
  const { signedInAt, openedAt, leftAt, unknownAt } = profile.person
  const stages = [
    { stage: 'gone', at: leftAt ?? unknownAt },
    { stage: 'fellBack', at: fellBackAt(profile) },
    { stage: 'finished', at: FACTS.finished(profile) ? profile.finishedAt : undefined },
    { stage: 'nothing', at: FACTS.nothing(profile) ? profile.checkedAt : undefined },
    { stage: 'signedIn', at: signedInAt },
    { stage: 'opened', at: openedAt },
    { stage: 'invited', at: profile.invitedAt },
  ] as const
  return stages.find(({ at }) => at !== undefined) ?? ({ stage: 'known', at: undefined } as const)
}
