// Signing in within this process: the room's own routes and steps, a store in memory, and an authorization server that is
// a function. Its answers can be replaced by path; everything that was asked, noted and logged can be looked at.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { vi } from 'vitest'
import { Problem } from '../../src/problem.ts'
import type { Records } from '../../src/records/records.ts'
import { createCookieIds } from '../../src/session/cookie-id.ts'
import { createSealer } from '../../src/records/seal.ts'
import { recordSessionTexts } from '../../src/session/sealed-texts.ts'
import { SessionStore } from '../../src/session/session-store.ts'
import { createSession, rememberBrowser } from '../../src/session/session.ts'
import { createSignIns, signedInOf } from '../../src/session/signed-in.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { createAccess } from '../../src/sign-in/access.ts'
import type { SignInParts } from '../../src/sign-in/parts.ts'
import { createPendingSignIns } from '../../src/sign-in/pending.ts'
import { createRedeem } from '../../src/sign-in/redeem.ts'
import { createRefresh } from '../../src/sign-in/refresh.ts'
import { createRequireSignIn } from '../../src/sign-in/require-sign-in.ts'
import { createRoom } from '../../src/sign-in/room.ts'
import { createSignInRoutes } from '../../src/sign-in/routes.ts'
import { createSessionsPage } from '../../src/sign-in/sessions/page.ts'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'
import type { SignIn } from '../../src/sign-in/sign-in.ts'
import { createSignedOut } from '../../src/sign-in/sign-out/signed-out.ts'
import { createSignOutRoutes, createSignOutWhileAway } from '../../src/sign-in/sign-out/sign-out.ts'
import { createStartSignIn } from '../../src/sign-in/start.ts'
import { memoryStore } from './memory-store.ts'
import { serverAsFunction, type Form } from './server-as-function.ts'

export { ISSUER, type Form } from './server-as-function.ts'

// A route that does not answer is no reason to wait long.
vi.setConfig({ testTimeout: 5_000 })

export const PUBLIC_URL = 'http://localhost:3000'
export type Options = {
  metadata?: object
  client?: object
  settings?: Partial<Record<keyof Settings, unknown>>
  records?: (records: Records) => Records
  megabytes?: number
}

