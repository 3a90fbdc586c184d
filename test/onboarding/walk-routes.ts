// Fixture: the walk's routes in a separate app, signed in, with a scripted service, a store in memory and a stopped
// clock. Pages are returned as JSON.
import type { ErrorRequestHandler, Request } from 'express'
import request from 'supertest'
import type { ListedApp } from '../../src/client-api/responses.ts'
import { createAppDescriptions } from '../../src/company/app-description.ts'
import { WalkChecker } from '../../src/onboarding/walk-checker.ts'
import type { ProgressRecorder } from '../../src/onboarding/progress-recorder.ts'
import { createOnboardingRoutes } from '../../src/onboarding/routes.ts'
import type { TrackedApp } from '../../src/onboarding/walk.ts'
import { WalkStore } from '../../src/onboarding/walk-store.ts'
import { resolveCompany, neutralCompany } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import type { Approval } from '../../src/people/keep-state.ts'
import { Problem } from '../../src/problem.ts'
import { safeReturnTo } from '../../src/sign-in/return-to.ts'
import { ServiceForPerson } from '../../src/sign-in/service-for-person.ts'
import type { Audit } from '../../src/web/audit.ts'
import { problemTexts } from '../../src/web/error-page.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { sendJson, signedInApp } from '../helpers/json-pages.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { newKeepState, testPeople } from '../helpers/people.ts'
import { languages } from '../helpers/texts.ts'
import * as fixtures from './overview-pages.ts'

const ONRAMP = 'https://onramp.example'
const SERVICE = 'https://service.example'
/** The final_redirect_url of a check that starts no step. */
export const PLAIN_CHECK = `${ONRAMP}/onboarding/callback`
/** The consent URL of an app. */
export const consentOf = (instance: string) => `${SERVICE}/auth/datasource/${instance}?token=once`
export const ada = { issuer: 'https://as.example', subject: 'ada', email: 'ada@acme.example' }

const returnTo = { publicOrigin: ONRAMP, allowedOrigins: ['https://intranet.example'] }

/** An entry of the service's list, with its one-time path. */
const listed = (app: ListedApp): ListedApp => ({
  ...app,
  authUrlRelativePath: `/auth/datasource/${app.instance}?token=once`,
})
export const [slack, github] = [listed(fixtures.slack), listed(fixtures.github)]

type Described = NonNullable<CompanyFile['datasources']>

