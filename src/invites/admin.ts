// GET /admin and its exports, for ADMIN_EMAILS only; for everybody else the page does not exist. It reads what was
// written down and never asks the service. Every view is in the audit log.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Router, type Request } from 'express'
import { Problem } from '../problem.ts'
import { whoIsSignedIn } from '../sign-in/require-sign-in.ts'
import type { Note } from '../web/audit.ts'
import type { SendPage } from '../web/pages.ts'
import { isSameAddress } from './address.ts'
import { adminTexts, type AdminTexts } from './admin-texts.en.ts'
import type { Arrival } from './arrival.ts'
import type { Arrivals } from './arrivals.ts'
import { peopleCsv } from './people-csv.ts'
import { plotOf } from './plot.ts'
import { listPeople, stageOf, wantedOf, FILTERS, type Wanted } from './people-list.ts'
import { isUncertainFor, makeReport, type Report } from './report.ts'

export type AdminParts = {
  arrivals: Pick<Arrivals, 'all'>
  /** ADMIN_EMAILS. */
  admins: readonly string[]
  sendPage: SendPage
  note: Note
  now: () => number
}

const FRESH_MS = 10_000

export function createAdminRoutes({ arrivals, admins, sendPage, note, now }: AdminParts): Router {
  const router = Router()
  let last: { report: Report; at: number } | undefined

  /** @throws {Problem} for whoever is no administrator: nothing is here */
  function admit(req: Request, what: string): void {
    const { user } = whoIsSignedIn(req)
    const isAdmin =
      user.emailVerified === true && admins.some((admin) => isSameAddress(admin, user.email ?? ''))
    if (!isAdmin) throw new Problem(404, 'not_found', { detail: 'not one of ADMIN_EMAILS, or not verified' })
    note({ event: 'admin_viewed', user, what })
  }

  async function report(): Promise<Report> {
    if (last === undefined || now() - last.at > FRESH_MS)
      last = { report: await makeReport(arrivals.all(), now()), at: now() }
    return last.report
  }

  router.get('/admin', async (req, res) => {
    admit(req, 'overview')
    const wanted = wantedOf(req.query)

    const made = await report()
    const { people, hasMore, total } = await listPeople(arrivals.all(), wanted)

    const t = adminTexts
    const last = people.at(-1)
    const data = {
      words: t,
      report: made,
      share: shareOf,
      funnel: funnelOf(made, t),
      plot: plotOf(made.days, now()),
      people: people.map(rowOf),
      total,
      search: wanted.search,
      filter: wanted.filter,
      filters: FILTERS.map((filter) => ({ filter, href: hrefOf({ ...wanted, filter, after: '' }) })),
      first: wanted.after === '' ? undefined : hrefOf({ ...wanted, after: '' }),
      next: hasMore && last !== undefined ? hrefOf({ ...wanted, after: last.email }) : undefined,
    }
    sendPage(req, res, { view: 'invites/admin', data })
  })

  router.get('/admin/people.csv', async (req, res) => {
    admit(req, 'people.csv')
    res.setHeader('Content-Type', 'text/csv; charset=utf-8')
    res.setHeader('Content-Disposition', 'attachment; filename="onramp-people.csv"')
    await pipeline(Readable.from(peopleCsv(arrivals.all())), res)
  })

  router.get('/admin/report.json', async (req, res) => {
    admit(req, 'report.json')
    res.json(await report())
  })

  return router
}

const shareOf = (part: number, whole: number) =>
  whole === 0 ? '' : `${Math.round((part / whole) * 100)}\u00A0%`

const funnelOf = (report: Report, t: AdminTexts) =>
  (['invited', 'opened', 'signedIn', 'finished', 'skipped', 'blocked', 'optedOut', 'uncertain'] as const).map(
    (what) => ({ what: t.funnel[what], count: report[what], share: shareOf(report[what], report.people) }),
  )

function hrefOf({ filter, search, after }: Wanted): string {
  const query = new URLSearchParams({ show: filter })
  if (search !== '') query.set('q', search)
  if (after !== '') query.set('after', after)
  return `/admin?${query.toString()}#people`
}

const minute = (at: number | undefined) =>
  at === undefined ? '' : new Date(at).toISOString().slice(0, 16).replace('T', ' ')

function rowOf(arrival: Arrival) {
  const { email, group, sources, asOf, optedOutAt } = arrival
  const { person, stages } = adminTexts
  const countable = sources.filter(({ state }) => state !== 'off')
  const open = countable.filter(({ state }) => state !== 'connected')
  const { stage, at } = stageOf(arrival)
  return {
    email,
    group: group ?? '',
    stage: stages[stage],
    since: at === undefined ? '' : new Date(at).toISOString().slice(0, 10),
    notes: [
      ...(isUncertainFor(arrival) ? [person.uncertain] : []),
      ...(optedOutAt === undefined ? [] : [person.optedOut]),
    ],
    done: asOf === undefined ? '' : person.done(countable.length - open.length, countable.length),
    left: open.map(({ name, state }) => (state === 'waiting' ? name : person.left(name, state))).join(', '),
    asOf: minute(asOf),
  }
}
