// Signing in and out. compose.ts creates it; routes.ts, sign-out/ and sessions/ mount its parts.
import type { Request, RequestHandler } from 'express'
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { createSealer } from '../records/seal.ts'
import { SessionStore } from '../session/session-store.ts'
import { createSession } from '../session/session.ts'
import type { Settings } from '../settings/settings.ts'
import type { Audit } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import type { Limits } from '../web/rate-limit.ts'
import { SignInCallback } from './callback.ts'
import { TokenRefresh } from './refresh.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { PersonSessions } from './sessions/person-sessions.ts'
import { SignOut } from './sign-out/sign-out.ts'
import { SignInStart } from './start.ts'
import { BrowserCookies, LoginTransactions } from './transaction/login-transaction.ts'

export class SignIn {
  /** express-session, mounted before every route that reads req.session. */
  readonly session: RequestHandler
  readonly start: SignInStart
  readonly callback: SignInCallback
  readonly tokenRefresh: TokenRefresh
  readonly signOut: SignOut
  readonly sessions: PersonSessions

  constructor(deps: {
    settings: Settings
    records: Records
    keyRing: KeyRing
    authorizationServer: AuthorizationServer
    limits: Pick<Limits, 'starting'>
    log: Log
    audit: Audit
    /** The language of the person, as a BCP 47 tag. */
    languageOf: (req: Request) => string
    /** Milliseconds since 1970, as everywhere in sign-in/. */
    now: () => number
  }) {
    const { settings, records, keyRing, log, now } = deps
    const { SESSION_SECRET: secrets, PUBLIC_URL: publicUrl } = settings
    const isHttps = publicUrl.startsWith('https:')
    const sealer = createSealer(secrets)
    const idleSeconds = settings.SESSION_IDLE_MINUTES * 60
    const maxSeconds = settings.SESSION_MAX_HOURS * 3600
    const store = new SessionStore({ records, sealer, idleSeconds, maxSeconds, now })
    const transactions = new LoginTransactions(secrets)
    const cookies = new BrowserCookies(isHttps)
    this.session = createSession({ store, secrets, isHttps, log })
    this.sessions = new PersonSessions({ records, keyRing, store, maxSeconds, now })
    this.start = new SignInStart({ ...deps, transactions, cookies })
    this.callback = new SignInCallback({ ...deps, transactions, cookies, sessions: this.sessions })
    this.tokenRefresh = new TokenRefresh(deps)
    this.signOut = new SignOut({ ...deps, sealer, cookies, publicUrl })
  }
}
