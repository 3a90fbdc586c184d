// Apps that left many lists: they were removed, or the service failed. Until an operator answers, or they are back.
import { expect, it } from 'vitest'
import { findClusters, withEvaluation } from '../../src/campaigns/clusters.ts'
import { forCampaign, NEW_APPS } from '../../src/campaigns/episodes.ts'
import { omitUndefined } from '../../src/omit-undefined.ts'
import { delistingsIn, personForCounts } from '../../src/people/keep-state.ts'
import { appsOf, newPerson, withCheck, type Person } from '../../src/people/person.ts'
import { withAppStates, withEachApp } from '../helpers/people.ts'
import { DAY, HOUR, jira, monday, NO_CLUSTERS, slack } from './lapsed-person.ts'

type NoticedBy = 'run' | 'page' | 'walk'

/** Jira is gone, noticed by a run, by a page, or after its consent. */
const withoutJira = (before: Person, by: NoticedBy, at: number): Person => {
  const consentStartedAt = by === 'walk' ? at - 1 : undefined
  const checks = { run: { isDelisted: () => false }, page: {}, walk: {} }
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
/** Jira is still listed at this time. */
const stillListed = (count: number, checkedAt: number) =>
  people(count).map((one) => withCheck(one, { checkedAt, unconnected: [slack, jira] }, checkedAt))
const find = async (all: Person[], state = NO_CLUSTERS) =>
  (await findClusters(all, state, monday + 2 * HOUR)).delistedApps

it.each([
  ['on most lists if a run found it on six since the sweep before', 6, monday, true],
  ['on few lists if a run found it on five', 5, monday, false],
  ['on few lists if no run has found it since', 6, monday - 1, false],
])('an app that left five lists is %s', async (_what, count, checkedAt, isListed) => {
  const found = await find([...people(5, 'run'), ...stillListed(count, checkedAt)])
  expect(found).toMatchObject([{ people: 5, isListed }])
})

it.each([
  ['in question if a fifth lack it, read after the first loss', 20, monday + HOUR, 1],
  ['in question if a fifth lack it, read before the first loss', 20, monday - HOUR, 1],
  ['not in question if fewer lack it, read after the first loss', 21, monday + HOUR, 0],
  ['not in question if fewer lack it, read before the first loss', 21, monday - HOUR, 0],
])('an app that left five lists is %s', async (_what, others, checkedAt, count) => {
  const first = { ...NO_CLUSTERS, evaluatedAt: monday - DAY }
  expect(await find([...people(5, 'run'), ...stillListed(others, checkedAt)], first)).toHaveLength(count)
})

it.each([
  ['a fifth, is in question', 200, 1],
  ['less than a fifth, is connected elsewhere', 201, 0],
])('an app that left fifty lists of many, %s', async (_what, others, count) => {
  expect(await find([...people(50, 'run'), ...stillListed(others, monday)])).toHaveLength(count)
})

const partial = { instance: 'jira_1', name: 'Jira', since: monday, noticedAt: monday + HOUR, people: 9 }
const onOthers = { ...partial, isListed: true }
const jiraOf = ({ lastCheck }: Person) => lastCheck?.apps.find(({ instance }) => instance === 'jira_1')

it.each([
  ['connected for a list that it left before', monday - 1, 'connected', 'lapsed'],
  ['as before for a list that it left with the first one', monday, 'awaiting', 'as before'],
  ['as before for a list that it left within 36 hours', monday + 37 * HOUR - 1, 'awaiting', 'as before'],
  ['connected for a list that it left later', monday + 37 * HOUR, 'connected', 'lapsed'],
])('an app in question, on others’ lists, is %s', (_what, at, status, onReturn) => {
  const delistedApps = [onOthers]
  const one = withoutJira(person(), 'run', at)
  const back = { checkedAt: at + 1, unconnected: [slack, jira], ...delistingsIn({ delistedApps }) }

  expect(jiraOf(personForCounts(one, { delistedApps }))?.status).toBe(status)
  expect(jiraOf(withCheck(one, back, at))?.lapsedAt).toBe(onReturn === 'lapsed' ? at + 1 : undefined)
})

it.each([
  ['stays connected while others have it listed', onOthers, 'connected'],
  ['isn’t counted once no list has it', { ...partial, isListed: false }, undefined],
  ['isn’t counted once it was called removed', { ...onOthers, markedRemovedAt: monday }, undefined],
])('an app in question, connected by consent, %s', (_what, question, status) => {
  expect(jiraOf(personForCounts(person('walk'), { delistedApps: [question] }))?.status).toBe(status)
})

const consent = { instance: 'slack_1', name: 'Slack', since: monday, consentStartedAt: monday }
const connectedSlack = { checkedAt: monday, unconnected: [], connected: [consent] }
const finishedWith = (question: typeof onOthers & { markedConnectedAt?: number }) => {
  const noticed = { massDisconnects: [], returned: new Map(), delistedApps: [question], at: monday + HOUR }
  return withEvaluation(withCheck(person(), connectedSlack, monday), noticed).finishedAt
}

it.each([
  ['had not connected everything if others have the app in question', onOthers, undefined],
  ['had connected everything if no list has it', { ...onOthers, isListed: false }, monday],
  ['had connected everything if it is marked as connected', { ...onOthers, markedConnectedAt: 1 }, monday],
])('someone with another app %s', (_what, question, finishedAt) => {
  expect(finishedWith(question)).toBe(finishedAt)
})

it.each([
  ['isn’t done while that is in question', onOthers, undefined],
  ['is done if that is marked as connected', { ...onOthers, markedConnectedAt: 1 }, monday],
])('someone who connects an app after another one left their list %s', (_what, question, finishedAt) => {
  const { isDelisted } = delistingsIn({ delistedApps: [question] })
  const after = withCheck(person('run'), { ...connectedSlack, isDelisted }, monday)
  expect(after.finishedAt).toBe(finishedAt)
})

it.each([
  ['is open again', {}, undefined, 'awaiting'],
  ['stays connected if it moved to another instance', {}, 'jira_2', 'connected'],
  ['stays connected if it left the list before', { since: monday + 1 }, undefined, 'connected'],
  ['stays connected if it was marked so', { markedConnectedAt: monday }, undefined, 'connected'],
])('an app that most lists have again, but not yet this one, %s', (_what, change, movedTo, status) => {
  const returned = new Map([['jira_1', { ...onOthers, ...change }]])
  const left = withEachApp(person('run'), omitUndefined({ movedTo }))
  const after = withEvaluation(left, { massDisconnects: [], returned, delistedApps: [], at: monday + DAY })
  expect(jiraOf(after)?.status).toBe(status)
})

it.each([
  ['five more lists, though not most, joins the question', 5, 11, 5],
  ['four more lists is connected for them', 4, 11, 0],
  ['all of five more lists joins the question', 5, 0, 5],
  ['all of four more lists joins the question', 4, 0, 4],
])('an app in question that later leaves %s', async (_what, more, still, count) => {
  const state = { ...NO_CLUSTERS, delistedApps: [{ ...onOthers, people: 10 }] }
  const now = monday + 3 * DAY
  const others = [...people(more, 'run', now), ...stillListed(still, now)]
  const { delistedApps } = await findClusters([...people(10, 'run'), ...others], state, now)
  expect(delistedApps).toMatchObject([{ since: monday, isListed: still > 0 }])
  const counted = others.map((one) => personForCounts(one, { delistedApps }).delistedInstances.length)
  expect(counted.filter(Boolean)).toHaveLength(count)
})

it('later losses of an app that no list has don’t change the question', async () => {
  const delistedApps = [{ ...partial, isListed: false }]
  const now = monday + 3 * DAY
  const found = await find([...people(10, 'run'), ...people(10, 'run', now)], {
    ...NO_CLUSTERS,
    delistedApps,
  })
  expect(found).toEqual(delistedApps)
})

it.each([
  ['had connected everything if it was removed', { markedRemovedAt: monday }, [jira], monday],
  ['had not if it was in question', {}, [jira], undefined],
  ['had not if it was in question, and only others have it again', {}, [], undefined],
])('someone who was done while an app was gone %s', (_what, answer, unconnected, finishedAt) => {
  const returned = new Map([['jira_1', { ...onOthers, ...answer }]])
  const done = withCheck(person('run'), connectedSlack, monday)
  const back = withCheck(done, { checkedAt: monday + DAY, unconnected, isDelisted: () => true }, monday)
  const after = withEvaluation(back, { massDisconnects: [], returned, delistedApps: [], at: monday + DAY })
  expect([done.finishedAt, after.finishedAt]).toEqual([monday, finishedAt])
})

it('an app in question isn’t counted where an earlier version stored no former record', () => {
  const [jiraApp] = person('run').lastCheck!.apps.filter(({ instance }) => instance === 'jira_1')
  const { beforeDelisting: _before, ...stored } = jiraApp!
  const old = { ...person('run'), lastCheck: { checkedAt: monday, apps: [stored] } }
  expect(jiraOf(personForCounts(old, { delistedApps: [onOthers] }))).toBeUndefined()
})

it('losses of the weeks before aren’t in question while others have the app', async () => {
  const before = people(6, 'run', monday - 7 * DAY)
  const found = await find([...before, ...people(5, 'run'), ...stillListed(6, monday)])
  expect(found).toMatchObject([{ people: 5 }])
  expect(found[0]).not.toHaveProperty('firstAt')
})

it.each([
  { name: 'not in question: only four people lack it', runs: 4, pages: 0, consents: 0, listed: 4, found: 0 },
  { name: 'in question: a fifth lack it', runs: 5, pages: 0, consents: 0, listed: 20, found: 1 },
  { name: 'not in question: less than a fifth', runs: 5, pages: 0, consents: 0, listed: 21, found: 0 },
  { name: 'in question: fifty people lack it', runs: 50, pages: 0, consents: 0, listed: 1_000, found: 1 },
  { name: 'not in question: 49 of 1,049', runs: 49, pages: 0, consents: 0, listed: 1_000, found: 0 },
  { name: 'in question: pages count with runs', runs: 3, pages: 2, consents: 0, listed: 20, found: 1 },
  { name: 'not in question: four by runs and pages', runs: 3, pages: 1, consents: 0, listed: 0, found: 0 },
  { name: 'in question: half as many connected it', runs: 40, pages: 20, consents: 30, listed: 0, found: 1 },
  { name: 'not in question: even more connected it', runs: 40, pages: 20, consents: 31, listed: 0, found: 0 },
])('an app that leaves lists is $name', async ({ runs, pages, consents, listed, found }) => {
  const noticed = [...people(runs, 'run'), ...people(pages, 'page'), ...people(consents, 'walk')]
  const everyone = [...noticed, ...people(listed)]
  expect(await find(everyone)).toHaveLength(found)
})

it.each([
  ['also six lists that it left a week before', 6, 7, 26],
  ['not the four lists that it left a week before', 4, 7, 20],
  ['not the six lists that it left more than a month before', 6, 32, 20],
])('the question about an app that left 20 lists counts %s', async (_which, earlier, daysBefore, count) => {
  const [first, second] = [people(earlier, 'run', monday - daysBefore * DAY), people(20, 'run')]
  const found = await find([...first, ...second])
  expect(found).toMatchObject([{ since: monday, people: count }])
  const counted = [...first, ...second].map((one) => personForCounts(one, { delistedApps: found }))
  expect(counted.filter(({ delistedInstances }) => delistedInstances.length > 0)).toHaveLength(count)
})

it.each([
  { name: 'stays in question if half of its people have it again', gone: 5, again: 5, found: 1 },
  { name: 'is back if most of its people have it again', gone: 4, again: 5, found: 0 },
  { name: 'stays in question while one person lacks it', gone: 1, again: 0, found: 1 },
  { name: 'is dropped once no one of its people is left', gone: 0, again: 0, found: 0 },
])('an app in question $name', async ({ gone, again, found }) => {
  const delistedApps = await find(people(10, 'run'))
  const relisted = { checkedAt: monday + DAY, unconnected: [slack, jira], isDelisted: () => true }
  const back = people(again, 'run').map((one) => withCheck(one, relisted, monday + DAY))
  const later = { ...NO_CLUSTERS, delistedApps, evaluatedAt: monday + DAY }

  const all = await find([...people(gone, 'run'), ...back], later)
  const counted = back.map((one) => personForCounts(one, { delistedApps }).lastCheck?.apps.length)

  expect(counted).toEqual(back.map(() => 2))
  expect(delistedApps).toMatchObject([{ instance: 'jira_1', name: 'Jira', since: monday, people: 10 }])
  expect(all).toMatchObject(delistedApps.slice(0, found).map((app) => ({ ...app, isListed: false })))
})

it.each([
  ['joins an open question', {}, monday],
  ['joins a question answered with “removed”', { markedRemovedAt: monday + DAY }, monday],
  ['is a new question after “connected”', { markedConnectedAt: monday + DAY }, monday + 3 * DAY],
])('an app that leaves more lists days later %s', async (_what, answer, since) => {
  const [question] = await find(people(10, 'run'))
  const state = { ...NO_CLUSTERS, delistedApps: [{ ...question!, ...answer }], evaluatedAt: monday + 2 * DAY }
  const all = [...people(10, 'run'), ...people(10, 'run', monday + 3 * DAY)]

  const found = await find(all, state)

  expect(found).toMatchObject([{ instance: 'jira_1', since }])
  const counted = all.map((one) => personForCounts(one, { delistedApps: found }).delistedInstances.length)
  expect(counted.filter(Boolean)).toHaveLength(since === monday ? 20 : 10)
})

it.each([
  ['isn’t removed for a person who lost it 36 hours before', 0, 36 * HOUR, {}],
  ['is removed for a person who lost it within 36 hours before', 1, 36 * HOUR - 1, {}],
  ['isn’t removed if another one is in question', 0, 0, { instance: 'slack_1' }],
  ['isn’t removed if it was marked as connected', 0, 0, { markedConnectedAt: monday }],
])('an app gone from a list %s', (_what, count, before, change) => {
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

it.each([
  {
    name: 'is back if others still have it listed',
    gone: 24,
    connected: 0,
    neverHad: 0,
    listed: 40,
    found: 0,
  },
  { name: 'is back if everyone had lost it', gone: 60, connected: 0, neverHad: 0, listed: 0, found: 0 },
  { name: 'is in question if 40 never had it', gone: 24, connected: 0, neverHad: 40, listed: 0, found: 1 },
  {
    name: 'is in question if only five never had it',
    gone: 200,
    connected: 0,
    neverHad: 5,
    listed: 0,
    found: 1,
  },
  {
    name: 'is back if more than half as many connected it',
    gone: 0,
    connected: 21,
    neverHad: 40,
    listed: 0,
    found: 0,
  },
  {
    name: 'is in question if half as many connected it',
    gone: 0,
    connected: 20,
    neverHad: 40,
    listed: 0,
    found: 1,
  },
])('a lost app that leaves lists $name', async ({ gone, connected, neverHad, listed, found }) => {
  const all = [
    ...Array.from({ length: gone }, () => restored('run')),
    ...Array.from({ length: connected }, () => restored('walk')),
    ...people(neverHad, 'run'),
    ...people(listed),
  ]

  const delistedApps = await find(all)

  expect(delistedApps).toHaveLength(found)
  const some = [person('run'), person('page'), restored('run'), restored('page')]
  const counted = some.map((one) => personForCounts(one, { delistedApps }))
  expect(counted.map((one) => one.delistedInstances.length)).toEqual([found, found, found, found])
})

it.each([
  ['isn’t counted after “removed”', { markedRemovedAt: 1 }, []],
  ['is unconnected after “connected”', { markedConnectedAt: 1 }, ['jira_1 unconnected']],
  ['is unconnected until the answer', {}, ['jira_1 unconnected']],
])('an app gone from others’ lists, but still on this one, %s', (_what, answer, counted) => {
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
