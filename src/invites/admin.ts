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
import { makeReport, type Report } from './report.ts'

export type AdminParts = {
  arrivals: Pick<Arrivals, 'all'>
  /** ADMIN_EMAILS. */
  admins: readonly string[]
  sendPage: SendPage
  note: Note
  now: () => number
}

const FRESH_MS = 10_000
const MOST_PEOPLE = 100
const FILTERS = ['all', 'blocked', 'waiting', 'skipped', 'finished'] as const
type Filter = (typeof FILTERS)[number]

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
    const filter = FILTERS.find((known) => known === req.query['show']) ?? 'all'

    const made = await report()
    const people = await peopleFor(arrivals.all(), filter)

    const t = adminTexts
    const data = {
      words: t,
      report: made,
      funnel: funnelOf(made, t),
      plot: plotOf(made.days, now()),
      people,
      most: MOST_PEOPLE,
      filter,
      filters: FILTERS,
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

const funnelOf = (report: Report, t: AdminTexts) =>
  (['invited', 'opened', 'signedIn', 'finished', 'skipped', 'blocked', 'optedOut', 'uncertain'] as const).map(
    (what) => ({ what: t.funnel[what], count: report[what] }),
  )

type PersonRow = { email: string; done: string; left: string; asOf: string }

async function peopleFor(all: AsyncIterable<Arrival>, filter: Filter): Promise<PersonRow[]> {
  const rows: PersonRow[] = []
  for await (const arrival of all) {
    if (!fits(arrival, filter)) continue
    const { email, sources, asOf } = arrival
    const countable = sources.filter(({ state }) => state !== 'off')
    const open = countable.filter(({ state }) => state !== 'connected')
    const { left, done } = adminTexts.person
    rows.push({
      email,
      done: asOf === undefined ? '' : done(countable.length - open.length, countable.length),
      left: open.map(({ name, state }) => (state === 'waiting' ? name : left(name, state))).join(', '),
      asOf: asOf === undefined ? '' : new Date(asOf).toISOString().slice(0, 16).replace('T', ' '),
    })
    if (rows.length >= MOST_PEOPLE) break
  }
  return rows.sort((one, other) => one.email.localeCompare(other.email, 'en'))
}

function fits({ sources, finishedAt }: Arrival, filter: Filter): boolean {
  if (filter === 'all') return true
  if (filter === 'finished') return finishedAt !== undefined
  return sources.some(({ state }) => state === filter)
}
