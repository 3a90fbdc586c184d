// Pure decisions of walk.ts: checks, attempts, returns and set-aside apps.
import { expect, it } from 'vitest'
import {
  applyCheck,
  block,
  decline,
  findReturn,
  finishReturn,
  inScope,
  markReturned,
  mayCheck,
  skip,
  newWalk,
  unblock,
  unskip,
  withLapses,
  type StartedApp,
  type UnconnectedApp,
} from '../../src/onboarding/walk.ts'
import { listedApp } from './overview-pages.ts'
import {
  walkAfterClick,
  walkAfterReturn,
  all,
  checkedWalk,
  drive,
  github,
  IN_FLIGHT_MS,
  kindOf,
  leave,
  nextOf,
  slack,
} from './walks.ts'

const finishSlack = (unconnected: UnconnectedApp[], hasError = false) =>
  finishReturn(checkedWalk(unconnected, walkAfterClick(), 5), 's1', 5, hasError)

it('a return counts as connected only when the service no longer lists the app', () => {
  expect(finishSlack([github, drive]).outcome).toBe('connected')
  expect(finishSlack([github, drive], true).outcome).toBe('connected')
  expect(finishSlack(all).outcome).toBe('still-listed')
})

it('a return is evaluated once, by the status of its own app', () => {
  const both = checkedWalk([slack], leave(walkAfterClick(), 'github_1', 's2'))
  const { walk, outcome } = finishReturn(both, 's2', 0)
  expect(outcome).toBe('connected')
  expect(finishReturn(walk, 's2', 0)).toEqual({ walk, outcome: 'over' })
  expect(finishReturn(walk, 's1', 0).outcome).toBe('still-listed')
  expect(finishReturn(walk, 'of someone else', 0)).toEqual({ walk, outcome: 'over' })
})

const leftTwice = leave(walkAfterClick(), 'slack_1', 's2', 1)

it.each([
  ['belongs to the open attempt', walkAfterClick(), 's1', 's1'],
  ['belongs to the attempt after an earlier return', walkAfterReturn(), 's1', 's1'],
  ['belongs to the newer of two attempts', leftTwice, 's2', 's2'],
  ['with a replaced step belongs to the newer attempt', leftTwice, 's1', 's2'],
  // A waiting page polls with the former step.
  ['with a returned step isn’t a newer one’s', leave(walkAfterReturn(), 'slack_1', 's2', 1), 's1', undefined],
  ['with a step replaced twice is ignored', leave(leftTwice, 'slack_1', 's3', 2), 's1', undefined],
  ['belongs to its app beside another one', leave(walkAfterClick(), 'github_1', 's2', 1), 's1', 's1'],
  ['without a step is ignored', leftTwice, undefined, undefined],
  ['with an empty step is ignored', leftTwice, '', undefined],
  ['with an unknown step is ignored', leftTwice, 'unknown', undefined],
  ['without a step is ignored after one click', walkAfterClick(), undefined, undefined],
  ['with an error belongs to the open attempt', walkAfterClick(), 's1', 's1', true],
  ['with an error of a replaced step is ignored', leftTwice, 's1', undefined, true],
])('a return %s', (_title, walk, step, found, hasError = false) => {
  expect(findReturn(walk, step, hasError)?.attempt.step).toBe(found)
})

it('a return with a finished step is ignored, and replaces no other tab’s return', () => {
  const connected = finishReturn(checkedWalk([github, drive], walkAfterClick(), 5), 's1', 5).walk
  expect(findReturn(leave(connected, 'github_1', 's2', 6), 's1')).toBeUndefined()
  expect(findReturn(leave(connected, 'github_1', 's2', 6), 's2')).toMatchObject({ instance: 'github_1' })
})

it.each([
  ['wait for a click that requests its path', 0, false],
  ['wait for such a click for fifteen seconds', 14_999, false],
  ['wait no longer than fifteen seconds for it', 15_000, true],
  ['wait for it by a clock set back by less', -14_999, false],
  ['don’t wait by a clock set back by fifteen seconds', -15_000, true],
])('checks %s', (_title, later, isAllowed) => {
  const leaving = { ...checkedWalk(all), leavingAt: 100_000 }
  expect(mayCheck(leaving, 100_000 + later)).toBe(isAllowed)
})

