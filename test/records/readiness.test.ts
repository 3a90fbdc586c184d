// Whether the store can be written to, on one in memory; test/web/readiness.journey.test.ts has /readyz on a real Redis.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createReadinessProbe } from '../../src/records/readiness.ts'
import { StoreUnavailable } from '../../src/records/records.ts'

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }))
afterEach(() => void vi.useRealTimers())

const OPERATIONS = ['get', 'put', 'compareAndSet', 'remove'] as const

/** @param refused the operation that fails */
function store(refused?: (typeof OPERATIONS)[number]) {
  const asked: string[] = []
  const told: string[] = []
  const state = { refused }
  const operation = (name: (typeof OPERATIONS)[number]) => async () => {
    asked.push(name)
    if (name === state.refused) throw new StoreUnavailable(new Error('OOM command not allowed'))
    return undefined as never
  }
  const [get, put] = [operation('get'), operation('put')]
  const [compareAndSet, remove] = [operation('compareAndSet'), operation('remove')]
  const log = {
    warn: ({ reason }: object & { reason?: string }, line: string) => void told.push(`${line} [${reason}]`),
    info: (_: object, line: string) => void told.push(line),
  }
  return { isReady: createReadinessProbe({ get, put, compareAndSet, remove }, log), asked, told, state }
}

it('a store is read with every probe, and written to once a second', async () => {
  const { isReady, asked } = store()
  await Promise.all([isReady(), isReady()])
  vi.advanceTimersByTime(999)
  await isReady()
  expect(asked.toSorted()).toEqual(['compareAndSet', 'get', 'get', 'get', 'put', 'remove'])
  vi.advanceTimersByTime(1)
  await isReady()
  expect(asked.filter((one) => one === 'put')).toHaveLength(2)
})

it.each(OPERATIONS)('a store that refuses to %s is not ready', async (operation) => {
  const { isReady, told, state } = store(operation)
  for (let probe = 0; probe < 2; probe++) {
    await expect(isReady()).rejects.toBeInstanceOf(StoreUnavailable)
    expect(told).toEqual(['not ready: Redis is full and takes no writes (OOM) [OOM]'])
  }
  state.refused = undefined
  vi.advanceTimersByTime(1_000)
  for (let probe = 0; probe < 2; probe++) await isReady()
  expect(told.slice(1)).toEqual(['ready again: the store can be written to'])
})
