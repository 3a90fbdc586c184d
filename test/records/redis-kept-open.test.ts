// The connection that is kept for ever: when a client is opened, replaced and closed. redis-connection.test.ts and test/faults
// have it over real ones.
import { describe, expect, it } from 'vitest'
import { AWAY, AWAY_LINE, BACK_LINE, outcome, pass, random, server } from './kept-connection.ts'

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

  it('while it opens is left to those who open it', async () => {
    const { connection: redis, tried, lines } = server(['slow'])
    await pass(125)
    expect([redis.isReady, tried.length, lines]).toEqual([true, 1, []])
  })

  it('costs the next one nothing, whatever comes of what was asked of it', async () => {
    const { connection: redis, clients } = server()
    await pass(25)
    clients[0]!.answer = () => new Promise((_, fail) => setTimeout(fail, 1_000, new Error('READONLY')))
    const asked = outcome(redis.get('a'))
    clients[0]?.lose(AWAY)
    await pass(1_000)
    expect(await asked).toContain('(READONLY)')
    await pass(1_000)
    expect([redis.isReady, clients.length]).toEqual([true, 2])
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
  it('while a client is replaced closes the one and the other', async () => {
    const { connection: redis, clients } = server([undefined, 'slow'])
    await pass(25)
    clients[0]?.lose(AWAY)
    await pass(60)
    redis.destroy()
    await pass(5_000)
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([true, true])
  })

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
    expect([tried.length, redis.isReady]).toEqual([1, false])
  })

  it('while a client opens closes that', async () => {
    const { connection: redis, clients } = server(['slow'])
    await pass(30)
    redis.destroy()
    expect(clients).toEqual([])
    await pass(100)
    expect(clients.map(({ isClosed }) => isClosed)).toEqual([true])
  })
})
