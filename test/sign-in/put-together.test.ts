// The steps of signing in, put together from the settings: what stands in front of which route.
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import request from 'supertest'
import { expect, it, describe } from 'vitest'
import { Problem } from '../../src/problem.ts'
import { bindBrowser } from '../../src/session/session.ts'
import { signedInOf } from '../../src/session/signed-in.ts'
import type { SignInServices } from '../../src/sign-in/parts.ts'
import { createSignInRoutes } from '../../src/sign-in/routes.ts'
import { createSignIn } from '../../src/sign-in/sign-in.ts'
import { memoryStore } from './memory-store.ts'
import { answerFetch } from './network-of-answers.ts'

const ISSUER = 'http://127.0.0.1:1'
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/keys`,
}

function together(own: object = {}) {
  answerFetch({ [`${ISSUER}/.well-known/openid-configuration`]: () => Response.json(METADATA) })
  const store = memoryStore()
  const counted: string[] = []
  const count =
    (what: string): RequestHandler =>
    (req, _res, next) => {
      counted.push(`${what}${'session' in req ? ' with a session' : ''}`)
      next()
    }
  const services = {
    settings: {
      PUBLIC_URL: 'http://localhost:3000',
      OIDC_ISSUER: ISSUER,
      OIDC_CLIENT_ID: 'onramp',
      OIDC_CLIENT_AUTH: 'none',
      OIDC_SCOPE: 'openid',
      SESSION_SECRET: ['s'.repeat(32)],
      SESSION_IDLE_MINUTES: 60,
      SESSION_MAX_HOURS: 10,
      SIGN_INS_WAITING_MB: 1,
      ...own,
    },
    store: { records: store.records, redis: undefined, keepsOrder: true },
    log: { debug() {}, info() {}, warn() {} },
    note() {},
    limits: {
      byAddress: count('address'),
      byBrowser: count('browser'),
      forgive: async () => void counted.push('forgive'),
    },
    onCall() {},
    languageOf: () => 'en',
    onSignedIn: async () => {},
    now: () => Date.now(),
  } as unknown as SignInServices
  const signIn = createSignIn(services)
  const told: ErrorRequestHandler = (error: unknown, _req, res, _next) =>
    void res.status(error instanceof Problem ? error.status : 500).json((error as Problem).code)
  const app = express().use(
    createSignInRoutes({ ...signIn, publicUrl: 'http://localhost:3000', sendPage() {}, log: services.log }),
    signIn.requireSignIn,
    told,
  )
  return { ...store, signIn, app, counted }
}

describe('signing in', () => {
  it('is limited by address before the session is read, and by browser after', async () => {
    const { app, counted, lives } = together()
    const { headers } = await request(app).get('/sign-in').expect(303)
    expect(headers['location']).toContain(`${ISSUER}/authorize?`)
    expect(counted).toEqual(['address', 'browser with a session'])
    expect([...lives.values()]).toEqual([540])
  })

  it('is not limited by address where this browser’s own sign-in is answered', async () => {
    const { app, counted } = together()
    const agent = request.agent(app)
    const { headers } = await agent.get('/sign-in').expect(303)
    const state = new URL(headers['location'] ?? '').searchParams.get('state') ?? ''
    counted.length = 0
    await agent.get('/sign-in/callback').query({ state: 'unknown', code: 'c' }).expect(400)
    await agent.get('/sign-in/callback').query({ state, code: 'c' }).expect(503)
    expect(counted).toEqual(['address with a session', 'browser with a session', 'browser with a session'])
  })

  it('is needed behind the line', async () => {
    const { status, body } = await request(together().app).get('/x')
    expect([status, body]).toEqual([401, 'signed_out'])
  })
})

it('the cookie, where people come back to, and how long they stay are as the settings have it', async () => {
  const { signIn, lives, named } = together()
  expect([signIn.cookieName, signIn.returnTo]).toEqual([
    'onramp',
    { publicOrigin: 'http://localhost:3000', allowedOrigins: [] },
  ])
  const there = together({
    PUBLIC_URL: 'https://onramp.example',
    RETURN_TO_ORIGINS: ['https://intranet.example'],
  }).signIn
  expect([there.cookieName, there.returnTo]).toEqual([
    '__Host-onramp',
    { publicOrigin: 'https://onramp.example', allowedOrigins: ['https://intranet.example'] },
  ])
  const user = { issuer: ISSUER, subject: 'ada' }
  await signIn.signIns.create('id', {
    user,
    browser: 'b',
    signedInAt: Date.now(),
    tokens: { accessToken: 'a', issuedAt: 0 },
  })
  await signIn.signedOut.askAnew('name')
  expect(named('session:').map((key) => lives.get(key))).toEqual([3780])
  expect(lives.get('ask-anew:name')).toBe(36_000)
})

it('a session of ours is read from its cookie', async () => {
  const { signIn } = together()
  const app = express().use(signIn.prove, signIn.session)
  app.get('/', (req, res) => void res.json({ browser: bindBrowser(req), who: signedInOf(req)?.user }))
  const agent = request.agent(app)
  const first = (await agent.get('/')).body as object
  expect((await agent.get('/')).body).toEqual(first)
  expect((await request(app).get('/')).body).not.toEqual(first)
})
