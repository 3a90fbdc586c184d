// Coming back from an app, and what the person says of one.
import { describe, expect, it } from 'vitest'
import { depart, isQuick } from '../../src/onboarding/attempts.ts'
import { block, unblock } from '../../src/onboarding/set-aside.ts'
import { observe, startWalk, type Attempt } from '../../src/onboarding/walk.ts'

describe('a browser that comes back', () => {
  const left: Attempt = { step: 's', instance: 'a', departedAt: 1_000, looks: 0 }

  it('may have done so without a click where it took less than ten seconds, the first time', () => {
    expect(isQuick(left, 10_999)).toBe(true)
    expect(isQuick(left, 11_000)).toBe(false)
    expect(isQuick({ ...left, returnedAt: 1_500 }, 2_000)).toBe(false)
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
