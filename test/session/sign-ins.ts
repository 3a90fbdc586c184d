// Sign-ins as any store keeps them: sealed, with an end, and never worth more than one session.
import type { SessionData } from 'express-session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { createSealer, nameOf } from '../../src/records/seal.ts'
import type { SealedTexts } from '../../src/session/sealed-texts.ts'
import { SessionStore } from '../../src/session/session-store.ts'
import { createSignIns, type SignIns } from '../../src/session/signed-in.ts'
import { createSignedOut } from '../../src/sign-in/sign-out/signed-out.ts'

export type Opened = {
  texts: SealedTexts
  records: Records
  dump(): Promise<Map<string, string>>
  /** Writes over a record, which keeps its time. */
  damage(key: string, value: string): Promise<void>
  /** Milliseconds by the clock of the store. */
  now(): number
  /** Lets so many milliseconds go by. */
  pass(milliseconds: number): Promise<void> | void
  close(): Promise<void> | void
}

const LIFETIMES = { idleSeconds: 3_600, maxSeconds: 12 * 3_600 }
const [SECRET, NEWER] = ['s'.repeat(40), 'n'.repeat(40)]
const content = {
  user: { issuer: 'https://as.example', subject: 'ada', email: 'ada@acme.example' },
  browser: 'browser-name',
  signedInAt: Date.now(),
  tokens: { accessToken: 'access-1', refreshToken: 'refresh-1', issuedAt: Date.now() },
}

export function describeSignIns(name: string, open: () => Promise<Opened>): void {
  describe(`a sign-in kept in ${name}`, () => {
    itKeepsSignIns(open)
  })
}

function itKeepsSignIns(open: () => Promise<Opened>): void {
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
    expect(await signIns.isKept(nameOf(id))).toBe(false)
    await signIns.create(id, content)
    expect(await signIns.isKept(nameOf(id))).toBe(true)
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
    expect(JSON.stringify([created, replaced, loaded])).toBe('["signed in","signed in","signed in"]')
    const shown = JSON.stringify(await signIns.session(id))
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
    const signIns = signInsWith([SECRET], { ...LIFETIMES, idleSeconds: 1 }, () => opened.now())
    const [left, used] = [newId(), newId()]
    await signIns.create(left, content)
    const inUse = await signIns.create(used, content)
    for (let uses = 0; uses < 3; uses++) {
      await opened.pass(900)
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

  it('is not written of a browser that has only begun to sign in, and little of one that signs out', async () => {
    const before = await opened.dump()
    const { store } = signInsWith([SECRET])
    const session: SessionData = { cookie: { originalMaxAge: null }, isSigningIn: true }
    await new Promise((resolve) => store.set('id', session, resolve))
    expect(await opened.dump()).toEqual(before)
    const sealer = createSealer([SECRET])
    const signedOut = createSignedOut({ records: opened.records, sealer, maxSeconds: 3600 })
    await signedOut.keep('name', { state: 'state-1', endSessionUrl: 'https://as.example/end' })
    const kept = [...(await opened.dump())].filter(([key]) => !before.has(key)).map(([, value]) => value)
    expect(kept.join('').length).toBeLessThan(400)
    expect(kept.join('')).not.toContain('as.example')
  })
}
