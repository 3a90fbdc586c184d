import { describe, expect, it } from 'vitest'
import { passageOfClick, passageOfReturn, type Question } from '../../src/onboarding/passage.ts'
import { attemptOf, mayAsk, returned } from '../../src/onboarding/attempts.ts'
import { newsOf, next } from '../../src/onboarding/course.ts'
import { startWalk, type Attempt, type Waiting, type Walk } from '../../src/onboarding/walk.ts'

const app = (instance: string, status: Waiting['status'] = 'awaiting'): Waiting => ({
  instance,
  name: instance,
  status,
})
const question = (waiting: Waiting[], more: Partial<Question> = {}): Question => ({
  now: 1_000,
  confirmSeconds: 30,
  step: 'new',
  waiting,
  isStartable: () => true,
  hasNotes: () => false,
  ...more,
})
const both = [app('slack_1'), app('github_1')]
const click = (waiting = both, wanted?: string, more: Partial<Question> = {}) =>
  passageOfClick(startWalk(0), question(waiting, { step: 's1', ...more }), wanted)

describe('a click on connect', () => {
  it('leaves for what comes next, under the step id that the service was asked with', () => {
    const passage = click()
    expect(passage).toMatchObject({ kind: 'leave', instance: 'slack_1' })
    expect(attemptOf(passage.walk, 's1')).toMatchObject({ instance: 'slack_1', departedAt: 1_000 })
  })

  it('leaves for the one that was clicked', () => {
    expect(click(both, 'github_1')).toMatchObject({ kind: 'leave', instance: 'github_1' })
  })

  it('leads to the list where nothing waits', () => {
    expect(click([])).toMatchObject({ kind: 'overview' })
  })

  it.each(['other_1', '__proto__', 'constructor', '../slack_1', 'x'.repeat(10_000)])(
    'on what was never listed (%.20s) is unknown',
    (wanted) => {
      expect(click(both, wanted).kind).toBe('unknown')
    },
  )

  it('on what is switched off goes nowhere', () => {
    expect(click([app('slack_1', 'disabled')], 'slack_1')).toMatchObject({
      kind: 'overview',
      from: 'slack_1',
    })
  })

  it('on what was connected in the meantime says so', () => {
    const { walk } = click()
    expect(passageOfClick(walk, question([app('github_1')]), 'slack_1')).toMatchObject({
      kind: 'overview',
      from: 'slack_1',
    })
  })

  it('that names none passes over what has no address, and goes on while another is being confirmed', () => {
    const isStartable = (instance: string) => instance !== 'slack_1'
    expect(click(both, undefined, { isStartable })).toMatchObject({ kind: 'leave', instance: 'github_1' })
    const back = { step: 's1', instance: 'slack_1', advances: true }
    const { walk } = passageOfReturn(click().walk, question(both), back)
    const then = passageOfClick(walk, question(both, { step: 's2' }), undefined)
    expect(then).toMatchObject({ kind: 'leave', instance: 'github_1' })
    expect(passageOfClick(walk, question([app('slack_1')]), undefined)).toMatchObject({ kind: 'overview' })
  })

  it('that names none leads to the list where nothing that is left has an address', () => {
    expect(click(both, undefined, { isStartable: () => false })).toMatchObject({ kind: 'overview' })
  })

  it('on what has no address to go to departs nowhere', () => {
    const passage = click(both, 'slack_1', { isStartable: () => false })
    expect(passage).toMatchObject({ kind: 'unstartable', instance: 'slack_1' })
    expect(passage.walk.attempts).toEqual([])
  })
})

describe('a return that two servers judge at once', () => {
  it('leaves once: the one that writes later leads to the list', () => {
    const apps = [...both, app('gdrive_1')]
    const back = { step: 's1', instance: 'slack_1', advances: true }
    const first = passageOfReturn(click(apps).walk, question(apps.slice(1), { step: 's2' }), back)
    expect(first).toMatchObject({ kind: 'leave', instance: 'github_1' })
    const later = passageOfReturn(first.walk, question(apps.slice(1), { step: 's3' }), back)
    expect(later).toMatchObject({ kind: 'page', from: 'slack_1' })
    expect(later.walk).toEqual(first.walk)
  })
})

