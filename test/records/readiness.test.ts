// Whether the store can be written to, on one in memory; test/web/readiness.test.ts has /readyz on a real Redis.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createReadiness, untilReachable } from '../../src/records/readiness.ts'
import { StoreUnavailable } from '../../src/records/records.ts'

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true }))
afterEach(() => void vi.useRealTimers())

const OPERATIONS = ['get', 'put', 'compareAndSet', 'touch', 'remove'] as const
type Operation = (typeof OPERATIONS)[number]

function store() {
  const asked: string[] = []
  const lines: unknown[] = []
  const failing = new Map<string, string>()
  const operation =
    (name: Operation) =>
    async (...given: unknown[]): Promise<never> => {
      asked.push([name, ...given].join(' '))
      const message = failing.get(name)
      if (message !== undefined) throw new StoreUnavailable(new Error(message))
      return undefined as never
    }
  const [get, put, touch, remove] = [
    operation('get'),
    operation('put'),
    operation('touch'),
    operation('remove'),
  ]
  const compareAndSet = operation('compareAndSet')
  const log = {
    warn: (fields: object, message: string) =>
      void lines.push([message, 'reason' in fields && fields.reason, 'err' in fields]),
    info: (_: object, message: string) => void lines.push([message]),
  }
  const isReady = createReadiness({
    records: { get, put, compareAndSet, remove },
    sessions: { touch },
    log,
  })
  return { isReady, asked, lines, failing, get }
}

const WRITE = [
  'put ready written 10',
  'compareAndSet ready written changed 10',
  'touch ready 10',
  'remove ready',
]
const AWAY = 'OOM command not allowed'
const FULL_LINE = ['not ready: Redis is full and takes no writes (OOM)', 'OOM', true]
const SLOW_LINE = ['not ready: the store did not answer in time (timeout)', 'timeout', true]
const AGAIN_LINE = ['ready again: the store can be written to']

describe('a store', () => {
  it('is ready when a record can be read, written, changed, kept alive and removed', async () => {
    const { isReady, asked, lines } = store()
    await isReady()
    expect(asked).toEqual(['get ready', ...WRITE])
    expect(lines).toEqual([])
  })

  it('is read with every probe, and written to once a second', async () => {
    const { isReady, asked } = store()
    await Promise.all([isReady(), isReady()])
    vi.advanceTimersByTime(999)
    await isReady()
    expect(asked.filter((one) => one === 'get ready')).toHaveLength(3)
    expect(asked.filter((one) => one === WRITE[0])).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await isReady()
    expect(asked.slice(-5)).toEqual(['get ready', ...WRITE])
    vi.advanceTimersByTime(999)
    await isReady()
    expect(asked.at(-1)).toBe('get ready')
  })

  it.each(OPERATIONS)('that refuses to %s is not ready', async (operation) => {
    const { isReady, failing } = store()
    failing.set(operation, AWAY)
    await expect(isReady()).rejects.toBeInstanceOf(StoreUnavailable)
  })

  it('has one line in the log for each reason, however many probes come, and one when it is ready again', async () => {
    const { isReady, lines, failing } = store()
    const probe = async () => {
      vi.advanceTimersByTime(1_000)
      await isReady().catch(() => {})
    }
    failing.set('put', AWAY)
    await probe()
    await probe()
    expect(lines).toEqual([FULL_LINE])
    failing.set('put', 'Connection timeout')
    await probe()
    await probe()
    expect(lines).toEqual([FULL_LINE, SLOW_LINE])
    failing.clear()
    await probe()
    await probe()
    expect(lines).toEqual([FULL_LINE, SLOW_LINE, AGAIN_LINE])
    failing.set('put', 'Connection timeout')
    await probe()
    expect(lines.slice(3)).toEqual([SLOW_LINE])
  })
})

describe('a command', () => {
  it('begins when the store can be reached', async () => {
    const { get, asked, failing } = store()
    failing.set('get', 'not connected yet')
    const began = untilReachable({ get }).then(() => 'began')
    await vi.advanceTimersByTimeAsync(149)
    failing.clear()
    expect(asked).toEqual(['get ready', 'get ready', 'get ready'])
    await vi.advanceTimersByTimeAsync(1)
    expect(await Promise.race([began, Promise.resolve('waiting')])).toBe('began')
    await untilReachable({ get })
    expect(asked).toHaveLength(5)
  })

  it('ends when the store is not reached for five seconds, as it fails', async () => {
    const { get, asked, failing } = store()
    failing.set('get', AWAY)
    const ended = untilReachable({ get }).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(5_049)
    expect(await Promise.race([ended, Promise.resolve('waiting')])).toBe('waiting')
    await vi.advanceTimersByTimeAsync(1)
    expect(await ended).toBeInstanceOf(StoreUnavailable)
    expect(asked).toHaveLength(102)
  })
})
