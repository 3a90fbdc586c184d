// Puts the product together: settings in; an app, and what has to be started and closed, out. Starts nothing itself.
import { fileURLToPath } from 'node:url'
import type { RequestListener } from 'node:http'
import type { Express } from 'express'
import { createAdminCheck } from './admin/routes.ts'
import { createApp } from './app.ts'
import { normalizedAddress } from './people/address.ts'
import { People } from './people/people.ts'
import { KeepStateStore, PERSON_STATES } from './people/keep-state.ts'
import { ServiceClient } from './client-api/client.ts'
import { useProxy } from './http/proxy.ts'
import { watchAddresses } from './client-api/watch-addresses.ts'
import { loadCompany } from './company/read-company.ts'
import { watchOwnCalls } from './deprecations/own-calls.ts'
import { createInvitations } from './invites/token.ts'
import { WalkChecks } from './onboarding/check.ts'
import { createAppDescriptions } from './onboarding/overview/app-description.ts'
import { CONSENT_CALLBACK_PATH } from './onboarding/paths.ts'
import { ProgressRecorder } from './onboarding/record-progress.ts'
import { WalkStore } from './onboarding/walks.ts'
import { createKeyRing, waitForDataKey } from './records/data-key.ts'
import { createReadinessProbe } from './records/readiness.ts'
import { openStore } from './records/store.ts'
import type { Settings } from './settings/settings.ts'
import { safeReturnTo } from './sign-in/return-to.ts'
import { AuthorizationServer } from './sign-in/server/authorization-server.ts'
import { createFindClient } from './sign-in/registration/client.ts'
import { ServiceForPerson } from './sign-in/service-for-person.ts'
import { createSignIn } from './sign-in/sign-in.ts'
import { loadAssets } from './web/assets.ts'
import { createAudit, createAuditIds } from './web/audit.ts'
import type { Log } from './web/log.ts'
import { createMetrics, type Metrics } from './web/metrics/metrics.ts'
import { createScrape } from './web/metrics/scrape.ts'
import { brandOf, languagesFor } from './web/brand.ts'
import { LANGUAGES_FOLDER, companyFileChoices } from './web/languages/catalogue.ts'
import { createPages } from './web/pages.ts'
import { createLimits } from './web/rate-limit.ts'
import { createViews } from './web/views.ts'
import { widgetOf } from './web/intranet.ts'
import { createWebhookSender } from './webhooks/sender.ts'
import { Webhooks } from './webhooks/webhooks.ts'

const VIEWS = fileURLToPath(new URL('../views', import.meta.url))

export type Onramp = {
  app: Express
  /** For METRICS_PORT. */
  metrics: RequestListener
  countProblem: Metrics['countProblem']
  /**
   * Begins to reach for the authorization server; the store is reached for from the start.
   * @returns resolves when the store was opened @throws {StoreUnreadable}
   */
  start(): Promise<void>
  /** From now on not ready: no new requests should come. */
  drain(): void
  close(): Promise<void>
}

/** What it runs on, where that isn't this machine's own. `now`: milliseconds since 1970. */
type Surroundings = { now?: () => number; open?: typeof openStore }

/**
 * @throws {SettingsError} for a faulty company file, before anything is opened
 */
