// Sessions of express-session in our store: the time of each write, conflicting writes, and ended sessions.
import { randomUUID } from 'node:crypto'
import express from 'express'
import request from 'supertest'
import type { SessionData } from 'express-session'
import { expect, it } from 'vitest'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { createSealer, hashOf } from '../../src/records/seal.ts'
import { SessionStore } from '../../src/session/session-store.ts'
import {
  createSession,
  endSession,
  reloadSession,
  saveSession,
  startSession,
} from '../../src/session/session.ts'
import { personKey, findSignedIn, requireSignedIn } from '../../src/session/signed-in.ts'
import { collectGarbage, heldBytes } from '../helpers/heap.ts'
import { immediateRecords } from '../helpers/memory-records.ts'

const OLD = 'an old secret of more than thirty-two characters'
const NEW = 'a new secret of more than thirty-two characters'
const user = { issuer: 'https://as.example', subject: 'ada' }
const HOUR = 3_600

/** An app that signs Ada in, and runs a test's function on her session. */
function setUpSession({
  secrets = [OLD],
  store = immediateRecords(),
  own = {},
  https = false,
}: {
  secrets?: string[]
  https?: boolean
  store?: ReturnType<typeof immediateRecords>
  own?: Partial<Records>
} = {}) {
  const clock = { now: 1_700_000_000_000 }
  const writes: ('insert' | 'touch' | 'change')[] = []
  const logged: string[] = []
  const records: Records = {
    ...store.records,
    async compareAndSet(key, expected, ...args) {
      writes.push(expected === undefined ? 'insert' : expected === args[0] ? 'touch' : 'change')
      return await store.records.compareAndSet(key, expected, ...args)
    },
    ...own,
  }
  const sessions = new SessionStore({
    records,
    sealer: createSealer(secrets),
    idleSeconds: HOUR,
    maxSeconds: 10 * HOUR,
    now: () => clock.now,
  })
  /** Runs while a page is being made. */
  const otherRequest = { run: async (_id: string): Promise<unknown> => undefined }
  const tokensOf = (accessToken: string) => ({ accessToken, issuedAt: clock.now })
  const app = express()
    .set('trust proxy', true)
    .use(
      createSession({
        store: sessions,
        secrets,
        isHttps: https,
        log: { info: (_fields, words) => logged.push(words) },
      }),
    )
  app.get('/', (req, res) => void res.json(findSignedIn(req) ?? 'no one'))
  app.get('/asks', (req, res) => void res.json(req.session.promptLogin === true))
  app.get('/in', async (req, res) => {
    await startSession(req, { user, tokens: tokensOf('first'), signedInAt: clock.now })
    res.json(req.sessionID)
  })
  app.get('/refresh', async (req, res) => {
    await otherRequest.run(req.sessionID)
    requireSignedIn(req).tokens = tokensOf('second')
    const [{ status }] = await Promise.allSettled([saveSession(req.session)])
    res.json([status, (await reloadSession(req))?.tokens.accessToken])
  })
  app.get('/early', async (req, res) => {
    await reloadSession(req)
    requireSignedIn(req).tokens = tokensOf('second')
    const saving = saveSession(req.session)
    res.json('done')
    await saving
  })
  app.get('/failing', async (req, res) => {
    await otherRequest.run(req.sessionID)
    const reloading = reloadSession(req)
    // Like the page of an outage.
    delete (req as Partial<express.Request>).session
    res.json([(await reloading) !== undefined, (await reloadSession(req)) !== undefined])
  })
  app.get('/slow', async (req, res) => {
    await otherRequest.run(req.sessionID)
    res.json('done')
  })
  app.get('/set', async (req, res) => {
    await otherRequest.run(req.sessionID)
    if (req.session.user !== undefined) req.session.user.name = 'Ada'
    res.json('done')
  })
  app.get('/out', async (req, res) => {
    await endSession(req)
    res.json(findSignedIn(req) ?? 'no one')
  })
  const explained: express.ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    res.status(error instanceof StoreUnavailable ? 503 : 500).end()
  }
  app.use(explained)
  const browser = () => {
    const agent = request.agent(app)
    return { agent, get: async (path: string) => (await agent.get(path)).body as unknown }
  }
  return { app, clock, writes, logged, store, sessions, otherRequest, browser }
}

it('a page without a sign-in sets no cookie and touches no record', async () => {
  const { browser, store, writes } = setUpSession({ own: { get: () => Promise.reject(new Error('read')) } })
  const { headers, body } = await browser().agent.get('/')
  expect(headers['set-cookie']).toBeUndefined()
  expect(body).toBe('no one')
  expect(store.values.size).toBe(0)
  expect(writes).toEqual([])
  for (const cookie of ['onramp=x', 'onramp=', 'onramp=s:forged.signature', 'onramp=%E0%A4%A'])
    expect((await browser().agent.get('/').set('cookie', cookie)).body).toBe('no one')
})

