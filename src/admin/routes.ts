// GET /admin and its pages, for ADMIN_EMAILS and ADMIN_GROUPS only. They read the records and never call the service.
// Every view is audited.
import { Router, type Request, type RequestHandler } from 'express'
import type { Company } from '../company/company.ts'
import { Problem } from '../problem.ts'
import { requireSignedIn, type User } from '../session/signed-in.ts'
import type { Audit } from '../web/audit.ts'
import { isFromOtherSite } from '../web/cross-site.ts'
import { browserGoneSignal } from '../web/error-page.ts'
import type { SendPage } from '../web/pages.ts'
import type { PeopleStore } from '../people/people-store.ts'
import type { KeepStateStore } from '../people/keep-state.ts'
import { normalizedAddress } from '../people/address.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { PeopleSnapshot } from './people-snapshot.ts'
import { earlyApproval } from './approval-texts.ts'
import { listPeople, parsePeopleQuery } from './filters.ts'
import { overviewPage, freshnessOf } from './overview.ts'
import { uniqueNames, withCompanyNames } from './unique-names.ts'
import { peoplePage } from './people-page.ts'
import { personPage } from './person-history.ts'
import { appTable, groupTable } from './sorted-table.ts'

type IsAdmin = (user: User) => boolean

/** Only an ASCII address may grant a right. Normalized, no other address equals one. */
const isAscii = (address: string): boolean => /^[\x20-\x7e]*$/.test(address)

/**
 * @param emails ADMIN_EMAILS. They match verified ASCII addresses only: others could be anyone's, or look-alikes.
 * @param groups ADMIN_GROUPS, compared at each request, so that a change of the setting takes effect at once
 */
export function createAdminCheck(emails: readonly string[], groups: readonly string[]): IsAdmin {
  const adminAddresses = new Set(emails.filter(isAscii).map(normalizedAddress))
  if (adminAddresses.size === 0 && groups.length === 0) return () => false
  return ({ email, emailVerified, groups: personGroups = [] }) =>
    personGroups.some((group) => groups.includes(group)) ||
    (emailVerified === true && email !== undefined && adminAddresses.has(normalizedAddress(email)))
}

export const requireAdmin =
  (isAdmin: IsAdmin): RequestHandler =>
  (req, _res, next) => {
    if (isAdmin(requireSignedIn(req).user)) return next()
    throw new Problem(403, 'admins_only', {
      detail: 'not one of ADMIN_EMAILS (or not verified), nor in ADMIN_GROUPS',
    })
  }

type AdminDeps = {
  snapshot: PeopleSnapshot
  people: Pick<PeopleStore, 'keyFor' | 'getByKey'>
  keepStateStore: Pick<KeepStateStore, 'load' | 'loadDecided'>
  publicUrl: string
  company: Company
  sendPage: SendPage
  audit: Audit
  now: () => number
}

export function createAdminRoutes(deps: AdminDeps): Router {
  const { snapshot, people, keepStateStore, publicUrl, company, sendPage, audit, now } = deps
  const router = Router()
  const auditView = (req: Request, what: string, person?: string) =>
    audit({ event: 'admin_viewed', user: requireSignedIn(req).user, what, ...(person && { person }) })

  router.get('/admin', async (req, res) => {
    auditView(req, 'overview')

    const report = await snapshot.report(browserGoneSignal(res))
    const blockedApps = report.datasources.filter(({ counts }) => counts.blocked > 0)
    const keepState = await keepStateStore.loadDecided(
      blockedApps.map(({ instance }) => earlyApproval(instance, report)),
    )

    const { user } = requireSignedIn(req)
    const datasources = report.datasources.map((app) => {
      const { owners } = company.approversOf(app.instance)
      return { ...app, owners: createAdminCheck(owners, [])(user) ? [] : owners }
    })
    const context = { ...company, now: now(), since: req.query['since'] }
    const data = (t: Texts) => {
      const page = withCompanyNames({ ...report, datasources }, keepState, company, t.lang)
      return overviewPage(page.report, page.keepState, t, context)
    }
    sendPage(req, res, { view: 'admin/overview', sheet: 'wide', data })
  })

  router.get('/admin/people', async (req, res) => {
    auditView(req, 'people')
    const query = parsePeopleQuery(req.query, now())

    const purpose = isFromOtherSite(req, publicUrl) ? 'otherSite' : 'page'
    const list = await listPeople(snapshot.summaries(browserGoneSignal(res), purpose), query)

    const keys = await Promise.all(list.people.map(({ person }) => people.keyFor(person.email)))
    const keepState = await keepStateStore.load()
    const shownApps = list.people.flatMap(({ apps }) => apps)
    const data = (t: Texts) =>
      peoplePage(list, uniqueNames(keepState, shownApps, company, t.lang), query, t, keys)
    sendPage(req, res, { view: 'admin/people', sheet: 'wide', data })
  })

  router.get('/admin/people/:key', async (req, res) => {
    const [person, keepState] = await Promise.all([
      people.getByKey(req.params.key),
      keepStateStore.loadDecided(),
    ])
    if (person === undefined)
      throw new Problem(404, 'not_found', { detail: 'no person on record has this key' })
    auditView(req, 'person', person.email)

    const data = (t: Texts) => personPage(person, keepState, company, { t, now: now() })
    sendPage(req, res, { view: 'admin/person', sheet: 'wide', data })
  })

  for (const view of ['admin/departments', 'admin/apps'] as const)
    router.get(`/${view}`, async (req, res) => {
      auditView(req, view.replace('admin/', ''))

      const report = await snapshot.report(browserGoneSignal(res))
      const keepState = await keepStateStore.load()

      const data = (t: Texts) => {
        const { datasources } = withCompanyNames(report, keepState, company, t.lang).report
        const table =
          view === 'admin/apps' ? appTable(datasources, req, t) : groupTable(report.groups, req, t)
        return { ...freshnessOf(report, t), table }
      }
      sendPage(req, res, { view, sheet: 'wide', data })
    })

  return router
}