/** @param datasources descriptions of apps from the company file */
export function setUpWalkRoutes(datasources: Described = { slack: { why: { en: 'Talk.', de: 'Reden.' } } }) {
  const setup = {
    now: fixtures.NOW,
    unconnectedApps: [slack, github] as ListedApp[],
    person: ada,
    /** Milliseconds that the service needs for a response. */
    responseDelayMs: 0,
    /** Called before the service responds. @param signal aborts when the caller has disconnected */
    beforeResponse: undefined as ((signal?: AbortSignal | null) => Promise<void>) | undefined,
    isServiceDown: false,
    /** Called before a walk is written. */
    beforeWalkWrite: undefined as (() => Promise<void>) | undefined,
    /** The person's record is written after this. */
    recording: undefined as Promise<void> | undefined,
    /** What the person's record then says. */
    recorded: undefined as Awaited<ReturnType<ProgressRecorder['recordProgress']>>,
    isDebugging: false,
    approvals: [] as Approval[],
    keepStateLoads: 0,
    /** Recorded choices of the person, without a check. */
    pressed: [] as readonly TrackedApp[],
  }
  /** The final_redirect_url of each check. */
  const calls: (string | undefined)[] = []
  const audited: Parameters<Audit>[0][] = []
  const limited: string[] = []
  /** The start of each check whose result was recorded. */
  const recordedTimes: number[] = []
  const failures: object[] = []

  const now = () => setup.now
  const { records } = memoryRecords()
  const walks = new WalkStore({
    records: {
      ...records,
      async compareAndSet(...args) {
        await setup.beforeWalkWrite?.()
        return await records.compareAndSet(...args)
      },
    },
    keyRing: testKeyRing(),
    checkReturnTo: (value) => safeReturnTo(value, returnTo),
    company: neutralCompany,
    delistings: { isRemoved: () => false },
    people: testPeople(),
    now,
  })
  const company = resolveCompany({ datasources }, new Map())
  const describeIn = createAppDescriptions(company)
  const audit: Audit = (happened) => void audited.push(happened)
  const walkChecker = new WalkChecker({
    walks,
    progress: {
      recordProgress(_user, _walk, checkedAt) {
        recordedTimes.push(checkedAt)
        return Promise.resolve(setup.recorded)
      },
      followAddress: () => Promise.resolve({}),
      lapsesOf: () => undefined,
    },
    service: new ServiceForPerson({
      serviceClient: {
        async checkDatasourceAuth(_credentials, finalRedirectUrl, signal) {
          calls.push(finalRedirectUrl)
          await setup.beforeResponse?.(signal)
          setup.now += setup.responseDelayMs
          if (setup.isServiceDown) throw new Problem(503, 'service_unavailable')
          return setup.unconnectedApps
        },
        search: () => Promise.reject(new Error('not searched here')),
      },
      tokenRefresh: { refresh: () => Promise.resolve(undefined) },
      audit: () => {},
      isExternalIdp: false,
      callbackUrl: PLAIN_CHECK,
      company,
      now,
    }),
    confirmSeconds: fixtures.CONFIRM,
    publicUrl: ONRAMP,
    baseUrl: SERVICE,
    hasInstructions: (instance) => describeIn('')(instance).help !== undefined,
    audit,
    log: { debug() {}, isLevelEnabled: () => true },
    now,
  })
  const routes = createOnboardingRoutes({
    walkChecker,
    walks,
    keepStateStore: {
      load: () => {
        setup.keepStateLoads++
        return Promise.resolve({ ...newKeepState(), approvals: setup.approvals })
      },
    },
    progress: {
      async recordFailure(user, failure) {
        await setup.recording
        failures.push({ user, ...failure })
      },
      async recordIntents(user, walk, choice) {
        await setup.recording
        setup.pressed = walk.apps
        if (choice) failures.push({ user, ...choice })
      },
    },
    confirmSeconds: fixtures.CONFIRM,
    publicUrl: ONRAMP,
    languages,
    log: { debug() {}, isLevelEnabled: () => setup.isDebugging },
    audit,
    now,
    limit(req, _res, next) {
      limited.push(req.originalUrl)
      next()
    },
    sendPage: sendJson,
    returnTo,
    isAutomatic: true,
    describeIn,
  })

  const failed: ErrorRequestHandler = (problem: Problem, _req, res, _next) => {
    const { title } = problemTexts(problem, languages.byTag('en'), company.displayName)
    res.status(problem.status).json({ code: problem.code, title })
  }
  const userOf = (req: Request) => {
    const subject = req.get('person')
    return subject ? { ...ada, subject } : setup.person
  }
  const app = signedInApp(userOf, fixtures.NOW, routes, failed)

  /** The headers of a browser that follows our own link. */
  const browser = {
    'sec-fetch-site': 'same-origin',
    'sec-fetch-dest': 'document',
    'user-agent': 'Mozilla/5.0',
  }
  const open = (path: string) => request(app).get(path).set(browser).redirects(0)
  const get = async (path: string, headers: Record<string, string> = browser) =>
    await request(app).get(path).set(headers).redirects(0)

  return {
    setup,
    calls,
    audited,
    limited,
    recordedTimes,
    failures,
    get,
    open,
    /** @returns the Location of the response */
    locationOf: async (path: string, headers?: Record<string, string>) =>
      (await get(path, headers)).headers['location'],
    page: async (path: string, headers?: Record<string, string>) => (await get(path, headers)).body as Page,
    post: async (path: string, headers = {}) => await request(app).post(path).set(headers).redirects(0),
    /** Our path to which the last started consent returns. */
    callbackPath: () => new URL(calls.at(-1) ?? '').href.slice(ONRAMP.length),
  }
}

/** The routes ten seconds after Ada has left for Slack. */
export async function awayAtSlack() {
  const routes = setUpWalkRoutes()
  await routes.locationOf('/onboarding/connect/slack_1')
  routes.setup.now += 10_000
  return routes
}

/** The data of the overview page. */
export type Page = Record<string, unknown> & { card?: Record<string, unknown>; banner?: { title: string } }
