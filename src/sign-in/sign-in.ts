// Who people are: sessions, and the steps of signing in. Routes are made of these.
import type { Request } from 'express'
import type { KeyRing } from '../records/data-key.ts'
import type { Records } from '../records/records.ts'
import { createSealer } from '../records/seal.ts'
import { SessionStore } from '../session/session-store.ts'
import { createSession } from '../session/session.ts'
import type { Settings } from '../settings/settings.ts'
import type { Audit } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import { createBrowserCookies } from './transaction/browser-cookie.ts'
import { createFinishSignIn } from './callback.ts'
import { createRefresh } from './refresh.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { createPersonSessions } from './sessions/person-sessions.ts'
import { createStartSignIn } from './start.ts'
import { createLoginTransactions } from './transaction/login-transaction.ts'

export type SignIn = ReturnType<typeof createSignIn>

type Needs = {
  settings: Settings
  records: Records
  keyRing: KeyRing
  authorizationServer: AuthorizationServer
  log: Log
  audit: Audit
  /** The language of the person who makes the request, as a BCP 47 tag. */
  languageOf: (req: Request) => string
  /** Milliseconds since 1970. */
  now: () => number
}

export function createSignIn(needs: Needs) {
  const { settings, records, keyRing, now } = needs
  const { SESSION_SECRET: secrets, PUBLIC_URL: publicUrl } = settings
  const https = publicUrl.startsWith('https:')
  const sealer = createSealer(secrets)
  const idleSeconds = settings.SESSION_IDLE_MINUTES * 60
  const maxSeconds = settings.SESSION_MAX_HOURS * 3600
  const sessionStore = new SessionStore({ records, sealer, idleSeconds, maxSeconds, now })
  const states = createLoginTransactions(secrets)
  const browsers = createBrowserCookies(https)
  const sessions = createPersonSessions({ records, keyRing, store: sessionStore, maxSeconds, now })
  const all = { ...needs, states, browsers, sessions, sessionStore }
  return {
    authorizationServer: needs.authorizationServer,
    records,
    sealer,
    states,
    browsers,
    sessions,
    sessionStore,
    session: createSession({ store: sessionStore, secrets, isHttps: https, log: needs.log }),
    start: createStartSignIn(all),
    redeem: createFinishSignIn(all),
    refresh: createRefresh(all),
    returnTo: { publicOrigin: publicUrl, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] },
  }
}
