// Fixture: sign-ins within this process, with our routes, a store in memory and a stub of the authorization server. Its
// responses can be replaced by path; requests, audit events and log lines are recorded.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import type { Credentials } from '../../src/client-api/credentials.ts'
import { AccessTokenRejected } from '../../src/client-api/errors.ts'
import type { SearchResponse } from '../../src/client-api/responses.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { Problem } from '../../src/problem.ts'
import { createKeyRing } from '../../src/records/data-key.ts'
import type { Records } from '../../src/records/records.ts'
import { findSignedIn } from '../../src/session/signed-in.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { requireSignIn } from '../../src/sign-in/require-sign-in.ts'
import { createSignInRoutes } from '../../src/sign-in/routes.ts'
import { ServiceForPerson } from '../../src/sign-in/service-for-person.ts'
import type { AuthorizationServer } from '../../src/sign-in/server/authorization-server.ts'
import { createSessionsPage } from '../../src/sign-in/sessions/page.ts'
import { createBackChannelRoutes } from '../../src/sign-in/sign-out/back-channel.ts'
import { SignIn } from '../../src/sign-in/sign-in.ts'
import { createSignOutRoutes, signOutWithoutStore } from '../../src/sign-in/sign-out/routes.ts'
import type { Log } from '../../src/web/log.ts'
import { createLimits, type Limits } from '../../src/web/rate-limit.ts'
import { immediateRecords } from '../helpers/memory-records.ts'
import { createServerStub, type Form } from './server-stub.ts'

export { ISSUER, type Form } from './server-stub.ts'

export const PUBLIC_URL = 'http://localhost:3000'
export const SECRET = 's'.repeat(32)

export type Setup = {
  metadata?: object
  client?: object
  settings?: Partial<Record<keyof Settings, unknown>>
  records?: (records: Records) => Records
  starting?: Limits['starting']
}

export const parametersOf = (address: string): Form =>
  Object.fromEntries(new URL(address, PUBLIC_URL).searchParams)

