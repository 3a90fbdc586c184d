// People for tests: in memory, with the apps and emails that a test needs.
import { summarize, type PersonSummary } from '../../src/admin/person-summary.ts'
import { withEmail } from '../../src/campaigns/campaign.ts'
import type { KeepState } from '../../src/people/keep-state.ts'
import { PeopleStore } from '../../src/people/people-store.ts'
import { isFinished, withCheck } from '../../src/people/person.ts'
import type { AppRecord, CheckToRecord, EmailRecord, PersonApp, Person } from '../../src/people/person.ts'
import { testKeyRing } from './data-key.ts'
import { memoryRecords } from './memory-records.ts'

/** As before the first run of `onramp keep`. */
export const noDelistings = {
  instances: () => Promise.resolve(new Set<string>()),
  isEveryoneChecked: () => Promise.resolve(false),
}

export const newKeepState = (): KeepState => ({ massDisconnects: [], zones: {}, days: [] })

/** @param options `records`: shared by several processes */
export function testPeople({
  records = memoryRecords().records,
  ...options
}: Partial<ConstructorParameters<typeof PeopleStore>[0]> = {}) {
  const keyRing = testKeyRing(records)
  return new PeopleStore({ records, keyRing, retentionDays: 90, now: Date.now, ...options })
}

/** A person who left for every app that isn't in `unconnected`, and whose page then finds it connected. */
export const withConsents = (person: Person, at: number, unconnected: CheckToRecord['unconnected'] = []) => {
  const apps = person.lastCheck?.apps ?? []
  const connected = apps.map(({ instance, name }) => ({ instance, name, since: at, consentStartedAt: at }))
  return withCheck(person, { checkedAt: at, unconnected, connected }, at)
}

/** A person whose apps have these states, by instance. @param names of apps, by instance */
export function withAppStates(
  person: Person,
  apps: Record<string, PersonApp['state'] | 'unconfirmed'>,
  at: number,
  names: Record<string, string> = {},
): Person {
  const appRecords = Object.entries(apps).map(([instance, state]) => {
    const status = state === 'connected' ? state : state === 'off' ? 'disabled' : 'awaiting'
    return { instance, name: names[instance] ?? instance.replace(/_\d+$/, ''), status, since: at } as const
  })
  const intents = Object.entries(apps).flatMap(([instance, kind]) =>
    kind === 'skipped' || kind === 'blocked' || kind === 'unconfirmed' ? [{ instance, kind }] : [],
  )
  const changedPerson: Person = {
    ...person,
    lastCheck: { checkedAt: at, apps: appRecords },
    intents: { checkedAt: at, apps: intents },
  }
  return isFinished(changedPerson) ? { ...changedPerson, finishedAt: person.finishedAt ?? at } : changedPerson
}

/** The person's apps at their last check, each with this change. */
export function withEachApp<P extends Person>(person: P, change: Partial<AppRecord>): P {
  const { checkedAt = 0, apps = [] } = person.lastCheck ?? {}
  return { ...person, lastCheck: { checkedAt, apps: apps.map((app) => ({ ...app, ...change })) } }
}

type Email = { reminder?: number; campaign?: string; now: number }

export const withEmailState = (
  person: Person,
  state: EmailRecord['state'],
  { reminder = 0, campaign = 'c', now }: Email,
) => withEmail(person, { campaign, reminder, state, now })

export async function* summaries(...people: Person[]): AsyncGenerator<PersonSummary> {
  for (const person of people) yield await Promise.resolve(summarize(person))
}

export async function toArray<T>(all: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const one of all) items.push(one)
  return items
}
