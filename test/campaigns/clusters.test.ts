// Mass disconnects: detection and end. new-apps.test.ts and removed-apps.test.ts test the other clusters.
import { describe, expect, it } from 'vitest'
import { findClusters, withEvaluation } from '../../src/campaigns/clusters.ts'
import { personForCounts, type KeepState, type MassDisconnect } from '../../src/people/keep-state.ts'
import { appsOf, newPerson, withCheck, type Person } from '../../src/people/person.ts'
import { DAY, HOUR, lostApps, monday, NO_CLUSTERS, slack } from './lapsed-person.ts'

const afterEvaluation = (person: Person, massDisconnects: readonly MassDisconnect[]) =>
  withEvaluation(person, { massDisconnects, returned: new Map(), delistedApps: [], at: monday })

const stateWith = (...massDisconnects: MassDisconnect[]): KeepState => ({ ...NO_CLUSTERS, massDisconnects })

type Lapses = [people: number, lapsedAt: number]

const copies = (count: number, person: Person) => Array<Person>(count).fill(person)

const lostSlack = lostApps([slack], monday + 1)
const regainedSlack = withCheck(lostSlack, { checkedAt: monday + 2, unconnected: [] }, monday)

/** @returns the mass disconnects that a sweep of the people finds */
async function massDisconnectsAfter({
  lapses = [],
  had,
  regainedBy = 0,
  state = NO_CLUSTERS,
  now = monday + 2,
}: {
  /** Losses of Slack. */
  lapses?: readonly Lapses[]
  /** Number of people who had Slack, with those who lost it. */
  had: number
  /** Number of people who lost it and have it again. */
  regainedBy?: number
  state?: KeepState
  now?: number
}) {
  const lost = lapses.flatMap(([people, lapsedAt]) =>
    Array.from({ length: people }, () => lostApps([slack], lapsedAt)),
  )
  const unaffected = Array.from({ length: Math.max(0, had - lost.length) }, () => lostApps([], monday))
  const all = [...lost, ...copies(regainedBy, regainedSlack), ...unaffected]
  return (await findClusters(all, state, now)).massDisconnects
}

/** Sixty of a hundred people lost Slack. */
const [lostBySixty] = (await massDisconnectsAfter({ lapses: [[60, monday + 1]], had: 100 })) as [
  MassDisconnect,
]

it.each([
  ['four of eight people is no', 4, 8, 0],
  ['five of 25 people, a fifth, is a', 5, 25, 1],
  ['five of 26 people, less than a fifth, is no', 5, 26, 0],
  ['49 of 1,000 people is no', 49, 1_000, 0],
  ['fifty of 1,000 people is a', 50, 1_000, 1],
  ['fifty of 8,000 people is a', 50, 8_000, 1],
])('a loss by %s mass disconnect', async (_title, lost, had, count) => {
  expect(await massDisconnectsAfter({ lapses: [[lost, monday + 1]], had })).toHaveLength(count)
})

const HALF = 12 * HOUR
// prettier-ignore
it.each<[string, number, [number, number][], [number, number][]]>([
  ['five of 25 within a day and a half count', 25, [[4, 0], [1, 3 * HALF - 1]], [[monday, 5]]],
  ['five of 25 over a day and a half don’t count', 25, [[4, 0], [1, 3 * HALF]], []],
  ['fifty of 1,000 within half a day count', 1_000, [[49, 0], [1, HALF - 1]], [[monday, 50]]],
  ['fifty of 1,000 over half a day don’t count', 1_000, [[49, 0], [1, HALF]], []],
  ['ninety of 8,000 over half a day don’t count', 8_000, [[45, 6 * HOUR], [45, 18 * HOUR]], []],
])(
  'lapses count together by the time of their notice, even months later: %s',
  async (_title, had, noticed, expected) => {
    const lapses = noticed.map(([people, later]): Lapses => [people, monday + later])
    const found = await massDisconnectsAfter({ lapses, had, now: monday + 200 * DAY })
    expect(found.map(({ since, lapsed }) => [since, lapsed])).toEqual(expected)
  },
)

it('evaluated lapses don’t count again', async () => {
  expect(await massDisconnectsAfter({ lapses: [[30, monday - 1]], had: 40 })).toEqual([])
})