export function inProcess({
  metadata = {},
  client = {},
  settings: own = {},
  records: wrap,
  megabytes = 32,
}: Options = {}) {
  const clock = { now: 1_700_000_000_000 }
  const now = () => clock.now
  const settings = {
    PUBLIC_URL,
    OIDC_SCOPE: 'openid offline_access',
    OIDC_EMAIL_CLAIM: 'email',
    OIDC_EMAIL_TRUST: 'verified',
    OIDC_GROUPS_CLAIM: 'groups',
    TOKEN_ISSUED_BY: 'service',
    ...own,
  } as unknown as Settings

  const there = serverAsFunction(metadata, client)

  // What compose.ts gives.
  const store = memoryStore()
  const records = wrap?.(store.records) ?? store.records
  const noted: object[] = []
  const logged: [level: string, words: string, fields: Record<string, unknown>][] = []
  const line = (level: string) => (fields: Record<string, unknown>, words: string) =>
    void logged.push([level, words, fields])
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const counted: string[] = []
  const count =
    (what: string): express.RequestHandler =>
    (_req, _res, next) => {
      counted.push(what)
      next()
    }
  const maxSeconds = 36_000
  const sealer = createSealer(['s'.repeat(32)])
  const signIns = createSignIns({
    texts: recordSessionTexts(records),
    records,
    sealer,
    idleSeconds: 3600,
    maxSeconds,
    now,
  })
  const signedIn: string[] = []
  const parts = {
    settings,
    store: { records, redis: undefined, keepsOrder: true },
    log,
    note: (event: object) => void noted.push(event),
    languageOf: () => 'de',
    onSignedIn: async ({ subject }: { subject: string }) => void signedIn.push(subject),
    now,
    records,
    sealer,
    signIns,
    maxSeconds,
    tokenParameters: settings.OIDC_RESOURCE === undefined ? {} : { resource: settings.OIDC_RESOURCE },
    authorizationServer: there.authorizationServer,
  } as unknown as SignInParts

  const sessions = createSignedInSessions(parts)
  const signedOut = createSignedOut(parts)
  const room = createRoom({ redis: undefined, megabytes, windowSeconds: 600 })
  const pending = createPendingSignIns(records, sealer, room)
  const cookie = { secrets: ['s'.repeat(32)], https: false }
  const idOf = createCookieIds(cookie)
  const prove = rememberBrowser(idOf)
  const session = createSession({
    ...cookie,
    store: new SessionStore({ texts: recordSessionTexts(records), signIns }),
  })
  const redeem = createRedeem({ ...parts, sessions, signedOut })
  const access = createAccess({ ...parts, refresh: createRefresh(parts) })
  const signIn = {
    authorizationServer: parts.authorizationServer,
    pending,
    redeem,
    sessions,
    signedOut,
    signIns,
    prove,
    session,
    start: createStartSignIn({
      ...parts,
      pending,
      signedOut,
    }),
    cookieName: 'onramp',
    returnTo: {
      publicOrigin: PUBLIC_URL,
      allowedOrigins: ['https://intranet.example'],
    },
    entering: [count('enter'), prove, session],
    answering: (early: express.RequestHandler, isAwaited: (req: express.Request) => Promise<boolean>) => [
      prove,
      early,
      session,
      async (req: express.Request, _res: express.Response, next: express.NextFunction) => {
        if (!(await isAwaited(req))) counted.push('answer')
        next()
      },
    ],
    forgive: async () => void counted.push('forgive'),
  } as unknown as SignIn

  const sendPage = (_req: express.Request, res: express.Response, page: { view: string; data: unknown }) =>
    void res.json({ view: page.view, ...(page.data as object) })
  const common = {
    ...signIn,
    publicUrl: PUBLIC_URL,
    sendPage,
    log: parts.log,
    note: parts.note,
    now,
    limit: count('limit'),
  }
  const app = express()
  app.use(createSignInRoutes(common), createSignOutRoutes(common))
  app.use(createRequireSignIn({ idOf, signIns }))
  app.get('/me', (req, res) => void res.json(signedInOf(req)?.user))
  app.get('/id', (req, res) => void res.send(signedInOf(req)?.id))
  app.get('/call', async (req, res) => void res.json(await access(req, async (credentials) => credentials)))
  app.use(createSessionsPage(common))
  const told: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
    const isProblem = error instanceof Problem
    if (!isProblem) console.error(error)
    const { status, code, detail, tryAgain, retryAfter } = isProblem ? error : new Problem(500, 'internal')
    res.status(status).json({ code, detail, tryAgain, retryAfter })
  }
  app.use(createSignOutWhileAway(common), told)

  /** Someone's browser. */
  const browser = () => {
    const agent = request.agent(app)
    /** Asks to sign in. @returns where the authorization server is asked, by its parameters */
    async function begin(query: Form = {}): Promise<Form> {
      const { headers } = await agent.get('/sign-in').query(query).expect(303)
      return parametersOf(headers['location'] ?? '')
    }
    /** Signs in, all the way. @returns where that leads */
    async function signIn(query: Form = {}): Promise<string> {
      const { headers } = await agent.get(there.answerTo(await begin(query))).expect(303)
      return headers['location'] ?? ''
    }
    return {
      agent,
      begin,
      answerTo: there.answerTo,
      signIn,
      who: async () => (await agent.get('/me')).body as Record<string, unknown>,
      sessionId: async () => (await agent.get('/id')).text,
    }
  }
  return {
    ...there,
    app,
    clock,
    store,
    parts,
    noted,
    logged,
    counted,
    signedIn,
    browser,
    access,
  }
}

export const parametersOf = (address: string): Form =>
  Object.fromEntries(new URL(address, PUBLIC_URL).searchParams)
