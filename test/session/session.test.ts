// The cookie of a browser, and which browser and person a request comes from.
import express, { type ErrorRequestHandler, type Request } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createRedisRecords } from '../../src/records/redis-records.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { createCookieIds } from '../../src/session/cookie-id.ts'
import { createSealer, nameOf } from '../../src/records/seal.ts'
import { redisSessionTexts } from '../../src/session/sealed-texts.ts'
import { SessionStore } from '../../src/session/session-store.ts'
import {
  bindBrowser,
  browserOf,
  createSession,
  newSessionId,
  rememberBrowser,
  startSession,
} from '../../src/session/session.ts'
import { createSignIns, remember, signedInOf, whoIsSignedIn } from '../../src/session/signed-in.ts'
import { memoryRedis } from '../helpers/memory-redis.ts'

const ID = /^[\w-]{32}$/
const LIFETIMES = { idleSeconds: 3_600, maxSeconds: 12 * 3_600 }
const [SECRET, NEWER] = ['s'.repeat(40), 'n'.repeat(40)]

function server({ secrets = [SECRET], https = false, redis = memoryRedis() } = {}) {
  const texts = redisSessionTexts(redis.commands)
  const records = createRedisRecords(redis.commands)
  const signIns = createSignIns({
    texts,
    records,
    sealer: createSealer(secrets),
    now: Date.now,
    ...LIFETIMES,
  })
  const store = new SessionStore({ texts, signIns })
  const idOf = createCookieIds({ secrets, https })
  const told: ErrorRequestHandler = (error, _req, res, _next) =>
    void (error instanceof StoreUnavailable
      ? res.status(503).json({ code: error.code })
      : res.sendStatus(500))
  const nameIn = (req: Request) => signedInOf(req)?.user.subject
  const app = express()
    .set('trust proxy', true)
    .get('/in-front', (req, res) => void res.json({ name: nameIn(req) ?? null }))
    .get('/too-early', (req, res) => void res.json(whoIsSignedIn(req)))
    .use(rememberBrowser(idOf), createSession({ store, secrets, https }))
    .get('/bind', (req, res) => void res.json(bindBrowser(req)))
    .get('/who', (req, res) => void res.json({ name: nameIn(req), browser: browserOf(req) }))
    .get('/other', async (req, res) => {
      const other = await signIns.create(newSessionId(), contentOf('grace', 'other'))
      remember(req, other)
      res.json({ name: whoIsSignedIn(req).user.subject, browser: browserOf(req) })
    })
    .get('/sign-in', async (req, res) => {
      const id = newSessionId()
      startSession(req, await signIns.create(id, contentOf('ada', bindBrowser(req))))
      res.json({ id, name: whoIsSignedIn(req).user.subject })
    })
    .get('/sign-out', (req, res, next) => {
      req.session.destroy((error: unknown) => (error ? next(error) : res.json(req.session === undefined)))
    })
    .use(told)
  const ask = (path: string, cookie = '') =>
    request(app)
      .get(path)
      .set({ cookie, 'x-forwarded-proto': https ? 'https' : 'http' })
  return { ask, redis }
}

const contentOf = (subject: string, browser: string) => ({
  user: { issuer: 'https://as.example', subject },
  browser,
  signedInAt: Date.now(),
  tokens: { accessToken: 'access', issuedAt: Date.now() },
})

/** The cookie that an answer sets, as a browser sends it back. */
const cookieIn = ({ headers }: { headers: Record<string, unknown> }) => {
  const [set = ''] = (headers['set-cookie'] ?? []) as string[]
  return set.split(';')[0] ?? ''
}
const idIn = (cookie: string) => /=s:(.+)\./.exec(decodeURIComponent(cookie))?.[1] ?? ''

