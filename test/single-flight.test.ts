// One run for callers with the same key.
import { expect, it } from 'vitest'
import { createSingleFlight } from '../src/single-flight.ts'

it('simultaneous calls with the same key share one run', async () => {
  const once = createSingleFlight<number>()
  let times = 0
  const work = async () => ++times
  expect(await Promise.all([once('a', work), once('a', work), once('b', work)])).toEqual([1, 1, 2])
  expect(await once('a', work)).toBe(3)
  const fail = () => Promise.reject(new Error('no'))
  const both = await Promise.allSettled([once('a', fail), once('a', work)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await once('a', work)).toBe(4)
})
