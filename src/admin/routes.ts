// GET /admin and its exports, for ADMIN_EMAILS only; for everyone else the page does not exist. It reads what was
// written down and never asks the service. Every view is in the audit log.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Router, type Request } from 'express'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import { whoIsSignedIn } from '../session/signed-in.ts'
import type { Note } from '../web/audit.ts'
import type { SendPage } from '../web/pages.ts'
import { isAscii, normalizedAddress } from '../arrivals/address.ts'
import type { Texts } from '../web/languages/texts.ts'
import { countable, type Arrival } from '../arrivals/arrival.ts'
import type { Arrivals } from '../arrivals/arrivals.ts'
import { peopleCsv } from './people-csv.ts'
import { plotOf } from './plot.ts'
import { FACTS, mailStateOf, type Fact } from './facts.ts'
import { fitting, listPeople, stageOf, wantedOf, FILTER_NAMES, type Wanted } from './people-list.ts'
import { makeReport, shareOf, type Report } from './report.ts'
import { noneUnread, remediesFor, unreadInWords } from '../arrivals/unread.ts'

export type AdminParts = {
  arrivals: Pick<Arrivals, 'all'>
  isAdmin: IsAdmin
  sendPage: SendPage
  note: Note
  now: () => number
}

export type IsAdmin = (user: User) => boolean

/**
 * @param admins ADMIN_EMAILS. An address that the authorization server did not verify could be anyone's, and one that is
 * not ASCII only looks like one of them.
 */
export function administrators(admins: readonly string[]): IsAdmin {
  const known = new Set(admins.filter(isAscii).map(normalizedAddress))
  // Every page asks.
  if (known.size === 0) return () => false
  return ({ email, emailVerified }) =>
    emailVerified === true && email !== undefined && isAscii(email) && known.has(normalizedAddress(email))
}

const FRESH_MS = 10_000

export function createAdminRoutes({ arrivals, isAdmin, sendPage, note, now }: AdminParts): Router {
  const router = Router()
  let last: { report: Report; at: number } | undefined

  /** @throws {Problem} for anyone else than an administrator: there is no such page */
  function admit(req: Request, what: string): void {
    const { user } = whoIsSignedIn(req)
    if (!isAdmin(user))
      throw new Problem(404, 'not_found', { detail: 'not one of ADMIN_EMAILS, or not verified' })
    note({ event: 'admin_viewed', user, what })
  }

  async function report(): Promise<Report> {
    if (last === undefined || now() - last.at > FRESH_MS) {
      const unread = noneUnread()
      last = { report: await makeReport(arrivals.all(unread), now(), unread), at: now() }
    }
    return last.report
  }

  router.get('/admin', async (req, res) => {
    admit(req, 'overview')
    const wanted = wantedOf(req.query)

    const made = await report()
    const { people, hasMore, total } = await listPeople(arrivals.all(), wanted)

    const last = people.at(-1)
    const data = (t: Texts) => ({
      report: made,
      ready: t('admin.ready', {
        ready: made.ready,
        people: made.people,
        share: shareOf(made.ready, made.people),
      }),
      unread: unreadOf(made, t),
      share: shareOf,
      funnel: funnelOf(made, t),
      plot: plotOf(made.days, now()),
      people: people.map((person) => rowOf(person, t)),
      total,
      search: wanted.search,
      filter: wanted.filter,
      filters: FILTER_NAMES.map((filter) => ({ filter, href: hrefOf({ ...wanted, filter, after: '' }) })),
      csv: `/admin/people.csv?${queryOf({ ...wanted, after: '' })}`,
      isNarrowed: wanted.filter !== 'all' || wanted.search !== '',
      first: wanted.after === '' ? undefined : hrefOf({ ...wanted, after: '' }),
      next: hasMore && last !== undefined ? hrefOf({ ...wanted, after: last.email }) : undefined,
    })
    sendPage(req, res, { view: 'invites/admin', data })
  })

  router.get('/admin/people.csv', async (req, res) => {
    admit(req, 'people.csv')
    res.setHeader('Content-Type', 'text/csv; charset=utf-8')
    res.setHeader('Content-Disposition', 'attachment; filename="onramp-people.csv"')
    await pipeline(Readable.from(peopleCsv(fitting(arrivals.all(), wantedOf(req.query)))), res)
  })

  router.get('/admin/report.json', async (req, res) => {
    admit(req, 'report.json')
    res.json(await report())
  })

  return router
}

/** A count is of everyone known; the share beside it names the people that it is a share of. */
const FUNNEL = [
  'invited',
  'reminded',
  'opened',
  'signedIn',
  'ready',
  'finished',
  'nothing',
  'skipped',
  'blocked',
  'optedOut',
  'deferred',
  'failed',
  'uncertain',
] as const satisfies readonly Fact[]

function funnelOf(report: Report, t: Texts) {
  const { invited } = report
  const parts: Partial<Record<Fact, number>> = invited === 0 ? {} : report.ofInvited
  return FUNNEL.map((what) => {
    const part = parts[what]
    const share =
      part === undefined ? '' : t('admin.ofInvited', { part, invited, share: shareOf(part, invited) })
    return { what: t(`admin.funnel.${what}`), count: t.number(report[what]), share }
  })
}

function unreadOf({ unread }: Report, t: Texts) {
  const words = unreadInWords(unread)
  return words === undefined
    ? undefined
    : { words: t('admin.unread', { records: words }), remedies: remediesFor(unread) }
}

const hrefOf = (wanted: Wanted) => `/admin?${queryOf(wanted)}#people`

function queryOf({ filter, search, after }: Wanted): string {
  const query = new URLSearchParams({ show: filter })
  if (search !== '') query.set('q', search)
  if (after !== '') query.set('after', after)
  return query.toString()
}

/** Day and time of day, in UTC. */
function timeOf(at: number | undefined) {
  const [day = '', time = ''] = at === undefined ? [] : new Date(at).toISOString().split('T')
  return { day, time: time.slice(0, 5) }
}

/** The export names the others. */
const MAX_LEFT = 6

function rowOf(arrival: Arrival, t: Texts) {
  const { email, group = '', asOf } = arrival
  const own = countable(arrival)
  const open = own.filter(({ state }) => state !== 'connected')
  const { stage, at } = stageOf(arrival)
  const mail = mailStateOf(arrival)
  const leftWords = (app: string, state: (typeof open)[number]['state']) =>
    state === 'blocked' || state === 'skipped' ? t(`admin.person.${state}`, { app }) : app
  const left = open.map(({ name, state }) => leftWords(name, state))
  return {
    email,
    group,
    stage: t(`admin.stage.${stage}`),
    since: timeOf(at).day,
    notes: [
      ...(mail === 'deferred' || mail === 'failed' ? [t(`admin.person.${mail}`)] : []),
      ...(FACTS.uncertain(arrival) ? [t('admin.person.uncertain')] : []),
      ...(FACTS.optedOut(arrival) ? [t('admin.person.optedOut')] : []),
    ],
    done:
      asOf === undefined || own.length === 0
        ? ''
        : t('admin.person.done', { connected: own.length - open.length, total: own.length }),
    left: left.slice(0, MAX_LEFT).join(', '),
    more: left.length > MAX_LEFT ? t('admin.person.more', { count: left.length - MAX_LEFT }) : '',
    asOf: timeOf(asOf),
  }
}
