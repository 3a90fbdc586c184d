// Progress recorded by pages: the report agrees with the walk after the next page.
import { expect, it } from 'vitest'
import { ProgressRecorder } from '../../src/onboarding/progress-recorder.ts'
import { block, applyCheck, skip, startConsent, newWalk, unskip } from '../../src/onboarding/walk.ts'
import type { UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { appsOf, newPerson, withListing, type Person } from '../../src/people/person.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { noDelistings, testPeople } from '../helpers/people.ts'
import { listedApp } from './overview-pages.ts'

import { ada, jira, MINUTE, NOW, setUpProgress, slack } from './recorded-progress.ts'

it('simultaneous failures of a person are recorded one after the other', async () => {
  const { startProcess, mostAtOnce } = setUpProgress()
  const { page, fail, people } = startProcess()
  await page([slack])
  await Promise.all([1, 2, 3, 4].map(fail))
  expect(mostAtOnce()).toBe(1)
  expect((await people.get(ada.email))?.failures).toHaveLength(4)
})

it('a process remembers each person’s own lapses', async () => {
  const { startProcess, advance } = setUpProgress()
  const { page, progress } = startProcess()
  for (const unconnected of [[slack], [], [slack]]) {
    await page(unconnected)
    advance(MINUTE)
  }
  const bob = { ...ada, subject: 'bob', email: 'bob@acme.example' }
  await progress.recordProgress(bob, applyCheck(newWalk(NOW), [slack], NOW, 90), NOW)
  const remembered = [ada, bob, { ...ada, issuer: 'https://other.example' }].map((user) => [
    ...(progress.lapsesOf(user)?.keys() ?? []),
  ])
  expect(remembered).toEqual([['slack_1'], [], []])
})

it.each([
  ['no loss of an app that many lists lost', ['slack_1'], undefined],
  ['the loss of any other app', ['jira_1'], NOW + 2 * MINUTE],
])('a page that lists an app again records %s', async (_title, delisted, lapsedAt) => {
  const installation = setUpProgress()
  for (const instance of delisted) installation.delisted.add(instance)
  const { page, campaign, people } = installation.startProcess()
  await page([slack])
  installation.advance(MINUTE)
  await campaign([])
  installation.advance(MINUTE)
  await installation.startProcess().page([slack])
  const [app] = (await people.get(ada.email))?.lastCheck?.apps ?? []
  expect(app).toMatchObject({ status: slack.status, previousDelistedAt: NOW + MINUTE })
  expect(app?.lapsedAt).toBe(lapsedAt)
})

it.each([
  ['still lists the former app records no connection', [slack], 'slack_2 unconnected'],
  ['connected the former app records that', [], 'slack_2 connected'],
])('a page that %s after a run saw the app move', async (_title, listed, expected) => {
  const { startProcess, advance, report } = setUpProgress({
    datasources: { slack_2: { replaces: 'slack_1' } },
  })
  const server = startProcess()
  await server.page([slack])
  advance(MINUTE)
  const run = startProcess()
  run.people.shownApps([listedApp('slack_2')])
  await run.campaign([slack])
  advance(20 * MINUTE)

  await server.page(listed, (walk) =>
    startConsent(walk, { instance: 'slack_1', step: 's', now: NOW + 20 * MINUTE }),
  )

  expect(await report()).toEqual([expected])
  expect((await server.people.get(ada.email))?.lastCheck?.apps[0]).not.toHaveProperty('delistedAt')
})

const skipped = (walk: Walk) => skip(walk, 'slack_1', NOW)
const blocked = (walk: Walk) => block(walk, 'slack_1', NOW)
const declined = (walk: Walk) => ({
  ...walk,
  apps: walk.apps.map((entry) => ({
    ...entry,
    unconfirmedAt: NOW,
    attempt: {
      step: 's1',
      consentStartedAt: NOW,
      checksSinceReturn: 1,
      isOver: true as const,
      isDeclined: true as const,
    },
  })),
})
const unconfirmed = (walk: Walk) => ({
  ...walk,
  apps: walk.apps.map((entry) => ({ ...entry, unconfirmedAt: NOW })),
})

it('a page records what its check found, and the sign-in', async () => {
  const { startProcess, report } = setUpProgress()
  const { page, people } = startProcess()
  await page([slack, jira])
  await page([jira])
  await page([jira], unconfirmed)
  expect(await report()).toEqual(['slack_1 connected', 'jira_1 unconnected'])
  const person = await people.get(ada.email)
  expect(person).toMatchObject({ signedInAt: NOW, lastCheck: { checkedAt: NOW } })
  expect(person && appsOf(person)[1]).toMatchObject({ isUnconfirmed: true })
  expect(person?.signIns).toHaveLength(1)
  const { since } = person!.intents!.apps[0]!
  expect(person?.failures).toEqual([{ at: since, instance: 'jira_1', code: 'unconfirmed' }])
  await page([jira], declined)
  expect(appsOf((await people.get(ada.email)) ?? newPerson('', 0))[1]).toMatchObject({ isUnconfirmed: false })
  expect(person?.outbox?.map(({ type }) => type)).toEqual(['person.signed_in', 'app.connected'])
})

it('a page records whether its person left for an app that is connected now', async () => {
  const { startProcess, advance } = setUpProgress()
  const { page, people } = startProcess()
  await page([slack, jira])
  advance(MINUTE)
  const leaving = { instance: 'slack_1', step: 'step', now: NOW + MINUTE }

  await page([], (walk) => startConsent(walk, leaving))

  const { lastCheck } = (await people.get(ada.email))!
  const delisted = lastCheck?.apps.map(({ instance, delistedAt }) => [instance, delistedAt])
  expect(delisted).toEqual([
    ['slack_1', undefined],
    ['jira_1', NOW + MINUTE],
  ])
})

it('a page records progress again when it differs, or after ten minutes', async () => {
  const { startProcess, advance, written } = setUpProgress()
  const { page, people } = startProcess()
  for (let times = 0; times < 3; times++) await page([slack])
  expect(written()).toBe(1)
  await page([slack], skipped)
  expect(written()).toBe(2)
  expect((await people.get(ada.email))?.intents?.apps).toMatchObject([{ kind: 'skipped', since: NOW }])
  advance(9 * MINUTE)
  await page([slack])
  expect(written()).toBe(2)
  advance(MINUTE)
  await page([slack])
  expect(written()).toBe(3)
})

it.each([
  ['a newcomer', false, ['person', 'former-address']],
  ['someone on the list', true, ['person', 'former-address']],
])('the first page of %s looks up their record once', async (_title, isListed, expected) => {
  const { records } = memoryRecords()
  let read: string[] = []
  const get = (key: string) => {
    read.push(key.split(':', 1)[0] ?? '')
    return records.get(key)
  }
  const people = testPeople({ records: { ...records, get }, now: () => NOW })
  if (isListed) await people.change(ada.email, (person) => withListing(person, true, NOW - MINUTE))
  read = []
  const progress = new ProgressRecorder(people, noDelistings, { warn: () => {} }, () => NOW)
  await progress.recordProgress(ada, applyCheck(newWalk(NOW), [slack], NOW, 90), NOW)
  expect(read.filter((kind) => kind !== 'installation' && kind !== 'format')).toEqual(expected)
  const listing = isListed ? { listedAt: NOW - MINUTE } : {}
  expect(await people.get(ada.email)).toMatchObject({ signedInAt: NOW, ...listing })
})

it('a page records nothing for an address that isn’t verified, or without one', async () => {
  const { startProcess, written } = setUpProgress()
  const { email: _email, ...nameless } = ada
  await startProcess({ user: { ...ada, emailVerified: false } }).page([slack])
  await startProcess({ user: nameless }).page([slack])
  expect(written()).toBe(0)
})

it('the report agrees with the walk again after an outage or a crash', async () => {
  const { startProcess, report, setStoreAway, notified } = setUpProgress()
  const { page } = startProcess()
  setStoreAway(true)
  await page([slack])
  expect(await report()).toBeUndefined()
  const words = 'progress not recorded'
  expect(notified).toEqual([[{ err: new Error('away') }, words]])
  setStoreAway(false)
  await page([slack])
  expect(await report()).toEqual(['slack_1 unconnected'])
})

it('the report agrees with the walk again after the store lost its last writes', async () => {
  const { startProcess, report, setStoreAway } = setUpProgress()
  const { page, people } = startProcess()
  await page([jira])
  await people.forget(ada.email)
  setStoreAway(true)
  await page([jira], (walk) => skip(walk, 'jira_1', NOW))
  setStoreAway(false)
  await page([jira], (walk) => unskip(walk, 'jira_1'))
  expect(await report()).toEqual(['jira_1 unconnected'])
})

it('the report agrees with the walk although another process’s clock is ahead', async () => {
  const { startProcess, advance, report } = setUpProgress()
  const [ahead, right] = [startProcess({ skew: 5 * MINUTE }), startProcess()]
  await ahead.page([slack, jira])
  advance(1_000)
  await right.page([jira], skipped)
  expect(await report()).toEqual(['slack_1 connected', 'jira_1 unconnected'])
  await right.page([slack, jira])
  await right.page([slack, jira], blocked)
  expect(await report()).toEqual(['slack_1 blocked', 'jira_1 unconnected'])
})

it('a person’s choices in the report survive a campaign’s check', async () => {
  const { startProcess, advance, report } = setUpProgress()
  const { page, campaign } = startProcess()
  await page([slack, jira], skipped)
  await page([slack, jira], skipped)
  advance(MINUTE)
  await campaign([slack, listedApp('github_1')])
  expect(await report()).toEqual(['slack_1 skipped', 'jira_1 connected', 'github_1 unconnected'])
  advance(10 * MINUTE)
  await page([slack])
  expect(await report()).toEqual(['slack_1 skipped', 'jira_1 connected', 'github_1 connected'])
})

it.each([
  ['skipped', skipped],
  ['blocked', blocked],
  ['unconfirmed', unconfirmed],
])('an app that a run saw connected is no longer %s once it is lost', async (_title, choose) => {
  const { startProcess, advance, report } = setUpProgress()
  const { page, campaign } = startProcess()
  await page([slack])
  await page([slack], choose)
  for (const unconnected of [[], [slack]]) {
    advance(10 * MINUTE)
    await campaign(unconnected)
  }
  expect(await report()).toEqual(['slack_1 unconnected'])
  advance(10 * MINUTE)
  expect((await page([slack]))?.endedChoices).toEqual(['slack_1'])
  expect(await report()).toEqual(['slack_1 unconnected'])
  await page([slack], (walk) => skip(walk, 'slack_1', NOW + 30 * MINUTE))
  expect(await report()).toEqual(['slack_1 skipped'])
})

it('the report agrees with the walk after the walk was lost and everything is connected', async () => {
  const { startProcess, advance, report, loseWalk } = setUpProgress()
  const { page } = startProcess()
  await page([slack])
  loseWalk()
  advance(MINUTE)
  await page([])
  expect(await report()).toEqual(['slack_1 connected'])
})

it('the report omits a forgotten person until their next page', async () => {
  const { startProcess, advance, report } = setUpProgress()
  const { page, people } = startProcess()
  await page([slack])
  await people.forget(ada.email)
  await page([slack])
  expect(await report()).toBeUndefined()
  advance(10 * MINUTE)
  await page([slack])
  expect(await report()).toEqual(['slack_1 unconnected'])
})

it('the last ten failed steps are recorded for a known person with a verified address', async () => {
  const installation = setUpProgress()
  const { people, page, fail } = installation.startProcess()
  await fail(1)
  expect(await people.get(ada.email)).toBeUndefined()
  await page([slack])
  for (let at = 1; at <= 11; at++) await fail(at)
  await installation.startProcess({ user: { ...ada, emailVerified: false } }).fail(12)
  const { failures = [], visitedAt } = (await people.get(ada.email)) ?? {}
  expect(failures).toHaveLength(10)
  expect(failures[0]?.at).toBe(2)
  expect(failures.at(-1)).toEqual({ at: 11, instance: 'slack_1', code: 'service_unavailable' })
  expect(visitedAt).toBe(NOW)
})

it('a failed step that can’t be stored is logged, and doesn’t fail the page', async () => {
  const installation = setUpProgress()
  installation.setStoreAway(true)
  await installation.startProcess().fail(1)
  expect(installation.notified).toEqual([[{ err: expect.any(Error) }, 'step_failed not recorded']])
})

it('a person’s choice is recorded at once, even without a check', async () => {
  const installation = setUpProgress()
  const one = installation.startProcess()
  await one.recordChoice((walk) => block(walk, 'slack_1', NOW))
  expect(await one.people.get(ada.email), 'Only for people on record').toBeUndefined()
  await one.page([slack])
  await one.recordChoice((walk) => block(walk, 'slack_1', NOW + 1))
  expect(appsOf((await one.people.get(ada.email))!)).toMatchObject([{ state: 'blocked', blockedAt: NOW + 1 }])
})

const figma = listedApp('figma_1')
const [TWO, THREE] = [
  [slack, jira],
  [slack, jira, figma],
]
const LISTED = { listedAt: NOW }

/** Ada has these apps left; ten minutes later, a page finds `left`. @param emptied.known how runs know Ada */
async function pageWithEmptied(
  apps: UnconnectedApp[],
  emptied: { left?: UnconnectedApp[]; consents?: string[]; known?: Partial<Person>; isKept?: boolean } = {},
  choose = (walk: Walk) => walk,
) {
  const { left = [], consents = [], known = LISTED, isKept = true } = emptied
  const { startProcess, startKeep, advance, report } = setUpProgress()
  const server = startProcess()
  await server.page(apps)
  await server.page(apps, choose)
  await server.people.change(ada.email, (person) => ({ ...person, ...known }))
  if (isKept) startKeep()
  advance(10 * MINUTE)
  const begin = (walk: Walk, instance: string) =>
    startConsent(walk, { instance, step: instance, now: NOW + 10 * MINUTE })
  await server.page(left, (walk) => consents.reduce(begin, walk))
  return { ...server, advance, report, person: (await server.people.get(ada.email))! }
}

it.each<[what: string, isConnected: boolean, apps: UnconnectedApp[], Parameters<typeof pageWithEmptied>[1]?]>(
  [
    ['two apps at once leaves them to runs', false, TWO],
    ['two apps at once is recorded without runs', true, TWO, { isKept: false }],
    ['two apps of someone on no list is recorded', true, TWO, { known: {} }],
    ['two apps of someone who left the list is recorded', true, TWO, { known: { ...LISTED, leftAt: NOW } }],
    [
      'two apps of someone without an account is recorded',
      true,
      TWO,
      { known: { ...LISTED, unknownAt: NOW } },
    ],
    ['the only app is recorded', true, [slack]],
    ['two of three apps is recorded', true, THREE, { left: [figma] }],
    ['two apps after one consent is recorded', true, TWO, { consents: ['jira_1'] }],
    ['three apps after two consents is recorded', true, THREE, { consents: ['jira_1', 'figma_1'] }],
    ['three apps after one consent leaves them to runs', false, THREE, { consents: ['jira_1'] }],
  ],
)('a page without %s', async (_title, isConnected, apps, emptied) => {
  const { report } = await pageWithEmptied(apps, emptied)
  expect((await report())?.includes('slack_1 connected')).toBe(isConnected)
})

it('a page without the last app is recorded, though another one left before', async () => {
  const { startProcess, startKeep, advance, report } = setUpProgress()
  const { page, people } = startProcess()
  await page(TWO)
  await people.change(ada.email, (person) => ({ ...person, ...LISTED }))
  startKeep()
  for (const left of [[jira], []]) {
    advance(MINUTE)
    await page(left)
  }
  expect(await report()).toEqual(['slack_1 connected', 'jira_1 connected'])
})

it('a list that was empty for an hour leaves no trace but the visit', async () => {
  const choose = (walk: Walk) => block(skip(walk, 'slack_1', NOW), 'jira_1', NOW)
  const { page, person, people, advance, report } = await pageWithEmptied(TWO, {}, choose)
  expect(person).toMatchObject({ visitedAt: NOW + 10 * MINUTE, lastCheck: { checkedAt: NOW } })
  expect(person.finishedAt).toBeUndefined()
  expect(person.outbox?.map(({ type }) => type)).toEqual(['person.signed_in', 'app.waiting_for_admin'])
  const choices = ['slack_1 skipped', 'jira_1 blocked']
  expect(await report()).toEqual(choices)

  advance(60 * MINUTE)
  await page(TWO)

  expect(await report()).toEqual(choices)
  const { accessEvents, lastCheck } = (await people.get(ada.email))!
  expect(accessEvents).toBeUndefined()
  expect(
    lastCheck?.apps.filter(({ previousDelistedAt, lapsedAt }) => previousDelistedAt ?? lapsedAt),
  ).toEqual([])
})
