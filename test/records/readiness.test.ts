// Whether the store can be written to, on one in memory; test/web/readiness.test.ts has /readyz on a real Redis.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReadiness } from '../../src/records/readiness.ts'
import { StoreUnavailable } from '../../src/records/records.ts'

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }))
afterEach(() => void vi.useRealTimers())

const OPERATIONS = ['get', 'put', 'compareAndSet', 'remove'] as const

function store() {
  const asked: string[] = []
  const lines: string[] = []
  const failing = new Map<string, string>()
  const [get, put, compareAndSet, remove] = OPERATIONS.map((name) => async (): Promise<never> => {
    asked.push(name)
    const message = failing.get(name)
    if (message !== undefined) throw new StoreUnavailable(new Error(message))
    return undefined as never
  }) as [() => Promise<never>, ...(() => Promise<never>)[]] & (() => Promise<never>)[]
  const log = (_: object, message: string) => void lines.push(message)
  const records = { get, put: put!, compareAndSet: compareAndSet!, remove: remove! }
  const isReady = createReadiness(records, { warn: log, info: log })
  return { isReady, asked, lines, failing }
}

const FULL = 'OOM command not allowed'
const FULL_LINE = 'not ready: Redis is full and takes no writes (OOM)'
const SLOW_LINE = 'not ready: the store did not answer in time (timeout)'

describe('a store', () => {
  it('is read with every probe, and written to once a second', async () => {
    const { isReady, asked, lines } = store()
    await Promise.all([isReady(), isReady()])
    vi.advanceTimersByTime(999)
    await isReady()
    expect(asked.toSorted()).toEqual(['compareAndSet', 'get', 'get', 'get', 'put', 'remove'])
    vi.advanceTimersByTime(1)
    await isReady()
    expect(asked.filter((one) => one === 'put')).toHaveLength(2)
    expect(lines).toEqual([])
  })

  it.each(OPERATIONS)('that refuses to %s is not ready', async (operation) => {
    const { isReady, failing } = store()
    failing.set(operation, FULL)
    await expect(isReady()).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('has one line in the log for each reason, however many probes come, and one when it is ready again', async () => {
    const { isReady, lines, failing } = store()
    for (const message of [FULL, FULL, 'Connection timeout', 'Connection timeout', '', '', FULL]) {
      if (message === '') failing.clear()
      else failing.set('put', message)
      vi.advanceTimersByTime(1_000)
      await isReady().catch(() => {})
    }
    expect(lines).toEqual([FULL_LINE, SLOW_LINE, 'ready again: the store can be written to', FULL_LINE])
  })
})
