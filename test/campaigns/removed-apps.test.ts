// Detection of removed apps, until an operator marks them.
import { expect, it } from 'vitest'
import { findClusters } from '../../src/campaigns/clusters.ts'
import { forCampaign, NEW_APPS } from '../../src/campaigns/episodes.ts'
import { personForCounts } from '../../src/people/keep-state.ts'
import { appsOf, newPerson, withCheck, type Person } from '../../src/people/person.ts'
import { withAppStates } from '../helpers/people.ts'
import { DAY, HOUR, jira, monday, NO_CLUSTERS, slack } from './lapsed-person.ts'

type NoticedBy = 'run' | 'page' | 'walk'

/** Jira is gone, noticed by a run, by a page, or after its consent. */
const withoutJira = (before: Person, by: NoticedBy, at: number): Person => {
  const consentStartedAt = by === 'walk' ? at - 1 : undefined
  const checks = { run: { delisted: new Set<string>() }, page: {}, walk: {} }
  const connected = by === 'run' ? [] : [{ instance: 'jira_1', name: 'Jira', since: at, consentStartedAt }]
  return withCheck(before, { checkedAt: at, unconnected: [slack], connected, ...checks[by] }, at)
}

/** @param by undefined: Jira is still listed */
function person(by?: NoticedBy, at = monday): Person {
  const first = withCheck(newPerson('ada@acme.example', 0), { checkedAt: 1, unconnected: [slack, jira] }, 1)
  return by === undefined ? first : withoutJira(first, by, at)
}
const people = (count: number, ...given: Parameters<typeof person>) =>
  Array.from({ length: count }, () => person(...given))
/** Jira is still listed after it began to leave other lists. */
const stillListed = (count: number) =>
  people(count).map((one) => {
    const checkedAt = monday + HOUR
    return withCheck(one, { checkedAt, unconnected: [slack, jira] }, checkedAt)
  })
const find = async (all: Person[], state = NO_CLUSTERS) =>
  (await findClusters(all, state, monday + 2 * HOUR)).delistedApps

it('an app that stays on most lists is a question where another instance is new', async () => {
  const added = { name: 'Jira', noticedAt: monday, since: monday - 4 * DAY, people: 9 }
  const state = (instance: string) => ({ ...NO_CLUSTERS, newApps: [{ ...added, instance }] })
  const everyone = [...people(5, 'run'), ...stillListed(6)]
  expect(await find(everyone, state('jira_2'))).toHaveLength(1)
  expect(await find(everyone, state('slack_2'))).toEqual([])
})

it.each([
  [5, 0, 5, 1],
  [5, 0, 6, 0],
  [50, 0, 51, 0],
  // A run that is under way has yet to read their lists again.
  [5, 15, 5, 1],
])(
  '%i lists lack an app that %i had before and %i still have: %i removed',
  async (gone, before, after, found) => {
    const everyone = [...people(gone, 'run'), ...people(before), ...stillListed(after)]
    expect(await find(everyone)).toHaveLength(found)
  },
)

it.each([
  { byRuns: 4, byPages: 0, consents: 0, listed: 4, found: 0 },
  { byRuns: 5, byPages: 0, consents: 0, listed: 20, found: 1 },
  { byRuns: 5, byPages: 0, consents: 0, listed: 21, found: 0 },
  { byRuns: 50, byPages: 0, consents: 0, listed: 1_000, found: 1 },
  { byRuns: 49, byPages: 0, consents: 0, listed: 1_000, found: 0 },
  { byRuns: 3, byPages: 2, consents: 0, listed: 20, found: 1 },
  { byRuns: 3, byPages: 1, consents: 0, listed: 0, found: 0 },
  { byRuns: 40, byPages: 20, consents: 30, listed: 0, found: 1 },
  { byRuns: 40, byPages: 20, consents: 31, listed: 0, found: 0 },
])(
  '$byRuns runs and $byPages pages lack an app ($consents consents, $listed listings): $found removed',
  async ({ byRuns, byPages, consents, listed, found }) => {
    const noticed = [...people(byRuns, 'run'), ...people(byPages, 'page'), ...people(consents, 'walk')]
    const everyone = [...noticed, ...people(listed)]
    expect(await find(everyone)).toHaveLength(found)
  },
)

it.each([
  ['another department’s', 6, 7, 26],
  ['those of few', 4, 7, 20],
  ['those of months before', 6, 32, 20],
])(
  'an app that leaves %s lists first is in question for all who lost it',
  async (_what, few, days, count) => {
    const [first, second] = [people(few, 'run', monday - days * DAY), people(20, 'run')]
    const found = await find([...first, ...second])
    expect(found).toMatchObject([{ since: monday, people: count }])
    const counted = [...first, ...second].map((one) => personForCounts(one, { delistedApps: found }))
    expect(counted.filter(({ delistedApps }) => delistedApps.length > 0)).toHaveLength(count)
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
  const counted = back.map((one) => personForCounts(one, { delistedApps }).lastCheck?.apps.length)

  expect(counted).toEqual(back.map(() => 2))
  expect(delistedApps).toMatchObject([{ instance: 'jira_1', name: 'Jira', since: monday, people: 10 }])
  expect(all).toEqual(delistedApps.slice(0, found))
})

