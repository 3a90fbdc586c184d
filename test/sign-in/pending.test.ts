// Sign-ins under way, on both stores: any number of them, each used up once.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import type { Records } from '../../src/records/records.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { createSealer } from '../../src/session/seal.ts'
import { createPendingSignIns, type PendingSignIn } from '../../src/sign-in/pending.ts'
import { createRoom } from '../../src/sign-in/room.ts'
import { startRedis } from '../helpers/redis.ts'

type Opened = { records: Records; close(): Promise<void> }
const stores: Record<string, () => Promise<Opened>> = {
  async SQLite() {
    const folder = mkdtempSync(join(tmpdir(), 'onramp-pending-'))
    const records = createSqliteRecords(folder)
    return {
      records,
      async close() {
        records.close()
        rmSync(folder, { recursive: true })
      },
    }
  },
  async Redis() {
    const redis = await startRedis()
    const client = connectRedis(redis.url, { warn: () => {}, info: () => {} })
    while (!client.isReady) await sleep(5)
    return {
      records: createRedisRecords(client),
      async close() {
        client.destroy()
        await redis.close()
      },
    }
  },
}

const SECRET = 's'.repeat(40)
const ROOM = createRoom({ redis: undefined, megabytes: 16, windowSeconds: 600, perAddress: 1_200 })
const NETWORK = '203.0.113.7'
const signIn = {
  browser: 'browser',
  verifier: 'verifier',
  nonce: 'nonce',
  returnTo: '/onboarding',
  startedAt: 1_000,
}

describe.each(Object.entries(stores))('a sign-in under way, in %s', (_name, open) => {
  let opened: Opened
  const pending = (secret = SECRET) => createPendingSignIns(opened.records, createSealer([secret]), ROOM)
  let number = 0
  const newState = () => `0.state-${++number}`
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  it('is found by its state, whole, however many others there are', async () => {
    const states = Array.from({ length: 50 }, newState)
    for (const state of states) await pending().add(state, { ...signIn, returnTo: `/${state}` }, NETWORK)
    for (const state of states)
      expect(await pending().find(state)).toEqual({ kind: 'pending', ...signIn, returnTo: `/${state}` })
  })

  it('that was never started is not found', async () => {
    for (const state of [newState(), '', '__proto__', 'x'.repeat(10_000)])
      expect(await pending().find(state)).toBeUndefined()
  })

  it('is used up by one of any number of callbacks, and remembered as finished', async () => {
    const state = newState()
    await pending().add(state, signIn, NETWORK)
    const won = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const one = pending()
        const found = (await one.find(state)) as PendingSignIn
        return found.kind === 'pending' && (await one.finish(state, found))
      }),
    )
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(await pending().find(state)).toEqual({
      kind: 'finished',
      browser: 'browser',
      returnTo: '/onboarding',
    })
  })

  it('keeps its verifier and nonce from whoever reads the store, and forgets them when it is finished', async () => {
    const state = newState()
    const written: string[] = []
    const watched: Records = {
      ...opened.records,
      put: async (key, value, seconds) => {
        written.push(key, value)
        await opened.records.put(key, value, seconds)
      },
    }
    const one = createPendingSignIns(watched, createSealer([SECRET]), ROOM)
    await one.add(state, signIn, NETWORK)
    for (const plain of [state, 'verifier', 'nonce', '/onboarding', 'browser'])
      expect(written.join('\n')).not.toContain(plain)
    await one.finish(state, (await one.find(state)) as PendingSignIn)
    expect(await one.find(state)).not.toHaveProperty('verifier')
  })

  it('cannot be opened with another secret', async () => {
    const state = newState()
    await pending().add(state, signIn, NETWORK)
    expect(await pending('o'.repeat(40)).find(state)).toBeUndefined()
  })
})
