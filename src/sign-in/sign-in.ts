// Who people are: the authorization server, sessions, tokens, and the steps of signing in. Routes are made of these.
import type { Request, RequestHandler } from 'express'
import { clientOf } from './server/client.ts'
import { cookieName as cookieNameFor, createCookieIds } from '../session/cookie-id.ts'
import { createSealer } from '../session/seal.ts'
import { sessionTextsOn } from '../session/sealed-texts.ts'
import { SessionStore } from '../session/session-store.ts'
import { createSession, rememberBrowser } from '../session/session.ts'
import { createSignIns, type User } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import { createAccess } from './access.ts'
import { createAuthorizationServer } from './server/authorization-server.ts'
import { createPendingSignIns, PENDING_SECONDS } from './pending.ts'
import { createRedeem } from './redeem.ts'
import { createRefresh } from './refresh.ts'
import { createRequireSignIn } from './require-sign-in.ts'
import { createRoom } from './room.ts'
import { createSignedInSessions } from './sessions/signed-in-sessions.ts'
import { createStartSignIn } from './start.ts'
import type { Store } from '../records/store.ts'
import type { Note } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import type { Limits } from '../web/rate-limit.ts'
import { present } from '../present.ts'

export type SignIn = ReturnType<typeof createSignIn>

export type SignInServices = {
  settings: Settings
  store: Store
  log: Log
  note: Note
  onSignedIn: (user: User) => Promise<void>
  limits: Limits
  now: () => number
}

export function createSignIn({ settings, store, log, note, onSignedIn, limits, now }: SignInServices) {
  const publicUrl = settings.PUBLIC_URL
  const sessionTexts = sessionTextsOn(store)
  const https = publicUrl.startsWith('https:')
  const cookieName = cookieNameFor(https)
  const returnTo = { publicOrigin: publicUrl, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] }
  const resource = present({ resource: settings.OIDC_RESOURCE })
  const lifetimes = {
    idleSeconds: settings.SESSION_IDLE_MINUTES * 60,
    maxSeconds: settings.SESSION_MAX_HOURS * 3600,
  }
  const sealer = createSealer(settings.SESSION_SECRET)
  const signIns = createSignIns({ texts: sessionTexts, records: store.records, sealer, ...lifetimes, now })
  const authorizationServer = createAuthorizationServer({
    issuer: settings.OIDC_ISSUER,
    client: clientOf(settings, { records: store.records, sealer, log, now }),
    log,
    now,
  })
  const sessions = createSignedInSessions({
    records: store.records,
    sealer,
    signIns,
    maxSeconds: lifetimes.maxSeconds,
    now,
  })
  const refresh = createRefresh({
    records: store.records,
    signIns,
    authorizationServer,
    tokenParameters: resource,
    log,
    note,
    now,
  })
  const room = createRoom({
    redis: store.redis,
    megabytes: settings.SIGN_INS_WAITING_MB,
    windowSeconds: PENDING_SECONDS,
    perAddress: settings.SIGN_INS_PER_MINUTE,
  })
  const pending = createPendingSignIns(store.records, sealer, room)
  const start = createStartSignIn({
    authorizationServer,
    pending,
    publicUrl,
    scope: settings.OIDC_SCOPE,
    prompt: settings.OIDC_PROMPT,
    parameters: present({ ...resource, audience: settings.OIDC_AUDIENCE }),
    now,
  })
  const redeem = createRedeem({
    authorizationServer,
    signIns,
    sessions,
    scope: settings.OIDC_SCOPE,
    emailRule: { claim: settings.OIDC_EMAIL_CLAIM, trust: settings.OIDC_EMAIL_TRUST },
    tokenParameters: resource,
    log,
    note,
    onSignedIn,
    now,
  })
  const cookie = { secrets: settings.SESSION_SECRET, https }
  const idOf = createCookieIds(cookie)
  const prove = rememberBrowser(idOf)
  const session = createSession({
    ...cookie,
    store: new SessionStore({ texts: sessionTexts, signIns, sealer }),
  })
  return {
    authorizationServer,
    pending,
    redeem,
    sessions,
    start,
    signIns,
    cookieName,
    returnTo,
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
    access: createAccess({ signIns, refresh, externalIdp: settings.TOKEN_ISSUED_BY === 'external-idp', now }),
    requireSignIn: createRequireSignIn({ idOf, signIns }),
  }
}

const unless =
  (holds: (req: Request) => Promise<boolean>, handler: RequestHandler): RequestHandler =>
  async (req, res, next) => {
    if (await holds(req)) next()
    else await handler(req, res, next)
  }
