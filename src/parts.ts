// Puts the parts together: settings in, an app and what has to be started and closed out. Starts nothing by itself.
import { fileURLToPath } from 'node:url'
import type { Express } from 'express'
import { createApp } from './app.ts'
import { createClientApi } from './client-api/client.ts'
import { createOnboardingRoutes } from './onboarding/routes.ts'
import { createWalks } from './onboarding/walks.ts'
import { createSearchRoutes } from './search/routes.ts'
import { createSealer } from './session/seal.ts'
import { SealedSessionStore } from './session/session-store.ts'
import { cookieName, createSession } from './session/session.ts'
import type { Settings } from './settings.ts'
import { createAccess } from './sign-in/access.ts'
import { createAuthorizationServer } from './sign-in/authorization-server.ts'
import { clientAuthOf } from './sign-in/client-authentication.ts'
import { createPendingSignIns } from './sign-in/pending.ts'
import { createRequireSignIn } from './sign-in/require-sign-in.ts'
import { createSignInRoutes } from './sign-in/routes.ts'
import { createSignOutRoutes } from './sign-in/sign-out.ts'
import { createTokenRecords } from './sign-in/tokens.ts'
import { openStore } from './store.ts'
import { loadAssets } from './web/assets.ts'
import { createHealthRoutes } from './web/health.ts'
import type { Log } from './web/log.ts'
import { createPages } from './web/pages.ts'
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
  const store = openStore(settings, log)
  const sealer = createSealer(settings.SESSION_SECRET)
  const tokens = createTokenRecords(store.records, sealer, lifetimes.maxSeconds)
  const walks = createWalks(store.records, now)
  const clientApi = createClientApi({ baseUrl: settings.SERVICE_BASE_URL })
  const authorizationServer = createAuthorizationServer({
    issuer: settings.OIDC_ISSUER,
    client: clientOf(settings),
    log,
  })
  const assets = loadAssets(VIEWS)
  const sendPage = createPages({ render: createViews(VIEWS), ...assets, helpUrl: settings.HELP_URL })
  const returnTo = { publicOrigin: settings.PUBLIC_URL, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] }
  const access = createAccess({ tokens, externalIdp: settings.TOKEN_ISSUED_BY === 'external-idp', now })
  const publicUrl = settings.PUBLIC_URL
  let draining = false

  const app = createApp({
    publicUrl,
    trustProxy: settings.TRUST_PROXY,
    health: createHealthRoutes({
      askStore: () => store.records.get('ready'),
      authorizationServer,
      isDraining: () => draining,
    }),
    assets: assets.routes,
    session: createSession({
      store: new SealedSessionStore(store.sessionTexts, sealer, lifetimes, now),
      secrets: settings.SESSION_SECRET,
      https,
    }),
    signIn: createSignInRoutes({
      authorizationServer,
      pending: createPendingSignIns(store.records, sealer),
      tokens,
      returnTo,
      publicUrl,
      scope: settings.OIDC_SCOPE,
      parameters: {
        ...(settings.OIDC_RESOURCE === undefined ? {} : { resource: settings.OIDC_RESOURCE }),
        ...(settings.OIDC_AUDIENCE === undefined ? {} : { audience: settings.OIDC_AUDIENCE }),
      },
      now,
    }),
    signOut: createSignOutRoutes({
      authorizationServer,
      tokens,
      publicUrl,
      cookieName: cookieName(https),
      sendPage,
    }),
    requireSignIn: createRequireSignIn(tokens),
    onboarding: createOnboardingRoutes({
      checkFor: (req, finalRedirectUrl) =>
        access(req, (credentials) => clientApi.checkDatasourceAuth(credentials, finalRedirectUrl)),
      walks,
      sendPage,
      returnTo,
      publicUrl,
      baseUrl: settings.SERVICE_BASE_URL,
      advances: settings.ADVANCE === 'auto',
      confirmSeconds: settings.CONFIRM_SECONDS,
      now,
    }),
    search: createSearchRoutes({
      searchFor: (req, query) => access(req, (credentials) => clientApi.search(credentials, query)),
      sendPage,
    }),
    errorPage: { log, sendPage },
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

function clientOf(settings: Settings) {
  const {
    OIDC_CLIENT_ID: id,
    OIDC_CLIENT_SECRET: secret,
    OIDC_CLIENT_AUTH: method,
    OIDC_CLIENT_KEY: key,
  } = settings
  return async () => ({ id, metadata: {}, auth: await clientAuthOf({ method, secret, key }) })
}
