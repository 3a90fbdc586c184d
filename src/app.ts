// The request pipeline, top to bottom. The order is the security model: routes before requireSignIn are for everyone,
// routes after it are private. A new feature goes below, so it is private unless it is moved on purpose.
import express, { type Express, type RequestHandler, type Router } from 'express'
import { PeopleSnapshot } from './admin/people-snapshot.ts'
import { createExportRoutes, createTokenRoutes } from './admin/exports.ts'
import { createApprovalRoutes } from './admin/approval-routes.ts'
import { createAdminRoutes, requireAdmin } from './admin/routes.ts'
import type { PeopleStore } from './people/people-store.ts'
import type { KeepStateStore } from './people/keep-state.ts'
import type { Company } from './company/company.ts'
import { createDeprecationsRoutes } from './deprecations/routes.ts'
import { createOptOutRoutes } from './invites/opt-out.ts'
import { createInviteRoutes } from './invites/routes.ts'
import type { Invitations } from './invites/token.ts'
import type { DescribeApp } from './company/app-description.ts'
import type { WalkChecker } from './onboarding/walk-checker.ts'
import { createOnboardingRoutes } from './onboarding/routes.ts'
import type { WalkStore } from './onboarding/walk-store.ts'
import type { ProgressRecorder } from './onboarding/progress-recorder.ts'
import { Problem } from './problem.ts'
import type { Records } from './records/records.ts'
import { createSearchRoutes } from './search/routes.ts'
import type { User } from './session/signed-in.ts'
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
import type { Audit } from './web/audit.ts'
import { answerWithoutEffect, refuseCrossSite } from './web/cross-site.ts'
import { createErrorPage } from './web/error-page.ts'
import { createIntranetRoutes } from './web/intranet.ts'
import type { Log } from './web/log.ts'
import type { Metrics } from './web/metrics.ts'
import { createRequestObserver } from './web/observe.ts'
import { withoutPort } from './web/network.ts'
import type { Pages } from './web/pages.ts'
import type { Limits } from './web/rate-limit.ts'
import { securityHeaders } from './web/security-headers.ts'
import { seeOther } from './web/see-other.ts'

/** `now`: milliseconds since 1970. */
type AppDeps = {
  settings: Settings
  company: Company
  log: Log
  now: () => number
  metrics: Metrics
  audit: Audit
  limits: Limits
  records: Records
  describeIn: (lang: string) => DescribeApp
  pages: Pages
  readiness: { routes: Router }
  authorizationServer: AuthorizationServer
  signIn: SignIn
  returnTo: ReturnToRules
  isAdmin: (user: User) => boolean
  service: ServiceForPerson
  walks: WalkStore
  walkChecker: WalkChecker
  progress: Pick<ProgressRecorder, 'recordFailure' | 'recordIntents'>
  people: PeopleStore
  keepStateStore: KeepStateStore
  invitations: Invitations
}

export function createApp(deps: AppDeps): Express {
  const { settings, company, people, keepStateStore, audit, now } = deps
  const publicUrl = settings.PUBLIC_URL
  const app = createExpress(settings)
  const snapshot = new PeopleSnapshot({ people, keepStateStore, company, now })
  const exportRoutes = createExportRoutes({ snapshot, keepStateStore, company, publicUrl, audit })
  addRoutesForPrograms(app, deps, exportRoutes)
  addRoutesForEveryone(app, deps)
  app.use(requireSignIn)
  addPrivateRoutes(app, deps, snapshot, exportRoutes)
  addFailures(app, deps)
  return app
}

function createExpress({ TRUST_PROXY }: Settings): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('trust proxy', TRUST_PROXY ?? false)
  const isTrusted = app.get('trust proxy fn') as (address: string, hop: number) => boolean
  // Azure and IIS add a port to each hop, and Express trusts no address with a port, so everyone would share a limit.
  app.set('trust proxy', (address: string, hop: number) => isTrusted(withoutPort(address), hop))
  return app
}

/** Matches paths below these roots. Other requests skip the router, which makes a page 10% faster. */
const pathsUnder = (...roots: string[]) => new RegExp(`^(?=/(?:${roots.join('|')})\\b)`, 'i')

/** Routes for probes, metrics, assets, and requests of the authorization server and other programs. */
function addRoutesForPrograms(app: Express, deps: AppDeps, exportRoutes: Router): void {
  const { settings, company, log, now, metrics, audit, limits, pages, signIn } = deps
  const { authorizationServer, records, returnTo } = deps

  app.use(createRequestObserver(log, settings.REQUEST_LOG === 'yes', metrics))
  app.use(securityHeaders(isHttps(settings)))

  app.use(pathsUnder('healthz', 'readyz'), deps.readiness.routes)
  if (settings.METRICS_PORT === undefined)
    app.get('/metrics', metrics.scrape(settings.METRICS_TOKEN, false, log))
  app.use(pathsUnder('assets', 'favicon'), pages.assets.routes)
  app.use(
    pathsUnder('sign-out'),
    createBackChannelRoutes({
      authorizationServer,
      sessions: signIn.sessions,
      records,
      limits,
      log,
      audit,
      now,
    }),
  )
  app.use(
    pathsUnder('widget', 'api'),
    createIntranetRoutes(returnTo.allowedOrigins, pages.languages, company),
  )
  app.use(
    pathsUnder('admin'),
    createTokenRoutes(exportRoutes, settings.REPORT_TOKEN, limits.readingReports, audit),
  )
}

