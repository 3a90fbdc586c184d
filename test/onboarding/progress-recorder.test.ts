// Progress recorded by pages: the report agrees with the walk after the next page.
import { expect, it } from 'vitest'
import { ProgressRecorder } from '../../src/onboarding/progress-recorder.ts'
import { block, applyCheck, skip, startConsent, newWalk, unskip } from '../../src/onboarding/walk.ts'
import type { UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { vacatedAddress } from '../../src/people/address.ts'
import { appsOf, newPerson, withCheck, withListing, withSignIn } from '../../src/people/person.ts'
import { personKey, type User } from '../../src/session/signed-in.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { collect, noDelistedApps, testPeople } from '../helpers/people.ts'
import { listedApp } from './overview-pages.ts'

const NOW = Date.UTC(2026, 10, 2, 9)
const MINUTE = 60_000
const [slack, jira] = [listedApp('slack_1'), listedApp('jira_1')]
const ada = { issuer: 'https://as.example', subject: 'ada', email: 'ada@acme.example', emailVerified: true }
const KING = 'king@acme.example'

/** One store and one walk of Ada, for any number of processes. */
function setUpProgress() {
  const { records } = memoryRecords()
  let time = NOW
  let walk = newWalk(NOW)
  let isAway = false
  let writes = 0
  let [underWay, most] = [0, 0]
  const delisted = new Set<string>()
  const notified: unknown[] = []

  function startProcess({ skew = 0, user = ada }: { skew?: number; user?: User } = {}) {
    const now = () => time + skew
    const people = testPeople({ records, now, onEvents: () => {} })
    const change: typeof people.change = async (email, how) => {
      writes++
      if (isAway) throw new Error('away')
      most = Math.max(most, ++underWay)
      return await people.change(email, how).finally(() => underWay--)
    }
    const rename: typeof people.rename = (...given) =>
      isAway ? Promise.reject(new Error('away')) : people.rename(...given)
    const progress = new ProgressRecorder(
      Object.assign(testPeople({ records, now, onEvents: () => {} }), { change, rename }),
      { instances: () => delisted },
      { warn: (...line: unknown[]) => void notified.push(line) },
      now,
    )
    return {
      people,
      progress,
      fail: (at: number) =>
        progress.recordFailure(user, { at, instance: 'slack_1', code: 'service_unavailable' }),
      recordChoice: (change: (before: Walk) => Walk) => {
        walk = change(walk)
        return progress.recordIntents(user, walk)
      },
      page: (unconnected: UnconnectedApp[], change = (before: Walk) => before) => {
        walk = applyCheck(change(walk), unconnected, now(), 90)
        return progress.recordProgress(user, walk, now())
      },
      campaign: (unconnected: UnconnectedApp[]) =>
        people.change(ada.email, (before) => withCheck(before, { checkedAt: now(), unconnected }, now())),
    }
  }

  async function report() {
    const person = await startProcess().people.get(ada.email)
    return person && appsOf(person).map(({ instance, state }) => `${instance} ${state}`)
  }
  return {
    startProcess,
    report,
    advance: (milliseconds: number) => void (time += milliseconds),
    setStoreAway: (is: boolean) => void (isAway = is),
    loseWalk: () => void (walk = newWalk(time)),
    written: () => writes,
    notified,
    delisted,
    mostAtOnce: () => most,
  }
}

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
])('a page that lists an app again records %s', async (_which, delisted, lapsedAt) => {
  const setup = setUpProgress()
  for (const instance of delisted) setup.delisted.add(instance)
  const { page, campaign, people } = setup.startProcess()
  await page([slack])
  setup.advance(MINUTE)
  await campaign([])
  setup.advance(MINUTE)
  await setup.startProcess().page([slack])
  const [app] = (await people.get(ada.email))?.lastCheck?.apps ?? []
  expect(app).toMatchObject({ status: slack.status, previousDelistedAt: NOW + MINUTE })
  expect(app?.lapsedAt).toBe(lapsedAt)
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
])('the first page of %s looks up their record once', async (_who, isListed, expected) => {
  const { records } = memoryRecords()
  let read: string[] = []
  const get = (key: string) => {
    read.push(key.split(':', 1)[0] ?? '')
    return records.get(key)
  }
  const people = testPeople({ records: { ...records, get }, now: () => NOW })
  if (isListed) await people.change(ada.email, (person) => withListing(person, true, NOW - MINUTE))
  read = []
  const progress = new ProgressRecorder(people, noDelistedApps, { warn: () => {} }, () => NOW)
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

it.each([
  ['was named late by the list', [vacatedAddress(ada.email, 'E7')], personKey(ada)],
  ['is back on the list', [vacatedAddress(ada.email, 'E7'), KING], personKey(ada)],
])('a newcomer’s page never changes the record of a former owner who %s', async (_who, moves, signIn) => {
  const { startProcess, report, advance } = setUpProgress()
  const { page, people } = startProcess()
  await people.change(ada.email, (person) => withSignIn(person, signIn))
  for (const [at, to] of moves.entries()) {
    advance(1)
    await people.rename(moves[at - 1] ?? ada.email, to)
  }

  await page([slack])

  expect(await report()).toEqual(['slack_1 unconnected'])
  expect((await people.get(moves.at(-1) ?? ''))?.lastCheck).toBeUndefined()
})

it('a sign-in with a former address is recorded once its owner is known', async () => {
  const { startProcess, report, advance } = setUpProgress()
  const { page, people, progress } = startProcess()
  await people.change(ada.email, (person) => withListing(person, true, NOW))
  advance(1)
  await people.rename(ada.email, KING)

  await page([slack])
  await progress.recordFailure(ada, { at: NOW, code: 'service_unavailable' })

  expect(await report()).toBeUndefined()
  expect((await people.get(KING))?.lastCheck).toBeUndefined()
  // The authorization server changes the address, too.
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING })
  await startProcess({ user: married }).page([slack])
  expect(await people.get(KING)).toMatchObject({ signIns: [personKey(ada)], lastCheck: { apps: [slack] } })
  // Or the list gives the former address to another person.
  await people.change(ada.email, (person) => withListing(person, true, NOW))
  await startProcess({ user: { ...ada, subject: 'eve' } }).page([slack])
  expect(await report()).toEqual(['slack_1 unconnected'])
})