it.each([
  ['goes on while half of its people lack the app', 30, 30, 1],
  ['is over once most of its people have the app again', 29, 30, 0],
  ['goes on for the only one of its people who is left', 1, 0, 1],
  ['is over once none of its people is left', 0, 0, 0],
])('a mass disconnect %s', async (_title, lost, regainedBy, count) => {
  const state = { ...stateWith(lostBySixty), evaluatedAt: monday + 2 }
  expect(lostBySixty).toMatchObject({ instance: 'slack_1', lapsed: 60, had: 100 })
  const lapses: Lapses[] = [[lost, monday + 1]]
  const found = await massDisconnectsAfter({ lapses, had: 100, regainedBy, state, now: monday + 3 })
  expect(found).toHaveLength(count)
})

/** Someone who lost Slack, later: another instance is listed, they connected it, or they left the list. */
const checkAfterLoss = { checkedAt: monday + 2, delisted: new Set<string>(), unconnected: [] }
const slack2 = { ...slack, instance: 'slack_2' }
const listedSlack2 = withCheck(lostSlack, { ...checkAfterLoss, unconnected: [slack2] }, monday)
const consent = { instance: 'slack_2', name: 'Slack', since: monday + 2, consentStartedAt: monday + 2 }
const connectedSlack2 = withCheck(listedSlack2, { ...checkAfterLoss, connected: [consent] }, monday)
const leftTheList = { ...lostSlack, leftAt: monday + 2 }

const eve = newPerson('eve@acme.example', 0)
const neverHadSlack = withCheck(eve, { checkedAt: monday, unconnected: [slack] }, monday)
const neverHadDelistedSlack = withCheck(neverHadSlack, checkAfterLoss, monday)

// prettier-ignore
it.each<[string, Person[], string[], object[]]>([
  ['restored once most people have it again', copies(31, regainedSlack), ['restored'], []],
  ['not over while people have another instance unconnected', copies(31, listedSlack2), [], [{ instance: 'slack_1' }]],
  ['ended once people have connected another instance', copies(60, connectedSlack2), ['ended'], []],
  ['ended once its people are off the list', copies(60, leftTheList), ['ended'], []],
  [
    'ended once few have it again, and most have left',
    [...copies(40, leftTheList), ...copies(11, regainedSlack), ...copies(9, lostSlack)],
    ['ended'],
    [],
  ],
  ['not over if it also left the list of one who never had it', [...copies(60, regainedSlack), neverHadDelistedSlack], [], [{ isDelisted: true }]],
  ['restored if one who never had it still has it listed', [...copies(60, regainedSlack), neverHadSlack], ['restored'], []],
  [
    'not over if it also left the lists of nine who never had it',
    [...copies(60, regainedSlack), ...copies(9, neverHadDelistedSlack)],
    [],
    [{ instance: 'slack_1', isDelisted: true }],
  ],
])('a hold is %s', async (_title, all, events, holds) => {
  const state = { ...stateWith(lostBySixty), evaluatedAt: monday + 2 }
  const unaffected = Array.from({ length: 40 }, () => lostApps([], monday))
  const found = await findClusters([...all, ...unaffected], state, monday + 3)
  expect(found.appEvents.flatMap(({ what }) => (what === 'new' ? [] : what))).toEqual(events)
  expect(found.massDisconnects).toMatchObject(holds)
  expect(found.massDisconnects).toHaveLength(holds.length)
})

it('a hold goes on for people whose lost app was removed and made again', async () => {
  const removal = { instance: 'slack_1', name: 'Slack', since: monday + 2, noticedAt: monday + 3, people: 60 }
  const hold = { ...lostBySixty, isDelisted: true }
  const unconnected = [slack]
  const again = withCheck(
    regainedSlack,
    { checkedAt: monday + 5, unconnected, delisted: new Set(['slack_1']) },
    monday,
  )
  expect(again.lastCheck?.apps.find((app) => app.instance === 'slack_1')).toMatchObject({
    lapsedAt: monday + 1,
  })
  const state = { ...stateWith(hold), evaluatedAt: monday + 4, delistedApps: [removal] }
  const found = await findClusters(copies(60, again), state, monday + 6)
  expect(found.delistedApps).toEqual([])
  expect(found.massDisconnects).toEqual([lostBySixty])
  expect(found.appEvents).toMatchObject([{ what: 'listed', instance: 'slack_1' }])
})

it('a mass disconnect is over once most people have the app again, also gradually', async () => {
  let state = stateWith(lostBySixty)
  const find = (lost: number) =>
    massDisconnectsAfter({
      lapses: [[lost, monday + 1]],
      had: 100,
      regainedBy: 60 - lost,
      state,
      now: monday + 3,
    })
  for (const lost of [55, 45, 35]) state = stateWith(...(await find(lost)))
  expect(await find(29)).toEqual([])
})

