import { describe, expect, it } from 'vitest'
import { next, onward } from '../../src/onboarding/course.ts'
import { skip, unskip } from '../../src/onboarding/set-aside.ts'
import { attemptOf, comeBack, depart, mayAsk } from '../../src/onboarding/attempts.ts'
import { IN_FLIGHT_MS, inScope, observe, shown, startWalk, type Waiting } from '../../src/onboarding/walk.ts'
import { progress } from './progress.ts'

const app = (instance: string, status: Waiting['status'] = 'awaiting'): Waiting => ({
  instance,
  name: instance,
  status,
})
const [slack, github, drive] = [app('slack_1'), app('github_1'), app('gdrive_1')]
const all = [slack, github, drive]
const begun = (waiting: Waiting[] = all) => observe(startWalk(0), waiting, 0, 30)
const left = (instance = 'slack_1', waiting = all) => depart(begun(waiting), { instance, step: 's1', now: 0 })
const yes = () => true

describe('what comes next', () => {
  it('is the first datasource that the service lists', () => {
    expect(next(begun(), 0)).toEqual({ kind: 'connect', instance: 'slack_1' })
  })

  it('is nothing where the service lists nothing', () => {
    expect(next(begun([]), 0)).toEqual({ kind: 'finished' })
  })

  it('is another one while the person is on the way to the first', () => {
    expect(next(left(), 1_000)).toEqual({ kind: 'connect', instance: 'github_1' })
  })

  it('is the first again when nobody came back from it', () => {
    expect(next(left(), IN_FLIGHT_MS)).toEqual({ kind: 'connect', instance: 'slack_1' })
  })

  it('is never one that is switched off', () => {
    expect(next(begun([app('a', 'disabled')]), 0)).toEqual({ kind: 'finished' })
  })

  it('is one without an address after all the others, because it is not connected either', () => {
    const walk = begun([app('a', 'attention'), app('b')])
    expect(next(walk, 0)).toEqual({ kind: 'connect', instance: 'b' })
    expect(next(skip(walk, 'b', 1), 1)).toEqual({ kind: 'connect', instance: 'a' })
  })

  it('is one whose permission has run out', () => {
    expect(next(begun([app('a', 'stale')]), 0)).toEqual({ kind: 'connect', instance: 'a' })
  })

  it('is to wait, a little longer each time, after a return that does not show', () => {
    const waitsWith = (listed: Waiting[]) => {
      let walk = depart(begun(listed), { instance: 'a', step: 's1', now: 0 })
      const waits: number[] = []
      for (let look = 0; look < 6; look++) {
        walk = comeBack(observe(walk, listed, 1_000, 90), 's1', 1_000).walk
        const where = next(walk, 1_000)
        if (where.kind === 'wait') waits.push(where.lookAgainSeconds)
      }
      return waits
    }
    expect(waitsWith([app('a')])).toEqual([2, 5, 10, 20, 30, 30])
    // Another app is offered, and its return looks as well.
    expect(waitsWith([app('a'), app('b')])).toEqual([3, 10, 20, 30, 30, 30])
  })

  it('is for the person to decide once the time to confirm is over', () => {
    const waiting = comeBack(left(), 's1', 1_000).walk
    expect(next(observe(waiting, all, 30_999, 30), 30_999).kind).toBe('wait')
    const over = observe(waiting, all, 31_000, 30)
    expect(next(over, 31_000)).toEqual({ kind: 'attend', instance: 'slack_1', meanwhile: 'github_1' })
    expect(comeBack(over, 's1', 31_000).outcome).toBe('unconfirmed')
  })
})

