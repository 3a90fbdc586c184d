// GET /admin, its pages and its exports, for ADMIN_EMAILS and ADMIN_GROUPS only; everyone else is told whom to ask.
// They read what was written down and never ask the service. Every view is in the audit log.
import { Router, type Request, type RequestHandler } from 'express'
import { withUniqueNames } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { Problem } from '../problem.ts'
import type { User } from '../session/signed-in.ts'
import { whoIsSignedIn } from '../session/signed-in.ts'
import type { Audit } from '../web/audit.ts'
import { browserGoneSignal } from '../web/browser-gone.ts'
import type { SendPage } from '../web/pages.ts'
import type { KeepStateStore } from '../people/keep-state.ts'
import { isAscii, normalizedAddress } from '../people/address.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { PeopleSnapshot } from './people-snapshot.ts'
import { parsePeopleQuery } from './filters.ts'
import { overviewPage, freshnessOf } from './overview.ts'
import { peoplePage } from './people-page.ts'
import { listPeople } from './people-list.ts'
import { appTable, groupTable, FIRST_ROWS } from './sorted-table.ts'

type AdminParts = {
  snapshot: PeopleSnapshot
  keepStateStore: Pick<KeepStateStore, 'load'>
  exports: Router
  /** How often a person may ask. */
  limit: RequestHandler
  isAdmin: IsAdmin
  displayName: Company['displayName']
  sendPage: SendPage
  audit: Audit
  now: () => number
}

export type IsAdmin = (user: User) => boolean

/**
 * @param emails ADMIN_EMAILS. An address that the authorization server did not verify could be anyone's, and one that is
 * not ASCII only looks like one of them.
 * @param groups ADMIN_GROUPS, compared again at each request: one that is dropped from the setting counts no longer
 */
export function createAdminCheck(emails: readonly string[], groups: readonly string[]): IsAdmin {
  const known = new Set(emails.filter(isAscii).map(normalizedAddress))
  // Every page asks.
  if (known.size === 0 && groups.length === 0) return () => false
  return ({ email, emailVerified, groups: own = [] }) =>
    own.some((group) => groups.includes(group)) ||
    (emailVerified === true && email !== undefined && isAscii(email) && known.has(normalizedAddress(email)))
}

export function createAdminRoutes(parts: AdminParts): Router {
  const { snapshot, keepStateStore, exports, isAdmin, displayName, sendPage, audit, now } = parts
  const router = Router()

  const named = <T extends { instance: string; name: string }>(apps: readonly T[], { lang }: Texts): T[] =>
    withUniqueNames(apps.map((app) => ({ ...app, name: displayName(app, lang) })))

  const noteView = (req: Request, what: string) =>
    audit({ event: 'admin_viewed', user: whoIsSignedIn(req).user, what })

  router.use(
    '/admin',
    (req, _res, next) => {
      if (!isAdmin(whoIsSignedIn(req).user))
        throw new Problem(403, 'admins_only', {
          detail: 'not one of ADMIN_EMAILS (or not verified), nor in ADMIN_GROUPS',
        })
      next()
    },
    parts.limit,
  )

  router.get('/admin', async (req, res) => {
    noteView(req, 'overview')

    const [made, keepState] = await Promise.all([
      snapshot.report(browserGoneSignal(res)),
      keepStateStore.load(),
    ])

    const data = (t: Texts) =>
      overviewPage({ ...made, datasources: named(made.datasources, t) }, keepState, t, {
        now: now(),
        since: req.query['since'],
      })
    sendPage(req, res, { view: 'admin/overview', sheet: 'wide', data })
  })

  router.get('/admin/people', async (req, res) => {
    noteView(req, 'people')
    const wanted = parsePeopleQuery(req.query)

    const list = await listPeople(snapshot.summaries(browserGoneSignal(res), 'page'), wanted)

    const data = (t: Texts) => {
      // An app has one name on the page, for everyone on it.
      const all = named(
        list.people.flatMap(({ apps }) => apps),
        t,
      )
      const names = new Map(all.map(({ instance, name }) => [instance, name]))
      const people = list.people.map((summary) => ({
        ...summary,
        apps: summary.apps.map((app) => ({ ...app, name: names.get(app.instance) ?? app.name })),
      }))
      return peoplePage({ ...list, people }, wanted, t)
    }
    sendPage(req, res, { view: 'admin/people', sheet: 'wide', data })
  })

  router.get('/admin/departments', async (req, res) => {
    noteView(req, 'departments')

    const made = await snapshot.report(browserGoneSignal(res))

    const part = { query: req.query, most: FIRST_ROWS }
    const data = (t: Texts) => ({ ...freshnessOf(made, t), table: groupTable(made.groups, part, t) })
    sendPage(req, res, { view: 'admin/departments', sheet: 'wide', data })
  })

  router.get('/admin/apps', async (req, res) => {
    noteView(req, 'apps')

    const made = await snapshot.report(browserGoneSignal(res))

    const part = { query: req.query, most: FIRST_ROWS }
    const data = (t: Texts) => ({
      ...freshnessOf(made, t),
      table: appTable(named(made.datasources, t), part, t),
    })
    sendPage(req, res, { view: 'admin/apps', sheet: 'wide', data })
  })

  router.use(exports)

  return router
}
