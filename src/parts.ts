// Puts the parts together: settings in, an app and what has to be started and closed out. Starts nothing by itself.
import { fileURLToPath } from 'node:url'
import type { Express } from 'express'
import { createApp } from './app.ts'
import { createClientApi } from './client-api/client.ts'
import { publishedSchedule } from './client-api/published-schedule.ts'
import { createWatch } from './client-api/watch.ts'
import { createDeprecationsRoutes } from './deprecations/routes.ts'
import { administrators, createAdminRoutes } from './invites/admin.ts'
import { createArrivals } from './invites/arrivals.ts'
import { createFollow } from './invites/follow.ts'
import { createOptOutRoutes } from './invites/opt-out.ts'
import { createInviteRoutes } from './invites/routes.ts'
import { createInvitations } from './invites/token.ts'
import { createOnboardingRoutes } from './onboarding/routes.ts'
import { createWalks } from './onboarding/walks.ts'
import { watchWalks } from './onboarding/watched-walks.ts'
import { createReadiness } from './records/readiness.ts'
import { createSearchRoutes } from './search/routes.ts'
import { createSealer } from './session/seal.ts'
import type { Settings } from './settings.ts'
import { assembleSignIn } from './sign-in-parts.ts'
import { repeatablePath, safeReturnTo } from './sign-in/return-to.ts'
import { openStore } from './store.ts'
import { loadAssets } from './web/assets.ts'
import { createAuditIds } from './web/audit-ids.ts'
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
  const publicUrl = settings.PUBLIC_URL
  const store = openStore(settings, log, true)
  const metrics = createMetrics()
  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const note = createAudit({ log, registry: metrics.registry, ids: createAuditIds(secrets) })
  const assets = loadAssets(VIEWS)
  const isAdmin = administrators(settings.ADMIN_EMAILS ?? [])
  const sendPage = createPages({
    render: createViews(VIEWS),
    ...assets,
    helpUrl: settings.HELP_URL,
    isAdmin,
  })
  const watch = createWatch(publishedSchedule, {
    log: (notice) => log.warn({ deprecation: notice.item, by: notice.by }, notice.message),
    count: metrics.countDeprecation,
    now,
  })
  const clientApi = createClientApi({
    baseUrl: settings.SERVICE_BASE_URL,
    onCall: metrics.observeCall,
    onExcess: (what) => log.warn({}, what),
    watch,
  })
  const invitations = createInvitations({ secrets, audience: publicUrl, now })
  const arrivals = createArrivals({
    records: store.records,
    sealer: createSealer(secrets),
    now,
    retentionDays: settings.INVITE_RETENTION_DAYS,
  })
  const follow = createFollow({ arrivals, log, now })
  const limits = createLimits({
    redis: store.redis,
    perAddress: settings.SIGN_INS_PER_MINUTE,
    perPerson: settings.REQUESTS_PER_MINUTE,
    note,
  })
  const { access, authorizationServer, entering, returnTo, start, ...signIn } = assembleSignIn({
    settings,
    store,
    log,
    note,
    sendPage,
    onSignedIn: follow.signedIn,
    limits,
    now,
  })
  const readiness = createReadiness({ records: store.records, sessions: store.sessionTexts, log })
  let draining = false

  const app = createApp({
    ...signIn,
    publicUrl,
    trustProxy: settings.TRUST_PROXY,
    health: createHealthRoutes({
      askStore: () => readiness.ask(),
      authorizationServer,
      isDraining: () => draining,
    }),
    metrics,
    assets: assets.routes,
    intranet: createIntranetRoutes({ allowedOrigins: returnTo.allowedOrigins, folder: VIEWS }),
    deprecations: createDeprecationsRoutes({ schedule: publishedSchedule, sendPage, now }),
    optOut: createOptOutRoutes({
      limit: limits.stoppingReminders,
      invitations,
      arrivals,
      sendPage,
      note,
      now,
    }),
    invites: createInviteRoutes({
      entering,
      invitations,
      arrivals,
      start,
      sendPage,
      note,
      log,
      publicUrl,
      now,
    }),
    onboarding: createOnboardingRoutes({
      limit: limits.byPerson,
      // Whatever a check is for, a path that it brings leads back here.
      checkFor: (req, finalRedirectUrl = `${publicUrl}/onboarding/callback`) =>
        access(req, (credentials) => clientApi.checkDatasourceAuth(credentials, finalRedirectUrl)),
      walks: watchWalks(
        createWalks({
          records: store.records,
          sealer: createSealer(settings.SESSION_SECRET),
          checkReturnTo: (value) => safeReturnTo(value, returnTo),
          log,
          now,
        }),
        follow.walked,
        now,
      ),
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
      limit: limits.byPerson,
      searchFor: (req, query) => access(req, (credentials) => clientApi.search(credentials, query)),
      sendPage,
    }),
    admin: createAdminRoutes({ arrivals, isAdmin, sendPage, note, now }),
    errorPage: {
      log,
      sendPage,
      pathOf: (address) => repeatablePath(address, publicUrl),
      count: metrics.countProblem,
    },
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
