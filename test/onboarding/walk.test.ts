// Pure decisions of walk.ts and next-step.ts: checks, attempts, returns and set-aside apps.
import { expect, it } from 'vitest'
import { automaticNext, nextStep, trackedAppState, walkStates } from '../../src/onboarding/next-step.ts'
import {
  findReturn,
  block,
  finishReturn,
  decline,
  startConsent,
  inScope,
  mayCheck,
  applyCheck,
  markReturned,
  skip,
  startWalk,
  unblock,
  unskip,
} from '../../src/onboarding/walk.ts'
import { bucketOf } from '../../src/onboarding/app-state.ts'
import type { TrackedApp, StartedApp, UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { listedApp } from './overview-pages.ts'

const CONFIRM = 30
/** Milliseconds without a check after a click. */
const IN_FLIGHT_MS = 15_000
const [slack, github, drive] = [listedApp('slack_1'), listedApp('github_1'), listedApp('gdrive_1')]
const all = [slack, github, drive]
const checkedWalk = (waiting: UnconnectedApp[], walk = startWalk(0), now = 0) =>
  applyCheck(walk, waiting, now, CONFIRM)
const leave = (walk: Walk, instance: string, step: string, now = 0) =>
  startConsent(walk, { instance, step, now })
const afterClick = (waiting = all) => leave(checkedWalk(waiting), 'slack_1', 's1')
/** A return from Slack one second later, while the service still lists it. */
const afterReturn = (waiting = all) =>
  finishReturn(checkedWalk(waiting, afterClick(waiting), 1_000), 's1', 1_000).walk
const isStartable = () => true
const nextOf = (walk: Walk, now: number) => nextStep(walkStates(walk, now))
const automaticNextOf = (walk: Walk, now: number, can: (instance: string) => boolean = isStartable) =>
  automaticNext(walkStates(walk, now), can)
const kindOf = (walk: Walk, instance: string, now = 0) =>
  trackedAppState(walk.known.find((entry) => entry.instance === instance) as TrackedApp, now).kind

/** The numbers of "2 of 5", which shrink only if the service removes an app. */
function progress(walk: Walk, now: number) {
  const { shown } = walkStates(walk, now)
  const connected = shown.filter(({ state }) => bucketOf(state) === 'connected')
  return { connected: connected.length, total: shown.length }
}

it.each<[string, Walk, number, object]>([
  ['the first app that the service lists', checkedWalk(all), 0, { kind: 'connect', instance: 'slack_1' }],
  ['none if the service lists no app', checkedWalk([]), 0, { kind: 'finished' }],
  [
    'another app while the person is at the first one',
    afterClick(),
    1_000,
    { kind: 'connect', instance: 'github_1' },
  ],
  [
    'the first app if the person never returned',
    afterClick(),
    IN_FLIGHT_MS,
    { kind: 'connect', instance: 'slack_1' },
  ],
  ['never a disabled app', checkedWalk([listedApp('a', 'disabled')]), 0, { kind: 'finished' }],
  ['a stale app', checkedWalk([listedApp('a', 'stale')]), 0, { kind: 'connect', instance: 'a' }],
  [
    'never an app without an address',
    checkedWalk([listedApp('a', 'attention'), listedApp('b')]),
    0,
    { kind: 'connect', instance: 'b' },
  ],
  [
    'none if only an app without an address is left',
    skip(checkedWalk([listedApp('a', 'attention'), listedApp('b')]), 'b', 1),
    1,
    { kind: 'finished' },
  ],
])('the next step is %s', (_what, walk, now, where) => {
  expect(nextOf(walk, now)).toEqual(where)
})

it.each([
  [0, 5, 'all', all],
  [0, 5, 'one', [slack]],
  [59_999, 5, 'all', all],
  [60_000, 30, 'all', all],
  // The clock was set back in the meantime.
  [-59_999, 5, 'all', all],
  [-60_000, 30, 'all', all],
])(
  '%i ms after an unconfirmed return, the next check is in %i seconds (%s listed)',
  (later, nextPollSeconds, _what, listed) => {
    expect(nextOf(afterReturn(listed), 1_000 + later)).toMatchObject({ kind: 'wait', nextPollSeconds })
  },
)

it('the next step is the person’s decision once the time to confirm is over', () => {
  expect(nextOf(checkedWalk(all, afterReturn(), 30_999), 30_999).kind).toBe('wait')
  const over = checkedWalk(all, afterReturn(), 31_000)
  expect(nextOf(over, 31_000)).toEqual({ kind: 'unconfirmed', instance: 'slack_1', meanwhile: 'github_1' })
  expect(findReturn(over, 's1')).toBeUndefined()
})

it('the next step waits for the last visible return, and delays no other app', () => {
  expect(nextOf(afterReturn(), 1_000)).toMatchObject({
    kind: 'wait',
    instance: 'slack_1',
    meanwhile: 'github_1',
  })
  const both = finishReturn(leave(afterReturn(), 'github_1', 's2', 2_000), 's2', 3_000).walk
  expect(nextOf(both, 3_000)).toMatchObject({ kind: 'wait', instance: 'github_1', meanwhile: 'gdrive_1' })
  const narrowed = { ...both, visit: { only: ['slack'] } }
  expect(nextOf(narrowed, 3_000)).toMatchObject({ kind: 'wait', instance: 'slack_1', step: 's1' })
  expect(progress(checkedWalk([github, drive], both, 4_000), 4_000)).toEqual({ connected: 1, total: 3 })
})

it('the next step doesn’t wait for an app that the service has disabled', () => {
  expect(nextOf(checkedWalk([listedApp('slack_1', 'disabled')], afterReturn([slack]), 2_000), 2_000)).toEqual(
    { kind: 'finished' },
  )
})

const finishSlack = (waiting: UnconnectedApp[], isRefused = false) =>
  finishReturn(checkedWalk(waiting, afterClick(), 5), 's1', 5, isRefused)

it('a return counts as connected only when the service no longer lists the app', () => {
  expect(finishSlack([github, drive]).outcome).toBe('connected')
  expect(finishSlack([github, drive], true).outcome).toBe('connected')
  expect(finishSlack(all).outcome).toBe('stillListed')
})

it('a return is evaluated once, by the status of its own app', () => {
  const both = checkedWalk([slack], leave(afterClick(), 'github_1', 's2'))
  const { walk, outcome } = finishReturn(both, 's2', 0)
  expect(outcome).toBe('connected')
  expect(finishReturn(walk, 's2', 0)).toEqual({ walk, outcome: 'ended' })
  expect(finishReturn(walk, 's1', 0).outcome).toBe('stillListed')
  expect(finishReturn(walk, 'of someone else', 0)).toEqual({ walk, outcome: 'ended' })
})

const twice = leave(afterClick(), 'slack_1', 's2', 1)

it.each([
  ['belongs to the open attempt', afterClick(), 's1', 's1'],
  ['belongs to the attempt after an earlier return', afterReturn(), 's1', 's1'],
  ['belongs to the newer of two attempts', twice, 's2', 's2'],
  ['with a replaced step belongs to the newer attempt', twice, 's1', 's2'],
  // A waiting page polls with the former step.
  ['with a returned step isn’t a newer attempt’s', leave(afterReturn(), 'slack_1', 's2', 1), 's1', undefined],
  ['with a step replaced twice is ignored', leave(twice, 'slack_1', 's3', 2), 's1', undefined],
  ['belongs to its app beside another one', leave(afterClick(), 'github_1', 's2', 1), 's1', 's1'],
  ['without a step is ignored', twice, undefined, undefined],
  ['with an empty step is ignored', twice, '', undefined],
  ['with an unknown step is ignored', twice, 'unknown', undefined],
  ['without a step is ignored after one click', afterClick(), undefined, undefined],
])('a return %s', (_what, walk, step, found) => {
  expect(findReturn(walk, step)?.attempt.step).toBe(found)
})

it('a return with a finished step is ignored, and replaces no other tab’s return', () => {
  const connected = finishReturn(checkedWalk([github, drive], afterClick(), 5), 's1', 5).walk
  expect(findReturn(leave(connected, 'github_1', 's2', 6), 's1')).toBeUndefined()
  expect(findReturn(leave(connected, 'github_1', 's2', 6), 's2')).toMatchObject({ instance: 'github_1' })
})

it.each([
  [0, false],
  [14_999, false],
  [15_000, true],
  [-14_999, false],
  [-15_000, true],
])('%i ms after a click has asked for its path, checks are allowed: %s', (later, isAllowed) => {
  const leaving = { ...checkedWalk(all), leavingAt: 100_000 }
  expect(mayCheck(leaving, 100_000 + later)).toBe(isAllowed)
  expect(mayCheck({ ...leaving, known: [] }, 100_000 + later)).toBe(true)
})

it('a return is recorded before its check', () => {
  const returnedWalk = markReturned(afterClick(), findReturn(afterClick(), 's1') as StartedApp, 2_000)
  expect(findReturn(returnedWalk, 's1')).toMatchObject({ attempt: { backAt: 2_000, looks: 0 } })
  expect(mayCheck(returnedWalk, 2_001)).toBe(true)
  expect(markReturned(returnedWalk, findReturn(returnedWalk, 's1') as StartedApp, 3_000)).toEqual(
    returnedWalk,
  )
})

const connected = finishReturn(checkedWalk([github, drive], afterClick(), 5), 's1', 5).walk

it('an automatic return leads to the next app that was never started', () => {
  expect(automaticNextOf(connected, 6)).toBe('github_1')
  expect(automaticNextOf(connected, 6, (instance) => instance !== 'github_1')).toBe('gdrive_1')
  expect(automaticNextOf(skip(connected, 'github_1', 6), 6)).toBe('gdrive_1')
  expect(automaticNextOf(leave(connected, 'github_1', 's2', 6), 6)).toBe('gdrive_1')
})

it('an automatic return doesn’t restart a reconnected app after the same click', () => {
  const relistedWalk = checkedWalk(
    [slack],
    finishReturn(checkedWalk([], afterClick([slack]), 5), 's1', 5).walk,
    6,
  )
  expect(automaticNextOf(relistedWalk, 6)).toBeUndefined()
  const clicked = leave(checkedWalk([slack, github], relistedWalk, 7), 'github_1', 's2', 7)
  expect(automaticNextOf(clicked, 7)).toBe('slack_1')
  const byItself = startConsent(clicked, { instance: 'slack_1', step: 's3', now: 8, isAutomatic: true })
  expect(byItself.clicks).toBe(clicked.clicks)
})

it('a reconnected app that is listed again is offered anew, not called unconfirmed', () => {
  const relistedWalk = checkedWalk(all, checkedWalk([github, drive], afterReturn(), 2_000), 3_600_000)
  expect(nextOf(relistedWalk, 3_600_000)).toEqual({ kind: 'connect', instance: 'slack_1' })
  expect(relistedWalk.known[0]).toMatchObject({
    status: 'awaiting',
    attempt: undefined,
    unconfirmedAt: undefined,
  })
})

it('a return counts although another tab found the app connected', () => {
  const relistedWalk = checkedWalk(all, checkedWalk([github, drive], afterClick(), 2), 3)
  expect(findReturn(relistedWalk, 's1')).toMatchObject({ instance: 'slack_1' })
})

it('a declined app is no longer confirming, is offered again, and may still become connected', () => {
  const declined = decline(afterReturn(), 'slack_1', 2_000)
  expect(nextOf(declined, 2_000)).toMatchObject({ kind: 'unconfirmed', instance: 'slack_1' })
  expect(declined.known[0]?.attempt).toMatchObject({ isOver: true, isDeclined: true })
  expect(leave(declined, 'slack_1', 's2', 3).known[0]?.attempt?.isDeclined).toBeUndefined()
  expect(kindOf(checkedWalk([github, drive], declined, 3), 'slack_1')).toBe('connected')
})

it('declining has no effect unless the app is being confirmed', () => {
  for (const walk of [checkedWalk(all), afterClick(), checkedWalk([github, drive], afterReturn(), 2)])
    expect(decline(walk, 'slack_1', 3)).toEqual(walk)
})

it('“not now” lasts until it is undone, or the person connects the app after all', () => {
  const skipped = skip(checkedWalk(all), 'slack_1', 1)
  expect(nextOf(checkedWalk(all, skipped, 99_000), 99_000)).toEqual({ kind: 'connect', instance: 'github_1' })
  expect(nextOf(unskip(skipped, 'slack_1'), 2)).toEqual({ kind: 'connect', instance: 'slack_1' })
  expect(leave(skipped, 'slack_1', 's', 2).known[0]?.skippedAt).toBeUndefined()
})

it('setting an app aside ends the wait for that app only', () => {
  const both = finishReturn(leave(afterReturn(), 'github_1', 's2', 2), 's2', 3).walk
  const skipped = skip(both, 'slack_1', 4)
  expect(kindOf(skipped, 'slack_1')).toBe('skipped')
  expect(kindOf(skipped, 'github_1')).toBe('confirming')
  expect(kindOf(unskip(skipped, 'slack_1'), 'slack_1')).toBe('unconnected')
})

it('the return of an app skipped while open in another tab still counts', () => {
  const skipped = skip(afterClick(), 'slack_1', 1)
  expect(kindOf(skipped, 'slack_1')).toBe('skipped')
  expect(kindOf(finishReturn(skipped, 's1', 2).walk, 'slack_1')).toBe('confirming')
})

it('a connected app can’t be set aside', () => {
  const walk = checkedWalk([github, drive], checkedWalk(all), 1)
  expect(skip(walk, 'slack_1', 2)).toEqual(walk)
  const connected = checkedWalk([github, drive], skip(checkedWalk(all), 'slack_1', 1), 2)
  expect(kindOf(connected, 'slack_1')).toBe('connected')
  expect(kindOf(checkedWalk(all, connected, 3), 'slack_1')).toBe('unconnected')
})

it('“I need an admin” is kept with its time until it is undone or replaced', () => {
  const blocked = block(checkedWalk(all), 'slack_1', 7)
  expect(blocked.known[0]?.blockedAt).toBe(7)
  expect(kindOf(unblock(blocked, 'slack_1'), 'slack_1')).toBe('unconnected')
  expect(kindOf(skip(blocked, 'slack_1', 8), 'slack_1')).toBe('skipped')
})

it('a check waits after a click, however the clock is changed', () => {
  expect(mayCheck(checkedWalk(all), 0)).toBe(true)
  expect([IN_FLIGHT_MS - 1, IN_FLIGHT_MS].map((now) => mayCheck(afterClick(), now))).toEqual([false, true])
  // The clock was set back, or the record has a future click.
  expect(mayCheck(afterClick(), -IN_FLIGHT_MS)).toBe(true)
  expect(mayCheck(afterReturn(), 1_001)).toBe(true)
})

it.each([
  [[], 'slack_2', true],
  [['slack'], 'slack_12', true],
  [['slack_1'], 'slack_12', false],
  [['sla'], 'slack_2', false],
  [['slack_eu'], 'slack_1_eu', false],
])('a visit narrowed to %j shows %s: %s', (only, instance, isShown) => {
  expect(inScope({ only }, instance)).toBe(isShown)
})

it('a visit counts its own apps, also those connected during the visit', () => {
  expect(progress(checkedWalk([drive], checkedWalk(all), 1), 1)).toEqual({ connected: 2, total: 3 })
  expect(progress({ ...checkedWalk(all), visit: { only: ['slack_1'] } }, 0)).toEqual({
    connected: 0,
    total: 1,
  })
})

it('a walk with too many apps forgets the first connected ones, never a waiting one', () => {
  const many = Array.from({ length: 2_001 }, (_, index) => listedApp(`a${index}_1`))
  expect(checkedWalk(many).known).toHaveLength(2_001)
  const half = checkedWalk(many.slice(1_000), checkedWalk(many.slice(0, 2_000)), 1)
  expect(half.known).toHaveLength(2_000)
  expect(half.known[0]?.instance).toBe('a1_1')
})

it('repeating a response doesn’t change the walk', () => {
  const connected = checkedWalk([github], checkedWalk(all), 1)
  expect(checkedWalk([github], connected, 2)).toEqual(connected)
  expect(checkedWalk([{ ...github, name: 'Code' }], connected, 2).known[1]?.name).toBe('Code')
  expect(checkedWalk([{ ...github, status: 'stale' }], connected, 2).known[1]?.status).toBe('stale')
  expect(checkedWalk([drive], connected, 2).known.map(({ status }) => status)).toEqual([
    'connected',
    'connected',
    'awaiting',
  ])
  expect(checkedWalk([], connected, 2).known[0]?.connectedAt).toBe(1)
})
