// GET /admin/report.json and /admin/people.csv: what administrators take away, and what programs read with REPORT_TOKEN.
// A program needs no session, so its way in comes before requireSignIn; without that token nothing of it is there.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Router, type Request, type RequestHandler } from 'express'
import type { Company } from '../company/company.ts'
import type { People } from '../people/people.ts'
import { noneUnread } from '../people/unread.ts'
import { Problem } from '../problem.ts'
import { signedInOf } from '../session/signed-in.ts'
import type { Note } from '../web/audit.ts'
import { hasBearer, sendsBearer } from '../web/bearer.ts'
import { wantsPage } from '../web/error-page.ts'
import { fitting, wantedOf } from './filters.ts'
import { peopleCsv } from './people-csv.ts'
import { PEOPLE_FILE } from './reminder.ts'
import { makeReport, type Report } from './report.ts'

export type ExportsParts = {
  people: Pick<People, 'all'>
  nameOf: Company['nameOf']
  note: Note
  now: () => number
}

export type Exports = {
  /** One pass over everyone serves the pages of the next seconds. */
  report(): Promise<Report>
  /** Mounted behind a check of who may see them. */
  routes: Router
}

const FRESH_MS = 10_000

export const [REPORT_PATH, PEOPLE_PATH] = ['/admin/report.json', '/admin/people.csv'] as const

export function createExports({ people, nameOf, note, now }: ExportsParts): Exports {
  let last: { report: Promise<Report>; at: number } | undefined

  async function report(): Promise<Report> {
    if (last === undefined || now() - last.at > FRESH_MS) {
      const unread = noneUnread()
      last = { report: makeReport(people.all(unread), now(), unread), at: now() }
    }
    const made = last
    try {
      return await made.report
    } catch (error) {
      // A store that was away is asked again.
      if (last === made) last = undefined
      throw error
    }
  }

  const noteView = (req: Request, what: string) => {
    const user = signedInOf(req)?.user
    note({ event: 'admin_viewed', what, ...(user === undefined ? { by: 'report_token' } : { user }) })
  }

  // Programs read no language: what the company calls an app in its own.
  const named = <T extends { instance: string; name: string }>(app: T): T => ({
    ...app,
    name: nameOf(app, ''),
  })

  const routes = Router()
  routes.get(REPORT_PATH, async (req, res) => {
    noteView(req, 'report.json')
    const made = await report()
    res.json({ ...made, datasources: made.datasources.map(named) })
  })
  routes.get(PEOPLE_PATH, async (req, res) => {
    noteView(req, 'people.csv')
    res.setHeader('Content-Type', 'text/csv; charset=utf-8')
    res.setHeader('Content-Disposition', `attachment; filename="${PEOPLE_FILE}"`)
    const fit = fitting(people.all(), wantedOf(req.query))
    await pipeline(Readable.from(peopleCsv(fit, named)), res)
  })
  return { report, routes }
}

export type TokenRoutesParts = {
  exports: Pick<Exports, 'routes'>
  /** REPORT_TOKEN. */
  token: string | undefined
  limit: RequestHandler
  note: Note
}

/** In front of requireSignIn. What may come from a person goes on, also with a token that a proxy has added. */
export function createTokenRoutes({ exports, token, limit, note }: TokenRoutesParts): Router {
  const router = Router()
  if (token === undefined) return router
  const hasAny: RequestHandler = (req, _res, next) => next(sendsBearer(req) ? undefined : 'router')
  // Behind the limit, also for what looks like a browser: a guess may say so of itself.
  const check: RequestHandler = (req, res, next) => {
    if (hasBearer(req, token)) return next()
    if (wantsPage(req)) return next('router')
    note({ event: 'report_refused' })
    // RFC 6750 3.
    res.setHeader('WWW-Authenticate', 'Bearer realm="onramp", error="invalid_token"')
    throw new Problem(401, 'token_refused', { detail: 'not the token of REPORT_TOKEN' })
  }
  router.get([REPORT_PATH, PEOPLE_PATH], hasAny, limit, check)
  router.use(exports.routes)
  return router
}
