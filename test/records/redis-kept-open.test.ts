// The connection that is kept for ever, over clients that open, fail and hang as a test wants; redis-connection.test.ts
// and test/faults have it over real ones.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import type { RedisCommands } from '../../src/records/redis-clients.ts'
import { connectBy, type RedisConnection } from '../../src/records/redis-connection.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

let random: ReturnType<typeof vi.spyOn>
let connection: RedisConnection | undefined
beforeEach(() => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  connection?.destroy()
  random.mockRestore()
  vi.useRealTimers()
})

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
type Client = { lose(error: Error): void; isClosed: boolean; answer: RedisCommands['get'] }

/** A server; `opens` says what the next attempts to open a client come to. */
function server(opens: (Error | 'hangs' | undefined)[] = []) {
  const { commands } = memoryRedis()
  const [clients, tried, lines]: [Client[], number[], string[]] = [[], [], []]
  const began = performance.now()
  connection = connectBy(
    async (lost) => {
      tried.push(performance.now() - began)
      const comesTo = opens.shift()
      if (comesTo === 'hangs') await new Promise(() => {})
      if (comesTo instanceof Error) throw comesTo
      const client: Client = { lose: lost, isClosed: false, answer: commands.get }
      clients.push(client)
      return {
        commands: { ...commands, get: (key) => client.answer(key) },
        close: () => void (client.isClosed = true),
      }
    },
    {
      warn: (fields, message) => void lines.push(`${'err' in fields ? '' : 'without cause: '}${message}`),
      info: (_, message) => void lines.push(message),
    },
  )
  return { connection, clients, tried, lines }
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
const failing = (message: string) => () => Promise.reject(new Error(message))
const outcome = (work: Promise<unknown>) =>
  work.catch((error: unknown) => (error instanceof StoreUnavailable ? error.detail : 'another failure'))
const AWAY_LINE = 'Redis cannot be reached (ECONNREFUSED): trying again until it can'
const BACK_LINE = 'Redis is reached again'

describe('a connection to Redis', () => {
  it('is opened after 25 ms, gives on every command, and says nothing of it', async () => {
    const { connection: redis, lines, tried } = server()
    expect(redis.isReady).toBe(false)
    await pass(25)
    expect([redis.isReady, tried]).toEqual([true, [25]])
    const life = { expiration: { type: 'EX' as const, value: 60 } }
    expect(await redis.set('a', '1', life)).toBe('OK')
    expect(await redis.set('a', '2', { ...life, condition: 'NX' })).toBeNull()
    expect(await redis.get('a')).toBe('1')
    expect([await redis.expire('a', 5), await redis.expire('b', 5)]).toEqual([1, 0])
    const script = "call('ttl')"
    expect(await redis.eval(script, { keys: ['n'], arguments: ['2', '60'] })).toEqual([2, 60_000])
    expect(await redis.del(['a', 'n'])).toBe(2)
    expect(lines).toEqual([])
  })

  it.each([
    [0, [18, 55, 130, 280, 580, 1180, 1930, 2680]],
    [0.5, [25, 75, 175, 375, 775, 1575, 2575, 3575]],
  ])('is tried for ever, less and less often up to once a second (jitter %d)', async (jitter, times) => {
    random.mockReturnValue(jitter)
    const { tried, connection: redis } = server(Array.from({ length: 40 }, () => AWAY))
    await pass(34_000)
    expect(tried.slice(0, 8)).toEqual(times)
    await pass(10_000)
    expect(redis.isReady).toBe(true)
  })

  it('has one line for each reason why Redis is away, and one when it is back', async () => {
    const full = new Error('OOM command not allowed')
    const { lines, clients } = server([AWAY, AWAY, full, AWAY, full])
    await pass(2_000)
    const refused = 'Redis refuses onramp: Redis is full and takes no writes (OOM): trying again until it can'
    expect(lines).toEqual([AWAY_LINE, refused, BACK_LINE])
    clients[0]?.lose(AWAY)
    await pass(1_000)
    expect(lines).toEqual([AWAY_LINE, refused, BACK_LINE, AWAY_LINE, BACK_LINE])
  })
})

describe('a command', () => {
  it('that comes first waits for the connection, but not for long', async () => {
    const { connection: redis } = server()
    const first = outcome(redis.get('a'))
    await pass(25)
    expect(await first).toBeNull()
  })

  it('that comes first fails after half a second where no client opens, and at once after that', async () => {
    const { connection: redis } = server(['hangs'])
    const first = outcome(redis.get('a'))
    await pass(499)
    expect(await Promise.race([first, 'waiting'])).toBe('waiting')
    await pass(1)
    expect(await first).toBe('the store cannot be reached (Error): see REDIS_URL or DATA_DIR')
  })

  it('fails at once with the reason while Redis is away', async () => {
    const { connection: redis } = server([AWAY, AWAY, AWAY, AWAY])
    const first = outcome(redis.get('a'))
    await pass(25)
    expect(await first).toBe('the store cannot be reached (ECONNREFUSED): see REDIS_URL or DATA_DIR')
    await pass(100)
    await expect(redis.get('a')).rejects.toMatchObject({ cause: AWAY })
  })

  it('that is not answered in time costs the client, which is closed and replaced', async () => {
    const { connection: redis, clients, lines } = server()
    await pass(25)
    clients[0]!.answer = () => new Promise(() => {})
    const asked = outcome(redis.get('a'))
    await pass(1_499)
    expect([redis.isReady, clients[0]?.isClosed]).toEqual([true, false])
    await pass(2)
    expect(await asked).toBe('the store did not answer in time (timeout): see REDIS_URL or DATA_DIR')
    expect([redis.isReady, clients[0]?.isClosed]).toEqual([false, true])
    await expect(redis.get('a')).rejects.toBeInstanceOf(StoreUnavailable)
    await pass(200)
    expect([redis.isReady, clients.length]).toEqual([true, 2])
    expect(await redis.get('a')).toBeNull()
    expect(lines).toEqual(['Redis cannot be reached (timeout): trying again until it can', BACK_LINE])
  })

  it('has the less time the longer Redis is slow in one stretch', async () => {
    const { connection: redis, clients } = server()
    await pass(25)
    clients[0]!.answer = () => new Promise((done) => setTimeout(done, 1_000, 'late'))
    const both = [outcome(redis.get('a'))]
    await pass(1_000)
    both.push(outcome(redis.get('a')))
    await pass(501)
    expect(await Promise.all(both)).toEqual(['late', expect.stringContaining('(timeout)')])
  })

  it.each([
    ...['OOM', 'LOADING', 'CLUSTERDOWN', 'TRYAGAIN', 'BUSY', 'MISCONF', 'NOREPLICAS', 'MASTERDOWN'],
    ...['WRONGTYPE', 'NOPERM', 'ERR'],
  ])('that is refused with %s fails, and the client stays', async (code) => {
    const { connection: redis, clients, lines } = server()
    await pass(25)
    clients[0]!.answer = failing(`${code} says Redis`)
    await expect(redis.get('a')).rejects.toBeInstanceOf(StoreUnavailable)
    await pass(5_000)
    expect([redis.isReady, clients.length, lines]).toEqual([true, 1, []])
  })

  it.each(['READONLY says Redis', 'ERRATIC', 'it says ERR', 'Socket closed unexpectedly'])(
    'that fails with "%s" fails, and another client is opened beside, which ends the first after its time',
    async (message) => {
      const { connection: redis, clients, lines } = server()
      await pass(25)
      clients[0]!.answer = failing(message)
      await expect(redis.get('a')).rejects.toBeInstanceOf(StoreUnavailable)
      expect([redis.isReady, lines.length]).toEqual([false, 1])
      await expect(redis.get('a')).rejects.toBeInstanceOf(StoreUnavailable)
      await pass(50)
      expect([redis.isReady, clients.length, lines.length]).toEqual([true, 2, 2])
      expect(await redis.get('a')).toBeNull()
      await pass(1_449)
      expect(clients[0]?.isClosed).toBe(false)
      await pass(60)
      expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, false])
    },
  )
})