export function createOnramp(
  settings: Settings,
  log: Log,
  { now = Date.now, open = openStore }: Surroundings = {},
): Onramp {
  const company = loadCompany(settings.COMPANY_FILE, companyFileChoices())
  useProxy(settings)
  const publicUrl = settings.PUBLIC_URL
  const returnTo = { publicOrigin: publicUrl, allowedOrigins: settings.RETURN_TO_ORIGINS ?? [] }
  const metrics = createMetrics()
  const store = open(settings, log, { isServer: true, onOperation: metrics.observeStore })
  const { records } = store
  const keyRing = createKeyRing(records, settings.SESSION_SECRET, now)

  const secrets = settings.INVITE_SECRET ?? settings.SESSION_SECRET
  const ids = createAuditIds(secrets, normalizedAddress)
  const audit = createAudit({ log, registry: metrics.registry, ids })
  const limits = createLimits(settings.SIGN_INS_PER_MINUTE, audit, now)

  const assets = loadAssets(VIEWS, company)
  const isAdmin = createAdminCheck(settings.ADMIN_EMAILS ?? [], settings.ADMIN_GROUPS ?? [])
  const languages = languagesFor(company, LANGUAGES_FOLDER, publicUrl.startsWith('https:'))
  const sendPage = createPages({
    render: createViews(VIEWS),
    languages,
    brandIn: brandOf(company),
    frame: { stylesheet: assets.stylesheet, colors: assets.brand, icon: assets.icon },
    sheets: assets.sheets,
    scripts: assets.scripts,
    checkReturnTo: (value) => safeReturnTo(value, returnTo),
    isAdmin,
  })

  const invitations = createInvitations({ secrets, audience: publicUrl, now })
  const { WEBHOOK_URL: webhookUrl, WEBHOOK_SECRET: webhookSecrets = [] } = settings
  const people = new People({
    records,
    keyRing,
    retentionDays: settings.INVITE_RETENTION_DAYS,
    arrange: (apps) => company.arrange(apps),
    onEvents: webhookUrl === undefined ? undefined : (email, dropped) => webhooks?.enqueue(email, dropped),
    now,
  })
  const webhooks =
    webhookUrl === undefined
      ? undefined
      : new Webhooks({
          people,
          records,
          sender: createWebhookSender(webhookUrl),
          secrets: webhookSecrets,
          registry: metrics.registry,
          log,
          now,
        })

  const onCall = metrics.observeAuthorizationServer
  const findClient = createFindClient(settings, { records, keyRing, log, onCall, now })
  const authorizationServer = new AuthorizationServer({ settings, findClient, log, onCall, now })
  const signIn = createSignIn({
    settings,
    records,
    keyRing,
    authorizationServer,
    log,
    audit,
    now,
    languageOf: (req) => languages.of(req).lang,
  })
  metrics.watchReach({
    store: () => store.isReachable(),
    authorization_server: () => authorizationServer.isReady(),
  })
  const keepStateStore = new KeepStateStore(records, keyRing)
  metrics.watchPeople(async () => {
    const { days, lastRunAt } = await keepStateStore.load()
    const row = days.at(-1)
    return { states: row && Object.fromEntries(PERSON_STATES.map((state) => [state, row[state]])), lastRunAt }
  })
  const clientApi = new ServiceClient({
    baseUrl: settings.SERVICE_BASE_URL,
    headerPrefix: settings.SERVICE_HEADER_PREFIX,
    onCall: metrics.observeService,
    onExcess: (what) => log.warn({}, what),
    onResponse: watchOwnCalls(log, metrics, now).observe,
  })
  const service = new ServiceForPerson({
    clientApi,
    tokenRefresh: signIn.tokenRefresh,
    isExternalIdp: settings.TOKEN_ISSUED_BY === 'external-idp',
    callbackUrl: `${publicUrl}${CONSENT_CALLBACK_PATH}`,
    company,
    onCheck: watchAddresses(log, () => metrics.countProblem('datasource_cannot_start'), now),
    now,
  })
  const walks = new WalkStore({
    records,
    keyRing,
    checkReturnTo: (value) => safeReturnTo(value, returnTo),
    arrange: (known) => company.arrange(known),
    now,
  })

  const describeIn = createAppDescriptions(company)
  const checks = new WalkChecks({
    service,
    walks,
    progress: new ProgressRecorder(people, log, now),
    confirmSeconds: settings.CONFIRM_SECONDS,
    publicUrl,
    baseUrl: settings.SERVICE_BASE_URL,
    hasHelp: (instance) => describeIn('')(instance).help !== undefined,
    audit,
    log,
    now,
  })

  let isDraining = false
  const ending = new AbortController()
  const askStore = createReadinessProbe(records, log)
  const app = createApp({
    settings,
    log,
    now,
    metrics,
    audit,
    limits,
    assets,
    sendPage,
    languages,
    records,
    signIn,
    authorizationServer,
    returnTo,
    people,
    keepStateStore,
    invitations,
    isAdmin,
    displayName: (app, lang) => company.displayName(app, lang),
    widget: widgetOf(VIEWS, languages, company),
    health: { askStore, isDraining: () => isDraining },
    describeIn,
    invited: {
      companyApps: company
        .arrange([...company.datasources.keys()].map((instance) => ({ instance })))
        .map(({ instance }) => instance)
        .filter((instance) => instance !== 'all'),
      sender: settings.MAIL_FROM?.name || company.name,
    },
    walks,
    checks,
    service,
  })

  return {
    app,
    metrics: createScrape({ ...metrics, token: settings.METRICS_TOKEN, isAlone: true }),
    countProblem: metrics.countProblem,
    start() {
      authorizationServer.start()
      webhooks?.start()
      return waitForDataKey(keyRing, ending.signal)
    },
    drain: () => {
      isDraining = true
    },
    async close() {
      ending.abort()
      authorizationServer.close()
      await Promise.all([clientApi.close(), webhooks?.close()])
      await store.close()
    },
  }
}