it.each([
  ['isn’t answered', {}, monday],
  ['says that it was removed', { markedRemovedAt: monday + DAY }, monday],
  ['says that people connected it', { markedConnectedAt: monday + DAY }, monday + 3 * DAY],
])('more lists lack a removed app, and the question about it %s', async (_what, answer, since) => {
  const [question] = await find(people(10, 'run'))
  const state = { ...NO_CLUSTERS, delistedApps: [{ ...question!, ...answer }], evaluatedAt: monday + 2 * DAY }
  const all = [...people(10, 'run'), ...people(10, 'run', monday + 3 * DAY)]

  const found = await find(all, state)

  expect(found).toMatchObject([{ instance: 'jira_1', since }])
  const counted = all.map((one) => personForCounts(one, { delistedApps: found }).delistedApps.length)
  expect(counted.filter(Boolean)).toHaveLength(since === monday ? 20 : 10)
})

it.each([
  ['was lost 36 hours before', 0, 36 * HOUR, {}],
  ['was lost within 36 hours before', 1, 36 * HOUR - 1, {}],
  ['is another one', 0, 0, { instance: 'slack_1' }],
  ['was marked as connected', 0, 0, { markedConnectedAt: monday }],
])('an app that %s is among the removed ones of a person: %i', (_what, count, before, change) => {
  const removed = { instance: 'jira_1', name: 'Jira', since: monday, noticedAt: monday, people: 9, ...change }
  const counted = personForCounts(person('page', monday - before), { delistedApps: [removed] })
  expect(counted.delistedApps).toHaveLength(count)
})

it('an app that was removed before the last evaluation isn’t found', async () => {
  expect(await find(people(60, 'run', monday - 1))).toEqual([])
})

/** Someone who connected and lost Jira, which isn't listed now. */
function restored(by: NoticedBy): Person {
  const lost = withCheck(person('walk', 2), { checkedAt: 3, unconnected: [slack, jira] }, 3)
  return withoutJira(lost, by, monday)
}

it.each([
  { consentStartedAt: 8, at: 20, delistedAt: 20 },
  { consentStartedAt: 9, at: 20, delistedAt: undefined },
  { consentStartedAt: 19, at: DAY + 20, delistedAt: DAY + 20 },
  { consentStartedAt: 20, at: DAY + 20, delistedAt: undefined },
])(
  'a consent at $consentStartedAt counts at $at unless the app was lost since',
  ({ consentStartedAt, at, delistedAt }) => {
    const lost = withCheck(person('walk', 5), { checkedAt: 9, unconnected: [slack, jira] }, 9)
    const connected = [{ instance: 'jira_1', name: 'Jira', since: at, consentStartedAt }]

    const after = withCheck(lost, { checkedAt: at, unconnected: [slack], connected }, at)

    expect(after.lastCheck?.apps.find(({ instance }) => instance === 'jira_1')?.delistedAt).toBe(delistedAt)
  },
)

it.each([
  { what: 'was repaired for those who lost it', runs: 24, walks: 0, neverHad: 0, listed: 40, found: 0 },
  { what: 'was repaired, and everyone has it', runs: 60, walks: 0, neverHad: 0, listed: 0, found: 0 },
  { what: 'was removed for all', runs: 24, walks: 0, neverHad: 40, listed: 0, found: 1 },
  { what: 'was removed, after most had lost it', runs: 200, walks: 0, neverHad: 5, listed: 0, found: 1 },
  { what: 'was connected again on pages', runs: 0, walks: 21, neverHad: 40, listed: 0, found: 0 },
  { what: 'was removed, and half connected it', runs: 0, walks: 20, neverHad: 40, listed: 0, found: 1 },
])('an app that many lost $what: $found removed', async ({ runs, walks, neverHad, listed, found }) => {
  const all = [
    ...Array.from({ length: runs }, () => restored('run')),
    ...Array.from({ length: walks }, () => restored('walk')),
    ...people(neverHad, 'run'),
    ...people(listed),
  ]

  const delistedApps = await find(all)

  expect(delistedApps).toHaveLength(found)
  const some = [person('run'), person('page'), restored('run'), restored('page')]
  const counted = some.map((one) => personForCounts(one, { delistedApps }))
  expect(counted.map((one) => one.delistedApps.length)).toEqual([found, found, found, found])
})

it.each([
  ['was removed', { markedRemovedAt: 1 }, []],
  ['was connected elsewhere', { markedConnectedAt: 1 }, ['jira_1 unconnected']],
  ['may have been removed', {}, ['jira_1 unconnected']],
])('an app that %s for others counts for a person with it listed: %j', (_what, answer, counted) => {
  const lacksJira = withAppStates(newPerson('ada@acme.example', 0), { jira_1: 'unconnected' }, 1)
  const question = { instance: 'jira_1', name: 'Jira', noticedAt: 1, since: 1, people: 9, ...answer }
  const apps = appsOf(personForCounts(lacksJira, { delistedApps: [question] }))
  expect(apps.map(({ instance, state }) => `${instance} ${state}`)).toEqual(counted)
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
