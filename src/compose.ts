// Composes the product from the settings: an app, and the parts to start and close. Starts nothing itself.
import type { Request } from 'express'
import { createAdminCheck } from './admin/routes.ts'
import { createApp } from './app.ts'
import { normalizedAddress } from './people/address.ts'
import { PeopleStore } from './people/people-store.ts'
import { createDelistings } from './people/delistings.ts'
import { KeepStateStore, PROGRESS_STATES } from './people/keep-state.ts'
import { ServiceClient } from './client-api/client.ts'
import { useProxy } from './http/proxy.ts'
import { createUnstartableAppWarning } from './client-api/unstartable-apps.ts'
import { loadCompany } from './company/read-company.ts'
import { watchOwnCalls } from './deprecations/own-calls.ts'
import { Invitations } from './invites/token.ts'
import { WalkChecker } from './onboarding/walk-checker.ts'
import { createAppDescriptions } from './company/app-description.ts'
import { CONSENT_CALLBACK_PATH } from './onboarding/paths.ts'
import { ProgressRecorder } from './onboarding/progress-recorder.ts'
import { WalkStore } from './onboarding/walk-store.ts'
import { createKeyRing, waitForDataKey, type KeyRing } from './records/data-key.ts'
import { openStore } from './records/store.ts'
import type { Settings } from './settings/settings.ts'
import { safeReturnTo } from './sign-in/return-to.ts'
import { AuthorizationServer } from './sign-in/server/authorization-server.ts'
import { createFindClient } from './sign-in/registration/registration.ts'
import { ServiceForPerson } from './sign-in/service-for-person.ts'
import { SignIn } from './sign-in/sign-in.ts'
import { createAudit, createAuditIds } from './web/audit.ts'
import { createReadiness } from './web/health.ts'
import { warnOnce, type Log } from './web/log.ts'
import { Metrics } from './web/metrics.ts'
import { supportedTexts } from './web/languages/catalogue.ts'
import { createPages } from './web/pages.ts'
import { createLimits } from './web/rate-limit.ts'
import { WebhookSender } from './webhooks/sender.ts'
import { Webhooks } from './webhooks/webhooks.ts'

/** @throws {SettingsError} for a faulty company file, before anything is opened */
export function createOnramp(
  settings: Settings,
  log: Log,
  { now = Date.now, open = openStore }: { now?: () => number; open?: typeof openStore } = {},
) {
  const company = loadCompany(settings.COMPANY_FILE, supportedTexts())
  useProxy(settings)
  const metrics = new Metrics()
  const store = open(settings, log, { isServer: true, onOperation: metrics.observeStore })
  const { records } = store
  const keyRing = createKeyRing(records, settings.SESSION_SECRET, now)
  const inviteSecrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const audit = createAudit(log, metrics.registry, createAuditIds(inviteSecrets, normalizedAddress))
  const { SIGN_INS_PER_MINUTE: perNetwork, PUBLIC_URL: publicUrl } = settings
  const limits = createLimits({ perNetwork, publicUrl }, audit, now)
  const base: BaseDeps = { settings, company, log, now, metrics, records, keyRing, audit, limits }

  const returnTo = { publicOrigin: settings.PUBLIC_URL, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] }
  const checkReturnTo = (value: unknown) => safeReturnTo(value, returnTo)
  const isAdmin = createAdminCheck(settings.ADMIN_EMAILS ?? [], settings.ADMIN_GROUPS ?? [])
  const pages = createPages({ company, publicUrl: settings.PUBLIC_URL, checkReturnTo, isAdmin })
  const { people, webhooks } = createPeopleAndWebhooks(base)
  const { authorizationServer, signIn } = createIdentity(base, (req) => pages.languages.ofRequest(req).lang)
  const { serviceClient, service } = createService(base, signIn, authorizationServer)
  const keepStateStore = new KeepStateStore(records, keyRing)
  const delistings = createDelistings(keepStateStore, now)
  const walks = new WalkStore({ records, keyRing, checkReturnTo, company, delistings, people, now })
  const progress = new ProgressRecorder(people, delistings, log, now)
  const readiness = createReadiness(records, log, authorizationServer)
  watchHealth(metrics, store, authorizationServer, keepStateStore)

  const app = createApp({
    settings,
    company,
    describeIn: createAppDescriptions(company),
    log,
    now,
    metrics,
    audit,
    limits,
    pages,
    readiness,
    records,
    authorizationServer,
    signIn,
    returnTo,
    isAdmin,
    service,
    walks,
    walkChecker: createWalkChecker(base, service, walks, progress),
    progress,
    people,
    keepStateStore,
    invitations: new Invitations(inviteSecrets, settings.PUBLIC_URL, now),
  })

  const closing = new AbortController()
  return {
    app,
    metrics: metrics.scrape(settings.METRICS_TOKEN, true, log),
    countProblem: metrics.countProblem,
    /** Connects to the authorization server. Resolves once the store is open. @throws {StoreUnreadable} */
    start(): Promise<void> {
      authorizationServer.start()
      webhooks?.start()
      return waitForDataKey(keyRing, closing.signal).then(
        // If it fails, the next read of all people repeats it.
        () => void people.loadReplacements().catch(() => {}),
      )
    },
    drain: readiness.drain,
    async close(): Promise<void> {
      closing.abort()
      authorizationServer.close()
      await Promise.all([serviceClient.close(), webhooks?.close()])
      await store.close()
    },
  }
}

