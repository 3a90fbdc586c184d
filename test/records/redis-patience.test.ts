// What a command on the kept connection waits for, how it fails, and what that says about the client.
import { describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../src/records/records.ts'
import { AWAY, BACK_LINE, failing, outcome, pass, server } from './kept-connection.ts'

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
    expect(await Promise.race([first, Promise.resolve('waiting')])).toBe('waiting')
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
    clients[0]?.lose(AWAY)
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
    'OOM',
    'LOADING',
    'CLUSTERDOWN',
    'TRYAGAIN',
    'BUSY',
    'MISCONF',
    'NOREPLICAS',
    'MASTERDOWN',
    'WRONGTYPE',
    'NOPERM',
    'ERR',
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