it.each([
  ['http', false, /^onramp=s%3A.*; Path=\/; HttpOnly; SameSite=Lax$/],
  ['https', true, /^__Host-onramp=s%3A.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/],
])('the cookie of a session over %s is for this host and HTTP only', async (scheme, https, cookie) => {
  const { app } = setUpSession({ https })
  const { headers } = await request(app).get('/in').set('x-forwarded-proto', scheme)
  expect(headers['set-cookie']).toEqual([expect.stringMatching(cookie)])
})

it('a session is inserted once, and its cookie is neither key nor plain', async () => {
  const { browser, store, writes } = setUpSession()

  const id = await browser().get('/in')

  const [[key, sealed] = ['', '']] = [...store.values]
  expect(key).toBe(`session:${hashOf(id as string)}`)
  expect(writes).toEqual(['insert'])
  expect(store.lives.get(key)).toEqual(1.05 * HOUR)
  expect(createSealer([OLD]).open(sealed, key)).toBeUndefined()
  expect(createSealer([OLD]).open(sealed, `session:${id as string}`)).toContain('"ada"')
})

// prettier-ignore
it.each([
  ['survives a secret rotation while the old secret is listed', [NEW, OLD], expect.objectContaining({ user })],
  ['ends once the old secret isn’t listed', [NEW], 'no one'],
])('a session %s', async (_title, secrets, who) => {
  const before = setUpSession()
  const { headers } = await before.browser().agent.get('/in')
  const cookie = String(headers['set-cookie']).split(';')[0] ?? ''
  const { app } = setUpSession({ secrets, store: before.store })
  expect((await request(app).get('/').set('cookie', cookie)).body).toEqual(who)
})

it('a session ends after the idle time, and at the latest after the maximum time', async () => {
  const { browser, clock, store } = setUpSession()
  const ada = browser()
  await ada.get('/in')
  const [key = ''] = store.values.keys()
  clock.now += 10 * HOUR * 1000
  expect(await ada.get('/')).toMatchObject({ user })
  clock.now += 1
  expect(await ada.get('/')).toBe('no one')
  expect(store.lives.get(key)).toBe(1.05 * HOUR)
})

it('signing out deletes the record, and the rest of the request has no user', async () => {
  const { browser, store } = setUpSession()
  const ada = browser()
  await ada.get('/in')
  expect(await ada.get('/out')).toBe('no one')
  expect(store.values.size).toBe(0)
  expect(await ada.get('/')).toBe('no one')
})

it('a session is touched after a twentieth of its idle time, and not before', async () => {
  const { browser, clock, writes } = setUpSession()
  const ada = browser()
  await ada.get('/in')
  await browser().get('/in')
  writes.length = 0
  clock.now += (HOUR / 20) * 1000 - 1
  await ada.get('/')
  expect(writes).toEqual([])
  clock.now += 1
  await ada.get('/')
  await ada.get('/')
  expect(writes).toEqual(['touch'])
})

it('a touched session keeps none of the header from which its ID was read', async () => {
  const { records } = immediateRecords()
  const times = { idleSeconds: HOUR, maxSeconds: 10 * HOUR, now: () => 1_700_000_000_000 }
  const sessions = new SessionStore({ records, sealer: createSealer([OLD]), ...times })
  const [touches, headerBytes] = [2_000, 8_000]
  await collectGarbage()
  const before = heldBytes()
  for (let number = 0; number < touches; number++) {
    const header = Buffer.from(`${'x'.repeat(headerBytes)}${randomUUID()}`).toString('latin1')
    await sessions.touch(header.slice(headerBytes), { cookie: { originalMaxAge: null } })
  }
  await collectGarbage()
  expect(heldBytes() - before).toBeLessThan((touches * headerBytes) / 10)
})

it('a process that has just started touches the session', async () => {
  const { browser, store } = setUpSession()
  const { headers } = await browser().agent.get('/in')
  const { app, clock, writes } = setUpSession({ store })
  clock.now += HOUR * 500
  await request(app)
    .get('/')
    .set('cookie', String(headers['set-cookie']).split(';')[0] ?? '')
  expect(writes).toEqual(['touch'])
})

it('a failed touch doesn’t fail the request, and the next request touches the session', async () => {
  const { browser, clock, writes, store } = setUpSession()
  const working = { ...store.records }
  const ada = browser()
  await ada.get('/in')
  clock.now += HOUR * 100
  store.records.compareAndSet = () => Promise.reject(new Error('away'))
  expect(await ada.get('/')).toMatchObject({ user })
  Object.assign(store.records, working)
  await ada.get('/')
  expect(writes).toEqual(['insert', 'touch', 'touch'])
})

// prettier-ignore
it.each([
  { what: 'new tokens that are saved', paths: ['/refresh'], answers: [['fulfilled', 'second']], tokens: { accessToken: 'second' }, changed: {} },
  { what: 'a save that is pending when the response ends', paths: ['/early'], answers: ['done'], tokens: { accessToken: 'second' }, changed: {} },
  { what: 'a field set by a request', paths: ['/set', '/set'], answers: ['done', 'done'], tokens: { accessToken: 'first' }, changed: { name: 'Ada' } },
])('a session is written once for $what', async ({ paths, answers, tokens, changed }) => {
  const { browser, writes } = setUpSession()
  const ada = browser()
  await ada.get('/in')
  for (const [index, path] of paths.entries()) expect(await ada.get(path)).toEqual(answers[index])
  expect(await ada.get('/')).toMatchObject({ user: changed, tokens })
  expect(writes).toEqual(['insert', 'change'])
})

