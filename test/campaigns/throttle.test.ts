import { describe, expect, it } from 'vitest'
import { Throttle } from '../../src/campaigns/throttle.ts'

/** So many turns, wanted at once. @returns when each came, in milliseconds since the first was wanted */
async function turns(pace: Throttle, count: number): Promise<number[]> {
  const began = performance.now()
  return await Promise.all(
    Array.from({ length: count }, async () => {
      await pace.next()
      return performance.now() - began
    }),
  )
}

describe('a pace', () => {
  it('gives turns at an even distance, to however many want one', async () => {
    const at = await turns(new Throttle(50), 11)
    expect(at.at(-1)).toBeGreaterThanOrEqual(195)
    for (const [index, moment] of at.entries()) expect(moment).toBeGreaterThanOrEqual(index * 20 - 2)
  })

  it('does not make up for time that went by', async () => {
    let now = 0
    const pace = new Throttle(1, { now: () => now })
    await pace.next()
    now = 60_000
    await pace.next()
    let isNext = false
    void pace.next().then(() => (isNext = true))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isNext).toBe(false)
  })

  it('waits as long as it is asked to, also with a line before it, and goes on at half the speed', async () => {
    const pace = new Throttle(100)
    await pace.next()
    const line = turns(pace, 3)
    pace.slowDown(0.2)
    const at = await line
    expect(Math.min(...at)).toBeGreaterThanOrEqual(195)
    expect(at[2]).toBeGreaterThanOrEqual(195 + 2 * 18)
  })

  it('halves once for several answers that came of one time too fast, and comes back slowly', async () => {
    let now = 1_000
    const pace = new Throttle(100, { now: () => now })
    expect([1, 2, 1].map((seconds) => pace.slowDown(seconds))).toEqual([true, false, false])
    expect(pace.rate).toBe(50)
    now = 4_000
    for (const [turns, rate] of [
      [20, 50 * 1.01 ** 20],
      [100, 100],
    ] as const) {
      for (let count = 0; count < turns; count++) {
        now += 1_000
        await pace.next()
      }
      expect(pace.rate).toBeCloseTo(rate)
    }
  })

  it('is never slower than one turn in five seconds, or than it was set', () => {
    let now = 0
    for (const [perSecond, rates] of [
      [1, [0.5, 0.25, 0.2, 0.2]],
      [0.1, [0.1, 0.1]],
    ] as const) {
      const pace = new Throttle(perSecond, { now: () => now })
      for (const rate of rates) {
        pace.slowDown(1)
        expect(pace.rate).toBe(rate)
        now += 1_000
      }
    }
  })

  it('gives no turn once the run is to stop', async () => {
    const stop = new AbortController()
    const pace = new Throttle(0.01, { signal: stop.signal })
    await pace.next()
    const line = [pace.next(), pace.next()]
    stop.abort()
    for (const turn of [...line, pace.next()])
      await expect(turn).rejects.toMatchObject({ name: 'AbortError' })
  })
})