describe('a return', () => {
  it('counts as connected only when the service no longer lists the datasource', () => {
    expect(comeBack(observe(left(), [github, drive], 5, 30), 's1', 5).outcome).toBe('connected')
    expect(comeBack(observe(left(), all, 5, 30), 's1', 5).outcome).toBe('waiting')
  })

  it('goes on to the next one that was never started', () => {
    const walk = comeBack(observe(left(), [github, drive], 5, 30), 's1', 5).walk
    expect(onward(walk, 6, yes)).toBe('github_1')
    expect(onward(walk, 6, (instance) => instance !== 'github_1')).toBe('gdrive_1')
    expect(onward(skip(walk, 'github_1', 6), 6, yes)).toBe('gdrive_1')
    expect(onward(depart(walk, { instance: 'github_1', step: 's2', now: 6 }), 6, yes)).toBe('gdrive_1')
  })

  it('is over after a day', () => {
    expect(attemptOf(observe(left(), all, 24 * 3600 * 1000 - 1, 30), 's1')).toBeDefined()
    expect(attemptOf(observe(left(), all, 24 * 3600 * 1000, 30), 's1')).toBeUndefined()
  })

  it('of the latest departure counts, however often the person left within a day', () => {
    const often = Array.from({ length: 60 }, (_, index) => `step-${index}`)
    const walk = often.reduce(
      (before, step, now) => depart(before, { instance: 'slack_1', step, now }),
      begun(),
    )
    expect(attemptOf(walk, 'step-59')).toMatchObject({ instance: 'slack_1' })
    expect(walk.attempts).toHaveLength(50)
  })

  it('with a step that has ended is none', () => {
    const { walk } = comeBack(observe(left(), [github], 5, 30), 's1', 5)
    expect(attemptOf(walk, 's1')).toBeUndefined()
    expect(attemptOf(walk, undefined)).toBeUndefined()
  })

  it('of one tab leaves the other tab on its way', () => {
    const both = depart(left(), { instance: 'github_1', step: 's2', now: 1 })
    const { walk } = comeBack(observe(both, [github, drive], 5, 30), 's1', 5)
    expect(attemptOf(walk, 's2')).toBeDefined()
  })
})

describe('an app that is being confirmed', () => {
  it('holds up none of the others', () => {
    const walk = comeBack(left(), 's1', 1_000).walk
    expect(next(walk, 1_000)).toMatchObject({ kind: 'wait', instance: 'slack_1', meanwhile: 'github_1' })
    const both = comeBack(depart(walk, { instance: 'github_1', step: 's2', now: 2_000 }), 's2', 3_000).walk
    expect(next(both, 3_000)).toMatchObject({ kind: 'wait', instance: 'github_1', meanwhile: 'gdrive_1' })
    const later = observe(both, [github, drive], 4_000, 30)
    expect(progress(later, 4_000)).toEqual({ connected: 1, total: 3 })
  })

  it('is given up at once where the return says that it failed, and only if the service still lists it', () => {
    const denied = comeBack(observe(left(), all, 1_000, 30), 's1', 1_000, true)
    expect(denied.outcome).toBe('unconfirmed')
    expect(next(denied.walk, 1_000)).toMatchObject({ kind: 'attend', instance: 'slack_1' })
    expect(attemptOf(denied.walk, 's1')).toBeUndefined()
    const lying = comeBack(observe(left(), [github, drive], 1_000, 30), 's1', 1_000, true)
    expect(lying.outcome).toBe('connected')
  })

  it('is not asked for where the service switched it off meanwhile', () => {
    const returned = comeBack(left('slack_1', [slack]), 's1', 1_000).walk
    const off = observe(returned, [app('slack_1', 'disabled')], 2_000, 30)
    expect(next(off, 2_000)).toEqual({ kind: 'finished' })
  })
})

describe('a datasource that was connected and is listed again', () => {
  it('is offered afresh and not called unconfirmed for the return of then', () => {
    const returned = comeBack(left(), 's1', 1_000).walk
    const connected = observe(returned, [github, drive], 2_000, 30)
    const again = observe(connected, all, 3_600_000, 30)
    expect(next(again, 3_600_000)).toEqual({ kind: 'connect', instance: 'slack_1' })
    expect(shown(again)[0]).toMatchObject({ departures: 0, status: 'awaiting' })
    expect(shown(again)[0]?.unconfirmedAt).toBeUndefined()
  })

  it('does not start by itself in the wake of the click that connected it', () => {
    const { walk } = comeBack(observe(left('slack_1', [slack]), [], 5, 30), 's1', 5)
    const again = observe(walk, [slack], 6, 30)
    expect(onward(again, 6, yes)).toBeUndefined()
    const clicked = depart(observe(again, [slack, github], 7, 30), {
      instance: 'github_1',
      step: 's2',
      now: 7,
    })
    expect(onward(clicked, 7, yes)).toBe('slack_1')
  })
})