it('a session keeps refreshed tokens over a slower request’s save, which is logged', async () => {
  const { browser, writes, logged, otherRequest, sessions, store } = setUpSession()
  const ada = browser()

  await ada.get('/in')
  const lost = 'session not saved: another request changed or ended it'
  let after: (id: string) => Promise<unknown> = () => ada.get('/refresh')
  otherRequest.run = async (id) => {
    const does = after
    after = async () => undefined
    await does(id)
  }

  expect(await ada.get('/set')).toBe('done')
  expect(await ada.get('/')).toMatchObject({ user, tokens: { accessToken: 'second' } })
  after = (id) => sessions.end(hashOf(id))
  expect(await ada.get('/set')).toBe('done')
  expect(writes).toEqual(['insert', 'change'])
  expect(logged).toEqual([lost, lost])
  expect(store.values.size).toBe(0)
})

it.each(['/refresh', '/slow'])(
  'a request that ends late doesn’t restore an ended session: %s',
  async (path) => {
    const { browser, clock, otherRequest, sessions, store } = setUpSession()
    const ada = browser()
    await ada.get('/in')
    otherRequest.run = (id) => sessions.end(hashOf(id))
    // The end of the request touches it, too.
    clock.now += HOUR * 100
    await ada.get(path)
    expect(store.values.size).toBe(0)
    expect(await ada.get('/')).toBe('no one')
  },
)

it.each([
  ['the session again if its request has lost it', false, [true, true]],
  ['no session if it was ended', true, [false, false]],
])('a refresh finds %s', async (_title, isEnded, found) => {
  const { browser, otherRequest, sessions } = setUpSession()
  const ada = browser()
  await ada.get('/in')
  otherRequest.run = async (id) => isEnded && (await sessions.end(hashOf(id)))
  expect(await ada.get('/failing')).toEqual(found)
})

it('after a session was ended from another device, the next sign-in sends prompt=login', async () => {
  const { browser, clock, writes, sessions, store } = setUpSession()
  const ada = browser()
  const id = (await ada.get('/in')) as string
  const have = () => Promise.all([id, 'another'].map((one) => sessions.has(hashOf(one))))
  expect([await ada.get('/asks'), ...(await have())]).toEqual([false, true, false])
  await sessions.endElsewhere(hashOf(id))
  clock.now += 100 * HOUR
  expect([await ada.get('/'), ...(await have())]).toEqual(['no one', false, false])
  expect(await ada.get('/asks')).toBe(true)
  expect([...store.values.values(), ...writes]).toEqual(['ended', 'insert'])
  // As long as the browser may keep its cookie, not only for the idle time.
  expect(store.lives.get(`session:${hashOf(id)}`)).toBe(10 * HOUR)
  const full = setUpSession({ own: { put: () => Promise.reject(new Error('full')) } })
  await full.sessions.endElsewhere(hashOf((await full.browser().get('/in')) as string))
  expect(full.store.values.size).toBe(0)
})

it('a failing store is an outage, and keeps the session’s cookie', async () => {
  const store = immediateRecords()
  let fails = false
  const get = (key: string) =>
    fails ? Promise.reject(new StoreUnavailable(new Error('away'))) : store.records.get(key)
  const { browser, otherRequest } = setUpSession({ store, own: { get } })
  const ada = browser()

  await ada.get('/in')
  otherRequest.run = async () => (fails = true)
  for (const path of ['/refresh', '/']) {
    const { status, headers } = await ada.agent.get(path)

    expect(status, path).toBe(503)
    expect(headers['set-cookie'], path).toBeUndefined()
  }

  fails = false
  expect(await ada.get('/')).toMatchObject({ user })
  store.values.set([...store.values.keys()][0] ?? '', 'from another secret')
  expect(await ada.get('/')).toBe('no one')
})

it.each([
  ['insert', 0],
  ['change', 1],
])('the %s of a session that failed can be repeated, after %i writes', async (kind, earlierWrites) => {
  const { sessions, store, writes } = setUpSession()
  const working = { ...store.records }
  const session = { cookie: { originalMaxAge: null }, user } as SessionData
  const save = () => new Promise((resolve) => void sessions.set('id', session, resolve))
  for (let count = 0; count < earlierWrites; count++) await save()
  session.promptLogin = true
  store.records.compareAndSet = () => Promise.reject(new Error('away'))

  const failure = await save()
  Object.assign(store.records, working)

  expect([failure, await save(), writes.at(-1)]).toEqual([new Error('away'), null, kind])
})

it('the key of a person contains neither issuer nor subject', () => {
  expect(personKey(user)).toBe(hashOf('https://as.example\nada'))
})