it('a former owner’s sign-in leaves nothing on the new owner’s record', async () => {
  const { startProcess, advance } = setUpProgress()
  const { page, people, progress } = startProcess()
  const listed = (email: string) => people.change(email, (person) => withListing(person, true, NOW))
  const third = 'third@acme.example'
  await listed(ada.email)
  advance(1)
  await people.rename(ada.email, KING)
  await listed(ada.email)

  // Ada has never signed in, so she may be the new owner.
  await page([slack])
  expect(await people.get(ada.email)).toMatchObject({ signIns: [personKey(ada)] })
  const toThird = { ...ada, email: third }
  expect(await startProcess({ user: toThird }).progress.followAddress(toThird, ada.email)).toEqual({
    email: third,
  })
  const newOwner = { email: ada.email, changedAt: expect.any(Number) as number, listedAt: NOW, campaigns: [] }
  expect(await people.get(ada.email)).toEqual(newOwner)

  // Once her account is known, it is never theirs.
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING })
  await startProcess({ user: married }).page([slack])
  await page([slack, jira])
  expect(await people.get(ada.email)).toEqual(newOwner)
  expect((await people.get(KING))?.lastCheck?.apps).toHaveLength(2)
})

it('a sign-in finishes the rename during which a process died', async () => {
  const { startProcess } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  const left = (await people.get(ada.email))!
  await people.rename(ada.email, KING)
  await people.change(ada.email, () => left)
  await people.change(KING, (person) => ({ ...person, renamingFrom: ada.email }))

  await progress.followAddress(married, ada.email)

  expect(await collect(people.all())).toMatchObject([{ email: KING, lastCheck: left.lastCheck }])
})

