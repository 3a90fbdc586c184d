// A limit counts the time that the process was free to read a response, not what its own work took.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TimedOut, withTimeout } from '../src/with-timeout.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** @returns the outcome so far of work that never ends */
function endless(milliseconds: number) {
  const seen: { outcome: 'waiting' | Error } = { outcome: 'waiting' }
  withTimeout(milliseconds, new Promise(() => {})).catch((error: unknown) => (seen.outcome = error as Error))
  return seen
}

it.each([1, 99, 100, 101, 1_500])('work without a result fails after %i ms', async (limit) => {
  const seen = endless(limit)
  vi.advanceTimersByTime(limit - 1)
  await nextTurn()
  expect(seen.outcome).toBe('waiting')
  vi.advanceTimersByTime(1)
  await nextTurn()
  expect(seen.outcome).toBeInstanceOf(TimedOut)
})

it('a process that is late to each step waits longer, by its own delay', async () => {
  vi.useRealTimers()
  const { promise, resolve } = Promise.withResolvers<string>()
  let blocks = 0
  const block = () => {
    const end = performance.now() + 150
    while (performance.now() < end);
    if (++blocks === 4) resolve('a response')
    // Timers have their turn between two blocks, as between two reads of a busy process.
    else setTimeout(block, 20)
  }
  setTimeout(block, 1)
  await expect(withTimeout(500, promise)).resolves.toBe('a response')
})

it('a result or an error of the work ends the wait and its timer', async () => {
  await expect(withTimeout(100, Promise.resolve('done'))).resolves.toBe('done')
  await expect(withTimeout(100, Promise.reject(new Error('its own')))).rejects.toThrow('its own')
  await nextTurn()
  expect(vi.getTimerCount()).toBe(0)
})
