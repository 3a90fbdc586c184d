// The self-healing Redis connection, with scripted clients and a test clock. redis.journey.test.ts and test/faults have
// real ones.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import type { RedisCommands } from '../../src/records/redis-clients.ts'
import { RedisConnection } from '../../src/records/redis-connection.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

let connection: RedisConnection | undefined
beforeEach(() => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  connection?.destroy()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
type Client = { lose(error: Error): void; isClosed: boolean; answer: RedisCommands['get'] }

/** A server; `opens` has the results of the next attempts to open a client. */
function server(opens: (Error | 'hangs' | 'slow' | undefined)[] = []) {
  const { commands } = memoryRedis()
  const [clients, tried]: [Client[], number[]] = [[], []]
  const began = performance.now()
  connection = new RedisConnection(
    async (lost) => {
      tried.push(performance.now() - began)
      const outcome = opens.shift()
      if (outcome === 'slow') lost(AWAY)
      if (outcome === 'slow') await new Promise((done) => setTimeout(done, 100))
      if (outcome === 'hangs') await new Promise(() => {})
      if (outcome instanceof Error) throw outcome
      const client: Client = { lose: lost, isClosed: false, answer: (key) => commands.get(key) }
      clients.push(client)
      return {
        commands: { ...commands, get: (key) => client.answer(key) },
        close: () => void (client.isClosed = true),
      }
    },
    { warn: () => {}, info: () => {} },
  )
  return { connection, clients, tried }
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
const failing = (message: string) => () => Promise.reject(new Error(message))
const outcome = (work: Promise<unknown>) =>
  work.catch((error: unknown) => (error instanceof StoreUnavailable ? error.detail : 'another failure'))

it('a Redis connection opens at once, and an early command waits for it', async () => {
  const { connection: redis } = server(['slow'])
  const first = outcome(redis.commands.get('a'))
  expect(redis.isReady).toBe(false)
  await pass(100)
  expect([await first, redis.isReady]).toEqual([null, true])
})

it('a Redis connection that hangs while opening delays no command beyond the deadline', async () => {
  const { connection: redis } = server(['hangs'])
  const first = outcome(redis.commands.get('a'))
  await pass(1_502)
  expect(await first).toContain('(timeout)')
})

it('a Redis connection is retried four times a second, while commands fail with the reason', async () => {
  const { tried, connection: redis } = server(Array.from({ length: 40 }, () => AWAY))
  await pass(0)
  await expect(redis.commands.get('a')).rejects.toMatchObject({ cause: AWAY })
  await pass(9_000)
  expect(tried.slice(0, 4)).toEqual([0, 250, 500, 750])
  await pass(2_000)
  expect(redis.isReady).toBe(true)
})

it('a lost client is replaced once, even if it fails twice, and closed later', async () => {
  const { connection: redis, clients } = server()
  await pass(0)
  clients[0]?.lose(AWAY)
  clients[0]?.lose(AWAY)
  await pass(300)
  expect([clients.length, clients[0]?.isClosed]).toEqual([2, false])
  await pass(1_500)
  clients[0]?.lose(AWAY)
  await pass(1_000)
  expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, false])
  expect(redis.isReady).toBe(true)
})

it('a late failure of a lost client doesn’t touch the next one', async () => {
  const { connection: redis, clients } = server()
  await pass(0)
  clients[0]!.answer = () => new Promise((_, fail) => setTimeout(fail, 1_000, new Error('READONLY')))
  const calls = outcome(redis.commands.get('a'))
  clients[0]?.lose(AWAY)
  await pass(1_000)
  expect(await calls).toContain('(READONLY)')
  await pass(1_000)
  expect([redis.isReady, clients.length]).toEqual([true, 2])
})

it('a command without a timely reply closes and replaces its client', async () => {
  const { connection: redis, clients } = server()
  await pass(0)
  clients[0]!.answer = () => new Promise(() => {})
  const calls = outcome(redis.commands.get('a'))
  await pass(1_499)
  expect([redis.isReady, clients[0]?.isClosed]).toEqual([true, false])
  await pass(2)
  expect(await calls).toBe('the store timed out (timeout): see REDIS_URL or DATA_DIR')
  expect([redis.isReady, clients[0]?.isClosed]).toEqual([false, true])
  await expect(redis.commands.get('a')).rejects.toBeInstanceOf(StoreUnavailable)
  await pass(300)
  expect([redis.isReady, clients.length]).toEqual([true, 2])
  expect(await redis.commands.get('a')).toBeNull()
})

/** Fails a command with an error, and waits for the client that the connection has later. */
async function failCommand(message: string) {
  const { connection: redis, clients } = server()
  await pass(0)
  clients[0]!.answer = failing(message)
  await expect(redis.commands.get('a')).rejects.toBeInstanceOf(StoreUnavailable)
  const wasReady = redis.isReady
  await pass(5_000)
  return {
    wasReady,
    isReady: redis.isReady,
    clients: clients.length,
    next: String(await outcome(redis.commands.get('a'))),
  }
}

it.each([
  'The queue is full',
  'OOM says Redis',
  'LOADING says Redis',
  'CLUSTERDOWN says Redis',
  'NOPERM says Redis',
  'ERR says Redis',
])('a command that fails with "%s" keeps its client', async (message) => {
  expect(await failCommand(message)).toMatchObject({
    wasReady: true,
    isReady: true,
    clients: 1,
    next: expect.stringMatching(/\(\w+\)/) as string,
  })
})

it.each(['READONLY says Redis', 'ERRATIC', 'it says ERR', 'Socket closed unexpectedly'])(
  'a command that fails with "%s" has its client replaced',
  async (message) => {
    const expected = { wasReady: false, isReady: true, clients: 2, next: 'null' }
    expect(await failCommand(message)).toEqual(expected)
  },
)

it('a destroyed connection closes its client, also one that is just opening, and retries nothing', async () => {
  const { connection: redis, clients, tried } = server([undefined, 'slow'])
  await pass(0)
  clients[0]?.lose(AWAY)
  await pass(300)
  redis.destroy()
  await pass(5_000)
  expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, true])
  expect(tried).toHaveLength(2)
})

it('a connection that is destroyed during an outage retries nothing', async () => {
  const { connection: redis, tried } = server([AWAY, AWAY])
  await pass(0)
  redis.destroy()
  await pass(5_000)
  expect([tried.length, redis.isReady]).toEqual([1, false])
})