describe('not now', () => {
  it('lasts until it is taken back, by a word or by connecting after all', () => {
    const skipped = skip(begun(), 'slack_1', 1)
    expect(next(observe(skipped, all, 99_000, 30), 99_000)).toEqual({
      kind: 'connect',
      instance: 'github_1',
    })
    expect(next(unskip(skipped, 'slack_1'), 2)).toEqual({ kind: 'connect', instance: 'slack_1' })
    const after = depart(skipped, { instance: 'slack_1', step: 's', now: 2 })
    expect(shown(after)[0]?.skippedAt).toBeUndefined()
  })

  it('ends the waiting for a consent', () => {
    const waiting = comeBack(left(), 's1', 1).walk
    expect(next(skip(waiting, 'slack_1', 2), 2)).toEqual({ kind: 'connect', instance: 'github_1' })
  })

  it('means nothing for what is connected', () => {
    const walk = observe(begun(), [github, drive], 1, 30)
    expect(skip(walk, 'slack_1', 2)).toEqual(walk)
  })
})

describe('the service', () => {
  it('is not asked while somebody is leaving, and is after that', () => {
    expect(mayAsk(begun(), 0)).toBe(true)
    expect(mayAsk(left(), IN_FLIGHT_MS - 1)).toBe(false)
    expect(mayAsk(left(), IN_FLIGHT_MS)).toBe(true)
    // A clock that was put back, or a record that claims a departure to come.
    expect(mayAsk(left(), -IN_FLIGHT_MS)).toBe(true)
    expect(mayAsk(comeBack(left(), 's1', 1).walk, 2)).toBe(true)
  })
})

describe('progress', () => {
  it('counts what was connected on the way, and nothing that was never waiting', () => {
    expect(progress(begun(), 0)).toEqual({ connected: 0, total: 3 })
    expect(progress(observe(begun(), [drive], 1, 30), 1)).toEqual({ connected: 2, total: 3 })
  })

  it('counts only what the visit is about', () => {
    const walk = { ...begun(), visit: { only: ['slack_1'] } }
    expect(progress(walk, 0)).toEqual({ connected: 0, total: 1 })
  })

  it('tells instances of one datasource apart, and the datasource names them all', () => {
    expect(inScope({ only: ['slack'] }, 'slack_2')).toBe(true)
    expect(inScope({ only: ['slack_1'] }, 'slack_2')).toBe(false)
    expect(inScope({ only: ['slack'] }, 'slack_12')).toBe(true)
    expect(inScope({ only: ['slack_1'] }, 'slack_12')).toBe(false)
    expect(inScope({ only: ['sla'] }, 'slack_2')).toBe(false)
    expect(inScope({ only: [] }, 'slack_2')).toBe(true)
  })
})

describe('a walk of more apps than anyone has', () => {
  it('forgets those that were connected first, and none that waits', () => {
    const many = Array.from({ length: 2_000 }, (_, index) => app(`a${index}_1`))
    const half = observe(begun(many), many.slice(1_000), 1, 30)
    expect(half.known).toHaveLength(2_000)
    const more = observe(half, [...many.slice(1_000), app('b'), app('c')], 2, 30)
    expect(more.known).toHaveLength(2_000)
    expect(more.known[0]?.instance).toBe('a2_1')
    const waiting = Array.from({ length: 2_001 }, (_, index) => app(`a${index}_1`))
    expect(begun(waiting).known).toHaveLength(2_001)
  })

  it('is the same walk where the service says what it said before', () => {
    const connected = observe(begun(), [github], 1, 30)
    expect(observe(connected, [github], 2, 30)).toBe(connected)
    expect(observe(connected, [{ ...github, name: 'Another' }], 2, 30)).not.toBe(connected)
    expect(observe(connected, [{ ...github, status: 'stale' }], 2, 30).known[1]?.status).toBe('stale')
    expect(observe(connected, [drive], 2, 30).known.map(({ status }) => status)).toEqual([
      'connected',
      'connected',
      'awaiting',
    ])
    expect(observe(connected, [], 2, 30).known[0]?.connectedAt).toBe(1)
  })
})
