// What a request meets, top to bottom. The order is the security model: what comes before requireSignIn is for everyone,
// what comes after it is private. A new feature goes below, and is private unless someone moves it on purpose.
import express, { type Express, type RequestHandler } from 'express'
import { publishedSchedule } from '@onramp/deprecations'
import { PeopleSnapshot } from './admin/people-snapshot.ts'
import { createExportRoutes, createTokenRoutes } from './admin/exports.ts'
import { createAdminRoutes, requireAdmin, type IsAdmin } from './admin/routes.ts'
import type { People } from './people/people.ts'
import type { KeepStateStore } from './people/keep-state.ts'
import type { Company } from './company/company.ts'
import { createDeprecationsRoutes } from './deprecations/routes.ts'
import { createOptOutRoutes } from './invites/opt-out.ts'
import { createInviteRoutes, type InviteParts } from './invites/routes.ts'
import type { Invitations } from './invites/token.ts'
import { nameAndIconOf, type DescribeApp } from './onboarding/overview/app-description.ts'
import type { WalkChecks } from './onboarding/check.ts'
import { createOnboardingRoutes } from './onboarding/routes.ts'
import type { WalkStore } from './onboarding/walks.ts'
import type { Records } from './records/records.ts'
import { createSearchRoutes } from './search/routes.ts'
import type { Settings } from './settings/settings.ts'
import { requireSignIn } from './sign-in/require-sign-in.ts'
import { tryAgainPath, type ReturnToRules } from './sign-in/return-to.ts'
import { createSignInRoutes } from './sign-in/routes.ts'
import type { ServiceForPerson } from './sign-in/service-for-person.ts'
import type { AuthorizationServer } from './sign-in/server/authorization-server.ts'
import type { SignIn } from './sign-in/sign-in.ts'
import { createSessionsPage } from './sign-in/sessions/page.ts'
import { createBackChannelRoutes } from './sign-in/sign-out/back-channel.ts'
import { createSignOutRoutes, signOutWithoutStore } from './sign-in/sign-out/routes.ts'
import type { Assets } from './web/assets.ts'
import type { Audit } from './web/audit.ts'
import { answerSpeculation, refuseCrossSite, refuseEmbedding } from './web/cross-site.ts'
import { createErrorPage, notFound } from './web/error-page.ts'
import { createHealthRoutes, type HealthParts } from './web/health.ts'
import { createIntranetRoutes } from './web/intranet.ts'
import type { Languages } from './web/languages/languages.ts'
import type { Log } from './web/log.ts'
import type { Metrics } from './web/metrics/metrics.ts'
import { createScrape } from './web/metrics/scrape.ts'
import { createObserve } from './web/observe.ts'
import { withoutPort } from './web/network.ts'
import type { SendPage } from './web/pages.ts'
import type { Limits } from './web/rate-limit.ts'
import { securityHeaders } from './web/security-headers.ts'
import { seeOther } from './web/see-other.ts'

/** What the routes are made of; compose.ts makes it from the settings. */
type Services = {
  settings: Settings
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  metrics: Metrics
  audit: Audit
  limits: Limits
  assets: Assets
  widget: Buffer
  sendPage: SendPage
  languages: Languages
  health: Pick<HealthParts, 'askStore' | 'isDraining'>
  records: Records
  signIn: SignIn
  authorizationServer: AuthorizationServer
  returnTo: ReturnToRules
  service: ServiceForPerson
  walks: WalkStore
  checks: WalkChecks
  describeIn: (lang: string) => DescribeApp
  /** What an invitation's page says of the company. */
  invited: Pick<InviteParts, 'companyApps' | 'sender'>
  people: People
  keepStateStore: Pick<KeepStateStore, 'load'>
  invitations: Invitations
  isAdmin: IsAdmin
  displayName: Company['displayName']
}

/** Where a public group's addresses begin: other requests don't look through its routes, which costs a tenth of a page. */
const at = (...beginnings: string[]) => new RegExp(`^(?=/(?:${beginnings.join('|')})\\b)`, 'i')

