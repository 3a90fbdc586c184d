// Who people are: the authorization server, sessions, tokens, and the steps of signing in. Routes are made of these.
import type { Request, RequestHandler } from 'express'
import { clientOf } from './server/client.ts'
import { cookieName, createCookieIds } from '../session/cookie-id.ts'
import { createSealer } from '../records/seal.ts'
import { sessionTextsOn } from '../session/sealed-texts.ts'
import { SessionStore } from '../session/session-store.ts'
import { createSession, rememberBrowser } from '../session/session.ts'
import { createSignIns } from '../session/signed-in.ts'
import { createAccess } from './access.ts'
import { createAuthorizationServer } from './server/authorization-server.ts'
import { createPendingSignIns, LIFE_SECONDS } from './pending.ts'
import { createRedeem } from './redeem.ts'
import { createRefresh } from './refresh.ts'
import { createRequireSignIn } from './require-sign-in.ts'
import { createRoom } from './room.ts'
import { createSignedInSessions } from './sessions/signed-in-sessions.ts'
import { createSignedOut } from './sign-out/signed-out.ts'
import type { SignInServices } from './parts.ts'
import { createStartSignIn } from './start.ts'
import { omitUndefined } from '../omit-undefined.ts'

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn(services: SignInServices) {
  const { settings, store, installation, log, limits, onCall, now } = services
  const { records } = store
  const https = settings.PUBLIC_URL.startsWith('https:')
  const sealer = createSealer(settings.SESSION_SECRET)
  const texts = sessionTextsOn(store)
  const idleSeconds = settings.SESSION_IDLE_MINUTES * 60
  const maxSeconds = settings.SESSION_MAX_HOURS * 3600
  const signIns = createSignIns({ texts, records, sealer, idleSeconds, maxSeconds, now })
  const client = clientOf(settings, { records, installation, log, onCall, now })
  const authorizationServer = createAuthorizationServer({ settings, client, log, onCall, now })
  const tokenParameters = omitUndefined({ resource: settings.OIDC_RESOURCE })
  const parts = { ...services, records, sealer, signIns, authorizationServer, maxSeconds, tokenParameters }
  const sessions = createSignedInSessions(parts)
  const signedOut = createSignedOut(parts)
  const room = createRoom({
    redis: store.redis,
    megabytes: settings.SIGN_INS_WAITING_MB,
    windowSeconds: LIFE_SECONDS,
  })
  const pending = createPendingSignIns(records, sealer, room)
  const cookie = { secrets: settings.SESSION_SECRET, https }
  const idOf = createCookieIds(cookie)
  const prove = rememberBrowser(idOf)
  const session = createSession({ ...cookie, store: new SessionStore({ texts, signIns }) })
  return {
    authorizationServer,
    pending,
    redeem: createRedeem({ ...parts, sessions, signedOut }),
    sessions,
    signedOut,
    start: createStartSignIn({ ...parts, pending, signedOut }),
    signIns,
    cookieName: cookieName(https),
    returnTo: { publicOrigin: settings.PUBLIC_URL, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] },
    /** In front of the session where a browser counts that has a cookie and no session. */
    prove,
    /** express-session; only what changes a session has it in its route. */
    session,
    /** In front of every route that signs people in: the limits, and between them the session. */
    entering: [limits.byAddress, prove, session, limits.byBrowser],
    /** In front of the callback. An answer to a sign-in of this browser was counted when that started. */
    answering: (early: RequestHandler, isAwaited: (req: Request) => Promise<boolean>) => [
      prove,
      early,
      session,
      unless(isAwaited, limits.byAddress),
      limits.byBrowser,
    ],
    forgive: limits.forgive,
    access: createAccess({ ...parts, refresh: createRefresh(parts) }),
    requireSignIn: createRequireSignIn({ idOf, signIns }),
  }
}

const unless =
  (holds: (req: Request) => Promise<boolean>, handler: RequestHandler): RequestHandler =>
  async (req, res, next) => {
    if (await holds(req)) next()
    else await handler(req, res, next)
  }
