// Detection of apps that are new for many people.
import { expect, it } from 'vitest'
import { findClusters } from '../../src/campaigns/clusters.ts'
import { newPerson, withCheck, type Person } from '../../src/people/person.ts'
import { DAY, HOUR, jira, monday, NO_CLUSTERS, slack } from './lapsed-person.ts'

/** @param newAt time of the first listing of Jira; undefined: never listed */
function person(newAt?: number): Person {
  const first = withCheck(newPerson('ada@acme.example', 0), { checkedAt: 1, unconnected: [slack] }, 1)
  return newAt === undefined
    ? first
    : withCheck(first, { checkedAt: newAt, unconnected: [slack, jira] }, newAt)
}
const people = (count: number, newAt?: number) => Array.from({ length: count }, () => person(newAt))
const find = async (all: Person[], state = NO_CLUSTERS) =>
  (await findClusters(all, state, monday + 2 * HOUR)).newApps

it.each([
  ['isn’t new if only four people get it', 4, 8, 0],
  ['is new if a fifth of the people get it', 5, 25, 1],
  ['isn’t new if less than a fifth get it', 5, 26, 0],
  ['isn’t new if 49 of 1,000 people get it', 49, 1_000, 0],
  ['is new if fifty people get it', 50, 1_000, 1],
])('an app that is suddenly on lists %s', async (_title, some, all, count) => {
  expect(await find([...people(some, monday), ...people(all - some)])).toHaveLength(count)
})

it('an app listed at everyone’s first check, or already evaluated, is not new', async () => {
  expect(await find([...people(9), ...people(9, monday - 1)])).toEqual([])
})

it('a new app’s count includes people who get it after the first have connected', async () => {
  const newApps = await find(people(6, monday))
  expect(newApps).toEqual([
    { instance: 'jira_1', name: 'Jira', noticedAt: monday + 2 * HOUR, since: monday, people: 6 },
  ])
  const later = { ...NO_CLUSTERS, newApps, evaluatedAt: monday + HOUR }
  expect(await find([...people(7, monday), ...people(2, monday + DAY)], later)).toMatchObject([{ people: 9 }])
  expect(await find(people(9), later)).toEqual(newApps)
})

it.each([
  ['days later is new for both', 3, 12, monday],
  ['a month later is new for both', 30, 12, monday],
  ['more than a month later is new for that one alone', 32, 6, monday + 32 * DAY],
])('an app that comes to a second department %s', async (_title, days, count, since) => {
  const newApps = await find(people(6, monday))
  const [at, evaluatedAt] = [monday + days * DAY, monday + (days - 1) * DAY]
  const everyone = [...people(6, monday), ...people(6, at), ...people(6)]

  const found = await findClusters(everyone, { ...NO_CLUSTERS, newApps, evaluatedAt }, at + HOUR)

  expect(found.newApps).toMatchObject([{ people: count, since, noticedAt: at + HOUR }])
})

it('each department counts once among the people for whom an app is new', async () => {
  const eventsOf = async (state: typeof NO_CLUSTERS, at: number, everyone: Person[]) => {
    const { appEvents, ...found } = await findClusters(everyone, state, at + HOUR)
    return { counts: appEvents.map((event) => event.people), state: { ...state, ...found, evaluatedAt: at } }
  }
  const [week, others] = [7 * DAY, people(60)]
  const first = [...others, ...people(15, monday)]
  const one = await eventsOf(NO_CLUSTERS, monday, first)
  const second = [...first, ...people(8, monday + week)]
  const two = await eventsOf(one.state, monday + week, second)
  const third = [...second, ...people(25, monday + 2 * week)]
  const three = await eventsOf(two.state, monday + 2 * week, third)
  const late = await eventsOf(three.state, monday + 2 * week + DAY, [
    ...third,
    ...people(2, monday + 2 * week + 9),
  ])

  expect([one, two, three, late].map(({ counts }) => counts)).toEqual([[15], [], [25], [2]])
  expect(late.state.newApps).toMatchObject([{ since: monday, people: 50 }])
})

it('an app counts as moved also if `replaces` is added later', async () => {
  const moved = people(6, monday).map((one) => {
    const apps = one.lastCheck!.apps.map((app) => ({ ...app, movedFrom: 'jira_0' }))
    return { ...one, lastCheck: { ...one.lastCheck!, apps } }
  })
  const evaluated = { ...NO_CLUSTERS, newApps: await find(people(6, monday)), evaluatedAt: monday + HOUR }
  expect([...(await find(moved)), ...(await find(moved, evaluated))]).toMatchObject([
    { instance: 'jira_1', isMoved: true },
    { instance: 'jira_1', isMoved: true },
  ])
})
