// Renames: all data follows, an interruption loses nothing, and two people are never merged.
import { expect, it } from 'vitest'
import { createFormerAddresses } from '../../src/people/former-addresses.ts'
import type { PeopleStore } from '../../src/people/people-store.ts'
import { vacatedAddress } from '../../src/people/address.ts'
import { withMilestone, type EmailRecord, type Person } from '../../src/people/person.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { toArray, withEmailState, testPeople } from '../helpers/people.ts'

const NOW = Date.UTC(2026, 10, 1)
const [ada, adaNew, bob] = ['ada@acme.example', 'lovelace@acme.example', 'bob@acme.example']
const optedOut = (before: Person) => withMilestone(before, 'optedOutAt', NOW)

function setUp() {
  const { records, values } = memoryRecords()
  const keyRing = testKeyRing(records)
  let time = NOW
  let writesLeft = Infinity
  const lives: number[] = []
  const dies = () => (writesLeft-- > 0 ? undefined : Promise.reject(new Error('the process died')))
  const people = testPeople({
    keyRing,
    now: () => time,
    records: {
      ...records,
      compareAndSet: async (...args) => {
        lives.push(args[3])
        return (await dies()) ?? (await records.compareAndSet(...args))
      },
      compareAndRemove: async (...args) => (await dies()) ?? (await records.compareAndRemove(...args)),
    },
  })
  return {
    people,
    values,
    lives,
    /** Ada's rename, by a process that dies after so many writes. */
    interrupt: async (writeCount: number) => {
      writesLeft = writeCount
      await expect(people.rename(ada, adaNew)).rejects.toThrow('died')
      writesLeft = Infinity
    },
    formerAddresses: createFormerAddresses(records, keyRing),
    advanceDays: (days: number) => (time += days * 86_400_000),
    /** Ada's rename by a process that dies after one write, then by another. @returns both outcomes */
    renameAfterDeath: async (by?: 'list' | 'sign-in') => {
      writesLeft = 1
      const first = await people.rename(ada, adaNew, { by }).catch((error: Error) => error.message)
      writesLeft = Infinity
      return [first, await people.rename(ada, adaNew, { by })]
    },
  }
}

const emailsOf = async (people: PeopleStore) =>
  (await toArray(people.all())).map(({ email }) => email).toSorted()

it.each([
  ['is emailed again at a corrected address', adaNew, 'deferred'],
  ['isn’t emailed again at a vacated address', vacatedAddress(ada, 'E1'), 'failed'],
])('someone whose email was rejected %s', async (_title, to, state) => {
  const { people } = setUp()
  await people.change(ada, (before) => withEmailState(before, 'failed', { now: NOW }))
  await people.rename(ada, to)
  const [email] = (await people.get(to))?.campaigns[0]?.emails ?? []
  expect([email?.state, email?.wasRejected ?? false]).toEqual([state, state === 'deferred'])
})

it('the opt-out, the emails and the history follow a person to a new address', async () => {
  const { people, values, advanceDays } = setUp()
  await people.change(ada, (before) =>
    withEmailState(optedOut({ ...before, id: 'E1', finishedAt: 5 }), 'sent', { now: NOW }),
  )
  advanceDays(1)

  expect(await people.rename(' Ada@ACME.example', adaNew)).toBe('renamed')
  expect(await people.get(ada)).toBeUndefined()
  expect(await people.get(adaNew)).toEqual({
    email: adaNew,
    formerEmails: [ada],
    id: 'E1',
    finishedAt: 5,
    optedOutAt: NOW,
    changedAt: NOW + 86_400_000,
    campaigns: [{ name: 'c', emails: [{ reminder: 0, state: 'sent', at: NOW }] }],
  })
  expect([...values].flat().join()).not.toMatch(/ada@|lovelace/)
})

it.each([0, 1, 2, 3])('a rename interrupted after %i writes is finished by the next one', async (writes) => {
  const { people, interrupt } = setUp()
  await people.change(ada, (before) => ({ ...before, id: 'E1' }))
  await interrupt(writes)
  await people.change(writes === 3 ? adaNew : ada, optedOut)
  expect(await people.rename(ada, adaNew)).toBe('renamed')
  expect(await emailsOf(people)).toEqual([adaNew])
  expect(await people.get(adaNew)).toMatchObject({ id: 'E1', optedOutAt: NOW, formerEmails: [ada] })
  expect(await people.get(adaNew)).not.toHaveProperty('renamingFrom')
})