export function createApp(services: Services): Express {
  const { settings, log, now, audit, sendPage, metrics, limits, signIn, people, invitations } = services
  const publicUrl = settings.PUBLIC_URL
  const { origin, protocol } = new URL(publicUrl)
  const isHttps = protocol === 'https:'
  const { authorizationServer, returnTo } = services
  const { sessions } = signIn
  const snapshot = new PeopleSnapshot(people, now)
  const exports = createExportRoutes(snapshot, services.displayName, audit)
  const common = { publicUrl, sendPage, log, audit, now }
  const appIn = (instance: string, lang: string) => nameAndIconOf(instance, services.describeIn(lang))
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', settings.TRUST_PROXY ?? false)
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean
  // Azure and IIS write a port behind each hop, and Express trusts no address that has one: everyone would share a limit.
  app.set('trust proxy', (address: string, hop: number) => isTrusted(withoutPort(address), hop))

  app.use(createObserve({ log, isLogged: settings.REQUEST_LOG === 'yes', metrics }))
  app.use(securityHeaders(isHttps))

  // For programs and files: probes, metrics, what pages load, and the authorization server's own calls.
  app.use(at('healthz', 'readyz'), createHealthRoutes({ ...services.health, authorizationServer }))
  if (settings.METRICS_PORT === undefined)
    app.get('/metrics', createScrape({ ...metrics, token: settings.METRICS_TOKEN, isAlone: false }))
  app.use(at('assets', 'favicon'), services.assets.routes)
  app.use(
    at('sign-out'),
    createBackChannelRoutes({
      ...common,
      authorizationServer,
      sessions,
      countRefused: limits.refusedLogout,
      records: services.records,
    }),
  )
  app.use(at('widget', 'api'), createIntranetRoutes(returnTo.allowedOrigins, services.widget))

  app.use(at('admin'), createTokenRoutes(exports, settings.REPORT_TOKEN, limits.readingReports, audit))

  app.use(answerSpeculation, services.languages.remember)
  // Mail providers post it, so it comes before the cross-site refusal (RFC 8058).
  app.use(
    at('invite'),
    createOptOutRoutes({ ...common, limit: limits.stoppingReminders, invitations, people }),
  )
  app.use(refuseCrossSite(origin), refuseEmbedding)

  // For people who are not signed in.
  app.get('/', (_req, res) => seeOther(res, '/onboarding'))
  app.use(at('deprecations'), createDeprecationsRoutes({ schedule: publishedSchedule, sendPage, now }))
  if (isHttps) app.use(servedOverHttps)
  app.use(signIn.session)
  app.use(
    at('sign-in'),
    createSignInRoutes({
      ...common,
      start: signIn.start,
      callback: signIn.callback,
      returnTo,
      limit: limits.signingIn,
      limitCallback: limits.comingBack,
    }),
  )
  app.use(
    at('sign-out', 'signed-out'),
    createSignOutRoutes({ signOut: signIn.signOut, limit: limits.signingOut, sendPage }),
  )
  app.use(
    at('invite'),
    createInviteRoutes({
      ...common,
      ...services.invited,
      start: signIn.start,
      limit: limits.signingIn,
      appIn,
      invitations,
      people,
    }),
  )

  app.use(requireSignIn)

  app.use(
    createOnboardingRoutes({
      ...common,
      returnTo,
      limit: limits.byPerson,
      walks: services.walks,
      checks: services.checks,
      isAutomatic: settings.ADVANCE === 'auto',
      describeIn: services.describeIn,
      languages: services.languages,
      confirmSeconds: settings.CONFIRM_SECONDS,
    }),
  )
  app.use(createSessionsPage({ sessions, limit: limits.lookingAtSignIns, sendPage, now }))
  app.use(
    createSearchRoutes({
      limit: limits.byPerson,
      origin,
      service: services.service,
      appIn,
      sendPage,
    }),
  )
  app.use('/admin', requireAdmin(services.isAdmin), limits.byPerson)
  app.use(
    createAdminRoutes({
      snapshot,
      keepStateStore: services.keepStateStore,
      displayName: services.displayName,
      sendPage,
      audit,
      now,
    }),
  )
  app.use(exports)

  app.use(notFound)
  app.use(signOutWithoutStore(signIn.signOut, sendPage))
  app.use(
    createErrorPage({
      log,
      sendPage,
      languages: services.languages,
      origin,
      pathOf: (address) => tryAgainPath(address, publicUrl),
      displayName: services.displayName,
      count: metrics.countProblem,
      now,
    }),
  )
  return app
}

/** PUBLIC_URL says how people reach us, whatever a proxy tells: without this the Secure cookie would silently be dropped. */
const servedOverHttps: RequestHandler = (req, _res, next) => {
  Object.defineProperty(req, 'secure', { value: true })
  next()
}