export function setUpSignIn({
  metadata = {},
  client = {},
  settings: overrides = {},
  records: wrap,
  starting = (_req, work) => work(),
}: Setup = {}) {
  /** Access tokens that the service rejects; `all` rejects every one. */
  const refused = new Set<string>()
  const clock = { now: 1_700_000_000_000 }
  const now = () => clock.now
  const settings = {
    PUBLIC_URL,
    SESSION_SECRET: [SECRET],
    SESSION_IDLE_MINUTES: 60,
    SESSION_MAX_HOURS: 10,
    OIDC_SCOPE: 'openid offline_access',
    OIDC_EMAIL_CLAIM: 'email',
    OIDC_EMAIL_TRUST: 'verified',
    OIDC_GROUPS_CLAIM: 'groups',
    TOKEN_ISSUED_BY: 'service',
    RETURN_TO_ORIGINS: ['https://intranet.example'],
    ...overrides,
  } as unknown as Settings
  const serverStub = createServerStub(metadata, client)
  const authorizationServer = serverStub.authorizationServer as unknown as AuthorizationServer
  const returnTo = { publicOrigin: PUBLIC_URL, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] }
  const store = immediateRecords()
  const records = wrap?.(store.records) ?? store.records
  const audited: object[] = []
  const logged: [level: string, words: string, fields: Record<string, unknown>][] = []
  const line = (level: string) => (fields: Record<string, unknown>, words: string) =>
    void logged.push([level, words, fields])
  const log = { debug: line('debug'), info: line('info'), warn: line('warn') } as unknown as Log
  const audit = (event: object) => void audited.push(event)

  /** The service returns the credentials of the call. */
  const serviceClient = {
    async search({ kind: _kind, ...credentials }: Credentials) {
      const { accessToken } = credentials as { accessToken: string }
      if (refused.has('all') || refused.has(accessToken)) throw new AccessTokenRejected('refused')
      return credentials as unknown as SearchResponse
    },
    checkDatasourceAuth: () => Promise.reject(new Error('not checked here')),
  }

  function appOf(signIn: SignIn): express.Express {
    const service = new ServiceForPerson({
      serviceClient,
      tokenRefresh: signIn.tokenRefresh,
      audit: () => {},
      isExternalIdp: settings.TOKEN_ISSUED_BY === 'external-idp',
      callbackUrl: PUBLIC_URL,
      company: neutralCompany,
      now,
    })
    const sendPage = (_req: express.Request, res: express.Response, page: { view: string; data: unknown }) =>
      void res.json({ view: page.view, ...(page.data as object) })
    const limit: express.RequestHandler = (_req, _res, next) => next()
    const limits = {
      ...createLimits({ perNetwork: 1, publicUrl: PUBLIC_URL }, () => {}, now),
      signingIn: limit,
      countCallback() {},
      countRejectedLogoutToken() {},
    }
    const { start, callback, signOut, sessions } = signIn
    const app = express().set('trust proxy', true)
    app.get('/cookies', (req, res) => void res.set('x-cookies', req.headers.cookie ?? '').end())
    app.use(createBackChannelRoutes({ authorizationServer, sessions, records, limits, log, audit, now }))
    app.use(
      signIn.session,
      createSignInRoutes({ start, callback, returnTo, limits, sendPage, log, now }),
      createSignOutRoutes(signOut, limit, sendPage),
      requireSignIn,
    )
    app.get('/me', (req, res) => void res.json(findSignedIn(req)?.user))
    app.get('/tokens', (req, res) => void res.json(findSignedIn(req)?.tokens))
    app.get('/id', (req, res) => void res.send(findSignedIn(req)?.id))
    app.get('/call', async (req, res) => void res.json(await service.search(req, { query: '', pageSize: 1 })))
    app.use(createSessionsPage({ sessions, limit, sendPage, now }))
    const sendProblem: ErrorRequestHandler = (error: unknown, req, res, _next) => {
      const isProblem = error instanceof Problem
      if (!isProblem) console.error(error)
      const { status, code, detail, tryAgain, retryAfter } = isProblem ? error : new Problem(500, 'internal')
      delete (req as Partial<express.Request>).session
      res.status(status).json({ code, detail, tryAgain, retryAfter })
    }
    app.use(signOutWithoutStore(signIn.signOut, sendPage), sendProblem)
    return app
  }

  const newSignIn = () =>
    new SignIn({
      settings,
      records,
      keyRing: createKeyRing(records, settings.SESSION_SECRET),
      authorizationServer,
      limits: { starting },
      log,
      audit,
      languageOf: () => 'de',
      now,
    })
  const signIn = newSignIn()
  const app = appOf(signIn)
  let secondApp: express.Express | undefined

  /** A browser with its cookies. */
  const browser = () => {
    const agent = request.agent(app)
    /** Starts a sign-in. @returns the authorization request's parameters */
    const begin = async (query: Form = {}): Promise<Form> =>
      parametersOf((await agent.get('/sign-in').query(query).expect(303)).headers['location'] ?? '')
    /** @returns the Location of the response, or its error */
    async function follow(address: string, from = '198.51.100.1') {
      const { status, headers, body } = await agent.get(address).set('x-forwarded-for', from)
      return status === 303 ? (headers['location'] as string) : ({ status, ...body } as object)
    }
    const cookies = async () => String((await agent.get('/cookies')).headers['x-cookies'])
    return {
      agent,
      begin,
      follow,
      /** @returns the Location after the callback */
      signIn: async (query: Form = {}) => follow(serverStub.callbackFor(await begin(query))),
      currentUser: async () => (await agent.get('/me')).body as Record<string, unknown>,
      sessionId: async () => (await agent.get('/id')).text,
      /**
       * Calls the service for this browser.
       * @param at `elsewhere`: through another process @returns the access token of the call, or the problem's code
       */
      async call(at: 'here' | 'elsewhere' = 'here'): Promise<string> {
        const elsewhere = async () =>
          request((secondApp ??= appOf(newSignIn())))
            .get('/call')
            .set('cookie', await cookies())
        const { body } = at === 'here' ? await agent.get('/call') : await elsewhere()
        const { accessToken, code } = body as { accessToken?: string; code: string }
        return accessToken ?? code
      },
      cookies,
    }
  }
  const { sessions } = signIn
  return {
    ...serverStub,
    store,
    refused,
    audited,
    logged,
    settings,
    sessions,
    newSignIn,
    app,
    clock,
    browser,
  }
}

/** The warnings in a log. */
export const warningsIn = (logged: [level: string, words: string, fields: object][]) =>
  logged.filter(([level]) => level === 'warn').map(([, words]) => words)
