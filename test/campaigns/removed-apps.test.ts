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

it('an app on most lists is in question if another instance of it is new', async () => {
  const added = { name: 'Jira', noticedAt: monday, since: monday - 4 * DAY, people: 9 }
  const state = (instance: string) => ({ ...NO_CLUSTERS, newApps: [{ ...added, instance }] })
  const everyone = [...people(5, 'run'), ...stillListed(6)]
  expect(await find(everyone, state('jira_2'))).toHaveLength(1)
  expect(await find(everyone, state('slack_2'))).toEqual([])
})

// prettier-ignore
it.each([
  { name: 'in question if half of the lists still have it', gone: 5, unread: 0, still: 5, questions: 1 },
  { name: 'not in question if most lists still have it', gone: 5, unread: 0, still: 6, questions: 0 },
  { name: 'not in question if most of many lists still have it', gone: 50, unread: 0, still: 51, questions: 0 },
  { name: 'in question before a run has read most lists again', gone: 5, unread: 15, still: 5, questions: 1 },
])('an app gone from some lists is $name', async ({ gone, unread, still, questions }) => {
  const everyone = [...people(gone, 'run'), ...people(unread), ...stillListed(still)]
  expect(await find(everyone)).toHaveLength(questions)
})

// prettier-ignore
it.each([
  { name: 'not in question if only four people lack it', runs: 4, pages: 0, consents: 0, listed: 4, questions: 0 },
  { name: 'in question if a fifth lack it', runs: 5, pages: 0, consents: 0, listed: 20, questions: 1 },
  { name: 'not in question if less than a fifth lack it', runs: 5, pages: 0, consents: 0, listed: 21, questions: 0 },
  { name: 'in question if fifty people lack it', runs: 50, pages: 0, consents: 0, listed: 1_000, questions: 1 },
  { name: 'not in question if 49 of 1,049 lack it', runs: 49, pages: 0, consents: 0, listed: 1_000, questions: 0 },
  { name: 'in question if runs and pages notice five', runs: 3, pages: 2, consents: 0, listed: 20, questions: 1 },
  { name: 'not in question if runs and pages notice four', runs: 3, pages: 1, consents: 0, listed: 0, questions: 0 },
  { name: 'in question if half as many connected it', runs: 40, pages: 20, consents: 30, listed: 0, questions: 1 },
  { name: 'not in question if even more connected it', runs: 40, pages: 20, consents: 31, listed: 0, questions: 0 },
])('an app that leaves lists is $name', async ({ runs, pages, consents, listed, questions }) => {
  const noticed = [...people(runs, 'run'), ...people(pages, 'page'), ...people(consents, 'walk')]
  const everyone = [...noticed, ...people(listed)]
  expect(await find(everyone)).toHaveLength(questions)
})

it.each([
  ['also six lists that it left a week before', 6, 7, 26],
  ['not the four lists that it left a week before', 4, 7, 20],
  ['not the six lists that it left more than a month before', 6, 32, 20],
])('the question about an app that left 20 lists counts %s', async (_title, earlier, daysBefore, count) => {
  const [first, second] = [people(earlier, 'run', monday - daysBefore * DAY), people(20, 'run')]
  const found = await find([...first, ...second])
  expect(found).toMatchObject([{ since: monday, people: count }])
  const counted = [...first, ...second].map((one) => personForCounts(one, { delistedApps: found }))
  expect(counted.filter(({ delistedInstances }) => delistedInstances.length > 0)).toHaveLength(count)
})

it.each([
  { name: 'stays in question if half of its people have it again', gone: 5, again: 5, questions: 1 },
  { name: 'is back if most of its people have it again', gone: 4, again: 5, questions: 0 },
  { name: 'stays in question while one person lacks it', gone: 1, again: 0, questions: 1 },
  { name: 'is dropped once no one of its people is left', gone: 0, again: 0, questions: 0 },
])('an app in question $name', async ({ gone, again, questions }) => {
  const delistedApps = await find(people(10, 'run'))
  const relisted = { checkedAt: monday + DAY, unconnected: [slack, jira], delisted: new Set(['jira_1']) }
  const back = people(again, 'run').map((one) => withCheck(one, relisted, monday + DAY))
  const later = { ...NO_CLUSTERS, delistedApps, evaluatedAt: monday + DAY }

  const all = await find([...people(gone, 'run'), ...back], later)
  const counted = back.map((one) => personForCounts(one, { delistedApps }).lastCheck?.apps.length)

  expect(counted).toEqual(back.map(() => 2))
  expect(delistedApps).toMatchObject([{ instance: 'jira_1', name: 'Jira', since: monday, people: 10 }])
  expect(all).toEqual(delistedApps.slice(0, questions))
})

