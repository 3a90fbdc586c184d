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
import { createSealer } from '../../src/records/seal.ts'
import { createPendingSignIns, type PendingSignIn, type PendingSignIns } from '../../src/sign-in/pending.ts'
import { createRoom, type Room } from '../../src/sign-in/room.ts'
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
const ROOM = createRoom({ redis: undefined, megabytes: 16, windowSeconds: 600 })
const NETWORK = '203.0.113.7'
const BROWSER = 'browser'
const signIn = {
  verifier: 'verifier',
  nonce: 'nonce',
  returnTo: '/onboarding',
  startedAt: 1_000,
  network: NETWORK,
}

const add = async (pending: PendingSignIns, state: string, one: PendingSignIn = signIn) =>
  (await pending.prepare(state, BROWSER, one)).keep()

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
    for (const state of states) await add(pending(), state, { ...signIn, returnTo: `/${state}` })
    for (const state of states) {
      const taken = await pending().take(state, BROWSER)
      expect(taken).toMatchObject({ signIn: { ...signIn, returnTo: `/${state}` }, mayRedeem: true })
    }
  })

  it('that was never started is not found', async () => {
    for (const state of [newState(), '', '__proto__', 'x'.repeat(10_000)])
      expect(await pending().take(state, BROWSER)).toBeUndefined()
  })

  it('is used up by one of any number of callbacks, and the others still find where it leads', async () => {
    const state = newState()
    await add(pending(), state)
    const taken = await Promise.all(Array.from({ length: 20 }, () => pending().take(state, BROWSER)))
    expect(taken.filter((one) => one?.mayRedeem)).toHaveLength(1)
    expect(taken.map((one) => one?.signIn.returnTo)).toEqual(Array(20).fill('/onboarding'))
    expect(await pending().take(state, BROWSER)).toMatchObject({ mayRedeem: false })
  })

  it.each([
    ['another browser', 'browse'],
    ['a browser with a longer name', 'browser.x'],
    ['no cookie', undefined],
    ['an empty name', ''],
  ])('is not used up by an answer from %s, which finds where it leads', async (_who, browser) => {
    const state = newState()
    await add(pending(), state)
    const stranger = await pending().take(state, browser)
    expect(stranger).toMatchObject({ mayRedeem: false, signIn: { returnTo: '/onboarding' } })
    expect(await pending().take(state, BROWSER)).toMatchObject({ mayRedeem: true })
  })

  it('gives back the room that it took, and no more', async () => {
    const state = newState()
    const counted: [string, number, string][] = []
    const room: Room = {
      take: async (bytes, network) => void counted.push(['take', bytes, network]),
      giveBack: async (bytes, network) => void counted.push(['give back', bytes, network]),
    }
    const signIns = createPendingSignIns(opened.records, createSealer([SECRET]), room)
    await add(signIns, state)
    const taken = await signIns.take(state, BROWSER)
    if (taken !== undefined) await signIns.succeeded(taken)
    const [bytes] = counted.map(([, count]) => count)
    expect(counted).toEqual([
      ['take', bytes, NETWORK],
      ['give back', bytes, NETWORK],
    ])
  })

  it('is gone ten minutes after it was started, also when it was used at the last moment', async () => {
    const lives: number[] = []
    const watched: Records = {
      ...opened.records,
      put: async (_key, _value, seconds) => void lives.push(seconds),
      takeMark: async (_key, _mark, seconds) => void lives.push(seconds),
    }
    const signIns = createPendingSignIns(watched, createSealer([SECRET]), ROOM)
    const state = newState()
    await add(signIns, state)
    await signIns.take(state, BROWSER)
    expect(lives).toHaveLength(2)
    expect(lives.reduce((one, other) => one + other)).toBeLessThanOrEqual(600)
  })

  it('keeps its verifier and nonce from readers of the store', async () => {
    const state = newState()
    const written: string[] = []
    const watched: Records = {
      ...opened.records,
      put: async (key, value, seconds) => {
        written.push(key, value)
        await opened.records.put(key, value, seconds)
      },
    }
    await add(createPendingSignIns(watched, createSealer([SECRET]), ROOM), state)
    expect(written).toHaveLength(2)
    for (const plain of [state, 'verifier', 'nonce', '/onboarding'])
      expect(written.join('\n')).not.toContain(plain)
  })

  it('stays with its browser although the store says that it is of another one', async () => {
    const state = newState()
    let [key, value] = ['', '']
    const watched: Records = {
      ...opened.records,
      put: async (...written) => {
        ;[key, value] = written
        await opened.records.put(...written)
      },
    }
    const watchedPending = createPendingSignIns(watched, createSealer([SECRET]), ROOM)
    await add(watchedPending, state)
    await opened.records.put(key, value.replace(BROWSER, 'victim'), 60)
    expect(await pending().take(state, 'victim')).toMatchObject({ mayRedeem: false })
  })

  it('cannot be opened with another secret', async () => {
    const state = newState()
    await add(pending(), state)
    expect(await pending('o'.repeat(40)).take(state, BROWSER)).toBeUndefined()
  })
})
