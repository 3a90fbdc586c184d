// Puts the parts together: settings in, an app and what has to be started and closed out. Starts nothing by itself.
import { fileURLToPath } from 'node:url'
import type { Express } from 'express'
import { createApp } from './app.ts'
import { createClientApi } from './client-api/client.ts'
import { administrators, createAdminRoutes } from './invites/admin.ts'
import { createArrivals } from './invites/arrivals.ts'
import { createFollow } from './invites/follow.ts'
import { createOptOutRoutes } from './invites/opt-out.ts'
import { createInviteRoutes } from './invites/routes.ts'
import { createInvitations } from './invites/token.ts'
import { publishedSchedule } from './client-api/published-schedule.ts'
import { createWatch } from './client-api/watch.ts'
import { createDeprecationsRoutes } from './deprecations/routes.ts'
import { clientOf } from './oidc-client.ts'
import { createOnboardingRoutes } from './onboarding/routes.ts'
import { createWalks } from './onboarding/walks.ts'
import { watchWalks } from './onboarding/watched-walks.ts'
import { createSearchRoutes } from './search/routes.ts'
import { createPresence } from './session/presence.ts'
import { createRenewal } from './session/renewal.ts'
import { createSealer } from './session/seal.ts'
import { SealedSessionStore } from './session/session-store.ts'
import { cookieName, createSession } from './session/session.ts'
import type { Settings } from './settings.ts'
import { createAccess } from './sign-in/access.ts'
import { createAuthorizationServer } from './sign-in/authorization-server.ts'
import { createBackChannelRoutes } from './sign-in/back-channel.ts'
import { createPendingSignIns } from './sign-in/pending.ts'
import { createRedeem } from './sign-in/redeem.ts'
import { createRefresh } from './sign-in/refresh.ts'
import { createRequireSignIn } from './sign-in/require-sign-in.ts'
import { createSignInRoutes } from './sign-in/routes.ts'
import { createSessionsPage } from './sign-in/sessions-page.ts'
import { createSignOutRoutes, createSignOutWhileAway } from './sign-in/sign-out.ts'
import { createSignedInSessions } from './sign-in/signed-in-sessions.ts'
import { createStartSignIn } from './sign-in/start.ts'
import { createTokenRecords } from './sign-in/tokens.ts'
import { openStore } from './store.ts'
import { loadAssets } from './web/assets.ts'
import { createAudit } from './web/audit.ts'
import { createHealthRoutes } from './web/health.ts'
import { createIntranetRoutes } from './web/intranet.ts'
import type { Log } from './web/log.ts'
import { createMetrics } from './web/metrics.ts'
import { createPages } from './web/pages.ts'
import { createLimits } from './web/rate-limit.ts'
import { createViews } from './web/views.ts'

const VIEWS = fileURLToPath(new URL('../views', import.meta.url))

export type Onramp = {
  app: Express
  /** Begins to reach for the authorization server; the store is reached for from the start. */
  start(): void
  /** From now on not ready: no new requests should come. */
  drain(): void
  close(): Promise<void>
}

