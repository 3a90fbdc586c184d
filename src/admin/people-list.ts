// Part of everyone, in the order of their addresses: whom a filter and a search leave, a page at a time. However many
// people there are, it goes through them once and holds no more than a page of them.
import { LAPSES } from '../campaigns/lapses.ts'
import { isOut, type App, type Mailing, type Person } from '../people/person.ts'
import { FACTS, fellBackAt, type Profile } from './profile.ts'
import { countDue } from './reminder.ts'
import { FILTER_NAMES, filtersOf, fitting, type Filter, type Wanted } from './filters.ts'

export const PEOPLE_A_PAGE = 25

/** A page of people, with how many each filter would leave of what is searched for. */
export async function listPeople(all: AsyncIterable<Profile>, wanted: Wanted) {
  const first = firstBy<Profile>(PEOPLE_A_PAGE + 1, ({ person }) => person.email)
  const counts = Object.fromEntries(FILTER_NAMES.map((filter) => [filter, 0])) as Record<Filter, number>
  for await (const profile of all) {
    const fits = filtersOf(profile, wanted)
    if (fits === undefined) continue
    for (const filter of FILTER_NAMES) if (fits(filter)) counts[filter]++
    if (profile.person.email > wanted.after && fits(wanted.filter)) first.add(profile)
  }
  const people = first.all()
  const hasMore = people.length > PEOPLE_A_PAGE
  return { people: people.slice(0, PEOPLE_A_PAGE), hasMore, total: counts[wanted.filter], counts }
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
  apps: readonly App[]
  /** Of them the command emails so many now; and how many later, the first of them when (milliseconds since 1970). */
  due: number
  later: { count: number; from: number }
  /** The campaign that holds the newest email of most of them; undefined: there is no email to any of them. */
  campaign: string | undefined
}

/** What is sent again in its own campaign. */
const SENT_AGAIN: Partial<Record<Filter, readonly Mailing['state'][]>> = {
  undelivered: ['deferred', 'failed'],
  failed: ['failed'],
  deferred: ['deferred'],
  uncertain: ['unknown', 'sending'],
}

/** @param now milliseconds since 1970 */
export async function listAddresses(
  all: AsyncIterable<Profile>,
  wanted: Wanted,
  now: number,
  heldApps: ReadonlySet<string> = new Set(),
): Promise<Addresses> {
  const first = firstBy<string>(MAX_ADDRESSES, (email) => email)
  let total = 0
  let [optedOut, held] = [0, 0]
  const due = countDue(now)
  let apps: readonly App[] = []
  const newest = new Map<string, { people: number; at: number }>()
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
    first.add(profile.person.email)
    due.add(profile)
    const mail = newestMail(profile.person, SENT_AGAIN[wanted.filter])
    if (mail === undefined) continue
    const { people = 0, at = 0 } = newest.get(mail.campaign) ?? {}
    newest.set(mail.campaign, { people: people + 1, at: Math.max(at, mail.at) })
  }
  const [most] = [...newest].sort(([, one], [, other]) => other.people - one.people || other.at - one.at)
  return { emails: first.all(), total, optedOut, held, ...due.counts, apps, campaign: most?.[0] }
}

/** A person's newest email, of those that left if there are any. @param states only those; absent: all */
function newestMail({ campaigns }: Person, states?: readonly Mailing['state'][]) {
  // Emails about what ended are those of onramp keep alone.
  const all = campaigns.flatMap(({ name, mailings }) =>
    name === LAPSES ? [] : mailings.map((mailing) => ({ campaign: name, at: mailing.at, mailing })),
  )
  const fits = (mailing: Mailing) => (states === undefined ? isOut(mailing) : states.includes(mailing.state))
  const some = all.filter(({ mailing }) => fits(mailing))
  const among = states === undefined && some.length === 0 ? all : some
  return among.toSorted((one, other) => other.at - one.at)[0]
}

/** Keeps the first ones in the order of their keys, so many at most. */
function firstBy<T>(most: number, keyOf: (one: T) => string) {
  let kept: T[] = []
  const all = () => {
    kept = kept.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)).slice(0, most)
    return kept
  }
  return {
    add(one: T): void {
      if (kept.push(one) >= 2 * most) all()
    },
    all,
  }
}

/** How far a person is, and since when. */
export function stageOf(profile: Profile) {
  const { signedInAt, openedAt, answer, leftAt, unknownAt } = profile.person
  const stages = [
    { stage: 'gone', at: leftAt ?? unknownAt },
    { stage: 'fellBack', at: fellBackAt(profile) },
    { stage: 'finished', at: FACTS.finished(profile) ? profile.finishedAt : undefined },
    { stage: 'nothing', at: FACTS.nothing(profile) ? answer?.askedAt : undefined },
    { stage: 'signedIn', at: signedInAt },
    { stage: 'opened', at: openedAt },
    { stage: 'invited', at: profile.invitedAt },
  ] as const
  return stages.find(({ at }) => at !== undefined) ?? ({ stage: 'known', at: undefined } as const)
}
