// A lease on a store with badly timed failures. test/sign-in/refresh.test.ts has leases over processes.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { takeLease } from '../../src/records/lease.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('a lease that is released during an outage isn’t renewed, so it expires', async () => {
  const lives: number[] = []
  const records = {
    async compareAndSet(_key: string, _was: string | undefined, _is: string, seconds: number) {
      return lives.push(seconds) > 0
    },
    compareAndRemove: () => Promise.reject(new StoreUnavailable(new Error('away'))),
  }
  const lease = await takeLease(records, 'name')

  await vi.advanceTimersByTimeAsync(2_100)
  expect(lives).toEqual([3, 3, 3])
  await lease?.release()
  expect(lease?.isHeld()).toBe(false)

  await vi.advanceTimersByTimeAsync(1_100)
  expect(lives).toHaveLength(3)
  expect(await takeLease(records, 'of a fixed length', 60)).toBeDefined()

  await vi.advanceTimersByTimeAsync(2_100)
  expect(lives.slice(3)).toEqual([3, 60])
})

it.each([
  { late: 'the first write', at: 1 },
  { late: 'the renewal', at: 2 },
])('a lease confirmed too late by the store ($late) is free within three seconds', async ({ at }) => {
  for (const writes of ['before', 'after'] as const) {
    const { commands, pass } = memoryRedis()
    const records = createRedisRecords(commands)
    const later = async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds)
      pass(milliseconds)
    }
    let [calls, removals] = [0, 0]
    const slow = {
      ...records,
      // After a late reply, the store fails at once until it is reconnected.
      compareAndRemove: (key: string, owner: string) =>
        ++removals < 4
          ? Promise.reject(new StoreUnavailable(new Error('reconnecting')))
          : records.compareAndRemove(key, owner),
      async compareAndSet(...given: Parameters<typeof records.compareAndSet>) {
        if (++calls !== at) return await records.compareAndSet(...given)
        // Before or after the caller's deadline.
        if (writes === 'before') await records.compareAndSet(...given)
        else setTimeout(() => void records.compareAndSet(...given), 100)
        throw new StoreUnavailable(new Error('no answer'))
      },
    }
    await expect(takeLease(slow, 'refresh', 40)).rejects.toThrow(StoreUnavailable)
    await later(3_200)
    const next = await takeLease(records, 'refresh', 40)
    expect(next?.isHeld()).toBe(true)
    await later(39_000)
    expect(await takeLease(records, 'refresh', 40)).toBeUndefined()
  }
})

it.each([14_000, 38_000])(
  'a lease confirmed late is free half a second after %d ms of outage',
  async (outage) => {
    const { commands, pass } = memoryRedis()
    const records = createRedisRecords(commands)
    let [isAway, calls] = [true, 0]
    const unavailable = () => Promise.reject(new StoreUnavailable(new Error('slow')))
    const slow = {
      compareAndRemove: (key: string, owner: string) =>
        isAway ? unavailable() : records.compareAndRemove(key, owner),
      async compareAndSet(...given: Parameters<typeof records.compareAndSet>) {
        const isSet = await records.compareAndSet(...given)
        return ++calls === 1 ? isSet : await unavailable()
      },
    }
    await expect(takeLease(slow, 'refresh', 40)).rejects.toThrow(StoreUnavailable)

    await vi.advanceTimersByTimeAsync(outage)
    pass(outage)
    expect(await takeLease(records, 'refresh', 40)).toBeUndefined()
    isAway = false
    await vi.advanceTimersByTimeAsync(500)

    expect(await takeLease(records, 'refresh', 40)).toBeDefined()
  },
)

it.each([
  ['of no fixed length', undefined],
  ['of forty seconds', 40],
])('a lease %s that is released during an outage is free soon after', async (_title, seconds) => {
  const { commands, pass } = memoryRedis()
  const records = createRedisRecords(commands)
  let isAway = false
  const compareAndRemove = (key: string, owner: string) =>
    isAway ? Promise.reject(new StoreUnavailable(new Error('away'))) : records.compareAndRemove(key, owner)
  const lease = await takeLease({ ...records, compareAndRemove }, 'refresh', seconds)
  isAway = true
  await lease?.release()
  await vi.advanceTimersByTimeAsync(2_000)
  pass(2_000)
  expect(await takeLease(records, 'refresh', seconds)).toBeUndefined()

  isAway = false
  await vi.advanceTimersByTimeAsync(500)
  pass(500)

  expect(await takeLease(records, 'refresh', seconds)).toBeDefined()
})

it('a lease has one owner at a time, until it is released', async () => {
  const records = createRedisRecords(memoryRedis().commands)
  const lease = await takeLease(records, 'one')
  expect(lease?.isHeld()).toBe(true)
  expect(await takeLease(records, 'one')).toBeUndefined()
  expect(await takeLease(records, 'other')).toBeDefined()
  await lease?.release()
  expect(await takeLease(records, 'one')).toBeDefined()
})

it('a lease that another process has taken is lost, and not renewed', async () => {
  let calls = 0
  const records = { compareAndSet: async () => calls++ === 0, compareAndRemove: async () => {} }
  const lease = await takeLease(records, 'name')
  await vi.advanceTimersByTimeAsync(2_100)
  expect([lease?.isHeld(), calls]).toEqual([false, 2])
})
