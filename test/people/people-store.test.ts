// The store of people: sealing, retention and unreadable records.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { PersonUnreadable, type PeopleStore } from '../../src/people/people-store.ts'
import { withoutOptOut, withMilestone, withCheck, type Person } from '../../src/people/person.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { withAppStates, toArray, testPeople } from '../helpers/people.ts'

const NOW = Date.UTC(2026, 10, 1)
const DAY = 86_400_000
const [ada, bob] = ['ada@acme.example', 'bob@acme.example']
const opened = (before: Person) => withMilestone(before, 'openedAt', NOW)

/** One store for any number of processes. */
function setUpPeople() {
  const { records, values } = memoryRecords()
  const open = (now = NOW, given: Partial<ConstructorParameters<typeof PeopleStore>[0]> = {}) =>
    testPeople({ records, now: () => now, ...given })
  return { values, open }
}

const emailsOf = async (people: PeopleStore) =>
  (await toArray(people.all())).map(({ email }) => email).toSorted()

it('a change that another process has already made creates no event', async () => {
  const { records } = memoryRecords()
  const keyRing = testKeyRing(records)
  const other = testPeople({ records, keyRing })
  const arrived = (before: Person) => withMilestone(before, 'signedInAt', NOW)
  const announced: string[] = []
  const people = testPeople({
    keyRing,
    records: {
      ...records,
      async compareAndSet(...args) {
        await other.change(ada, arrived)
        return await records.compareAndSet(...args)
      },
    },
    onEvents: (email) => void announced.push(email),
  })
  await people.change(ada, arrived)

  expect(announced).toEqual([])
})

it('two spellings of an address share one record', async () => {
  const { open, values } = setUpPeople()
  await open().change(' Ada@ACME.example', (before) => withMilestone(before, 'signedInAt', NOW))
  await open().change(ada, opened)
  expect(await open().get(ada)).toMatchObject({ email: ada, openedAt: NOW, signedInAt: NOW })
  expect([...values.keys()].filter((key) => key.startsWith('person:'))).toHaveLength(1)
})

it('a record changed by two processes at once loses nothing', async () => {
  const { values, open } = setUpPeople()
  const processes = [open(), open()] as const

  await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      processes[index % 2 === 0 ? 0 : 1].change(`p${index % 10}@acme.example`, (before) => ({
        ...before,
        group: `${before.group ?? ''}x`,
      })),
    ),
  )

  for (let index = 0; index < 10; index++)
    expect((await open().get(`p${index}@acme.example`))?.group).toBe('xxxxx')
  const before = [...values.values()]
  await open().change('p1@acme.example', (person) => person)
  expect([...values.values()]).toEqual(before)
})

it('an opt-out keeps whose it is after the retention', async () => {
  const { open } = setUpPeople()
  await open().change(ada, opened)
  const uncounted = { listedAt: NOW, leftAt: NOW, unknownAt: NOW }
  const identity = { id: 'E1', name: 'Bob', signIns: ['key'] }
  await open().change(bob, (before) => ({
    ...withMilestone(opened(before), 'optedOutAt', NOW),
    ...uncounted,
    ...identity,
  }))
  const later = open(NOW + 90 * DAY)
  expect(await later.get(ada)).toBeUndefined()
  expect(await later.get(bob)).toEqual({
    email: bob,
    changedAt: NOW,
    optedOutAt: NOW,
    ...uncounted,
    ...identity,
    campaigns: [],
  })
  expect(await emailsOf(later)).toEqual([bob])
  expect(await emailsOf(open(NOW + 730 * DAY))).toEqual([])
})

it('a record lives in the store as long as the person is remembered', async () => {
  const { records } = memoryRecords()
  const lives: number[] = []
  const people = testPeople({
    records: {
      ...records,
      compareAndSet(key, expected, value, seconds) {
        if (key.startsWith('person:')) lives.push(seconds / 86_400)
        return records.compareAndSet(key, expected, value, seconds)
      },
    },
  })
  await people.change(ada, opened)
  await people.change(ada, (before) => withMilestone(before, 'optedOutAt', NOW))
  await people.change(ada, withoutOptOut)

  expect(lives).toEqual([90, 730, 90])
})

it('forgetting a person removes only their record, at once', async () => {
  const { open } = setUpPeople()
  for (const email of [ada, bob]) await open().change(email, opened)
  expect(await open().forget('ADA@acme.example ')).toBe(true)
  expect(await open().forget(ada)).toBe(false)
  expect(await emailsOf(open())).toEqual([bob])
})