type AppDeps = Parameters<typeof createApp>[0]

/** Dependencies of the functions that create the parts. */
type BaseDeps = Pick<
  AppDeps,
  'settings' | 'company' | 'log' | 'now' | 'metrics' | 'audit' | 'limits' | 'records'
> & { keyRing: KeyRing }

function createPeopleAndWebhooks({ settings, company, log, now, metrics, records, keyRing }: BaseDeps) {
  const { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets = [] } = settings
  const people = new PeopleStore({
    records,
    keyRing,
    retentionDays: settings.INVITE_RETENTION_DAYS,
    company,
    onEvents: url === undefined ? undefined : (email, dropped) => webhooks?.enqueue(email, dropped),
    now,
  })
  const sender = url === undefined ? undefined : new WebhookSender(url, secrets)
  const webhooks = sender && new Webhooks({ people, records, sender, registry: metrics.registry, log, now })
  return { people, webhooks }
}

function createIdentity(
  { settings, log, now, metrics, records, keyRing, audit, limits }: BaseDeps,
  languageOf: (req: Request) => string,
) {
  const onCall = metrics.observeAuthorizationServer
  const findClient = createFindClient(settings, { records, keyRing, log, onCall, now })
  const authorizationServer = new AuthorizationServer({ settings, findClient, log, onCall, now })
  const signIn = new SignIn({
    settings,
    records,
    keyRing,
    authorizationServer,
    limits,
    log,
    audit,
    languageOf,
    now,
  })
  return { authorizationServer, signIn }
}

function createService(
  { settings, company, log, now, metrics, audit }: BaseDeps,
  { tokenRefresh }: SignIn,
  authorizationServer: AuthorizationServer,
) {
  const serviceClient = new ServiceClient({
    baseUrl: settings.SERVICE_BASE_URL,
    headerPrefix: settings.SERVICE_HEADER_PREFIX,
    onCall: metrics.observeService,
    onExcess: warnOnce(log),
    onResponse: watchOwnCalls(log, metrics, now).observe,
  })
  const service = new ServiceForPerson({
    serviceClient,
    tokenRefresh,
    isExternalIdp: settings.TOKEN_ISSUED_BY === 'external-idp',
    authorizationServer,
    callbackUrl: `${settings.PUBLIC_URL}${CONSENT_CALLBACK_PATH}`,
    company,
    onCheck: createUnstartableAppWarning(log, () => metrics.countProblem('datasource_cannot_start'), now),
    audit,
    now,
  })
  return { serviceClient, service }
}

const createWalkChecker = (
  { settings, company, log, now, audit }: BaseDeps,
  service: ServiceForPerson,
  walks: WalkStore,
  progress: ProgressRecorder,
): WalkChecker =>
  new WalkChecker({
    service,
    walks,
    progress,
    confirmSeconds: settings.CONFIRM_SECONDS,
    publicUrl: settings.PUBLIC_URL,
    baseUrl: settings.SERVICE_BASE_URL,
    hasInstructions: (instance) => company.datasourceOf(instance)?.help !== undefined,
    audit,
    log,
    now,
  })

function watchHealth(
  metrics: Metrics,
  store: { isReachable(): boolean },
  authorizationServer: AuthorizationServer,
  keepStateStore: KeepStateStore,
): void {
  metrics.watchReachability({
    store: () => store.isReachable(),
    authorization_server: () => authorizationServer.isReady(),
  })
  metrics.watchPeople(async () => {
    const { days, lastRunAt } = await keepStateStore.load()
    const row = days.at(-1)
    const states = row && Object.fromEntries(PROGRESS_STATES.map((state) => [state, row[state]]))
    return { states, lastRunAt }
  })
}
