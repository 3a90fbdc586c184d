// GET /admin/report.json and /admin/people.csv, for admins, and for programs with REPORT_TOKEN. Programs have
// no session, so createTokenRoutes comes before requireSignIn. Without REPORT_TOKEN it has no routes.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Router, type Request, type RequestHandler } from 'express'
import type { Company } from '../company/company.ts'
import type { KeepStateStore } from '../people/keep-state.ts'
import { Problem } from '../problem.ts'
import { findSignedIn } from '../session/signed-in.ts'
import type { Audit } from '../web/audit.ts'
import { hasBearer, sendsBearer } from '../web/bearer.ts'
import { isFromOtherSite } from '../web/cross-site.ts'
import { browserGoneSignal, wantsPage } from '../web/error-page.ts'
import type { PeopleSnapshot } from './people-snapshot.ts'
import { matchingFilters, parsePeopleQuery } from './filters.ts'
import { PEOPLE_FILE, peopleCsv } from './people-csv.ts'
import type { PersonSummary } from './person-summary.ts'
import { uniqueNames } from './unique-names.ts'

const [REPORT_PATH, PEOPLE_PATH] = ['/admin/report.json', '/admin/people.csv'] as const

/**
 * Concurrent downloads per process; each buffers up to 512 KB. Those that another site opened are counted apart,
 * because the browser may leave them unread.
 */
const MAX_DOWNLOADS = { own: 20, otherSite: 2 }

export function createExportRoutes(deps: {
  snapshot: PeopleSnapshot
  keepStateStore: Pick<KeepStateStore, 'load'>
  company: Pick<Company, 'displayName' | 'activeReplacements'>
  publicUrl: string
  audit: Audit
}): Router {
  const { snapshot, keepStateStore, company, publicUrl, audit } = deps
  const auditView = (req: Request, what: string) => {
    const user = findSignedIn(req)?.user
    audit({ event: 'admin_viewed', what, ...(user === undefined ? { by: 'report_token' } : { user }) })
  }

  // Programs have no language, so names are in the company's own.
  async function companyNames(apps: readonly { instance: string; name: string }[] = []) {
    const displayName = uniqueNames(await keepStateStore.load(), apps, company, '')
    return <T extends { instance: string; name: string }>(app: T): T => ({
      ...app,
      name: displayName(app),
    })
  }

  const downloads = { own: 0, otherSite: 0 }

  const routes = Router()
  routes.get(REPORT_PATH, async (req, res) => {
    auditView(req, 'report.json')
    const {
      lostByDay: _lostByDay,
      newByDay: _newByDay,
      isNoneLeft: _isNoneLeft,
      lastFailed: _lastFailed,
      ...report
    } = await snapshot.report(browserGoneSignal(res))
    const withName = await companyNames(report.datasources)
    res.json({ ...report, datasources: report.datasources.map((app) => withName(app)) })
  })
  routes.get(PEOPLE_PATH, async (req, res) => {
    const signal = browserGoneSignal(res)
    const withName = await companyNames()
    const opener = isFromOtherSite(req, publicUrl) ? 'otherSite' : 'own'
    if (downloads[opener] >= MAX_DOWNLOADS[opener]) {
      audit({ event: 'limited', what: 'person', user: findSignedIn(req)?.user })
      throw new Problem(429, 'too_many_requests', { retryAfter: 10 })
    }
    auditView(req, 'people.csv')
    res.setHeader('Content-Type', 'text/csv; charset=utf-8')
    res.setHeader('Content-Disposition', `attachment; filename="${PEOPLE_FILE}"`)
    const query = parsePeopleQuery(req.query, snapshot.now())
    downloads[opener]++
    const isFound = (summary: PersonSummary) => matchingFilters(summary, query)?.(query.filter) === true
    await pipeline(Readable.from(peopleCsv(snapshot.summaries(signal, 'download'), withName, isFound)), res)
      .catch((error: unknown) => {
        signal.throwIfAborted()
        throw error
      })
      .finally(() => downloads[opener]--)
  })
  return routes
}

/** Exports for REPORT_TOKEN, before requireSignIn. Passes on a browser's request, even if a proxy added a token. */
export function createTokenRoutes(
  exportRoutes: Router,
  token: string | undefined,
  limit: RequestHandler,
  audit: Audit,
): Router {
  const router = Router()
  if (token === undefined) return router
  const hasAny: RequestHandler = (req, _res, next) => next(sendsBearer(req) ? undefined : 'router')
  const limitGuesses: RequestHandler = (req, res, next) =>
    hasBearer(req, token) ? next() : limit(req, res, next)
  // Runs after the limit, because a guess could pretend to be a browser's request.
  const check: RequestHandler = (req, res, next) => {
    if (hasBearer(req, token)) return next()
    if (wantsPage(req)) return next('router')
    audit({ event: 'report_refused' })
    // RFC 6750 3.
    res.setHeader('WWW-Authenticate', 'Bearer realm="onramp", error="invalid_token"')
    throw new Problem(401, 'token_refused')
  }
  router.get([REPORT_PATH, PEOPLE_PATH], hasAny, limitGuesses, check)
  router.use(exportRoutes)
  return router
}
