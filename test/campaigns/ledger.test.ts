// Records of an email, during outages of the store and beside another run.
import { expect, it } from 'vitest'
import {
  campaignEmail,
  decideOnboardingEmail,
  ONBOARDING,
  type ReminderPolicy,
} from '../../src/campaigns/campaign.ts'
import { EmailLedger } from '../../src/campaigns/ledger.ts'
import { resolveCompany } from '../../src/company/company.ts'
import { PersonUnreadable } from '../../src/people/people-store.ts'
import { newPerson, withCheck, type Person } from '../../src/people/person.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { testPeople } from '../helpers/people.ts'
import { policy } from './run-fixture.ts'

const NOW = Date.parse('2026-11-02T09:00:00Z')
const ada = { email: 'ada@acme.example' }
const slack = {
  unconnected: [{ instance: 'slack_1', name: 'Slack', status: 'awaiting' as const }],
  checkedAt: NOW,
}

type Fault = 'away' | 'response-lost' | 'mistake'
type Setup = {
  policy?: Partial<ReminderPolicy>
  maxOutageMs?: number
  signal?: AbortSignal
  holdsLease?: boolean
  now?: number
}

/** A store with Ada's record, whose next writes fail by `faults`. */
function storeWith(get?: () => Promise<Person | undefined>, address?: string) {
  let storedPerson: Person | undefined
  const faults: Fault[] = []
  const people = {
    get: get ?? (() => Promise.resolve(storedPerson)),
    change(_email: string, change: (person: Person, isKnown: boolean) => Person): Promise<Person> {
      const fault = faults.shift()
      if (fault === 'away') return Promise.reject(new StoreUnavailable(undefined))
      if (fault === 'mistake') return Promise.reject(new TypeError('a mistake of ours'))
      const fresh = newPerson(ada.email, NOW)
      const after = change(storedPerson ?? fresh, storedPerson !== undefined)
      if (after !== fresh) storedPerson = after
      return fault === 'response-lost'
        ? Promise.reject(new StoreUnavailable(undefined))
        : Promise.resolve(after)
    },
    addressAt: (email: string) => Promise.resolve(address ?? email),
    shownApps: <T>(apps: T[]) => apps,
  }
  const run = ({ maxOutageMs = 2_000, signal, holdsLease = true, now = NOW, ...given }: Setup = {}) =>
    new EmailLedger({
      people,
      campaign: ONBOARDING,
      decide: (person, decidedAt) => decideOnboardingEmail(person, { ...policy, ...given.policy }, decidedAt),
      holdsLease: () => Promise.resolve(holdsLease),
      now: () => now,
      signal: signal ?? new AbortController().signal,
      maxOutageMs,
    })
  return {
    run,
    faults,
    storedPerson: () => storedPerson,
    state: () => storedPerson && campaignEmail(storedPerson, ONBOARDING, 0)?.state,
    forget: () => (storedPerson = undefined),
  }
}

it('a check made before another one showed a replacement is recorded under its name', async () => {
  const company = resolveCompany({ datasources: { slack_2: { replaces: 'slack_1' } } }, new Map())
  const people = testPeople({ company, now: () => NOW })
  await people.change(ada.email, (person) => withCheck(person, { ...slack, checkedAt: NOW - 1 }, NOW))
  const { shownApps } = company
  const ledger = new EmailLedger({
    people,
    campaign: ONBOARDING,
    decide: () => ({ kind: 'uncertain' }),
    holdsLease: () => Promise.resolve(true),
    now: () => NOW,
    signal: new AbortController().signal,
  })
  const before = { ...slack, unconnected: shownApps(slack.unconnected) }
  shownApps([{ instance: 'slack_2' }])

  await ledger.recordCheck(ada, before)

  const { apps } = (await people.get(ada.email))!.lastCheck!
  expect(apps).toMatchObject([{ instance: 'slack_2', status: 'awaiting' }])
  expect(apps[0]).not.toHaveProperty('lapsedAt')
  expect(apps[0]).not.toHaveProperty('newAt')
})

it('only one of two runs sends an email', async () => {
  const { run, state } = storeWith()
  const [one, other] = [run(), run()]
  expect(await Promise.all([one.recordSending(ada, 0, slack), other.recordSending(ada, 0, slack)])).toEqual([
    true,
    false,
  ])
  await one.recordOutcome(ada.email, 0, 'sent')
  for (const holder of [one, other]) expect(await holder.recordSending(ada, 0, slack)).toBe(false)
  expect(state()).toBe('sent')
})

it('an email that isn’t due, or whose lease is lost, isn’t sent', async () => {
  const { run, storedPerson: known } = storeWith()
  expect(await run().recordSending(ada, 1, slack)).toBe(false)
  expect(known()).toBeUndefined()
  await expect(run({ holdsLease: false }).recordSending(ada, 0, slack)).rejects.toThrow(
    'another run took over',
  )
  expect(known()).toBeUndefined()
})

