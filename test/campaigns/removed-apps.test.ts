// Detection of removed apps, until an operator marks them.
import { expect, it } from 'vitest'
import { findClusters } from '../../src/campaigns/clusters.ts'
import { forCampaign, NEW_APPS } from '../../src/campaigns/episodes.ts'
import { personForCounts } from '../../src/people/keep-state.ts'
import { newPerson, withCheck, type Person } from '../../src/people/person.ts'
import { DAY, HOUR, jira, monday, NO_CLUSTERS, slack } from './lapsed-person.ts'

/** @param by the run or page that noticed that Jira is gone; undefined: still listed */
function person(by?: 'run' | 'page', at = monday): Person {
  const first = withCheck(newPerson('ada@acme.example', 0), { checkedAt: 1, unconnected: [slack, jira] }, 1)
  if (by === undefined) return first
  const delisted = by === 'run' ? { delisted: new Set<string>() } : {}
  return withCheck(first, { checkedAt: at, unconnected: [slack], ...delisted }, at)
}
const people = (count: number, ...given: Parameters<typeof person>) =>
  Array.from({ length: count }, () => person(...given))
const find = async (all: Person[], state = NO_CLUSTERS) =>
  (await findClusters(all, state, monday + 2 * HOUR)).delistedApps

it.each([
  { byRuns: 4, byPages: 0, listed: 4, found: 0 },
  { byRuns: 5, byPages: 0, listed: 20, found: 1 },
  { byRuns: 5, byPages: 0, listed: 21, found: 0 },
  { byRuns: 50, byPages: 0, listed: 1_000, found: 1 },
  { byRuns: 49, byPages: 0, listed: 1_000, found: 0 },
  { byRuns: 60, byPages: 30, listed: 0, found: 1 },
  { byRuns: 60, byPages: 31, listed: 0, found: 0 },
])(
  '$byRuns runs and $byPages pages without an app, and $listed lists with it: $found removed',
  async ({ byRuns, byPages, listed, found }) => {
    const everyone = [...people(byRuns, 'run'), ...people(byPages, 'page'), ...people(listed)]
    expect(await find(everyone)).toHaveLength(found)
  },
)

it.each([
  { gone: 5, again: 5, found: 1 },
  { gone: 4, again: 5, found: 0 },
  { gone: 1, again: 0, found: 1 },
  { gone: 0, again: 0, found: 0 },
])('$gone of ten people lack a removed app, and $again have it again', async ({ gone, again, found }) => {
  const delistedApps = await find(people(10, 'run'))
  const relisted = { checkedAt: monday + DAY, unconnected: [slack, jira], delisted: new Set(['jira_1']) }
  const back = people(again, 'run').map((one) => withCheck(one, relisted, monday + DAY))
  const later = { ...NO_CLUSTERS, delistedApps, evaluatedAt: monday + DAY }

  const all = await find([...people(gone, 'run'), ...back], later)

  expect(delistedApps).toMatchObject([{ instance: 'jira_1', name: 'Jira', since: monday, people: 10 }])
  expect(all).toEqual(delistedApps.slice(0, found))
})

it('an app that was removed before the last evaluation isn’t found', async () => {
  expect(await find(people(60, 'run', monday - 1))).toEqual([])
})

/** Someone who lost Jira, which a run or a page then found delisted. */
function restored(by: 'run' | 'page'): Person {
  const lost = withCheck(person('page', 2), { checkedAt: 3, unconnected: [slack, jira] }, 3)
  const delisted = by === 'run' ? { delisted: new Set<string>() } : {}
  return withCheck(lost, { checkedAt: monday, unconnected: [slack], ...delisted }, monday)
}

it.each([
  { what: 'was repaired for those who lost it', runs: 24, pages: 0, neverHad: 0, listed: 40, found: 0 },
  { what: 'was repaired, and everyone has it', runs: 60, pages: 0, neverHad: 0, listed: 0, found: 0 },
  { what: 'was removed for all', runs: 24, pages: 0, neverHad: 40, listed: 0, found: 1 },
  { what: 'was removed, after most had lost it', runs: 200, pages: 0, neverHad: 5, listed: 0, found: 1 },
  { what: 'was connected again on pages', runs: 0, pages: 21, neverHad: 40, listed: 0, found: 0 },
  { what: 'was removed, and half connected it', runs: 0, pages: 20, neverHad: 40, listed: 0, found: 1 },
])('an app that many lost $what: $found removed', async ({ runs, pages, neverHad, listed, found }) => {
  const all = [
    ...Array.from({ length: runs }, () => restored('run')),
    ...Array.from({ length: pages }, () => restored('page')),
    ...people(neverHad, 'run'),
    ...people(listed),
  ]

  const delistedApps = await find(all)

  expect(delistedApps).toHaveLength(found)
  const counted = [...people(1, 'run'), restored('run')].map((one) => personForCounts(one, { delistedApps }))
  expect(counted.map((one) => one.delistedApps.length)).toEqual([found, found])
})

it.each([
  ['was open', person('run')],
  ['was lost', restored('run')],
])('until the evaluation, an app that %s and left the list is in no email', (_what, one) => {
  const appsAt = (evaluatedAt: number) =>
    forCampaign(NEW_APPS, one, { ...NO_CLUSTERS, evaluatedAt }).lastCheck?.apps.map(
      ({ instance }) => instance,
    )

  expect(appsAt(monday)).toEqual(['slack_1'])
  expect(appsAt(monday + 1)?.toSorted()).toEqual(['jira_1', 'slack_1'])
})
