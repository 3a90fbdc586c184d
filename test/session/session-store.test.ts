// Sessions as both kinds of store keep them: sealed, with an end, and never worth more than one session.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionData } from 'express-session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { createSealer } from '../../src/session/seal.ts'
import {
  recordSessionTexts,
  redisSessionTexts,
  SealedSessionStore,
  type SealedTexts,
} from '../../src/session/session-store.ts'
import { startRedis } from '../helpers/redis.ts'

type Opened = {
  texts: SealedTexts
  dump(): Promise<Map<string, string>>
  damage(key: string, value: string): Promise<void>
  close(): Promise<void>
}

const stores: Record<string, () => Promise<Opened>> = {
  async SQLite() {
    const folder = mkdtempSync(join(tmpdir(), 'onramp-sessions-'))
    const records = createSqliteRecords(folder)
    const raw = new DatabaseSync(join(folder, 'onramp.sqlite'))
    return {
      texts: recordSessionTexts(records),
      dump: async () =>
        new Map(
          raw
            .prepare('SELECT key, value FROM records')
            .all()
            .map((row) => [String(row['key']), String(row['value'])]),
        ),
      damage: async (key, value) =>
        void raw.prepare('UPDATE records SET value = ? WHERE key = ?').run(value, key),
      async close() {
        raw.close()
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
      texts: redisSessionTexts(client),
      dump: () => redis.dump(),
      damage: async (key, value) => void (await redis.ask('SET', key, value, 'KEEPTTL')),
      async close() {
        client.destroy()
        await redis.close()
      },
    }
  },
}

const LIFETIMES = { idleSeconds: 3_600, maxSeconds: 12 * 3_600 }
const [SECRET, NEWER] = ['s'.repeat(40), 'n'.repeat(40)]
const session = (more: Partial<SessionData> = {}) =>
  ({
    cookie: { path: '/', originalMaxAge: null },
    browser: 'browser-id',
    user: { issuer: 'https://as.example', subject: 'ada', email: 'ada@acme.example' },
    ...more,
  }) as SessionData

const read = (store: SealedSessionStore, sid: string) =>
  new Promise<SessionData | null | undefined>((resolve, reject) => {
    store.get(sid, (error, found) => (error ? reject(error) : resolve(found)))
  })
const write = (store: SealedSessionStore, sid: string, data: SessionData, how: 'set' | 'touch' = 'set') =>
  new Promise<void>((resolve, reject) => {
    store[how](sid, data, (error) => (error ? reject(error) : resolve()))
  })

describe.each(Object.entries(stores))('a session kept in %s', (_name, open) => {
  let opened: Opened
  let now = Date.now()
  const storeWith = (...secrets: string[]) =>
    new SealedSessionStore(opened.texts, createSealer(secrets), LIFETIMES, () => now)
  let number = 0
  const newId = () => `session-id-${++number}`
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  it('is read as it was written, and gone when it is destroyed', async () => {
    const [store, sid] = [storeWith(SECRET), newId()]
    expect(await read(store, sid)).toBeNull()
    await write(store, sid, session())
    expect(await read(store, sid)).toMatchObject(session())
    await new Promise((resolve) => store.destroy(sid, resolve))
    expect(await read(store, sid)).toBeNull()
  })

  it('shows nothing of itself in the store: no id, no name, no word of its content', async () => {
    const [store, sid] = [storeWith(SECRET), newId()]
    await write(store, sid, session())
    const everything = [...(await opened.dump())].flat().join('\n')
    for (const plain of [sid, 'ada', 'acme', 'browser-id', 'cookie', 'subject', SECRET])
      expect(everything).not.toContain(plain)
  })

  it('cannot be opened under another id, though the store was rewritten', async () => {
    const [store, one, other] = [storeWith(SECRET), newId(), newId()]
    const before = new Set((await opened.dump()).keys())
    await write(store, one, session())
    const key = [...(await opened.dump()).keys()].find((found) => !before.has(found)) ?? ''
    const sealed = (await opened.dump()).get(key) ?? ''
    await write(store, other, session({ browser: 'victim' }))
    const target =
      [...(await opened.dump()).keys()].find((found) => !before.has(found) && found !== key) ?? ''
    await opened.damage(target, sealed)
    expect(await read(store, other)).toBeNull()
  })

  it.each(['', '{not json', 'AAAA', 'x'.repeat(2_000_000), 'null', '{"cookie":{}}'])(
    'that was damaged (%.12s) costs that session, once, and no other',
    async (damaged) => {
      const [store, sid, other] = [storeWith(SECRET), newId(), newId()]
      await write(store, other, session())
      const before = new Set((await opened.dump()).keys())
      await write(store, sid, session())
      const key = [...(await opened.dump()).keys()].find((found) => !before.has(found)) ?? ''
      await opened.damage(key, damaged)
      expect(await read(store, sid)).toBeNull()
      expect((await opened.dump()).get(key) ?? '').toBe('')
      expect(await read(store, other)).toMatchObject(session())
      await write(store, sid, session())
      expect(await read(store, sid)).toMatchObject(session())
    },
  )

  it('outlives a new secret that was put in front, and ends with the old one', async () => {
    const sid = newId()
    await write(storeWith(SECRET), sid, session())
    expect(await read(storeWith(NEWER, SECRET), sid)).toMatchObject(session())
    await write(storeWith(NEWER, SECRET), sid, session())
    expect(await read(storeWith(NEWER), sid)).toMatchObject(session())
    const old = newId()
    await write(storeWith(SECRET), old, session())
    expect(await read(storeWith(NEWER), old)).toBeNull()
  })

  it('ends when it was not used for its idle time, and is kept alive by being read', async () => {
    const short = { ...LIFETIMES, idleSeconds: 1 }
    const store = new SealedSessionStore(opened.texts, createSealer([SECRET]), short)
    const [left, used] = [newId(), newId()]
    for (const sid of [left, used]) await write(store, sid, session({ signedInAt: Date.now() }))
    for (let reads = 0; reads < 3; reads++) {
      await sleep(900)
      await write(store, used, (await read(store, used)) ?? session(), 'touch')
    }
    expect(await read(store, left)).toBeNull()
    expect(await read(store, used)).not.toBeNull()
  })

  it('that was ended is not brought back by a request in flight that only read it', async () => {
    const [store, sid] = [storeWith(SECRET), newId()]
    await write(store, sid, session())
    const inFlight = (await read(store, sid)) ?? session()
    await new Promise((resolve) => store.destroy(sid, resolve))
    await write(store, sid, inFlight, 'touch')
    expect(await read(store, sid)).toBeNull()
  })

  it('ends at its longest, however much it is used', async () => {
    const [store, sid] = [storeWith(SECRET), newId()]
    const start = now
    for (let hours = 0; hours <= 12; hours += 0.5) {
      now = start + hours * 3_600_000
      await write(store, sid, session({ signedInAt: start }))
    }
    expect(await read(store, sid)).not.toBeNull()
    now += 1
    expect(await read(store, sid)).toBeNull()
    now = start
  })
})