it('people who lost the app earlier don’t keep a mass disconnect from being over', async () => {
  expect(
    await massDisconnectsAfter({
      lapses: [[200, monday - DAY]],
      had: 200,
      state: stateWith(lostBySixty),
      now: monday + 3,
    }),
  ).toEqual([])
})

it('a resumed mass disconnect isn’t found again for people noticed later', async () => {
  const resumed = { ...lostBySixty, resumedAt: monday + 3 }
  expect(
    await massDisconnectsAfter({ lapses: [[90, monday + DAY / 2]], had: 100, state: stateWith(resumed) }),
  ).toMatchObject([resumed])
})

it.each([
  ['kept for a month', 31 * DAY - 1, 1],
  ['dropped after a month', 31 * DAY, 0],
])('a resumed mass disconnect that is over is %s', async (_title, msLater, count) => {
  const state = stateWith({ ...lostBySixty, resumedAt: monday + 3 })
  expect(await massDisconnectsAfter({ had: 100, state, now: monday + 3 + msLater })).toHaveLength(count)
})

it('a mass disconnect that was resumed is found again when it happens again', async () => {
  const resumed = { ...lostBySixty, noticedAt: 1, since: 0, resumedAt: 2 }
  expect(
    await massDisconnectsAfter({ lapses: [[60, monday + 1]], had: 100, state: stateWith(resumed) }),
  ).toMatchObject([{ noticedAt: monday + 2 }])
})

const neverListed = withCheck(newPerson('ada@acme.example', 0), { checkedAt: 1, unconnected: [] }, 1)
/** Slack is on their list for the first time. */
const firstListed = (at: number) => withCheck(neverListed, { checkedAt: at, unconnected: [slack] }, at)

const RUN = monday + 6 * HOUR
const lostOnMonday = { ...lostBySixty, since: monday, noticedAt: RUN }

describe.each([
  { when: 'before', disconnect: lostOnMonday },
  { when: 'after', disconnect: { ...lostOnMonday, resumedAt: RUN + HOUR } },
])('$when the release of its emails', ({ disconnect }) => {
  const DAY_AND_A_HALF = 3 * HALF
  type FirstRecord = { lapsedAt: number } | { newAt: number }
  // prettier-ignore
  const firstListings: [title: string, outcome: string, at: number, first: FirstRecord, newAppCount: number][] = [
    ['a day and a half before its first lapse', 'new', monday - DAY_AND_A_HALF, { newAt: monday - DAY_AND_A_HALF }, 1],
    ['within a day and a half before its first lapse', 'lost', monday - DAY_AND_A_HALF + 1, { lapsedAt: monday }, 0],
    ['just before its first lapse', 'lost', monday - 1, { lapsedAt: monday }, 0],
    ['with its first lapse', 'lost', monday, { lapsedAt: monday }, 0],
    ['just before the run that found it', 'lost', RUN - 1, { lapsedAt: RUN - 1 }, 0],
    ['just after the run that found it', 'lost', RUN + 1, { lapsedAt: RUN + 1 }, 0],
    ['within a day and a half of that run', 'lost', RUN + DAY_AND_A_HALF - 1, { lapsedAt: RUN + DAY_AND_A_HALF - 1 }, 0],
    ['a day and a half after that run', 'new', RUN + DAY_AND_A_HALF, { newAt: RUN + DAY_AND_A_HALF }, 1],
  ]

  it.each(firstListings)('an app first listed %s is %s', (_title, _outcome, at, first) => {
    const [app] = afterEvaluation(firstListed(at), [disconnect]).lastCheck!.apps
    expect({ lapsedAt: app?.lapsedAt, newAt: app?.newAt }).toEqual(first)
  })

  it.each(firstListings)(
    'without a mass disconnect, an app first listed %s is new',
    (_title, _outcome, at) => {
      const ofAnotherApp = { ...disconnect, instance: 'jira_1' }
      expect(afterEvaluation(firstListed(at), [ofAnotherApp])).toEqual(firstListed(at))
    },
  )

  it.each(firstListings)(
    'an app first listed %s stays %s',
    async (_title, _outcome, at, _first, newAppCount) => {
      const person = afterEvaluation(firstListed(at), [disconnect])
      const laterCheck = { checkedAt: at + 60 * DAY, unconnected: [slack] }
      const later = withCheck(person, laterCheck, at + 60 * DAY)
      expect(afterEvaluation(later, []).lastCheck?.apps).toEqual(person.lastCheck?.apps)
      const people = [...copies(60, lostApps([slack], monday)), ...copies(20, person)]
      const state = { ...stateWith(disconnect), evaluatedAt: monday - 3 * DAY }
      const found = await findClusters(people, state, at + 60 * DAY)
      expect(found.massDisconnects).toHaveLength(1)
      expect(found.newApps).toHaveLength(newAppCount)
    },
  )
})