it('a new walk is checked, also while a click requests its path', () => {
  expect(mayCheck({ ...newWalk(0), leavingAt: 100_000 }, 100_000)).toBe(true)
})

it('a return is recorded before its check', () => {
  const returnedWalk = markReturned(walkAfterClick(), findReturn(walkAfterClick(), 's1') as StartedApp, 2_000)
  expect(findReturn(returnedWalk, 's1')).toMatchObject({ attempt: { backAt: 2_000, checksSinceReturn: 0 } })
  expect(mayCheck(returnedWalk, 2_001)).toBe(true)
  expect(markReturned(returnedWalk, findReturn(returnedWalk, 's1') as StartedApp, 3_000)).toEqual(
    returnedWalk,
  )
})

it('a reconnected app that is listed again is offered anew, not called unconfirmed', () => {
  const relistedWalk = checkedWalk(all, checkedWalk([github, drive], walkAfterReturn(), 2_000), 3_600_000)
  expect(nextOf(relistedWalk, 3_600_000)).toEqual({ kind: 'connect', instance: 'slack_1' })
  expect(relistedWalk.apps[0]).toMatchObject({
    status: 'awaiting',
    attempt: undefined,
    unconfirmedAt: undefined,
  })
})

it('a return counts although another tab found the app connected', () => {
  const relistedWalk = checkedWalk(all, checkedWalk([github, drive], walkAfterClick(), 2), 3)
  expect(findReturn(relistedWalk, 's1')).toMatchObject({ instance: 'slack_1' })
})

const DECLINED_AT = 2_000
const declinedWalk = () => decline(walkAfterReturn(), 'slack_1', DECLINED_AT)

it('a declined app is no longer being confirmed', () => {
  expect(nextOf(declinedWalk(), DECLINED_AT)).toMatchObject({ kind: 'unconfirmed', instance: 'slack_1' })
  expect(declinedWalk().apps[0]?.attempt).toMatchObject({ isOver: true, isDeclined: true })
})

it('a declined app can be started again', () => {
  const again = leave(declinedWalk(), 'slack_1', 's2', DECLINED_AT + 1)
  expect(again.apps[0]?.attempt?.isDeclined).toBeUndefined()
})

it('a declined app that the service no longer lists is connected', () => {
  const checked = checkedWalk([github, drive], declinedWalk(), DECLINED_AT + 1)
  expect(kindOf(checked, 'slack_1')).toBe('connected')
})

it('declining has no effect unless the app is being confirmed', () => {
  for (const walk of [checkedWalk(all), walkAfterClick(), checkedWalk([github, drive], walkAfterReturn(), 2)])
    expect(decline(walk, 'slack_1', 3)).toEqual(walk)
})

it('“not now” lasts until it is undone, or the person connects the app after all', () => {
  const skipped = skip(checkedWalk(all), 'slack_1', 1)
  expect(nextOf(checkedWalk(all, skipped, 99_000), 99_000)).toEqual({ kind: 'connect', instance: 'github_1' })
  expect(nextOf(unskip(skipped, 'slack_1'), 2)).toEqual({ kind: 'connect', instance: 'slack_1' })
  expect(leave(skipped, 'slack_1', 's', 2).apps[0]?.skippedAt).toBeUndefined()
})

it('setting an app aside ends the wait for that app only', () => {
  const both = finishReturn(leave(walkAfterReturn(), 'github_1', 's2', 2), 's2', 3).walk
  const skipped = skip(both, 'slack_1', 4)
  expect(kindOf(skipped, 'slack_1')).toBe('skipped')
  expect(kindOf(skipped, 'github_1')).toBe('confirming')
  expect(kindOf(unskip(skipped, 'slack_1'), 'slack_1')).toBe('unconnected')
})

it('the return of an app skipped while open in another tab still counts', () => {
  const skipped = skip(walkAfterClick(), 'slack_1', 1)
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
  expect(blocked.apps[0]?.blockedAt).toBe(7)
  expect(kindOf(unblock(blocked, 'slack_1'), 'slack_1')).toBe('unconnected')
  expect(kindOf(skip(blocked, 'slack_1', 8), 'slack_1')).toBe('skipped')
})

