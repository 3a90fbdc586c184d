// What is read of a walk that was kept: nothing in it may fail a page, fill it, or rearrange its words.
import { describe, expect, it } from 'vitest'
import { next } from '../../src/onboarding/course.ts'
import { observe, type Walk } from '../../src/onboarding/walk.ts'
import { readWalk } from '../../src/onboarding/walk-record.ts'

const known = { instance: 'a', name: 'A', status: 'connected', firstSeen: 1, departures: 0 }
const attempt = { step: 's', instance: 'a', departedAt: 1, looks: 0 }
const whole = { version: 1, startedAt: 1, known: [known], attempts: [attempt], visit: { only: [] } }

function read(json: Record<string, unknown>): Walk {
  const walk = readWalk({ ...whole, ...json }, () => undefined)
  if (walk === undefined) throw new Error('not read')
  return walk
}

describe('a walk that is read back', () => {
  it.each([1e300, -1, 9e15, '1', null, {}])(
    'keeps an app whose times are no dates (%j), without the times',
    (odd) => {
      const times = { firstSeen: odd, connectedAt: odd, skippedAt: odd, blockedAt: odd, unconfirmedAt: odd }
      expect(read({ known: [{ ...known, ...times }] }).known).toEqual([{ ...known, firstSeen: 0 }])
    },
  )

  it('drops attempts that no return could end', () => {
    const odd = [{ departedAt: 1e300 }, { returnedAt: -1 }, { looks: 0.5 }, { looks: -1 }, { instance: '' }]
    expect(read({ attempts: odd.map((one) => ({ ...attempt, ...one })) }).attempts).toEqual([])
  })

  it('shows names as if the service had just said them', () => {
    const names = ['\u202eexe.txt\nA', '', 'x'.repeat(100_000)].map((name, index) => ({
      ...known,
      instance: `a_${index}`,
      name,
    }))
    const [turned, empty, long] = read({ known: names }).known.map(({ name }) => name)
    expect([turned, empty]).toEqual(['exe.txt A', 'a_1'])
    expect(long).toBe(`${'x'.repeat(200)}…`)
    expect(read({ known: [{ ...known, name: long }] }).known[0]?.name).toBe(long)
  })

  it('has no identifiers that no app has', () => {
    const long = 'x'.repeat(201)
    expect(read({ known: [{ ...known, instance: long }], visit: { only: ['', long, 'b'] } })).toMatchObject({
      known: [],
      visit: { only: ['b'] },
    })
  })

  it('is about all apps where what it was narrowed to is no list', () => {
    expect(read({ visit: { only: 'a', returnTo: '/x' } }).visit).toEqual({ only: [], returnTo: undefined })
  })

  it('takes clicks and a time that cannot be counted on as none', () => {
    const { clicks, revisedAt } = read({ clicks: 1e300, revisedAt: 'today' })
    expect([clicks, revisedAt]).toEqual([undefined, undefined])
    expect(read({ revisedAt: 4 }).revisedAt).toBe(4)
    expect(read({ known: [{ ...known, departedIn: 0.5 }] }).known).toEqual([known])
  })

  it('does not wait for a consent until a clock that ran ahead was right', () => {
    const ahead = 1e12
    const waiting = [{ instance: 'a', name: 'A', status: 'awaiting' as const }]
    const walk = read({ attempts: [{ ...attempt, departedAt: ahead, returnedAt: ahead + 1, looks: 1 }] })
    const after = observe({ ...walk, known: [{ ...known, status: 'awaiting' }] }, waiting, 1_000, 90)
    expect(after.attempts).toEqual([])
    expect(next(after, 1_000)).toEqual({ kind: 'attend', instance: 'a', meanwhile: undefined })
  })
})
