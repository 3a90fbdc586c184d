// Detection of removed apps, until an operator marks them.
import { expect, it } from 'vitest'
import { findClusters } from '../../src/campaigns/clusters.ts'
import { newKeepState, type KeepState } from '../../src/people/keep-state.ts'
import { newPerson, withCheck, type Person } from '../../src/people/person.ts'
import { DAY, HOUR, jira, monday, slack } from './lapsed-person.ts'

const NONE: KeepState = { ...newKeepState(), evaluatedAt: monday }

/** @param by the run or page that noticed that Jira is gone; undefined: still listed */
function person(by?: 'run' | 'page', at = monday): Person {
  const first = withCheck(newPerson('ada@acme.example', 0), { checkedAt: 1, unconnected: [slack, jira] }, 1)
  if (by === undefined) return first
  const removed = by === 'run' ? { removed: new Set<string>() } : {}
  return withCheck(first, { checkedAt: at, unconnected: [slack], ...removed }, at)
}
const people = (count: number, ...given: Parameters<typeof person>) =>
  Array.from({ length: count }, () => person(...given))
const find = async (all: Person[], state = NONE) =>
  (await findClusters(all, state, monday + 2 * HOUR)).removedApps

it.each([
  [4, 0, 4, 0],
  [5, 0, 20, 1],
  [5, 0, 21, 0],
  [50, 0, 1_000, 1],
  [49, 0, 1_000, 0],
  [60, 30, 0, 1],
  [60, 31, 0, 0],
])(
  'an app delisted in %i runs and on %i pages, and listed for %i people, gives %i questions',
  async (runs, pages, listed, count) => {
    const all = [...people(runs, 'run'), ...people(pages, 'page'), ...people(listed)]
    expect(await find(all)).toHaveLength(count)
  },
)

it('the question remains until most people have the app again, and counts no one twice', async () => {
  const removedApps = await find(people(10, 'run'))
  expect(removedApps).toMatchObject([{ instance: 'jira_1', name: 'Jira', since: monday, people: 10 }])
  const later = { ...NONE, removedApps, evaluatedAt: monday + DAY }
  expect(await find([...people(5, 'run'), ...people(5)], later)).toEqual(removedApps)
  expect(await find([...people(4, 'run'), ...people(6)], later)).toEqual([])
  expect(await find(people(60, 'run', monday - 1))).toEqual([])
})

it('a lapsed app that disappears from lists was repaired, not removed', async () => {
  const lost = withCheck(person('page', 2), { checkedAt: 3, unconnected: [slack, jira] }, 3)
  const repaired = withCheck(lost, { checkedAt: monday, unconnected: [slack], removed: new Set() }, monday)
  expect(await find(Array.from({ length: 60 }, () => repaired))).toEqual([])
})