it('an email is recorded despite an outage of the store and lost responses', async () => {
  const { run, faults, state } = storeWith()
  const ledger = run()
  await ledger.plan(ada.email)
  faults.push('away', 'response-lost')
  expect(await ledger.recordSending(ada, 0, slack)).toBe(true)
  expect(state()).toBe('sending')
  faults.push('response-lost', 'away')
  await ledger.recordOutcome(ada.email, 0, 'sent')
  expect(state()).toBe('sent')
})

it('an email isn’t sent during a longer outage of the store, after a few retries', async () => {
  const { run, faults, storedPerson: known } = storeWith()
  faults.push(...Array.from({ length: 50 }, (): Fault => 'away'))
  await expect(run({ maxOutageMs: 380 }).recordSending(ada, 0, slack)).rejects.toThrow(StoreUnavailable)
  expect(known()).toBeUndefined()
  expect(faults.length).toBeGreaterThanOrEqual(46)
})

it('a stopped run doesn’t wait for the store, and a programming error is never retried', async () => {
  const { run, faults } = storeWith()
  faults.push('away', 'away')
  await expect(run({ signal: AbortSignal.abort() }).recordSending(ada, 0, slack)).rejects.toThrow(
    StoreUnavailable,
  )
  faults.splice(0, 2, 'mistake', 'mistake')
  await expect(run().recordSending(ada, 0, slack)).rejects.toThrow(TypeError)
  expect(faults).toHaveLength(1)
  await expect(
    storeWith(() => Promise.reject(new TypeError()))
      .run()
      .plan(ada.email),
  ).rejects.toThrow(TypeError)
})

it('an email that another run sent again keeps that run’s outcome', async () => {
  const { run, state } = storeWith()
  const [one, other] = [run(), run({ policy: { uncertain: 'resend' } })]
  await one.recordSending(ada, 0, slack)
  await other.recordSending(ada, 0, slack)
  await other.recordOutcome(ada.email, 0, 'sent')
  await one.recordOutcome(ada.email, 0, 'deferred')
  expect(state()).toBe('sent')
})

it.each<[string, (ledger: EmailLedger) => Promise<unknown>]>([
  ['an email that is due', async (ledger) => expect(await ledger.recordSending(ada, 0, slack)).toBe(false)],
  ['a postponed email', (ledger) => ledger.postpone(ada, 0)],
  ['a check', (ledger) => ledger.recordCheck(ada, slack)],
  ['a check that finds no account', (ledger) => ledger.recordCheck(ada, undefined)],
])(
  'someone who was renamed or forgotten during a run gets no second record by %s',
  async (_title, record) => {
    const { run, storedPerson: known, forget } = storeWith()
    const ledger = run()
    await ledger.recordCheck(ada, slack)
    await ledger.plan(ada.email)

    forget()
    await record(ledger)

    expect(known()).toBeUndefined()
  },
)

it('the outcome of an email doesn’t recreate a forgotten person', async () => {
  const { run, storedPerson: known, forget } = storeWith()
  const ledger = run()
  await ledger.recordSending(ada, 0, slack)
  forget()
  await ledger.recordOutcome(ada.email, 0, 'sent')
  expect(known()).toBeUndefined()
})

it('a record has the list’s newest details', async () => {
  const { run, storedPerson: known, state } = storeWith()
  const details = { name: 'Ada', language: 'ja', group: 'Sales' }
  await run().recordCheck({ ...ada, ...details }, { unconnected: [], checkedAt: NOW })
  expect(known()).toMatchObject({ ...details, lastCheck: { checkedAt: NOW } })
  for (const now of [NOW, NOW + 1]) await run({ now }).recordCheck(ada, undefined)
  expect(known()).toMatchObject({ ...details, unknownAt: NOW })
  await run().recordCheck(ada, slack)
  expect(known()).toMatchObject(details)
  expect(known()).not.toHaveProperty('unknownAt')
  await run().postpone({ ...ada, group: 'Law' }, 0)
  expect([known()?.group, state()]).toEqual(['Law', 'deferred'])
})

const stored = () => Promise.resolve(newPerson(ada.email, 1))
const unreadable = () => Promise.reject(new PersonUnreadable('person:x'))
// prettier-ignore
it.each<{ what: string; kind: string; get?: () => Promise<Person>; address: string; changedAt: number }>([
  { what: 'can’t be read: they may have opted out', kind: 'unreadable', get: unreadable, address: 'ada@acme.example', changedAt: NOW },
  { what: 'has moved to another address', kind: 'renamed', address: 'byron@acme.example', changedAt: NOW },
  { what: 'doesn’t exist yet', kind: 'email', address: 'ada@acme.example', changedAt: NOW },
  { what: 'exists, at a former address of someone else', kind: 'email', get: stored, address: 'byron@acme.example', changedAt: 1 },
])('the plan for a person whose record $what is $kind', async ({ kind, get, address, changedAt }) => {
  const plan = await storeWith(get, address).run().plan(ada.email)

  expect(plan).toMatchObject({ person: { changedAt }, decision: { kind }, checkedAt: NOW })
})
