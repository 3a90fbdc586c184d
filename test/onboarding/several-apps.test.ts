// What is done with one app leaves the others as they are: leaving, returns, news and where it goes on, with several apps.
import { describe, expect, it } from 'vitest'
import { attemptOf, comeBack, depart } from '../../src/onboarding/attempts.ts'
import { newsOf, next, onward, standingIn } from '../../src/onboarding/course.ts'
import { passageOfClick, passageOfReturn, type Question } from '../../src/onboarding/passage.ts'
import { withVisit } from '../../src/onboarding/paths.ts'
import { skip } from '../../src/onboarding/set-aside.ts'
import { inScope, type Attempt, type Walk } from '../../src/onboarding/walk.ts'
import { CONFIRM, drive, github, NOW, seen, slack } from './seen.ts'

const leave = (walk: Walk, instance: string, step: string, now = NOW) => depart(walk, { instance, step, now })
const backFrom = (walk: Walk, step: string) => comeBack(walk, step, NOW).walk
const kindOf = (walk: Walk, instance: string) =>
  walk.known
    .filter((entry) => entry.instance === instance)
    .map((entry) => standingIn(walk, entry, NOW).kind)[0]
const attemptIn = (walk: Walk, step: string) => attemptOf(walk, step) as Attempt
const isStartable = () => true

/** Back from both, and neither is confirmed yet. */
const bothBack = backFrom(
  backFrom(leave(leave(seen([slack, github]), 'slack_1', 'one'), 'github_1', 'two'), 'one'),
  'two',
)

describe('with several apps', () => {
  it('leaving for one again ends its earlier return, and not another’s', () => {
    const walk = leave(bothBack, 'slack_1', 'three')
    expect([kindOf(walk, 'slack_1'), kindOf(walk, 'github_1')]).toEqual(['elsewhere', 'confirming'])
    expect(attemptOf(walk, 'one')).toBeUndefined()
    expect(attemptOf(walk, 'two')).toMatchObject({ instance: 'github_1', returnedAt: NOW })
    expect(walk.attempts.map(({ step }) => step)).toEqual(['one', 'two', 'three'])
  })

  it('“not now” ends the return from that one alone', () => {
    const walk = skip(bothBack, 'slack_1', NOW)
    expect([kindOf(walk, 'slack_1'), kindOf(walk, 'github_1')]).toEqual(['skipped', 'confirming'])
  })

  it('“not now” counts at once while that one is open in another tab', () => {
    const walk = skip(leave(seen([slack, github]), 'slack_1', 'one', NOW), 'slack_1', NOW)
    expect(kindOf(walk, 'slack_1')).toBe('skipped')
    expect(kindOf(leave(walk, 'slack_1', 'two'), 'slack_1')).toBe('elsewhere')
  })

  it('a return is judged by its own app', () => {
    const left = leave(leave(seen([slack, github]), 'slack_1', 'one'), 'github_1', 'two')
    const walk = seen([slack], left)
    expect(comeBack(walk, 'two', NOW).outcome).toBe('connected')
    expect(comeBack(walk, 'one', NOW).outcome).toBe('waiting')
    expect(comeBack(walk, 'of someone else', NOW)).toEqual({ walk, outcome: 'unconfirmed' })
  })

  it('what is new of a return is its own app’s news', () => {
    const left = leave(leave(seen([slack, github]), 'slack_1', 'one'), 'github_1', 'two')
    const after = backFrom(seen([slack], left), 'two')
    expect(newsOf(left, after, attemptIn(left, 'two'), NOW)).toBe('connected')
    expect(newsOf(left, after, attemptIn(left, 'one'), NOW)).toBe('waiting')
    expect(newsOf(after, after, attemptIn(left, 'two'), NOW)).toBeUndefined()
  })

  it('the page waits for the last return that it shows', () => {
    expect(next(bothBack, NOW)).toMatchObject({ kind: 'wait', instance: 'github_1', step: 'two' })
    const narrowed = { ...bothBack, visit: { only: ['slack'] } }
    expect(next(narrowed, NOW)).toMatchObject({ kind: 'wait', instance: 'slack_1', step: 'one' })
  })

  it('what was left for by an earlier click isn’t left for again without one', () => {
    const walk = seen(
      [github, drive],
      leave(leave(seen([slack, github, drive]), 'github_1', 'one'), 'slack_1', 'two'),
    )
    expect(onward(walk, NOW, isStartable)).toBe('gdrive_1')
  })

  it('a walk of an earlier version, which counted no clicks, goes on too', () => {
    const left = leave(seen([slack, github]), 'slack_1', 'one')
    expect(onward({ ...seen([github], left), clicks: undefined }, NOW, isStartable)).toBe('github_1')
  })

  it('a changed name of one is taken in', () => {
    const walk = seen([slack, { ...github, name: 'Code' }], seen([slack, github]))
    expect(walk.known.map(({ name }) => name)).toEqual(['Slack', 'Code'])
  })

  it('a visit is narrowed by the kind at the end of the name alone', () => {
    expect(inScope({ only: ['slack'] }, 'slack_12')).toBe(true)
    expect(inScope({ only: ['slack_eu'] }, 'slack_1_eu')).toBe(false)
  })

  it('a visit to more apps than before is another visit', () => {
    const walk = withVisit(seen([slack, github]), { only: ['slack'] })
    expect(withVisit(walk, { only: ['slack', 'github'] }).visit.only).toEqual(['slack', 'github'])
  })
})

describe('going on', () => {
  const question = (step: string, waiting = [slack, github]): Question => ({
    now: NOW,
    confirmSeconds: CONFIRM,
    step,
    waiting,
    isStartable,
    hasNotes: () => false,
  })

  it('without a click counts as no click', () => {
    const left = passageOfClick(seen([]), question('one'), undefined).walk
    const back = { step: 'one', instance: 'slack_1', advances: true }
    const passage = passageOfReturn(left, question('two', [github]), back)
    expect(passage).toMatchObject({ kind: 'leave', instance: 'github_1' })
    expect([left.clicks, passage.walk.clicks]).toEqual([1, 1])
  })

  it('with a click on no app leads to one whose consent never showed, where nothing else is left', () => {
    const now = NOW + CONFIRM * 1000
    const late = seen([slack], backFrom(leave(seen([slack]), 'slack_1', 'one'), 'one'), now)
    const click = passageOfClick(late, { ...question('two', [slack]), now }, undefined)
    expect(click).toMatchObject({ kind: 'leave', instance: 'slack_1' })
  })
})
