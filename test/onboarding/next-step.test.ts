// Pure decisions of next-step.ts: the app or the pause that follows, also after an automatic return.
import { expect, it } from 'vitest'
import { automaticNext, walkStates } from '../../src/onboarding/next-step.ts'
import { findReturn, finishReturn, skip, startConsent, type Walk } from '../../src/onboarding/walk.ts'
import { listedApp } from './overview-pages.ts'
import {
  walkAfterClick,
  walkAfterReturn,
  all,
  checkedWalk,
  drive,
  github,
  IN_FLIGHT_MS,
  leave,
  nextOf,
  slack,
} from './walks.ts'

// prettier-ignore
it.each<[string, Walk, number, object]>([
  ['the first app that the service lists', checkedWalk(all), 0, { kind: 'connect', instance: 'slack_1' }],
  ['none if the service lists no app', checkedWalk([]), 0, { kind: 'finished' }],
  ['another app while the person is at the first one', walkAfterClick(), 1_000, { kind: 'connect', instance: 'github_1' }],
  ['the first app if the person never returned', walkAfterClick(), IN_FLIGHT_MS, { kind: 'connect', instance: 'slack_1' }],
  ['never a disabled app', checkedWalk([listedApp('a', 'disabled')]), 0, { kind: 'finished' }],
  ['a stale app', checkedWalk([listedApp('a', 'stale')]), 0, { kind: 'connect', instance: 'a' }],
  ['never an app without an address', checkedWalk([listedApp('a', 'attention'), listedApp('b')]), 0, { kind: 'connect', instance: 'b' }],
  [
    'none if only an app without an address is left',
    skip(checkedWalk([listedApp('a', 'attention'), listedApp('b')]), 'b', 1),
    1,
    { kind: 'finished' },
  ],
])('the next step is %s', (_title, walk, now, next) => {
  expect(nextOf(walk, now)).toEqual(next)
})

it.each([
  ['in five seconds', 0, 5, all],
  ['in five seconds if no other app is left', 0, 5, [slack]],
  ['in five seconds for a minute', 59_999, 5, all],
  ['in thirty seconds after a minute', 60_000, 30, all],
  ['in five seconds by a clock set back by less than a minute', -59_999, 5, all],
  ['in thirty seconds by a clock set back by a minute', -60_000, 30, all],
])('after an unconfirmed return, the next check is %s', (_title, ms, nextPollSeconds, listed) => {
  const polling = { nextPollSeconds, frequentPollingUntil: 61_000 }
  expect(nextOf(walkAfterReturn(listed), 1_000 + ms)).toMatchObject({ kind: 'confirming', ...polling })
})

it('the next step is the person’s decision once the time to confirm is over', () => {
  expect(nextOf(checkedWalk(all, walkAfterReturn(), 30_999), 30_999).kind).toBe('confirming')
  const over = checkedWalk(all, walkAfterReturn(), 31_000)
  expect(nextOf(over, 31_000)).toEqual({ kind: 'unconfirmed', instance: 'slack_1', otherApp: 'github_1' })
  expect(findReturn(over, 's1')).toBeUndefined()
})

it('the next step waits for the last visible return, and delays no other app', () => {
  expect(nextOf(walkAfterReturn(), 1_000)).toMatchObject({
    kind: 'confirming',
    instance: 'slack_1',
    otherApp: 'github_1',
  })
  const both = finishReturn(leave(walkAfterReturn(), 'github_1', 's2', 2_000), 's2', 3_000).walk
  expect(nextOf(both, 3_000)).toMatchObject({
    kind: 'confirming',
    instance: 'github_1',
    otherApp: 'gdrive_1',
  })
  expect(nextOf({ ...both, apps: both.apps.toReversed() }, 3_000)).toMatchObject({ instance: 'github_1' })
  const narrowed = { ...both, visit: { datasources: ['slack'] } }
  expect(nextOf(narrowed, 3_000)).toMatchObject({ kind: 'confirming', instance: 'slack_1', step: 's1' })
})

it('the next step doesn’t wait for an app that the service has disabled', () => {
  expect(
    nextOf(checkedWalk([listedApp('slack_1', 'disabled')], walkAfterReturn([slack]), 2_000), 2_000),
  ).toEqual({ kind: 'finished' })
})

const automaticNextOf = (walk: Walk, now: number, can: (instance: string) => boolean = () => true) =>
  automaticNext(walkStates(walk, now), can)
const connectedWalk = finishReturn(checkedWalk([github, drive], walkAfterClick(), 5), 's1', 5).walk

it('an automatic return leads to the next app that was never started', () => {
  expect(automaticNextOf(connectedWalk, 6)).toBe('github_1')
  expect(automaticNextOf(connectedWalk, 6, (instance) => instance !== 'github_1')).toBe('gdrive_1')
  expect(automaticNextOf(skip(connectedWalk, 'github_1', 6), 6)).toBe('gdrive_1')
  expect(automaticNextOf(leave(connectedWalk, 'github_1', 's2', 6), 6)).toBe('gdrive_1')
  const abandoned = leave(walkAfterClick(), 'github_1', 's2', IN_FLIGHT_MS)
  expect(automaticNextOf(abandoned, 2 * IN_FLIGHT_MS)).toBe('gdrive_1')
  expect(automaticNext(walkStates(checkedWalk(all), 0), () => true, 'slack_1')).toBe('github_1')
})

it('an automatic return doesn’t restart a reconnected app after the same click', () => {
  const relistedWalk = checkedWalk(
    [slack],
    finishReturn(checkedWalk([], walkAfterClick([slack]), 5), 's1', 5).walk,
    6,
  )
  expect(automaticNextOf(relistedWalk, 6)).toBeUndefined()
  const clicked = leave(checkedWalk([slack, github], relistedWalk, 7), 'github_1', 's2', 7)
  expect(automaticNextOf(clicked, 7)).toBe('slack_1')
  const startedAutomatically = startConsent(clicked, {
    instance: 'slack_1',
    step: 's3',
    now: 8,
    isAutomatic: true,
  })
  expect(startedAutomatically.clicks).toBe(clicked.clicks)
})