it.each<[string, early: number, lapsedOfHad: [number, number][], newFor: number[]]>([
  ['a day and a half before the first lapse is a new app', -3 * HALF, [[17, 20]], [24]],
  ['just under a day and a half before it is a loss', 1 - 3 * HALF, [[41, 44]], []],
  ['with the first lapse is a loss', 0, [[41, 44]], []],
])('a first listing %s', async (_title, early, lapsedOfHad, newFor) => {
  const people = [
    ...copies(17, lostApps([slack], monday)),
    ...copies(3, lostApps([], monday)),
    ...copies(24, firstListed(monday + early)),
  ]
  const found = await findClusters(people, { ...NO_CLUSTERS, evaluatedAt: monday - 3 * DAY }, RUN)
  expect(found.massDisconnects.map(({ lapsed, had }) => [lapsed, had])).toEqual(lapsedOfHad)
  expect(found.newApps.map((one) => one.people)).toEqual(newFor)
})

/** `lostAfter`: when one person lost the app, after the listings. `keptBy`: number of people who still have it. */
type Listings = { listed: number; lostAfter?: number; keptBy?: number; isKnownAsNew?: true }
/** `newFor`: number of people for whom it is new. `lost`: number of people who have lost it after the run. */
type Outcome = { lapsedOfHad: [number, number][]; newFor: number[]; lost: number }
// prettier-ignore
it.each<[string, Listings, Outcome]>([
  ['are new if no one is known to have had it', { listed: 19 }, { lapsedOfHad: [], newFor: [19], lost: 0 }],
  ['are losses if one of five who had it lost it', { listed: 19, lostAfter: 0, keptBy: 4 }, { lapsedOfHad: [[20, 24]], newFor: [], lost: 20 }],
  ['are new if one of six who had it lost it', { listed: 19, lostAfter: 0, keptBy: 5 }, { lapsedOfHad: [], newFor: [19], lost: 1 }],
  ['are losses if they make five with a loss', { listed: 4, lostAfter: 0 }, { lapsedOfHad: [[5, 5]], newFor: [], lost: 5 }],
  ['are too few if they make four with a loss', { listed: 3, lostAfter: 0 }, { lapsedOfHad: [], newFor: [], lost: 1 }],
  ['are losses if a loss follows just within a day and a half', { listed: 19, lostAfter: 3 * HALF - 1 }, { lapsedOfHad: [[20, 20]], newFor: [], lost: 20 }],
  ['are new if a loss follows a day and a half later', { listed: 19, lostAfter: 3 * HALF }, { lapsedOfHad: [], newFor: [19], lost: 1 }],
  ['stay new if a loss follows after the app was found to be new', { listed: 19, lostAfter: 1, isKnownAsNew: true }, { lapsedOfHad: [], newFor: [19], lost: 1 }],
])('first listings of an app %s', async (_title, { listed, lostAfter, keptBy = 0, isKnownAsNew }, { lapsedOfHad, newFor, lost }) => {
  const lapses = lostAfter === undefined ? [] : [lostApps([slack], monday + lostAfter)]
  const people = [
    ...lapses,
    ...copies(keptBy, lostApps([], monday)),
    ...copies(listed, firstListed(monday)),
    ...copies(20, neverListed),
  ]
  const before = { instance: 'slack_1', name: 'Slack', noticedAt: monday + 1, since: monday, people: 19 }

  const found = await findClusters(people, { ...NO_CLUSTERS, ...(isKnownAsNew && { newApps: [before] }) }, monday + 2 * DAY)

  expect(found.massDisconnects.map(({ lapsed, had }) => [lapsed, had])).toEqual(lapsedOfHad)
  expect(found.newApps.map((one) => one.people)).toEqual(newFor)
  const after = people.map((one) => afterEvaluation(one, found.massDisconnects).lastCheck!.apps)
  const isLost = (app: { lapsedAt?: number }) => app.lapsedAt !== undefined
  expect(after.flat().filter(isLost)).toHaveLength(lost)
})

it.each([
  ['a day and a half before', 'new', monday - 3 * HALF, 1],
  ['a millisecond less before', 'lost', monday - 3 * HALF + 1, 0],
])(
  'an app that someone’s list first has %s others lose it counts as %s',
  async (_title, _outcome, since, count) => {
    const newApps = [{ instance: 'slack_1', name: 'Slack', noticedAt: monday, since, people: 24 }]
    const people = copies(17, lostApps([slack], monday))
    const found = await findClusters(people, { ...NO_CLUSTERS, newApps }, RUN)
    expect(found.newApps).toHaveLength(count)
  },
)