it('an unreadable record is an error until it is forgotten', async () => {
  const { values, open } = setUpPeople()
  await open().change(ada, (before) => withMilestone(before, 'optedOutAt', NOW))
  await open().change(bob, opened)
  const [keyOfAda = '', keyOfBob = ''] = [...values.keys()].filter((key) => key.startsWith('person:'))
  // A swapped record counts as damaged.
  values.set(keyOfAda, values.get(keyOfBob) ?? '')
  await expect(open().get(ada)).rejects.toThrow(PersonUnreadable)
  await expect(open().change(ada, opened)).rejects.toThrow(PersonUnreadable)
  const unreadable: string[] = []
  const readable = await toArray(open().all((key) => unreadable.push(key)))
  expect(unreadable).toEqual([keyOfAda])
  expect(readable).toEqual([expect.objectContaining({ email: bob })])
  expect(await open().forget(ada)).toBe(true)
  expect(await open().get(ada)).toBeUndefined()
})

it('people are read in slices, so that requests aren’t blocked', async () => {
  const { open } = setUpPeople()
  for (let index = 0; index < 300; index++) await open().change(`p${index}@acme.example`, opened)
  let turns = 0
  const reading = { isOver: false }
  const others = (async () => {
    for (; !reading.isOver; turns++) await nextTurn()
  })()
  for await (const _person of open().all()) {
    const until = performance.now() + 1
    while (performance.now() < until);
  }
  reading.isOver = true
  await others
  expect(turns).toBeGreaterThan(15)
})

const hides = {
  company: {
    activeReplacements: new Map(),
    activateReplacements: () => true,
    shownApps: <T>(apps: T[]) => apps,
    isVisible: ({ instance }: { instance: string }) => instance !== 'jira_1',
  },
}

it('everyone is read 100 records at a time', async () => {
  const { records } = memoryRecords()
  const sizes: number[] = []
  const getAll: typeof records.getAll = (keys) => {
    sizes.push(keys.length)
    return records.getAll(keys)
  }
  const people = testPeople({ records: { ...records, getAll }, now: () => NOW })
  for (let number = 0; number < 101; number++) await people.change(`${number}@acme.example`, opened)

  expect(await toArray(people.all())).toHaveLength(101)
  expect(sizes).toEqual([100, 1])
})

it('one batch of people is read ahead, and its failure comes after those before it', async () => {
  const { records, values } = memoryRecords()
  const keyRing = testKeyRing(records)
  for (const email of [ada, bob]) await testPeople({ records, keyRing }).change(email, opened)
  let batches = 0
  async function* keys() {
    for (const key of [...values.keys()].filter((name) => name.startsWith('person:'))) {
      batches++
      yield await Promise.resolve([key])
    }
    throw new Error('the store is down')
  }
  const all = testPeople({ records: { ...records, keys }, keyRing }).all()

  expect((await all.next()).done).toBe(false)
  for (let turns = 0; turns < 5; turns++) await nextTurn()
  expect(batches).toBe(2)
  expect((await all.next()).done).toBe(false)
  await expect(all.next()).rejects.toThrow('the store is down')

  const left = testPeople({ records: { ...records, keys }, keyRing }).all()
  await left.next()
  await left.return(undefined)
  expect(batches).toBe(4)
})

it('hidden apps are omitted when reading, and kept unchanged when writing', async () => {
  const { open } = setUpPeople()
  await open().change(ada, (before) =>
    withAppStates(before, { slack_1: 'unconnected', jira_1: 'unconnected' }, NOW),
  )
  const hiding = open(NOW + 1, hides)
  const changed = await hiding.change(ada, (before) =>
    withCheck(before, { checkedAt: NOW + 1, unconnected: [] }, NOW + 1),
  )

  expect(changed.lastCheck?.apps.map(({ instance, status }) => [instance, status])).toEqual([
    ['slack_1', 'connected'],
  ])
  expect(await hiding.get(ada)).toEqual(changed)

  const whole = (await open().get(ada))?.lastCheck?.apps.map(({ instance, status }) => [instance, status])
  expect(whole).toEqual([
    ['slack_1', 'connected'],
    ['jira_1', 'awaiting'],
  ])
})

it('events are written together with their cause, and onEvents is called', async () => {
  const { open } = setUpPeople()
  const received: [string, number][] = []
  const people = open(NOW, { onEvents: (...one) => received.push(one) })
  await people.change(ada, (before) => withMilestone(before, 'signedInAt', NOW))
  await people.change(ada, opened)
  expect(received).toEqual([[ada, 0]])
  expect((await people.get(ada))?.outbox).toMatchObject([
    { type: 'person.signed_in', at: NOW, tries: 0, dueAt: NOW },
  ])
})

it('events aren’t written without a webhook', async () => {
  const { open } = setUpPeople()
  expect(await open().change(ada, (before) => withMilestone(before, 'signedInAt', NOW))).not.toHaveProperty(
    'outbox',
  )
})
