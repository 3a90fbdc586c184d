// How long an answer of the store is waited for, and what its failure says to people and to the log.
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable, TooSlow, withinDeadline } from '../../src/records/records.ts'

const never = () => new Promise<never>(() => {})
const failed = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it should fail'),
    (error: unknown) => error as StoreUnavailable,
  )

describe('an answer of the store', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('that comes in time is given on, and leaves no timer behind', async () => {
    expect(await withinDeadline(async () => 'value')).toBe('value')
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    [undefined, 1_500],
    [99.6, 100],
  ])(
    'that does not come within %s ms is an outage, with the deadline as its cause',
    async (most, rounded) => {
      const answer = failed(withinDeadline(never, most))
      await vi.advanceTimersByTimeAsync(rounded - 1)
      expect(await Promise.race([answer, Promise.resolve('waiting')])).toBe('waiting')
      await vi.advanceTimersByTimeAsync(2)
      const { cause, detail } = await answer
      expect(cause).toBeInstanceOf(TooSlow)
      expect(cause).toMatchObject({ message: `no answer within ${rounded} ms` })
      expect(detail).toBe('the store did not answer in time (timeout): see REDIS_URL or DATA_DIR')
    },
  )

  it('that fails is an outage at once, also where it could not even be asked for', async () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    const asked = [
      () => Promise.reject(reset),
      () => {
        throw reset
      },
    ]
    for (const work of asked) {
      const error = await failed(withinDeadline(work))
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(error).toMatchObject({
        name: 'StoreUnavailable',
        status: 503,
        code: 'store_unavailable',
        detail: 'the store cannot be reached (ECONNRESET): see REDIS_URL or DATA_DIR',
        retryAfter: 5,
        cause: reset,
      })
      expect(vi.getTimerCount()).toBe(0)
    }
  })
})

it('an answer that came while this process was held up still counts', async () => {
  const answer = withinDeadline(() => pause(6, 'value'), 5)
  const end = performance.now() + 20
  while (performance.now() < end);
  expect(await answer).toBe('value')
})