// prettier-ignore
it.each([
  { what: 'moves along if the same check lists another instance', instance: 'slack_2', msLater: 0, moved: 60, movedTo: ['slack_2'], counted: ['slack_2'] },
  { what: 'moves along if most lists have another instance', instance: 'slack_2', msLater: 0, moved: 31, movedTo: ['slack_2'], counted: ['slack_2'] },
  { what: 'stays if half of the lists have another instance', instance: 'slack_2', msLater: 0, moved: 30, movedTo: [undefined], counted: ['slack_2'] },
  { what: 'ends if a later check lists another instance', instance: 'slack_2', msLater: 1, moved: 60, movedTo: [], counted: ['slack_1', 'slack_2'] },
  { what: 'ends if another app is new instead', instance: 'notion_1', msLater: 0, moved: 60, movedTo: [], counted: ['slack_1', 'notion_1'] },
])('the hold of a lost app $what', async ({ instance, msLater, moved, movedTo, counted }) => {
  const withListOf = (person: Person, at: number, ...unconnected: (typeof slack)[]) => withCheck(person, { checkedAt: at, unconnected }, at)
  const next = { instance, name: 'Slack', status: 'awaiting' as const }
  const one = withListOf(msLater === 0 ? lostSlack : withListOf(lostSlack, monday + 2), monday + 2 + msLater, next)
  const state = { ...stateWith(lostBySixty), evaluatedAt: monday + 2 }

  const all = [...copies(moved, one), ...copies(60 - moved, lostSlack)]

  const { massDisconnects } = await findClusters(all, state, monday + HOUR)

  const apps = personForCounts(one, {}).lastCheck!.apps.map((app) => app.instance)
  expect(massDisconnects.map((hold) => hold.movedTo)).toEqual(movedTo)
  expect(apps.filter((app) => app !== 'jira_1')).toEqual(counted)
})

it('an app that has moved is not lost', () => {
  const { lastCheck, ...person } = firstListed(monday)
  const apps = lastCheck!.apps.map((app) => ({ ...app, movedFrom: 'slack_0' }))
  const moved = { ...person, lastCheck: { checkedAt: monday, apps } }
  expect(afterEvaluation(moved, [lostOnMonday])).toBe(moved)
})

it.each([
  ['isn’t connected if its list has another instance instead', undefined, 'slack_2', 0],
  ['is connected after a consent, also if its list has another instance', monday + 2, 'slack_2', 1],
  ['is connected if its list has another app instead', undefined, 'notion_1', 1],
  ['is connected if its list has nothing instead', undefined, undefined, 1],
])('a lost app that left the list %s', (_title, consentStartedAt, instance = '', count) => {
  const connected = [{ instance: 'slack_1', name: 'Slack', since: monday + 2, consentStartedAt }]
  const unconnected = instance === '' ? [] : [{ ...slack, instance }]
  const check = { checkedAt: monday + 2, unconnected, ...(consentStartedAt !== undefined && { connected }) }
  const person = withCheck(lostApps([slack], monday + 1), check, monday + 2)
  const { lastCheck, movedApps } = personForCounts(person, {})
  const isSlack = (app: { instance: string }) => app.instance === 'slack_1'
  expect([appsOf(person), lastCheck!.apps].map((apps) => apps.filter(isSlack).length)).toEqual([count, count])
  expect(movedApps.filter(isSlack)).toHaveLength(1 - count)
})

it.each<[string, number, ('lost' | 'listed')[]]>([
  ['drops a loss after its removal', monday + 1, ['listed']],
  ['drops a loss of that moment', monday, ['listed']],
  ['keeps a loss from before', monday - 1, ['lost', 'listed']],
])('the history of a removed app that is back %s', (_title, at, expected) => {
  const accessEvents = [{ what: 'lost' as const, at, instance: 'slack_1' }]
  const jiraLost = { what: 'lost' as const, at: monday + 1, instance: 'jira_1' }
  const person = { ...lostApps([slack], monday + 1), accessEvents: [...accessEvents, jiraLost] }
  const returned = new Map([['slack_1', { since: monday, markedRemovedAt: monday }]])

  const after = withEvaluation(person, { massDisconnects: [], returned, delistedApps: [], at: monday + 2 })

  expect(
    after.accessEvents?.filter(({ instance }) => instance === 'slack_1').map(({ what }) => what),
  ).toEqual(expected)
  expect(after.accessEvents).toContainEqual(jiraLost)
})
