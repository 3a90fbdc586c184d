// All pages within ten seconds share one read of the people, in slices: repeated requests block no one, and aborted
// ones cost nothing more.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PeopleSnapshot } from '../../src/admin/people-snapshot.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { appsOf, newPerson, type Person } from '../../src/people/person.ts'
import { newKeepState, withAppStates, toArray } from '../helpers/people.ts'

const PEOPLE = 1_100
const NOW = 1_000_000
const context = {
  keepStateStore: { load: () => Promise.resolve(newKeepState()) },
  company: { ...neutralCompany, timezone: 'UTC', quietDays: [] },
  now: () => NOW,
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** In an order that differs from that of their addresses. */
const displayName = (number: number) =>
  `person-${String((number * 1_237) % PEOPLE).padStart(4, '0')}@acme.example`
const inOrder = Array.from({ length: PEOPLE }, (_, number) => displayName(number)).toSorted()

function crowd() {
  const reads = { count: 0, people: 0, underWay: 0, concurrent: 0, fails: false, onRead: () => {} }
  const people = {
    async *all(onUnreadable: (key: string) => void = () => {}): AsyncGenerator<Person> {
      reads.count++
      reads.concurrent = Math.max(reads.concurrent, ++reads.underWay)
      try {
        if (reads.fails) throw new Error('away')
        for (let number = 0; number < PEOPLE; number++) {
          if (number % 100 === 0) await nextTurn()
          reads.people++
          reads.onRead()
          yield withAppStates(
            newPerson(displayName(number), NOW),
            { slack_1: 'connected', jira_1: 'unconnected' },
            NOW,
          )
        }
        for (const key of ['a', 'b', 'c']) onUnreadable(key)
      } finally {
        reads.underWay--
      }
    },
  }
  return { reads, snapshot: new PeopleSnapshot({ people, ...context }) }
}

const signal = new AbortController().signal

async function count(all: AsyncIterable<unknown>): Promise<number> {
  let people = 0
  for await (const _summary of all) people++
  return people
}

it('all pages and exports within ten seconds share one read of the people', async () => {
  const { reads, snapshot } = crowd()
  const [list, report] = await Promise.all([
    count(snapshot.summaries(signal, 'page')),
    snapshot.report(signal),
  ])
  expect(list).toBe(PEOPLE)
  expect(report).toMatchObject({ people: PEOPLE, unread: 3 })

  vi.advanceTimersByTime(9_999)
  expect(await count(snapshot.summaries(signal, 'page'))).toBe(PEOPLE)
  expect(await snapshot.report(signal)).toBe(report)
  expect(reads.count).toBe(1)

  vi.advanceTimersByTime(1)
  expect(await snapshot.report(signal)).toBe(report)
  await expect.poll(() => reads.people).toBe(2 * PEOPLE)
})

it('each person keeps their own app, however many names and states it has', async () => {
  const states = ['connected', 'unconnected', 'unconfirmed', 'skipped', 'off'] as const
  const everyone = Array.from({ length: 200 }, (_, number) => {
    const [state = 'off', names] = [states[number % 5], { slack_1: `Slack ${Math.floor(number / 10)}` }]
    const person = withAppStates(newPerson(displayName(number), NOW), { slack_1: state }, NOW, names)
    const changed = state === 'off' ? { status: 'attention' } : { movedFrom: 'slack_0' }
    if (number % 2 === 1) Object.assign(person.lastCheck!.apps[0]!, changed)
    return person
  })
  const people = {
    all: async function* all() {
      yield* everyone
    },
  }
  const snapshot = new PeopleSnapshot({ people, ...context })

  const summaries = await toArray(snapshot.summaries(signal, 'download'))

  const byAddress = new Map(everyone.map((person) => [person.email, appsOf(person)]))
  for (const { person, apps } of summaries) expect(apps).toEqual(byAddress.get(person.email))
})

it('for ten more seconds, requests get the last read while a new one is made', async () => {
  const { reads, snapshot } = crowd()
  const first = await snapshot.report(signal)
  const leaving = new AbortController()

  vi.advanceTimersByTime(10_000)
  expect(await snapshot.report(leaving.signal)).toBe(first)
  leaving.abort(new Error('gone'))
  await expect.poll(() => reads).toMatchObject({ count: 2, people: 2 * PEOPLE, underWay: 0 })
  const second = await snapshot.report(signal)
  expect(second).not.toBe(first)

  vi.advanceTimersByTime(20_000)
  expect(await snapshot.report(signal)).not.toBe(second)
  expect(reads.count).toBe(3)
})

it('a refresh that fails leaves the last read for its ten seconds', async () => {
  const { reads, snapshot } = crowd()
  const first = await snapshot.report(signal)
  reads.fails = true

  vi.advanceTimersByTime(19_999)
  expect(await snapshot.report(signal)).toBe(first)
  await expect.poll(() => reads).toMatchObject({ count: 2, underWay: 0 })
  await nextTurn()

  vi.advanceTimersByTime(1)
  await expect(snapshot.report(signal)).rejects.toThrow('away')
})

it.each(['before a read', 'after it'])(
  'the event loop isn’t blocked, however many requests come %s',
  async (when) => {
    const { snapshot } = crowd()
    if (when === 'after it') await snapshot.report(signal)
    let [rows, most] = [0, 0]
    const looking = { isOver: false }
    const others = (async () => {
      for (; !looking.isOver; rows = 0) {
        await nextTurn()
        most = Math.max(most, rows)
      }
    })()
    const readAll = async () => {
      for await (const _summary of snapshot.summaries(signal, 'page')) rows++
    }

    await Promise.all(Array.from({ length: 20 }, readAll))
    looking.isOver = true
    await others

    // One slice per turn, over all requests.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(1_000)
  },
)

it.each(['download', 'otherSite'] as const)(
  'an admin’s own page waits for no %s, however many there are',
  async (use) => {
    const { snapshot } = crowd()
    await snapshot.report(signal)
    let rows = 0
    const others = Array.from({ length: 50 }, async () => {
      for await (const _summary of snapshot.summaries(signal, use)) rows++
    })
    await count(snapshot.summaries(signal, 'page'))
    // A slice for each of the page's.
    expect(rows).toBeLessThanOrEqual(PEOPLE + 1_000)
    await Promise.all(others)
  },
)

it('the people are read again after the store was away', async () => {
  const { reads, snapshot } = crowd()
  reads.fails = true
  await expect(snapshot.report(signal)).rejects.toThrow('away')
  reads.fails = false
  expect((await snapshot.report(signal)).people).toBe(PEOPLE)
})

it('a read ends once all of its requests are aborted, and continues for any other', async () => {
  const { reads, snapshot } = crowd()
  const leaving = new AbortController()
  reads.onRead = () => {
    if (reads.people === 1_000) leaving.abort(new Error('gone'))
  }
  const views = [snapshot.report(leaving.signal), count(snapshot.summaries(leaving.signal, 'page'))]
  expect((await Promise.allSettled(views)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(reads.people).toBe(1_000)

  // The part that was read is kept.
  const other = new AbortController()
  reads.onRead = () => {
    if (reads.people === 2_000) other.abort(new Error('gone'))
  }
  const aborted = snapshot.report(other.signal)
  const [mine] = await Promise.all([snapshot.report(signal), expect(aborted).rejects.toThrow('gone')])
  expect(mine.people).toBe(PEOPLE)
  expect(reads).toMatchObject({ people: 1_000 + PEOPLE, count: 2 })
})

it('the people are read once at a time, also if requests overlap with an abort', async () => {
  const { reads, snapshot } = crowd()
  for (let number = 0; number < 20; number++) {
    const leaving = new AbortController()
    const aborted = snapshot.report(leaving.signal).catch(() => 'gone')
    for (let turn = 0; turn < number; turn++) await nextTurn()
    leaving.abort(new Error('gone'))
    const next = number % 2 === 0 ? snapshot.report(signal) : undefined
    await aborted
    expect((await next)?.people ?? PEOPLE).toBe(PEOPLE)
    vi.advanceTimersByTime(10_000)
  }
  expect(reads.concurrent).toBe(1)
})

it('a list whose browser goes away ends within its slice', async () => {
  const { snapshot } = crowd()
  const leaving = new AbortController()
  let rows = 0
  const looking = (async () => {
    for await (const _summary of snapshot.summaries(leaving.signal, 'page'))
      if (++rows === 700) leaving.abort(new Error('gone'))
  })()
  await expect(looking).rejects.toThrow('gone')
  expect(rows).toBe(1_000)
})

it('a slow export continues in the newest snapshot, with each person once, by email', async () => {
  const { reads, snapshot } = crowd()
  const emails: string[] = []
  for await (const { person } of snapshot.summaries(signal, 'page')) {
    emails.push(person.email)
    if (emails.length % 300 === 0) vi.advanceTimersByTime(20_000)
  }
  expect(emails).toEqual(inOrder)
  expect(reads.count).toBe(3)
})

it('the snapshot holds summaries that share their apps, and no records', async () => {
  const { snapshot } = crowd()
  const apps = new Set<unknown>()
  for await (const summary of snapshot.summaries(signal, 'page')) {
    for (const app of summary.apps) apps.add(app)
    const known = Object.entries(summary.person).filter(([, value]) => value !== undefined)
    expect(known).toEqual([['email', expect.any(String)]])
  }
  expect(apps.size).toBe(2)
})

it('pages are sorted by name or else address, and downloads by address alone', async () => {
  const people: Person[] = [
    { ...newPerson('1@acme.example', NOW), name: 'Zoë' },
    { ...newPerson('3@acme.example', NOW), name: 'Ada' },
    { ...newPerson('2@acme.example', NOW), name: 'Ada' },
    newPerson('desk-10@acme.example', NOW),
    newPerson('desk-9@acme.example', NOW),
  ]
  const all = async function* () {
    for (const person of people) yield await Promise.resolve(person)
  }
  const snapshot = new PeopleSnapshot({ people: { all }, ...context })
  const emails = async (use: 'page' | 'otherSite' | 'download') =>
    (await toArray(snapshot.summaries(signal, use))).map(({ person }) => person.email.split('@')[0])

  for (const use of ['page', 'otherSite'] as const)
    expect(await emails(use)).toEqual(['2', '3', 'desk-9', 'desk-10', '1'])
  expect(await emails('download')).toEqual(['1', '2', '3', 'desk-10', 'desk-9'])
})
