// Sign-ins as both kinds of store keep them: sealed, with an end, and never worth more than one session.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionData } from 'express-session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectRedis } from '../../src/records/redis-connection.ts'
import { createSqliteRecords } from '../../src/records/sqlite-records.ts'
import { createSealer, nameOf } from '../../src/session/seal.ts'
import { recordSessionTexts, redisSessionTexts, type SealedTexts } from '../../src/session/sealed-texts.ts'
import { SessionStore } from '../../src/session/session-store.ts'
import { createSignIns, type SignIns } from '../../src/session/signed-in.ts'
import { createSignedOut } from '../../src/sign-in/sign-out/signed-out.ts'
import type { Records } from '../../src/records/records.ts'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { startRedis } from '../helpers/redis.ts'

type Opened = {
  texts: SealedTexts
  records: Records
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
      records,
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
      records: createRedisRecords(client),
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
const content = {
  user: { issuer: 'https://as.example', subject: 'ada', email: 'ada@acme.example' },
  browser: 'browser-name',
  signedInAt: Date.now(),
  tokens: { accessToken: 'access-1', refreshToken: 'refresh-1', issuedAt: Date.now() },
}

describe.each(Object.entries(stores))('a sign-in kept in %s', (_name, open) => {
  let opened: Opened
  let now = content.signedInAt
  type Kept = SignIns & { session(id: string): Promise<SessionData | null | undefined>; store: SessionStore }
  function signInsWith(secrets: string[], lifetimes = LIFETIMES, clock = () => now): Kept {
    const sealer = createSealer(secrets)
    const signIns = createSignIns({ ...opened, ...lifetimes, sealer, now: clock })
    const store = new SessionStore({ texts: opened.texts, signIns })
    const session = (id: string) =>
      new Promise<SessionData | null | undefined>((resolve, reject) => {
        store.get(id, (error, found) => (error ? reject(error) : resolve(found)))
      })
    return { ...signIns, session, store }
  }
  let number = 0
  const newId = () => `session-id-${++number}`
  const keys = async () => [...(await opened.dump()).keys()]
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  it('is read as it was written, by pages and by express-session, and gone when it is ended', async () => {
    const [signIns, id] = [signInsWith([SECRET]), newId()]
    expect(await signIns.load(id)).toBeUndefined()
    expect(await signIns.session(id)).toBeNull()
    await signIns.create(id, content)
    expect(await signIns.load(id)).toMatchObject({ ...content, id })
    expect((await signIns.session(id))?.signedIn).toMatchObject({ ...content, id })
    await signIns.end(nameOf(id))
    expect(await signIns.load(id)).toBeUndefined()
    expect(await signIns.session(id)).toBeNull()
  })

  it('shows nothing of itself in JSON, as a log would write it, however it was come by', async () => {
    const [signIns, id] = [signInsWith([SECRET]), newId()]
    const created = await signIns.create(id, content)
    const replaced = await signIns.replaceTokens(created, { ...content.tokens, accessToken: 'access-2' })
    const loaded = await signInsWith([SECRET]).load(id)
    expect([created, replaced, loaded].every((one) => one?.id === id)).toBe(true)
    const shown = JSON.stringify([created, replaced, loaded, await signIns.session(id)])
    for (const secret of [id, 'access-', 'refresh-1', 'ada', created.sealed])
      expect(shown).not.toContain(secret)
  })

  it('shows nothing of itself in the store: no id, no name, no word of its content', async () => {
    const id = newId()
    await signInsWith([SECRET]).create(id, content)
    const everything = [...(await opened.dump())].flat().join('\n')
    for (const plain of [id, 'ada@acme', '"ada"', 'browser-name', 'access-1', 'refresh-1', 'subject', SECRET])
      expect(everything).not.toContain(plain)
  })

  it('cannot be opened under another id, though the store was rewritten', async () => {
    const [signIns, one, other] = [signInsWith([SECRET]), newId(), newId()]
    const { sealed } = await signIns.create(one, content)
    const before = new Set(await keys())
    await signIns.create(other, { ...content, user: { issuer: 'https://as.example', subject: 'victim' } })
    await opened.damage((await keys()).find((key) => !before.has(key)) ?? '', sealed)
    expect(await signIns.load(other)).toBeUndefined()
    expect(await signIns.session(other)).toBeNull()
  })

  it.each(['', '{not json', 'AAAA', 'x'.repeat(2_000_000), 'null', '{"cookie":{}}'])(
    'that was damaged (%.12s) costs that session, once, and no other',
    async (damaged) => {
      const [signIns, id, other] = [signInsWith([SECRET]), newId(), newId()]
      await signIns.create(other, content)
      const before = new Set(await keys())
      await signIns.create(id, content)
      const key = (await keys()).find((found) => !before.has(found)) ?? ''
      await opened.damage(key, damaged)
      expect(await signIns.load(id)).toBeUndefined()
      expect(await signIns.session(id)).toBeNull()
      expect((await opened.dump()).get(key) ?? '').toBe('')
      expect(await signIns.load(other)).toMatchObject(content)
      await signIns.create(id, content)
      expect(await signIns.load(id)).toMatchObject(content)
    },
  )

  it('outlives a new secret that was put in front, and ends with the old one', async () => {
    const [id, old] = [newId(), newId()]
    const written = await signInsWith([SECRET]).create(id, content)
    await signInsWith([SECRET]).create(old, content)
    expect(await signInsWith([NEWER, SECRET]).load(id)).toMatchObject(content)
    await signInsWith([NEWER, SECRET]).replaceTokens(written, content.tokens)
    expect(await signInsWith([NEWER]).load(id)).toMatchObject(content)
    expect(await signInsWith([NEWER]).load(old)).toBeUndefined()
  })

  it('ends when it was not used for its idle time, and is kept alive by being used', async () => {
    const signIns = signInsWith([SECRET], { ...LIFETIMES, idleSeconds: 1 }, Date.now)
    const [left, used] = [newId(), newId()]
    await signIns.create(left, content)
    const inUse = await signIns.create(used, content)
    for (let uses = 0; uses < 3; uses++) {
      await sleep(900)
      await signIns.renew(inUse)
    }
    expect(await signIns.load(left)).toBeUndefined()
    expect(await signIns.load(used)).toBeDefined()
  })

  it('ends at its longest, however much it is used', async () => {
    const [signIns, id] = [signInsWith([SECRET]), newId()]
    const signedIn = await signIns.create(id, content)
    for (let hours = 0; hours <= 12; hours += 0.5) {
      now = content.signedInAt + hours * 3_600_000
      await signIns.renew(signedIn)
    }
    expect(await signIns.load(id)).toBeDefined()
    now += 1
    expect(await signIns.load(id)).toBeUndefined()
    expect(await signIns.session(id)).toBeNull()
    now = content.signedInAt
  })

  it('that was ended is not brought back by a request in flight, whatever that does', async () => {
    const [signIns, id] = [signInsWith([SECRET]), newId()]
    const signedIn = await signIns.create(id, content)
    const inFlight = (await signIns.session(id)) as SessionData
    await signIns.end(nameOf(id))
    await signInsWith([SECRET]).renew(signedIn)
    expect(
      await signIns.replaceTokens(signedIn, { ...content.tokens, accessToken: 'access-2' }),
    ).toBeUndefined()
    await new Promise((resolve) => signIns.store.set(id, inFlight, resolve))
    expect(await signIns.load(id)).toBeUndefined()
    expect(await signIns.session(id)).toBeNull()
  })

  it('keeps the tokens of the first of two that replace them', async () => {
    const [signIns, id] = [signInsWith([SECRET]), newId()]
    const signedIn = await signIns.create(id, content)
    const replaced = await Promise.all(
      ['access-2', 'access-3'].map((accessToken) =>
        signIns.replaceTokens(signedIn, { ...content.tokens, accessToken }),
      ),
    )
    const [winner] = replaced.filter((result) => result !== undefined)
    expect(replaced.filter((result) => result !== undefined)).toHaveLength(1)
    expect(await signIns.load(id)).toEqual(winner)
  })

  it('is never written by express-session, which would write back what was refreshed meanwhile', async () => {
    const [signIns, id] = [signInsWith([SECRET]), newId()]
    const signedIn = await signIns.create(id, content)
    const slow = (await signIns.session(id)) as SessionData
    await signIns.replaceTokens(signedIn, { ...content.tokens, accessToken: 'access-2' })
    await new Promise((resolve) => signIns.store.set(id, slow, resolve))
    expect((await signIns.load(id))?.tokens.accessToken).toBe('access-2')
  })
})

describe.each(Object.entries(stores))('a browser without a sign-in, in %s', (_name, open) => {
  it('takes no room in the store while it signs in, and little while it signs out', async () => {
    const opened = await open()
    const sealer = createSealer([SECRET])
    const signIns = createSignIns({ ...opened, ...LIFETIMES, sealer, now: Date.now })
    const store = new SessionStore({ texts: opened.texts, signIns })
    const cookie = { originalMaxAge: null }
    const write = (session: SessionData) => new Promise((resolve) => store.set('id', session, resolve))
    await write({ cookie, isSigningIn: true })
    expect([...(await opened.dump()).keys()].filter((key) => key.includes('session:'))).toEqual([])
    const signedOut = createSignedOut({ records: opened.records, sealer, maxSeconds: 3600 })
    await signedOut.keep('name', { state: 'state-1', endSessionUrl: 'https://as.example/end' })
    const kept = [...(await opened.dump()).values()].join('')
    expect(kept.length).toBeLessThan(400)
    expect(kept).not.toContain('as.example')
    await opened.close()
  })
})
