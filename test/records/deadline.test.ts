// The deadline of store operations, and the resulting problem.
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { withinDeadline, type StoreUnavailable } from '../../src/records/records.ts'
import { TimedOut } from '../../src/with-timeout.ts'

const failed = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it should fail'),
    (error: unknown) => error as StoreUnavailable,
  )

it('a reply after more than 1.5 seconds is an outage, and leaves no timer behind', async () => {
  vi.useFakeTimers()
  const answer = failed(withinDeadline(() => new Promise<never>(() => {})))
  await vi.advanceTimersByTimeAsync(1_499)
  expect(await Promise.race([answer, Promise.resolve('waiting')])).toBe('waiting')
  await vi.advanceTimersByTimeAsync(2)
  const { cause, detail } = await answer
  expect(cause).toBeInstanceOf(TimedOut)
  expect(detail).toBe('the store timed out (timeout): see REDIS_URL or DATA_DIR')
  expect(await withinDeadline(async () => 'value')).toBe('value')
  await failed(withinDeadline(() => Promise.reject(cause)))
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it('a failure is an outage at once, also one that is thrown synchronously', async () => {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const failing = [
    () => Promise.reject(cause),
    () => {
      throw cause
    },
  ]

  for (const work of failing)
    expect(await failed(withinDeadline(work))).toMatchObject({
      name: 'StoreUnavailable',
      status: 503,
      code: 'store_unavailable',
      detail: 'the store cannot be reached (ECONNRESET): see REDIS_URL or DATA_DIR',
      retryAfter: 5,
      cause,
    })
})

it('a reply that came while the event loop was blocked still counts', async () => {
  const answer = withinDeadline(() => pause(6, 'value'), 5)
  const end = performance.now() + 20
  while (performance.now() < end);
  expect(await answer).toBe('value')
})