it('someone who got the former address during an interrupted rename stays a separate person', async () => {
  const { people, interrupt } = setUp()
  await people.change(ada, (before) => ({ ...before, id: 'E1', listedAt: NOW }))
  await interrupt(3)
  await people.change(ada, (before) => ({ ...before, id: 'E2', signIns: ['new'] }))
  expect(await people.rename(ada, adaNew)).toBe('renamed')
  expect([await people.get(ada), await people.get(adaNew)]).toMatchObject([{ id: 'E2' }, { id: 'E1' }])
  expect(await people.get(adaNew)).not.toHaveProperty('renamingFrom')
})

const failure = { at: NOW, code: 'expired' }
/** Records at a new address. */
const signedIn: Partial<Person> = {
  signIns: ['new'],
  signedInAt: NOW,
  visitedAt: NOW,
  intents: { checkedAt: NOW, apps: [{ instance: 'slack_1', kind: 'blocked' }] },
  failures: [failure],
  accessEvents: [{ at: NOW, what: 'lost', instance: 'slack_1' }],
}

it.each([
  ['a sign-in', signedIn],
  ['an opt-out', { optedOutAt: NOW }],
])('%s at the new address outlives an interrupted rename', async (_title, record) => {
  const { people, interrupt } = setUp()
  await people.change(ada, (before) => ({ ...before, id: 'E1' }))
  await interrupt(1)
  await people.change(adaNew, (before) => ({ ...before, ...record }))
  expect(await people.rename(ada, adaNew)).toBe('renamed')
  expect(await people.get(adaNew)).toMatchObject({ ...record, id: 'E1' })
})

const emailAt = (reminder: number, day: number, state: EmailRecord['state'] = 'sent') => ({
  reminder,
  state,
  at: NOW + day * 86_400_000,
  runId: `run ${day}`,
})
const renamedAction = { at: NOW, what: 'renamed', by: 'root' } as const
const bouncedAction = { at: NOW + 1, what: 'bounced', by: 'root' } as const

// prettier-ignore
it.each<[title: string, before: EmailRecord[], since: EmailRecord[], after: [number, number][]]>([
  ['an invitation of each', [emailAt(0, -20)], [emailAt(0, 1)], [[0, -20], [1, 1]]],
  ['an invitation and a reminder of each', [emailAt(0, -20), emailAt(1, -10)], [emailAt(0, 1), emailAt(1, 8)], [[0, -20], [1, -10], [2, 1], [3, 8]]],
  ['only the later record’s', [], [emailAt(0, 1)], [[0, 1]]],
  ['only the earlier record’s', [emailAt(0, -20)], [], [[0, -20]]],
])('a corrected id keeps emails in order: %s', async (_title, before, since, after) => {
  const { people } = setUp()
  const vacated = vacatedAddress(ada, 'E1')
  const campaigns = (emails: EmailRecord[]) => [{ name: 'onboarding', emails }]
  const listed = { id: 'E1', listedAt: NOW - 1, formerEmails: [ada], actions: [renamedAction] }
  await people.change(vacated, (one) => ({ ...one, ...listed, campaigns: campaigns(before) }))
  const newcomer = { id: 'E2', listedAt: NOW, actions: [bouncedAction], campaigns: campaigns(since) }
  await people.change(ada, (one) => ({ ...one, ...newcomer }))

  expect(await people.rename(vacated, ada)).toBe('renamed')

  const person = (await people.get(ada))!
  const emails = person.campaigns.flatMap((campaign) => campaign.emails)
  expect(emails.map(({ reminder, at }) => [reminder, (at - NOW) / 86_400_000])).toEqual(after)
  expect(person.actions).toEqual([bouncedAction])
})

it('an email at the new address during an interrupted rename stays, once', async () => {
  const { people, interrupt } = setUp()
  const [invitation, reminder] = [emailAt(0, -8), emailAt(1, 0, 'sending')]
  await people.change(ada, (before) => ({
    ...before,
    id: 'E1',
    campaigns: [{ name: 'onboarding', emails: [invitation, reminder] }],
  }))
  await interrupt(1)
  const emails = [invitation, { ...reminder, state: 'sent' as const, at: NOW + 5 }, emailAt(2, 8)]
  await people.change(adaNew, (before) => ({ ...before, campaigns: [{ name: 'onboarding', emails }] }))
  expect(await people.rename(ada, adaNew)).toBe('renamed')
  expect((await people.get(adaNew))?.campaigns).toEqual([{ name: 'onboarding', emails }])
})