// prettier-ignore
it.each([
  ['joins an open question', {}, { since: monday, count: 20 }],
  ['joins a question answered with “removed”', { markedRemovedAt: monday + DAY }, { since: monday, count: 20 }],
  ['is a new question after “connected”', { markedConnectedAt: monday + DAY }, { since: monday + 3 * DAY, count: 10 }],
])('an app that leaves more lists days later %s', async (_title, answer, { since, count }) => {
  const [question] = await find(people(10, 'run'))
  const state = { ...NO_CLUSTERS, delistedApps: [{ ...question!, ...answer }], evaluatedAt: monday + 2 * DAY }
  const all = [...people(10, 'run'), ...people(10, 'run', monday + 3 * DAY)]

  const found = await find(all, state)

  expect(found).toMatchObject([{ instance: 'jira_1', since }])
  const counted = all.map((one) => personForCounts(one, { delistedApps: found }).delistedInstances.length)
  expect(counted.filter(Boolean)).toHaveLength(count)
})

it.each([
  ['isn’t removed for a person who lost it 36 hours before', 0, 36 * HOUR, {}],
  ['is removed for a person who lost it within 36 hours before', 1, 36 * HOUR - 1, {}],
  ['isn’t removed if another one is in question', 0, 0, { instance: 'slack_1' }],
  ['isn’t removed if it was marked as connected', 0, 0, { markedConnectedAt: monday }],
])('an app gone from a list %s', (_title, count, before, change) => {
  const removed = { instance: 'jira_1', name: 'Jira', since: monday, noticedAt: monday, people: 9, ...change }
  const counted = personForCounts(person('page', monday - before), { delistedApps: [removed] })
  expect(counted.delistedInstances).toHaveLength(count)
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
  { name: 'doesn’t count if the app was lost since', consentStartedAt: 8, at: 20, delistedAt: 20 },
  { name: 'counts if the app was lost at that moment', consentStartedAt: 9, at: 20, delistedAt: undefined },
  { name: 'doesn’t count after a day', consentStartedAt: 19, at: DAY + 20, delistedAt: DAY + 20 },
  { name: 'counts for a day', consentStartedAt: 20, at: DAY + 20, delistedAt: undefined },
])('a consent to an app that left the list $name', ({ consentStartedAt, at, delistedAt }) => {
  const lost = withCheck(person('walk', 5), { checkedAt: 9, unconnected: [slack, jira] }, 9)
  const connected = [{ instance: 'jira_1', name: 'Jira', since: at, consentStartedAt }]

  const after = withCheck(lost, { checkedAt: at, unconnected: [slack], connected }, at)

  expect(after.lastCheck?.apps.find(({ instance }) => instance === 'jira_1')?.delistedAt).toBe(delistedAt)
})

// prettier-ignore
it.each([
  { name: 'is back if others still have it listed', gone: 24, connected: 0, neverHad: 0, listed: 40, questions: 0 },
  { name: 'is back if everyone had lost it', gone: 60, connected: 0, neverHad: 0, listed: 0, questions: 0 },
  { name: 'is in question if 40 never had it', gone: 24, connected: 0, neverHad: 40, listed: 0, questions: 1 },
  { name: 'is in question if only five never had it', gone: 200, connected: 0, neverHad: 5, listed: 0, questions: 1 },
  { name: 'is back if more than half as many connected it', gone: 0, connected: 21, neverHad: 40, listed: 0, questions: 0 },
  { name: 'is in question if half as many connected it', gone: 0, connected: 20, neverHad: 40, listed: 0, questions: 1 },
])('a lost app that leaves lists $name', async ({ gone, connected, neverHad, listed, questions }) => {
  const all = [
    ...Array.from({ length: gone }, () => restored('run')),
    ...Array.from({ length: connected }, () => restored('walk')),
    ...people(neverHad, 'run'),
    ...people(listed),
  ]

  const delistedApps = await find(all)

  expect(delistedApps).toHaveLength(questions)
  const some = [person('run'), person('page'), restored('run'), restored('page')]
  const counted = some.map((one) => personForCounts(one, { delistedApps }))
  expect(counted.map((one) => one.delistedInstances.length)).toEqual([questions, questions, questions, questions])
})

it.each([
  ['isn’t counted after “removed”', { markedRemovedAt: 1 }, []],
  ['is unconnected after “connected”', { markedConnectedAt: 1 }, ['jira_1 unconnected']],
  ['is unconnected until the answer', {}, ['jira_1 unconnected']],
])('an app gone from others’ lists, but still on this one, %s', (_title, answer, counted) => {
  const lacksJira = withAppStates(newPerson('ada@acme.example', 0), { jira_1: 'unconnected' }, 1)
  const question = { instance: 'jira_1', name: 'Jira', noticedAt: 1, since: 1, people: 9, ...answer }
  const apps = appsOf(personForCounts(lacksJira, { delistedApps: [question] }))
  expect(apps.map(({ instance, state }) => `${instance} ${state}`)).toEqual(counted)
})

it.each([
  ['was open', person('run')],
  ['was lost', restored('run')],
])('until the evaluation, an app that %s and left the list is in no email', (_title, one) => {
  const appsAt = (evaluatedAt: number) =>
    forCampaign(NEW_APPS, one, { ...NO_CLUSTERS, evaluatedAt }).lastCheck?.apps.map(
      ({ instance }) => instance,
    )

  expect(appsAt(monday)).toEqual(['slack_1'])
  expect(appsAt(monday + 1)?.toSorted()).toEqual(['jira_1', 'slack_1'])
})