it('a check waits fifteen seconds after a click, in either direction of the clock', () => {
  const times = [-IN_FLIGHT_MS, 1 - IN_FLIGHT_MS, IN_FLIGHT_MS - 1, IN_FLIGHT_MS]
  expect(times.map((at) => mayCheck(walkAfterClick(), at))).toEqual([true, false, false, true])
})

it('a check waits neither before a click nor after a return', () => {
  expect(mayCheck(checkedWalk(all), 0)).toBe(true)
  expect(mayCheck(walkAfterReturn(), 1_001)).toBe(true)
})

it.each([
  [[], 'shows', 'slack_2', true],
  [['slack'], 'shows', 'slack_12', true],
  [['slack_1'], 'doesn’t show', 'slack_12', false],
  [['sla'], 'doesn’t show', 'slack_2', false],
  [['slack_eu'], 'doesn’t show', 'slack_1_eu', false],
])('a visit narrowed to %j %s the app %s', (only, _title, instance, isShown) => {
  expect(inScope({ datasources: only }, instance)).toBe(isShown)
})

it('a walk with too many apps forgets only connected ones, the first ones first', () => {
  const many = Array.from({ length: 2_001 }, (_, index) => listedApp(`a${index}_1`))
  expect(checkedWalk(many).apps).toHaveLength(2_001)
  const half = checkedWalk(many.slice(1_000), checkedWalk(many.slice(0, 2_000)), 1)
  expect(half.apps).toHaveLength(2_000)
  expect(half.apps[0]?.instance).toBe('a1_1')
})

it('a repeated response doesn’t change the walk', () => {
  const connected = checkedWalk([github], checkedWalk(all), 1)
  expect(checkedWalk([github], connected, 2)).toEqual(connected)
})

it('another response changes what it says about an app, and nothing else', () => {
  const connected = checkedWalk([github], checkedWalk(all), 1)
  expect(checkedWalk([{ ...github, name: 'Code' }], connected, 2).apps[1]?.name).toBe('Code')
  expect(checkedWalk([{ ...github, status: 'stale' }], connected, 2).apps[1]?.status).toBe('stale')
  expect(checkedWalk([drive], connected, 2).apps.map(({ status }) => status)).toEqual([
    'connected',
    'connected',
    'awaiting',
  ])
  expect(checkedWalk([], connected, 2).apps[0]?.connectedAt).toBe(1)
})

it.each<[string, ReadonlyMap<string, number> | undefined, object]>([
  ['keeps the time of its connection without a record', undefined, { connectedAt: 2 }],
  ['wasn’t lost if the record has no loss', new Map(), { connectedAt: undefined, lapsedAt: undefined }],
  ['was lost at the time in the record', new Map([['slack_1', 7]]), { connectedAt: undefined, lapsedAt: 7 }],
])('an app that is listed again %s', (_title, lapses, expected) => {
  const known = applyCheck(newWalk(1), [slack, github], 1, 90)
  const connected = applyCheck(known, [github], 2, 90)
  const again = applyCheck(connected, [slack, github], 3, 90)
  const [first, second] = withLapses(again, lapses).apps
  expect(first).toMatchObject({ instance: 'slack_1', status: 'awaiting', ...expected })
  expect(second).toMatchObject({ instance: 'github_1', firstSeen: 1 })
  expect(withLapses(connected, lapses).apps[0]).toMatchObject({ status: 'connected', connectedAt: 2 })
})

it.each([
  ['stay if several apps leave the list and empty it', all, [], ['skipped', 'blocked']],
  ['end with a list that has other apps', all, [drive], ['unconnected', 'unconnected']],
  ['end with the only app', [slack], [], ['unconnected', 'unconnected']],
])('choices %s', (_title, listedApps, unconnected, kinds) => {
  const chosenWalk = block(skip(checkedWalk(listedApps), 'slack_1', 1), 'github_1', 1)
  const walk = checkedWalk(all, checkedWalk(unconnected, chosenWalk))
  expect([kindOf(walk, 'slack_1'), kindOf(walk, 'github_1')]).toEqual(kinds)
})

it('a wait for a consent ends with an empty list', () => {
  const unconfirmedWalk = checkedWalk(all, walkAfterReturn(), 60_000)
  expect(kindOf(unconfirmedWalk, 'slack_1')).toBe('unconfirmed')
  expect(kindOf(checkedWalk(all, checkedWalk([], unconfirmedWalk)), 'slack_1')).toBe('unconnected')
})
