// Puts together what decides who somebody is: the authorization server, sessions, tokens, signing in and out.
import { clientOf } from './oidc-client.ts'
import { createPresence } from './session/presence.ts'
import { createRenewal } from './session/renewal.ts'
import { createSealer } from './session/seal.ts'
import { SealedSessionStore } from './session/session-store.ts'
import { cookieName as cookieNameFor, createSession, type User } from './session/session.ts'
import type { Settings } from './settings.ts'
import { createAccess } from './sign-in/access.ts'
import { createAuthorizationServer } from './sign-in/authorization-server.ts'
import { createBackChannelRoutes } from './sign-in/back-channel.ts'
import { createPendingSignIns, PENDING_SECONDS } from './sign-in/pending.ts'
import { createRedeem } from './sign-in/redeem.ts'
import { createRefresh } from './sign-in/refresh.ts'
import { createRequireSignIn } from './sign-in/require-sign-in.ts'
import { createRoom } from './sign-in/room.ts'
import { createSignInRoutes } from './sign-in/routes.ts'
import { createSessionsPage } from './sign-in/sessions-page.ts'
import { createSignOutRoutes, createSignOutWhileAway } from './sign-in/sign-out.ts'
import { createSignedInSessions } from './sign-in/signed-in-sessions.ts'
import { createStartSignIn } from './sign-in/start.ts'
import { createTokenRecords } from './sign-in/tokens.ts'
import type { Store } from './store.ts'
import type { Note } from './web/audit.ts'
import type { Log } from './web/log.ts'
import type { SendPage } from './web/pages.ts'
import type { Limits } from './web/rate-limit.ts'

export type SignInParts = {
  settings: Settings
  store: Store
  log: Log
  note: Note
  sendPage: SendPage
  onSignedIn: (user: User) => Promise<void>
  limits: Limits
  now: () => number
}

export function assembleSignIn({
  settings,
  store,
  log,
  note,
  sendPage,
  onSignedIn,
  limits,
  now,
}: SignInParts) {
  const publicUrl = settings.PUBLIC_URL
  const https = publicUrl.startsWith('https:')
  const cookieName = cookieNameFor(https)
  const returnTo = { publicOrigin: publicUrl, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] }
  const resource: Record<string, string> =
    settings.OIDC_RESOURCE === undefined ? {} : { resource: settings.OIDC_RESOURCE }
  const audience = settings.OIDC_AUDIENCE === undefined ? {} : { audience: settings.OIDC_AUDIENCE }
  const lifetimes = {
    idleSeconds: settings.SESSION_IDLE_MINUTES * 60,
    maxSeconds: settings.SESSION_MAX_HOURS * 3600,
  }
  const sealer = createSealer(settings.SESSION_SECRET)
  const renewal = createRenewal(lifetimes.idleSeconds, now)
  const tokens = createTokenRecords({
    records: store.records,
    sealer,
    lifeSeconds: renewal.lifeSeconds,
    maxSeconds: lifetimes.maxSeconds,
    now,
  })
  const authorizationServer = createAuthorizationServer({
    issuer: settings.OIDC_ISSUER,
    client: clientOf(settings, { records: store.records, sealer, log, now }),
    log,
    now,
  })
  const sessions = createSignedInSessions({
    records: store.records,
    sealer,
    endByName: async (name) => {
      await tokens.removeByName(name)
      await store.sessionTexts.destroy(name)
    },
    maxSeconds: lifetimes.maxSeconds,
    now,
  })
  const refresh = createRefresh({
    records: store.records,
    tokens,
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
    parameters: { ...resource, ...audience },
    now,
  })
  const redeem = createRedeem({
    authorizationServer,
    tokens,
    sessions,
    scope: settings.OIDC_SCOPE,
    emailRule: { claim: settings.OIDC_EMAIL_CLAIM, trust: settings.OIDC_EMAIL_TRUST },
    tokenParameters: resource,
    log,
    note,
    onSignedIn,
    now,
  })
  const session = createSession({
    store: new SealedSessionStore(store.sessionTexts, sealer, lifetimes, now),
    secrets: settings.SESSION_SECRET,
    https,
  })
  const entering = [limits.byAddress, session, limits.byBrowser]
  const common = { authorizationServer, sessions, log, note }

  return {
    authorizationServer,
    start,
    returnTo,
    access: createAccess({ tokens, refresh, externalIdp: settings.TOKEN_ISSUED_BY === 'external-idp', now }),
    entering,
    requireSignIn: createRequireSignIn({
      presence: createPresence({ secrets: settings.SESSION_SECRET, https }),
      tokens,
      renewal,
      touchSession: (name) => store.sessionTexts.touch(name, renewal.lifeSeconds),
    }),
    signIn: createSignInRoutes({
      entering,
      pending,
      start,
      redeem,
      tokens,
      returnTo,
      publicUrl,
      cookieName,
      sendPage,
    }),
    signOut: createSignOutRoutes({
      ...common,
      limit: limits.signingOut,
      session,
      tokens,
      publicUrl,
      cookieName,
      sendPage,
    }),
    signOutWhileAway: createSignOutWhileAway({ publicUrl, cookieName, log }),
    backChannel: createBackChannelRoutes({
      ...common,
      limit: limits.refusedLogouts,
      records: store.records,
      now,
    }),
    sessions: createSessionsPage({ sessions, sendPage }),
  }
}