it('an address that belongs to someone else is refused', async () => {
  const { people, values } = setUp()
  for (const email of [ada, bob]) await people.change(email, (before) => ({ ...before, name: email }))
  const before = [...values]
  expect(await people.rename(ada, bob)).toBe('taken')
  expect(await people.rename(bob, ada)).toBe('taken')
  expect(await people.rename(ada, ada)).toBe('unchanged')
  expect(await people.rename('eve@acme.example', adaNew)).toBe('unknown')
  expect(await people.rename(ada, adaNew, { isExpected: ({ id }) => id !== undefined })).toBe('unknown')
  expect([...values]).toEqual(before)
})

const RENAMED = ['the process died', 'renamed']
const TAKEN = ['taken', 'taken']

it.each<[title: string, record: Partial<Person>, by: 'list' | undefined, outcomes: string[]]>([
  ['sign-ins', signedIn, 'list', RENAMED],
  ['sign-ins, but no list says whose', signedIn, undefined, TAKEN],
  ['no sign-in', { ...signedIn, signIns: undefined as never }, 'list', TAKEN],
  ['a listing', { ...signedIn, listedAt: NOW }, 'list', TAKEN],
  ['an opt-out', { ...signedIn, optedOutAt: NOW }, 'list', TAKEN],
  ['an id', { ...signedIn, id: 'E2' }, 'list', TAKEN],
  ['a former address', { ...signedIn, formerEmails: [bob] }, 'list', TAKEN],
  ['emails', { ...signedIn, campaigns: [{ name: 'c', emails: [] }] }, 'list', TAKEN],
])('a rename to an address with %s merges nothing but sign-ins', async (_title, record, by, outcomes) => {
  const { people, renameAfterDeath } = setUp()
  await people.change(ada, (before) => ({ ...before, id: 'E1', listedAt: 1, signIns: ['old'] }))
  await people.change(adaNew, (before) => ({ ...before, ...record }))
  const before = await toArray(people.all())

  expect(await renameAfterDeath(by)).toEqual(outcomes)

  const merged = { ...signedIn, id: 'E1', listedAt: 1, signIns: ['old', 'new'] }
  const one = { ...merged, email: adaNew, formerEmails: [ada] }
  expect(await toArray(people.all())).toMatchObject(outcomes === TAKEN ? before : [one])
})

const SAME = { whose: 'the same person’s', outcomes: RENAMED }
const ANOTHER = { whose: 'another person’s', outcomes: TAKEN }
type Row = typeof SAME & {
  what: string
  former?: Partial<Person>
  other?: Partial<Person>
  by?: 'list' | 'sign-in' | 'operator'
}

it.each<Row>([
  { what: 'is all that a list without ids had', ...SAME },
  { what: 'has the same id', ...SAME, former: { id: 'E1' }, other: { id: 'E1' } },
  { what: 'has an id, and the former one had none', ...SAME, other: { id: 'E1' } },
  { what: 'has another id', ...ANOTHER, former: { id: 'E1' }, other: { id: 'E2' } },
  { what: 'is on the list with the former one', ...ANOTHER, former: { leftAt: undefined as never } },
  { what: 'was never on the list', ...ANOTHER, other: { listedAt: undefined as never } },
  { what: 'has left the list, too', ...ANOTHER, other: { leftAt: 5 } },
  { what: 'was on the list before the former one left it', ...ANOTHER, other: { listedAt: 2 } },
  { what: 'has an account of its own', ...ANOTHER, other: { signIns: ['other'] } },
  { what: 'had another address', ...ANOTHER, other: { formerEmails: [bob] } },
  { what: 'is named by an operator', ...ANOTHER, by: 'operator' },
  { what: 'is named by a list', ...ANOTHER, by: 'list' },
])('a new address that $what is $whose', async ({ former, other, by = 'sign-in', outcomes }) => {
  const { people, renameAfterDeath } = setUp()
  const invited = { campaigns: [{ name: 'c', emails: [{ at: 4, reminder: 0, state: 'sent' as const }] }] }
  const signIns = ['key']
  const actions = [{ at: 4, what: 'opted_out' as const, by: 'grace' }]
  await people.change(ada, (before) => ({
    ...before,
    signIns,
    listedAt: 1,
    leftAt: 3,
    optedOutAt: 2,
    ...former,
  }))
  await people.change(adaNew, (before) => ({ ...before, ...invited, actions, listedAt: 3, ...other }))
  const before = await toArray(people.all())

  expect(await renameAfterDeath(by === 'operator' ? undefined : by)).toEqual(outcomes)

  const all = await toArray(people.all())
  const merged = { ...invited, email: adaNew, signIns, optedOutAt: 2, listedAt: 1, actions }
  expect(all).toMatchObject(outcomes === TAKEN ? before : [merged])
  expect(all.some(({ email, leftAt }) => email === adaNew && leftAt !== undefined)).toBe(
    other?.leftAt !== undefined,
  )
})