describe('a client that is lost', () => {
  it('is replaced once, though it says so twice, and is not heard any more after that', async () => {
    const { connection: redis, clients, lines } = server()
    await pass(25)
    clients[0]?.lose(AWAY)
    clients[0]?.lose(AWAY)
    await pass(1_000)
    expect(clients).toHaveLength(2)
    clients[0]?.lose(AWAY)
    await pass(1_000)
    expect([redis.isReady, clients.length, lines]).toEqual([true, 2, [AWAY_LINE, BACK_LINE]])
  })

  it('soon after it opened is not replaced faster and faster; one that lived for five seconds is, at once', async () => {
    const { clients, tried } = server()
    const gapAfter = async (life: number) => {
      await pass(life)
      const at = tried.length
      const lostAt = performance.now()
      clients.at(-1)?.lose(AWAY)
      for (let waited = 0; tried.length === at && waited < 2_000; waited += 25) await pass(25)
      return performance.now() - lostAt
    }
    await pass(25)
    const gaps = []
    for (let time = 0; time < 5; time++) gaps.push(await gapAfter(5_000))
    expect(gaps).toEqual([50, 100, 200, 200, 200])
    expect(await gapAfter(5_001)).toBe(25)
  })
})

describe('a connection that is ended', () => {
  it('closes its client and those that are still ending, opens none, and fails', async () => {
    const { connection: redis, clients, tried } = server()
    await pass(25)
    clients[0]?.lose(AWAY)
    await pass(100)
    redis.destroy()
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, true])
    clients[1]?.lose(AWAY)
    await pass(5_000)
    expect(tried).toHaveLength(2)
  })

  it('while it waits to try again tries no more', async () => {
    const { connection: redis, tried } = server([AWAY, AWAY])
    await pass(30)
    redis.destroy()
    await pass(5_000)
    expect(tried).toHaveLength(1)
  })
})