describe('a browser', () => {
  it('that only looks gets no cookie and has no name', async () => {
    const { ask, redis } = server()
    const answer = await ask('/who').expect(200, {})
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(redis.dump().size).toBe(0)
  })

  it.each([
    [false, /^onramp=s%3A[\w-]{32}\.[\w%]+; Path=\/; HttpOnly; SameSite=Lax$/],
    [true, /^__Host-onramp=s%3A[\w-]{32}\.[\w%]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
  ])(
    'that begins to sign in gets one cookie (https: %s), which names it and is stored nowhere',
    async (https, form) => {
      const { ask, redis } = server({ https })
      const first = await ask('/bind').expect(200)
      expect(first.headers['set-cookie']).toEqual([expect.stringMatching(form)])
      const cookie = cookieIn(first)
      expect(first.body).toBe(nameOf(idIn(cookie)))
      expect(redis.dump().size).toBe(0)
      const again = await ask('/bind', cookie).expect(200)
      expect(again.body).toBe(first.body)
      expect(again.headers['set-cookie']).toBeUndefined()
      await ask('/who', cookie).expect(200, { browser: first.body as string })
    },
  )

  it('that signs in gets the id of the record, and keeps the name it began with', async () => {
    const { ask, redis } = server()
    const begun = await ask('/bind')
    const signedIn = await ask('/sign-in', cookieIn(begun)).expect(200)
    const cookie = cookieIn(signedIn)
    expect(signedIn.body).toEqual({ id: idIn(cookie), name: 'ada' })
    expect(idIn(cookie)).toMatch(ID)
    const seen = await ask('/who', cookie).expect(200, { name: 'ada', browser: begun.body as string })
    expect(seen.headers['set-cookie']).toBeUndefined()
    const again = await ask('/sign-in', cookie)
    expect(idIn(cookieIn(again))).not.toBe(idIn(cookie))
    await ask('/who', cookieIn(again)).expect(200, { name: 'ada', browser: begun.body as string })
    await ask('/who', cookie).expect(200, { name: 'ada', browser: begun.body as string })
    expect(redis.dump().size).toBe(2)
  })

  it('stays signed in over a new secret in front, and not without the old one', async () => {
    const { ask, redis } = server()
    const cookie = cookieIn(await ask('/sign-in'))
    const rotated = await server({ redis, secrets: [NEWER, SECRET] }).ask('/who', cookie)
    expect(rotated.body).toMatchObject({ name: 'ada' })
    await server({ redis, secrets: [NEWER] })
      .ask('/who', cookie)
      .expect(200, {})
  })

  it('that signs out leaves no record, and no one is signed in', async () => {
    const { ask, redis } = server()
    const cookie = cookieIn(await ask('/sign-in'))
    await ask('/sign-out', cookie).expect(200, 'true')
    expect(redis.dump().size).toBe(0)
    expect((await ask('/who', cookie)).body).not.toHaveProperty('name')
  })
})

it('who was found by the cookie alone counts before who the session has', async () => {
  const { ask } = server()
  const cookie = cookieIn(await ask('/sign-in'))
  expect((await ask('/other', cookie)).body).toEqual({ name: 'grace', browser: 'other' })
})

it('a route in front of the sign-in has no person, and fails where it needs one', async () => {
  const { ask } = server()
  const cookie = cookieIn(await ask('/sign-in'))
  expect((await ask('/in-front', cookie)).body).toEqual({ name: null })
  expect((await ask('/too-early', cookie)).status).toBe(500)
})

it('a store that fails is an outage to who reads a session, and to who ends one', async () => {
  const redis = memoryRedis()
  const { ask } = server({ redis })
  const cookie = cookieIn(await ask('/sign-in'))
  const working = { ...redis.commands }
  const nothing = cookieIn(await ask('/bind'))
  const fail = () => Promise.reject(new StoreUnavailable(new Error('away')))
  Object.assign(redis.commands, { get: fail })
  await ask('/who', cookie).expect(503, { code: 'store_unavailable' })
  Object.assign(redis.commands, { ...working, del: fail })
  await ask('/sign-out', cookie).expect(503, { code: 'store_unavailable' })
  expect((await ask('/who', nothing).expect(200)).body).not.toHaveProperty('name')
  Object.assign(redis.commands, working)
  expect((await ask('/who', cookie)).body).toMatchObject({ name: 'ada' })
})
