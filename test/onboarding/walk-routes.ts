// The walk's routes in an app of their own, already signed in, with a scripted service, a store in memory and a
// clock that stands still. What a page would show is answered as JSON.
import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import type { UnconnectedApp } from '../../src/client-api/responses.ts'
import { createAppDescriptions } from '../../src/company/app-description.ts'
import { WalkChecks } from '../../src/onboarding/check.ts'
import { createOnboardingRoutes } from '../../src/onboarding/routes.ts'
import { WalkStore } from '../../src/onboarding/walks.ts'
import { companyOf, neutralCompany } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import type { Approval } from '../../src/people/keep-state.ts'
import { Problem } from '../../src/problem.ts'
import { safeReturnTo } from '../../src/sign-in/return-to.ts'
import { ServiceForPerson } from '../../src/sign-in/service-for-person.ts'
import type { Audit } from '../../src/web/audit.ts'
import { problemTexts } from '../../src/web/error-page.ts'
import type { SendPage } from '../../src/web/pages.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { memoryRecords } from '../helpers/memory-records.ts'
import { testPeople } from '../helpers/people.ts'
import { languages } from '../helpers/texts.ts'
import * as fixtures from './overview-pages.ts'

const ONRAMP = 'https://onramp.example'
const SERVICE = 'https://service.example'
/** The final_redirect_url of a check that starts no step. */
export const PLAIN_CHECK = `${ONRAMP}/onboarding/callback`
/** Where the service lets people consent. */
export const consentOf = (instance: string) => `${SERVICE}/auth/datasource/${instance}?token=once`
export const ada = { issuer: 'https://as.example', subject: 'ada', email: 'ada@acme.example' }

const returnTo = { publicOrigin: ONRAMP, allowedOrigins: ['https://intranet.example'] }

/** As the service lists it: with a one-time path, new with every answer. */
const listed = (app: UnconnectedApp): UnconnectedApp => ({
  ...app,
  authUrlRelativePath: `/auth/datasource/${app.instance}?token=once`,
})
export const [slack, github] = [listed(fixtures.slack), listed(fixtures.github)]

type Described = NonNullable<CompanyFile['datasources']>

/** @param datasources what the company's file says of apps */
export function setUpWalkRoutes(datasources: Described = { slack: { why: { en: 'Talk.', de: 'Reden.' } } }) {
  const world = {
    now: fixtures.NOW,
    waiting: [slack, github] as UnconnectedApp[],
    person: ada,
    /** How long the service takes to answer; milliseconds. */
    takes: 0,
    /** Waited for before the service answers. @param gone aborts when no one waits for it */
    answers: undefined as ((signal?: AbortSignal | null) => Promise<void>) | undefined,
    /** The service is away. */
    fails: false,
    approvals: [] as Approval[],
    keepStateLoads: 0,
  }
  /** The final_redirect_url of each check. */
  const calls: (string | undefined)[] = []
  const audited: Parameters<Audit>[0][] = []
  const limited: string[] = []
  /** When each check began whose result was recorded. */
  const recordedAt: number[] = []
  const failures: object[] = []

  const sendPage: SendPage = (req, res, { view, data }) => {
    res.json({ view, ...(typeof data === 'function' ? data(languages.of(req)) : data) })
  }
  const now = () => world.now
  const walks = new WalkStore({
    records: memoryRecords().records,
    keyRing: testKeyRing(),
    checkReturnTo: (value) => safeReturnTo(value, returnTo),
    company: neutralCompany,
    people: testPeople(),
    now,
  })
  const company = companyOf({ datasources }, new Map())
  const describeIn = createAppDescriptions(company)
  const audit: Audit = (happened) => void audited.push(happened)
  const checks = new WalkChecks({
    walks,
    progress: {
      recordProgress(_user, _walk, checkedAt) {
        recordedAt.push(checkedAt)
        return Promise.resolve(new Map())
      },
      followAddress: () => Promise.resolve({}),
      lapsesOf: () => new Map(),
    },
    service: new ServiceForPerson({
      serviceClient: {
        async checkDatasourceAuth(_credentials, finalRedirectUrl, signal) {
          calls.push(finalRedirectUrl)
          await world.answers?.(signal)
          world.now += world.takes
          if (world.fails) throw new Problem(503, 'service_unavailable')
          return world.waiting
        },
        search: () => Promise.reject(new Error('not searched here')),
      },
      tokenRefresh: { refresh: () => Promise.resolve(undefined) },
      isExternalIdp: false,
      callbackUrl: PLAIN_CHECK,
      company,
      now,
    }),
    confirmSeconds: fixtures.CONFIRM,
    publicUrl: ONRAMP,
    baseUrl: SERVICE,
    hasHelp: (instance) => describeIn('')(instance).help !== undefined,
    audit,
    log: { debug() {}, isLevelEnabled: () => true },
    now,
  })
  const routes = createOnboardingRoutes({
    checks,
    walks,
    keepStateStore: {
      load: () => {
        world.keepStateLoads++
        return Promise.resolve({ massDisconnects: [], zones: {}, days: [], approvals: world.approvals })
      },
    },
    progress: { recordFailure: (user, failure) => Promise.resolve(void failures.push({ user, ...failure })) },
    confirmSeconds: fixtures.CONFIRM,
    publicUrl: ONRAMP,
    languages,
    log: { debug() {} },
    audit,
    now,
    limit(req, _res, next) {
      limited.push(req.path)
      next()
    },
    sendPage,
    returnTo,
    isAutomatic: true,
    describeIn,
  })

  const failed: ErrorRequestHandler = (problem: Problem, _req, res, _next) => {
    const { title } = problemTexts(problem, languages.in('en'), company.displayName)
    res.status(problem.status).json({ code: problem.code, title })
  }
  const app = express()
    .use((req, _res, next) => {
      const session = {
        id: 's1',
        user: req.get('person') ? { ...ada, subject: req.get('person') } : world.person,
        signedInAt: fixtures.NOW,
        tokens: { accessToken: '', issuedAt: fixtures.NOW },
      }
      Object.assign(req, { session })
      next()
    })
    .use(routes, failed)

  /** What a browser that follows a link of ours says of itself. */
  const browser = {
    'sec-fetch-site': 'same-origin',
    'sec-fetch-dest': 'document',
    'user-agent': 'Mozilla/5.0',
  }
  const open = (path: string) => request(app).get(path).set(browser).redirects(0)
  const get = async (path: string, headers: Record<string, string> = browser) =>
    await request(app).get(path).set(headers).redirects(0)

  return {
    world,
    calls,
    audited,
    limited,
    recordedAt,
    failures,
    get,
    open,
    /** Where the answer leads. */
    to: async (path: string, headers?: Record<string, string>) =>
      (await get(path, headers)).headers['location'],
    page: async (path: string, headers?: Record<string, string>) => (await get(path, headers)).body as Page,
    post: async (path: string) => await request(app).post(path).redirects(0),
    /** Where the consent that was begun last leads back: the path of ours. */
    callbackPath: () => new URL(calls.at(-1) ?? '').href.slice(ONRAMP.length),
  }
}

/** The same, ten seconds after Ada has left for Slack. */
export async function awayAtSlack() {
  const setUp = setUpWalkRoutes()
  await setUp.to('/onboarding/connect/slack_1')
  setUp.world.now += 10_000
  return setUp
}

/** What the overview prints. */
export type Page = Record<string, unknown> & { card?: Record<string, unknown>; banner?: { title: string } }
