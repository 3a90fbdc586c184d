// A browser that is sent on and on without a page, and the page that it gets in between.
import { describe, expect, it } from 'vitest'
import { attemptOf, depart, isRushed, reopened } from '../../src/onboarding/attempts.ts'
import { block, unblock } from '../../src/onboarding/set-aside.ts'
import { observe, startWalk, type Attempt } from '../../src/onboarding/walk.ts'

/** Departures `apart` milliseconds from each other, each back after `away`; the last one just now. */
function hops(count: number, away: number, apart: number) {
  const attempts = Array.from({ length: count }, (_, index): Attempt => {
    const departedAt = index * (away + apart)
    const isLast = index === count - 1
    return {
      step: `s${index}`,
      instance: `a${index}`,
      departedAt,
      looks: 0,
      ...(!isLast && { returnedAt: departedAt + away }),
    }
  })
  const last = attempts.at(-1) as Attempt
  return { walk: { ...startWalk(0), attempts }, last, now: last.departedAt + away }
}

const isRushing = ({ walk, last, now }: ReturnType<typeof hops>) => isRushed(walk, last, now)

describe('a browser that comes back', () => {
  it('is in a rush at each fourth departure in a row', () => {
    const rushed = [1, 2, 3, 4, 5, 7, 8, 9].filter((count) => isRushing(hops(count, 100, 100)))
    expect(rushed).toEqual([4, 8])
  })

  it('is in none where the person took more than three seconds there, or here', () => {
    expect(isRushing(hops(4, 3_000, 3_000))).toBe(true)
    expect(isRushing(hops(4, 3_001, 0))).toBe(false)
    expect(isRushing(hops(4, 0, 3_001))).toBe(false)
  })

  it('is in none at the second look, for which it was shown a page', () => {
    const { walk, last, now } = hops(4, 100, 100)
    const ended = walk.attempts.map((one) => ({ ...one, done: true as const, looks: one === last ? 5 : 0 }))
    const again = reopened({ ...walk, attempts: ended }, last.step)
    expect(attemptOf(again, 's0')).toBeUndefined()
    const attempt = attemptOf(again, last.step) as Attempt
    expect(attempt.looks).toBe(6)
    expect(isRushed(again, attempt, now)).toBe(false)
  })

  it('may have been to an app of which others know how often it was left for', () => {
    const waiting = ['a', 'b'].map((instance) => ({ instance, name: instance, status: 'awaiting' as const }))
    const once = depart(observe(startWalk(0), waiting, 0, 30), { instance: 'a', step: 's1', now: 0 })
    const twice = depart(once, { instance: 'a', step: 's2', now: 1 })
    expect(twice.known).toMatchObject([{ departures: 2, departedIn: 2 }, { departures: 0 }])
    expect(depart(twice, { instance: 'b', step: 's3', now: 2, byItself: true }).clicks).toBe(2)
  })
})

it('"I need an admin to approve this" is kept with its time until it is taken back', () => {
  const walk = observe(startWalk(0), [{ instance: 'a', name: 'A', status: 'awaiting' }], 0, 30)
  const blocked = block(walk, 'a', 7)
  expect(blocked.known[0]?.blockedAt).toBe(7)
  expect(unblock(blocked, 'a').known[0]).toEqual({ ...blocked.known[0], blockedAt: undefined })
})
