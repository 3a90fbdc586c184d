// Rates of calls and emails, also after a response that asks for a pause.
import { expect, it } from 'vitest'
import { Throttle } from '../../src/campaigns/throttle.ts'

/** A throttle whose clock moves while it waits. */
function throttleWithClock(perSecond: number) {
  const clock = { ms: 0 }
  const wait = async (ms: number) => void (clock.ms += await Promise.resolve(ms))
  return { clock, throttle: new Throttle(perSecond, undefined, { now: () => clock.ms, wait }) }
}

/** The times of turns that are requested together, in milliseconds. */
const turns = ({ clock, throttle }: ReturnType<typeof throttleWithClock>, count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => throttle.next().then(() => clock.ms)))

it('the turns of a throttle are evenly spaced, however many are requested at once', async () => {
  expect(await turns(throttleWithClock(50), 4)).toEqual([0, 20, 40, 60])
})

it('a throttle doesn’t catch up on missed turns', async () => {
  const fixture = throttleWithClock(1)
  await fixture.throttle.next()
  fixture.clock.ms = 60_000
  expect(await turns(fixture, 2)).toEqual([60_000, 61_000])
})

it('a throttle with a queue waits as long as required', async () => {
  const fixture = throttleWithClock(100)
  await fixture.throttle.next()
  const queue = turns(fixture, 3)
  fixture.throttle.slowDown(0.2)
  expect((await queue).map(Math.round)).toEqual([200, 220, 240])
})

it('several responses to one burst halve the rate once, and it recovers slowly', async () => {
  const { clock, throttle } = throttleWithClock(100)
  expect([1, 2, 1].map((seconds) => throttle.slowDown(seconds))).toEqual([true, false, false])
  expect(throttle.rate).toBe(50)
  for (const rate of [50 * 1.01 ** 20, 100]) {
    for (let turn = 0; turn < (rate === 100 ? 100 : 20); turn++) {
      clock.ms += 3_000
      await throttle.next()
    }
    expect(throttle.rate).toBeCloseTo(rate)
  }
})

it.each([
  [1, [0.5, 0.25, 0.2, 0.2]],
  [0.1, [0.1, 0.1]],
])('a throttle of %d a second slows down to %j, and no further', (perSecond, rates) => {
  const { clock, throttle } = throttleWithClock(perSecond)
  for (const rate of rates) {
    throttle.slowDown(1)
    expect(throttle.rate).toBe(rate)
    clock.ms += 1_000
  }
})

it('a throttle gives no turn after the run is stopped', async () => {
  const stop = new AbortController()
  const throttle = new Throttle(0.01, stop.signal)
  await throttle.next()
  const queue = [throttle.next(), throttle.next()]
  stop.abort()
  for (const turn of [...queue, throttle.next()])
    await expect(turn).rejects.toMatchObject({ name: 'AbortError' })
})
