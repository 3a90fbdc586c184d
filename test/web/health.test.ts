// Readiness on a store in memory. test/doctor/store.journey.test.ts has the reply of a real Redis that is full.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { createReadiness } from '../../src/web/health.ts'

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }))
afterEach(() => void vi.useRealTimers())

const OPERATIONS = ['get', 'put', 'compareAndSet', 'remove'] as const

/** @param failing the operation that fails */
function store(failing?: (typeof OPERATIONS)[number]) {
  const calls: string[] = []
  const logged: string[] = []
  const state = { failing }
  const operation = (name: (typeof OPERATIONS)[number]) => async () => {
    calls.push(name)
    if (name === state.failing) throw new StoreUnavailable(new Error('OOM command not allowed'))
    return undefined as never
  }
  const [get, put] = [operation('get'), operation('put')]
  const [compareAndSet, remove] = [operation('compareAndSet'), operation('remove')]
  const log = {
    warn: ({ reason }: object & { reason?: string }, line: string) => void logged.push(`${line} [${reason}]`),
    info: (_: object, line: string) => void logged.push(line),
  }
  const authorizationServer = { isReady: () => true, isBlockedByProxy: () => false }
  const readiness = createReadiness({ get, put, compareAndSet, remove }, log, authorizationServer)
  return { probe: async () => (await readiness.report()).store, calls, logged, state }
}

it('every probe reads the store, and one per second writes to it', async () => {
  const { probe, calls } = store()
  await Promise.all([probe(), probe()])
  vi.advanceTimersByTime(999)
  await probe()
  expect(calls.toSorted()).toEqual(['compareAndSet', 'get', 'get', 'get', 'put', 'remove'])
  vi.advanceTimersByTime(1)
  await probe()
  expect(calls.filter((one) => one === 'put')).toHaveLength(2)
})

it.each(OPERATIONS)('a store that fails to %s is not ready', async (operation) => {
  const { probe, logged, state } = store(operation)
  for (let times = 0; times < 2; times++) {
    expect(await probe()).toBe('refuses')
    expect(logged).toEqual(['not ready: Redis is full and rejects writes (OOM) [OOM]'])
  }
  state.failing = undefined
  vi.advanceTimersByTime(1_000)
  for (let times = 0; times < 2; times++) expect(await probe()).toBe('ok')
  expect(logged.slice(1)).toEqual(['ready again: the store is writable'])
})