/** @param now milliseconds since 1970 */
export function createOnramp(settings: Settings, log: Log, now: () => number = Date.now): Onramp {
  const https = settings.PUBLIC_URL.startsWith('https:')
  const lifetimes = {
    idleSeconds: settings.SESSION_IDLE_MINUTES * 60,
    maxSeconds: settings.SESSION_MAX_HOURS * 3600,
  }
  const resource: Record<string, string> =
    settings.OIDC_RESOURCE === undefined ? {} : { resource: settings.OIDC_RESOURCE }
  const store = openStore(settings, log)
  const metrics = createMetrics()
  const note = createAudit({ log, registry: metrics.registry })
  const sealer = createSealer(settings.SESSION_SECRET)
  const sessionStore = new SealedSessionStore(store.sessionTexts, sealer, lifetimes, now)
  const renewal = createRenewal(lifetimes.idleSeconds, now)
  const tokens = createTokenRecords({
    records: store.records,
    sealer,
    lifeSeconds: renewal.lifeSeconds,
    maxSeconds: lifetimes.maxSeconds,
    now,
  })
  const watch = createWatch(publishedSchedule, {
    log: (notice) => log.warn({ deprecation: notice.item, by: notice.by }, notice.message),
    count: metrics.countDeprecation,
    now,
  })
  const clientApi = createClientApi({
    baseUrl: settings.SERVICE_BASE_URL,
    onCall: metrics.observeCall,
    watch,
  })
  const authorizationServer = createAuthorizationServer({
    issuer: settings.OIDC_ISSUER,
    client: clientOf(settings, { records: store.records, sealer, now }),
    log,
    now,
  })
  const assets = loadAssets(VIEWS)
  const isAdmin = administrators(settings.ADMIN_EMAILS ?? [])
  const sendPage = createPages({
    render: createViews(VIEWS),
    ...assets,
    helpUrl: settings.HELP_URL,
    isAdmin,
  })
  const returnTo = { publicOrigin: settings.PUBLIC_URL, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] }
  const pending = createPendingSignIns(store.records, sealer)
  const sessions = createSignedInSessions({
    records: store.records,
    endByName: async (name) => {
      await tokens.removeByName(name)
      await store.sessionTexts.destroy(name)
    },
    maxSeconds: lifetimes.maxSeconds,
    now,
  })
  const access = createAccess({
    tokens,
    refresh: createRefresh({
      records: store.records,
      tokens,
      authorizationServer,
      tokenParameters: resource,
      log,
      note,
      now,
    }),
    externalIdp: settings.TOKEN_ISSUED_BY === 'external-idp',
    now,
  })
  const publicUrl = settings.PUBLIC_URL
  const start = createStartSignIn({
    authorizationServer,
    pending,
    publicUrl,
    scope: settings.OIDC_SCOPE,
    parameters: {
      ...resource,
      ...(settings.OIDC_AUDIENCE === undefined ? {} : { audience: settings.OIDC_AUDIENCE }),
    },
    now,
  })
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const invitations = createInvitations({ secrets, audience: publicUrl, now })
  const arrivals = createArrivals({
    records: store.records,
    sealer: createSealer(secrets),
    now,
    retentionDays: settings.INVITE_RETENTION_DAYS,
  })
  const follow = createFollow({ arrivals, log, now })
  const walks = watchWalks(createWalks(store.records, now), follow.walked)
  let draining = false

  const app = createApp({
    publicUrl,
    trustProxy: settings.TRUST_PROXY,
    health: createHealthRoutes({
      askStore: () => store.records.get('ready'),
      authorizationServer,
      isDraining: () => draining,
    }),
    metrics,
    assets: assets.routes,
    intranet: createIntranetRoutes({ allowedOrigins: returnTo.allowedOrigins, folder: VIEWS }),
    deprecations: createDeprecationsRoutes({ schedule: publishedSchedule, sendPage, now }),
    limits: createLimits({
      redis: store.redis,
      perAddress: settings.SIGN_INS_PER_MINUTE,
      perBrowser: Math.ceil(settings.SIGN_INS_PER_MINUTE / 10),
      note,
    }),
    session: createSession({
      store: sessionStore,
      secrets: settings.SESSION_SECRET,
      https,
    }),
    backChannel: createBackChannelRoutes({
      authorizationServer,
      sessions,
      records: store.records,
      log,
      note,
      now,
    }),
    optOut: createOptOutRoutes({ invitations, arrivals, sendPage, note, now }),
    invites: createInviteRoutes({ invitations, arrivals, start, sendPage, note, log, publicUrl, now }),
    signIn: createSignInRoutes({
      pending,
      start,
      redeem: createRedeem({
        authorizationServer,
        tokens,
        sessions,
        scope: settings.OIDC_SCOPE,
        tokenParameters: resource,
        note,
        onSignedIn: follow.signedIn,
        now,
      }),
      tokens,
      returnTo,
      publicUrl,
      cookieName: cookieName(https),
    }),
    signOut: createSignOutRoutes({
      authorizationServer,
      tokens,
      sessions,
      publicUrl,
      cookieName: cookieName(https),
      sendPage,
      log,
      note,
    }),
    signOutWhileAway: createSignOutWhileAway({ publicUrl, cookieName: cookieName(https), log }),
    sessions: createSessionsPage({ sessions, sendPage }),
    requireSignIn: createRequireSignIn({
      presence: createPresence({ secrets: settings.SESSION_SECRET, https }),
      tokens,
      renewal,
      touchSession: (name) => store.sessionTexts.touch(name, renewal.lifeSeconds),
    }),
    onboarding: createOnboardingRoutes({
      // Whatever a check is for, a path that it brings leads back here.
      checkFor: (req, finalRedirectUrl = `${publicUrl}/onboarding/callback`) =>
        access(req, (credentials) => clientApi.checkDatasourceAuth(credentials, finalRedirectUrl)),
      walks,
      sendPage,
      returnTo,
      publicUrl,
      baseUrl: settings.SERVICE_BASE_URL,
      advances: settings.ADVANCE === 'auto',
      confirmSeconds: settings.CONFIRM_SECONDS,
      note,
      now,
    }),
    search: createSearchRoutes({
      searchFor: (req, query) => access(req, (credentials) => clientApi.search(credentials, query)),
      sendPage,
    }),
    admin: createAdminRoutes({ arrivals, isAdmin, sendPage, note, now }),
    errorPage: { log, sendPage, count: metrics.countProblem },
  })

  return {
    app,
    start: () => authorizationServer.start(),
    drain: () => {
      draining = true
    },
    async close() {
      authorizationServer.close()
      await clientApi.close()
      await store.close()
    },
  }
}