function addRoutesForEveryone(app: Express, deps: AppDeps): void {
  const { settings, company, describeIn, log, now, audit, limits, pages, people, invitations } = deps
  const { session, start, callback, signOut } = deps.signIn
  const publicUrl = settings.PUBLIC_URL
  const sendPage = pages.send

  const refuseForeign = refuseCrossSite(settings.PUBLIC_URL)
  const { remember } = pages.languages
  const schedule = createDeprecationsRoutes(sendPage, now)
  app.use(pathsUnder('deprecations'), refuseForeign, remember, schedule)
  app.use(answerWithoutEffect)
  app.get('/invite/:token/opt-out', refuseForeign, remember)
  // Mail providers send the POST (RFC 8058), so it comes before the cross-site refusal.
  const limit = limits.countOptOut
  app.use(pathsUnder('invite'), createOptOutRoutes({ invitations, people, limit, sendPage, audit, log, now }))
  app.use(refuseForeign, remember)

  app.get('/', (_req, res) => seeOther(res, '/onboarding'))
  if (isHttps(settings)) app.use(markAsSecure)
  app.use(session)
  app.use(
    pathsUnder('sign-in'),
    createSignInRoutes({
      start,
      callback,
      returnTo: deps.returnTo,
      limits,
      sendPage,
      log,
      now,
    }),
  )
  app.use(pathsUnder('sign-out', 'signed-out'), createSignOutRoutes(signOut, limits.signingOut, sendPage))
  app.use(
    pathsUnder('invite'),
    createInviteRoutes({
      publicUrl,
      company,
      describeIn,
      sender: settings.MAIL_FROM?.name || company.name,
      invitations,
      people,
      start,
      limit: limits.signingIn,
      sendPage,
      audit,
      log,
      now,
    }),
  )
}

function addPrivateRoutes(app: Express, deps: AppDeps, snapshot: PeopleSnapshot, exportRoutes: Router): void {
  const { settings, company, describeIn, log, now, audit, limits, pages, service, walks, walkChecker } = deps
  const sendPage = pages.send

  app.use(
    createOnboardingRoutes({
      walkChecker,
      walks,
      progress: deps.progress,
      keepStateStore: deps.keepStateStore,
      describeIn,
      isAutomatic: settings.ADVANCE === 'auto',
      confirmSeconds: settings.CONFIRM_SECONDS,
      publicUrl: settings.PUBLIC_URL,
      returnTo: deps.returnTo,
      languages: pages.languages,
      limit: limits.byPerson,
      sendPage,
      audit,
      log,
      now,
    }),
  )
  app.use(createSessionsPage({ sessions: deps.signIn.sessions, limit: limits.sessionsPage, sendPage, now }))
  app.use(
    createSearchRoutes({
      service,
      describeIn,
      limit: limits.byPerson,
      publicUrl: settings.PUBLIC_URL,
      sendPage,
    }),
  )
  app.use(
    createApprovalRoutes({
      keepStateStore: deps.keepStateStore,
      snapshot,
      isAdmin: deps.isAdmin,
      company,
      admins: settings.ADMIN_EMAILS,
      limit: limits.adminPages,
      sendPage,
      audit,
      now,
    }),
  )
  app.use('/admin', requireAdmin(deps.isAdmin), limits.adminPages)
  const { people, keepStateStore } = deps
  const publicUrl = settings.PUBLIC_URL
  app.use(createAdminRoutes({ snapshot, people, keepStateStore, publicUrl, company, sendPage, audit, now }))
  app.use(exportRoutes)
}

function addFailures(app: Express, deps: AppDeps): void {
  const { settings, company, log, now, metrics, pages, signIn } = deps

  app.use(() => {
    throw new Problem(404, 'not_found')
  })
  app.use(signOutWithoutStore(signIn.signOut, pages.send))
  app.use(
    createErrorPage({
      log,
      sendPage: pages.send,
      languages: pages.languages,
      publicUrl: settings.PUBLIC_URL,
      tryAgainPathFor: (address) =>
        tryAgainPath(address, settings.PUBLIC_URL, (url) => signIn.callback.open(url)?.transaction.returnTo),
      displayName: company.displayName,
      countProblem: metrics.countProblem,
      now,
    }),
  )
}

const isHttps = ({ PUBLIC_URL }: Settings): boolean => PUBLIC_URL.startsWith('https:')

/** express-session drops a Secure cookie unless req.secure is true. PUBLIC_URL decides, not the proxy's headers. */
const markAsSecure: RequestHandler = (req, _res, next) => {
  Object.defineProperty(req, 'secure', { value: true })
  next()
}