it('someone who never signed in gets the sign-ins of their new address', async () => {
  const { people } = setUp()
  await people.change(ada, (before) => optedOut({ ...before, listedAt: 1, leftAt: 2 }))
  await people.change(adaNew, (before) => ({ ...before, ...signedIn }))
  expect(await people.rename(ada, adaNew)).toBe('renamed')
  expect(await toArray(people.all())).toMatchObject([
    { ...signedIn, email: adaNew, listedAt: 1, leftAt: 2, optedOutAt: expect.any(Number) as number },
  ])
})

it('events that wait at both addresses wait at the new one after a rename', async () => {
  const { people } = setUp()
  const event = (id: string) => ({ id, type: 'person.signed_in', at: NOW, tries: 0, dueAt: NOW }) as const
  await people.change(ada, (before) => ({ ...before, listedAt: 1, outbox: [event('former')] }))
  await people.change(adaNew, (before) => ({ ...before, ...signedIn, outbox: [event('new')] }))
  await people.rename(ada, adaNew)
  expect((await people.get(adaNew))?.outbox).toEqual([event('former'), event('new')])
})

it('a former address resolves to its owner at the given time', async () => {
  const { people, advanceDays } = setUp()
  await people.change(ada, (before) => ({ ...before, id: 'E1' }))
  advanceDays(1)
  await people.rename(ada, adaNew)
  advanceDays(1)
  await people.change(ada, (before) => ({ ...before, id: 'E2' }))
  advanceDays(1)

  expect(await people.currentAddress(ada)).toBe(ada)
  await people.rename(ada, bob)
  advanceDays(1)
  const then = (days: number) => people.addressAt(ada, NOW + days * 86_400_000)
  expect(await then(0)).toEqual(adaNew)
  // At the moment of a move, the address has the next owner.
  expect(await then(1)).toEqual(bob)
  expect(await then(3)).toEqual(ada)

  await people.rename(adaNew, ada)
  expect(await then(0)).toEqual(ada)
  expect(await then(2)).toEqual(bob)
  expect((await people.get(ada))?.formerEmails).toEqual([adaNew])
  expect(await people.currentAddress(adaNew)).toBe(ada)
})

it('links of one former owner of an address outlive the other’s', async () => {
  const { people, lives, advanceDays } = setUp()
  for (const to of [adaNew, bob]) {
    await people.change(ada, (before) => ({ ...before, id: to }))
    await people.rename(ada, to)
    advanceDays(1)
  }

  await people.forget(bob)
  expect(await people.addressAt(ada, NOW - 1)).toBe(adaNew)
  expect(lives.at(-1)).toBe(730 * 86_400)

  await people.forget(adaNew)
  expect(await people.addressAt(ada, NOW - 1)).toBe(ada)
  expect(lives.at(-1)).toBe(1)
})

it('the former addresses of a person who is forgotten are forgotten, too', async () => {
  const { people } = setUp()
  await people.change(ada, optedOut)
  await people.rename(ada, adaNew)
  expect(await people.currentAddress(ada)).toBe(adaNew)
  const adaNewest = 'ada.lovelace@acme.example'
  await people.rename(adaNew, adaNewest)
  await people.forget(adaNewest)
  expect(await people.currentAddress(ada)).toEqual(ada)
  expect(await people.currentAddress(adaNew)).toEqual(adaNew)
})