describe('a return', () => {
  const back = { step: 's1', instance: 'slack_1', advances: true }

  it('goes straight on when the service shows the consent', () => {
    const passage = passageOfReturn(click().walk, question([app('github_1')]), back)
    expect(passage).toMatchObject({ kind: 'leave', instance: 'github_1' })
    expect(attemptOf(passage.walk, 's1')).toBeUndefined()
    expect(attemptOf(passage.walk, 'new')).toMatchObject({ instance: 'github_1' })
  })

  it('goes to the list where a page is wanted in between', () => {
    const passage = passageOfReturn(click().walk, question([app('github_1')]), { ...back, advances: false })
    expect(passage).toMatchObject({ kind: 'page', from: 'slack_1' })
    expect(passage.walk.attempts).toHaveLength(1)
  })

  it('waits while the service still lists it, and starts nothing', () => {
    const passage = passageOfReturn(click().walk, question(both), back)
    expect(passage.kind).toBe('page')
    expect(passage.walk.attempts).toHaveLength(1)
  })

  it('gives up after the time to confirm, tells so, and starts nothing', () => {
    const waiting = passageOfReturn(click().walk, question(both), back).walk
    const passage = passageOfReturn(waiting, question(both, { now: 31_000 }), back)
    expect(passage).toMatchObject({ kind: 'page', from: 'slack_1' })
    expect(passage.walk.known[0]).toMatchObject({ unconfirmedAt: 31_000 })
    expect(passage.walk.attempts).toHaveLength(1)
  })

  it('is waited for no longer because the page looks again', () => {
    const looks = [1_000, 11_000, 21_000, 30_999]
    const waited = looks.reduce((walk, now) => {
      const passage = passageOfReturn(walk, question(both, { now }), back)
      expect(passage.kind).toBe('page')
      return passage.walk
    }, click().walk)
    const passage = passageOfReturn(waited, question(both, { now: 31_000 }), back)
    expect(passage).toMatchObject({ kind: 'page', from: 'slack_1' })
  })

  it('that says it failed is asked about, not believed, and not waited for', () => {
    const refused = { ...back, isRefused: true }
    const listed = passageOfReturn(click().walk, question(both), refused)
    expect(listed).toMatchObject({ kind: 'page', from: 'slack_1' })
    expect(listed.walk.known[0]).toMatchObject({ unconfirmedAt: 1_000 })
    const gone = passageOfReturn(click().walk, question([app('github_1')]), refused)
    expect(gone).toMatchObject({ kind: 'leave', instance: 'github_1' })
  })

  it('goes on past a datasource that has no address to go to', () => {
    const waiting = [app('github_1'), app('gdrive_1')]
    const isStartable = (instance: string) => instance !== 'github_1'
    expect(passageOfReturn(click().walk, question(waiting, { isStartable }), back)).toMatchObject({
      kind: 'leave',
      instance: 'gdrive_1',
    })
  })
})

describe('what comes of a return, for the audit log', () => {
  const back = { step: 's1', instance: 'slack_1', advances: true }
  const looked = (before: Walk, now: number, waiting = both) => {
    const attempt = attemptOf(before, 's1') as Attempt
    const after = passageOfReturn(before, question(waiting, { now }), back).walk
    return { after, news: newsOf(before, after, attempt, now) }
  }

  it('is logged once while it is waited for, however often the page looks again', () => {
    const first = looked(click().walk, 2_000)
    expect(first.news).toBe('waiting')
    const second = looked(first.after, 4_000)
    expect(second.news).toBeUndefined()
    expect(looked(second.after, 9_000).news).toBeUndefined()
  })

  it('is logged again when it has changed', () => {
    const { after } = looked(click().walk, 2_000)
    expect(looked(after, 4_000, [app('github_1')]).news).toBe('connected')
    expect(looked(after, 32_000).news).toBe('unconfirmed')
  })
})

describe('a return that leads on by itself', () => {
  const back = { step: 's1', instance: 'slack_1', advances: true }
  const onwards = (waiting: Waiting[], more: Partial<Question> = {}) =>
    passageOfReturn(click([app('slack_1'), ...waiting]).walk, question(waiting, more), back)

  it('leads to the app that the page would offer', () => {
    const waiting = [app('odd_1', 'attention'), app('github_1')]
    const passage = onwards(waiting)
    expect(passage).toMatchObject({ kind: 'leave', instance: 'github_1' })
    expect(next(onwards(waiting, { hasNotes: () => true }).walk, 1_000)).toMatchObject({
      kind: 'connect',
      instance: 'github_1',
    })
  })

  it('pauses before an app of which the company says what to heed', () => {
    const hasNotes = (instance: string) => instance === 'github_1'
    expect(onwards([app('github_1')], { hasNotes })).toMatchObject({ kind: 'page', from: 'slack_1' })
    expect(onwards([app('jira_1')], { hasNotes })).toMatchObject({ kind: 'leave', instance: 'jira_1' })
  })

  it('ends on a page made of the same answer', () => {
    expect(onwards([])).toMatchObject({ kind: 'page', from: 'slack_1' })
  })
})

describe('the attempt that a return ends', () => {
  it('is the one that was left for last, where the return has lost its query or names none that is known', () => {
    const { walk } = click()
    for (const step of [undefined, '', 'unknown'])
      expect(attemptOf(walk, step)).toMatchObject({ step: 's1', instance: 'slack_1' })
  })

  it('is none where what the person left for has come back already', () => {
    const back = returned(click().walk, 's1', 2_000)
    expect(attemptOf(back, undefined)).toBeUndefined()
    expect(attemptOf(back, 's1')).toMatchObject({ returnedAt: 2_000 })
    expect(mayAsk(back, 2_001)).toBe(true)
  })
})