it.each([
  ['keeps the address that the list gave them', false, KING],
  ['gets back the one that no list has changed', true, ada.email],
])('someone who signs in with a former address %s', async (_what, hasUnlistedAddress, expected) => {
  const { startProcess } = setUpProgress()
  const { page, people } = startProcess()
  await page([slack])
  await people.rename(ada.email, KING, {
    change: (person) => ({
      ...withListing(person, true, NOW),
      ...(hasUnlistedAddress && { hasUnlistedAddress }),
    }),
  })
  await startProcess().progress.followAddress(ada, KING)
  expect(await people.get(expected)).toMatchObject({ signIns: [personKey(ada)] })
  expect(await collect(people.all())).toHaveLength(1)
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
  const rollout = setUpProgress()
  const { people, page, fail } = rollout.startProcess()
  await fail(1)
  expect(await people.get(ada.email)).toBeUndefined()
  await page([slack])
  for (let at = 1; at <= 11; at++) await fail(at)
  await rollout.startProcess({ user: { ...ada, emailVerified: false } }).fail(12)
  const { failures = [], visitedAt } = (await people.get(ada.email)) ?? {}
  expect(failures).toHaveLength(10)
  expect(failures[0]?.at).toBe(2)
  expect(failures.at(-1)).toEqual({ at: 11, instance: 'slack_1', code: 'service_unavailable' })
  expect(visitedAt).toBe(NOW)
})

it('a failed step that can’t be stored is logged, and doesn’t fail the page', async () => {
  const rollout = setUpProgress()
  rollout.setStoreAway(true)
  await rollout.startProcess().fail(1)
  expect(rollout.notified).toEqual([[{ err: expect.any(Error) }, 'step_failed not recorded']])
})

const married: User = { ...ada, email: KING }

it('a person’s record follows only a verified address of the same issuer and subject', async () => {
  const { startProcess } = setUpProgress()
  const { page, people, fail } = startProcess()
  await page([slack])
  const follow = (user: User, from?: string) => startProcess({ user }).progress.followAddress(user, from)
  expect(await follow({ ...married, emailVerified: false }, ada.email)).toEqual({ email: ada.email })
  expect(await follow({ ...married, subject: 'eve' }, ada.email)).toEqual({ email: KING })
  expect(await follow(married)).toEqual({ email: KING })
  expect((await people.get(ada.email))?.formerEmails).toBeUndefined()
  expect(await follow(married, ada.email)).toEqual({ email: KING, isMoved: true })
  expect(await people.get(KING)).toMatchObject({ formerEmails: [ada.email], actions: [{ by: 'sign-in' }] })
  // After a rename by the list, the authorization server may still have the former address.
  await page([slack, jira])
  await fail(1)
  expect(await people.get(ada.email)).toBeUndefined()
  expect((await people.get(KING))?.lastCheck?.apps).toHaveLength(2)
  expect((await people.get(KING))?.failures).toHaveLength(1)
})

it.each([
  ['changed', false],
  ['given to someone else', true],
])('a person’s record follows them from an address that the list has %s', async (_what, isReassigned) => {
  const { startProcess, advance } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  advance(1)
  await people.rename(ada.email, 'list@acme.example')
  if (isReassigned) await people.change(ada.email, (person) => withListing(person, true, NOW))
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING, isMoved: true })
  expect((await people.get(KING))?.formerEmails).toEqual([ada.email, 'list@acme.example'])
})

it('a failed rename of an address is logged, and the former address stays in use', async () => {
  const { startProcess, setStoreAway, notified } = setUpProgress()
  setStoreAway(true)
  expect(await startProcess().progress.followAddress(married, ada.email)).toEqual({ email: ada.email })
  expect(notified).toEqual([[{ err: new Error('away') }, 'renamed address not recorded']])
})

it('an address that belongs to someone else isn’t taken, and the log reports it', async () => {
  const { startProcess, notified } = setUpProgress()
  const { page, people, progress } = startProcess()
  await page([slack])
  await people.change(KING, (person) => ({ ...person, name: 'King' }))
  expect(await progress.followAddress(married, ada.email)).toEqual({ email: KING, isMoved: false })
  expect(notified).toEqual([[{}, expect.stringContaining('nothing was moved')]])
  expect([await people.get(ada.email), await people.get(KING)]).toMatchObject([
    { email: ada.email },
    { name: 'King' },
  ])
})

it('a person’s choice is recorded at once, even without a check', async () => {
  const set = setUpProgress()
  const one = set.startProcess()
  await one.recordChoice((walk) => block(walk, 'slack_1', NOW))
  expect(await one.people.get(ada.email), 'Only for people on record').toBeUndefined()
  await one.page([slack])
  await one.recordChoice((walk) => block(walk, 'slack_1', NOW + 1))
  expect(appsOf((await one.people.get(ada.email))!)).toMatchObject([{ state: 'blocked', blockedAt: NOW + 1 }])
})
