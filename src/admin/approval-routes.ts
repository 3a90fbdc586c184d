// GET /approvals/ID and its one button, for the owners of an app and for admins. Owners see the number of
// waiting people, admins also their names.
import { Router, type Request, type RequestHandler, type Response } from 'express'
import type { Company } from '../company/company.ts'
import { applyDecision, type Approval, type KeepStateStore } from '../people/keep-state.ts'
import { Problem } from '../problem.ts'
import { requireSignedIn, type User } from '../session/signed-in.ts'
import type { Audit } from '../web/audit.ts'
import { browserGoneSignal } from '../web/error-page.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import { approvalPath, describeApproval, describeWait, earlyApproval, needOf } from './approval-texts.ts'
import { peopleUrl } from './filters.ts'
import type { PeopleSnapshot } from './people-snapshot.ts'
import { createAdminCheck } from './routes.ts'
import { uniqueNames } from './unique-names.ts'

/** @param context.app its name @param context.approve the page on which it is approved */
function approvalPage(
  approval: Approval,
  context: { app: string; approve: string | undefined; isAdmin: boolean; wait: readonly string[] },
  t: Texts,
) {
  const { app, approve, isAdmin, wait } = context
  const { instance, waitingPeople: count } = approval
  // Once it works, they no longer wait for an admin.
  const need = needOf(approval)
  const people =
    need === 'messenger'
      ? { href: peopleUrl({ filter: 'waiting', app: instance }), label: t('person.waiting') }
      : { href: peopleUrl({ filter: 'blocked', app: instance }), label: t('admin.view', { count }) }
  return {
    ...describeApproval(approval, app, t, wait),
    isOpen: need === 'decision',
    path: approvalPath(instance),
    where: approve && { href: approve, label: t('approval.at', { host: new URL(approve).host }) },
    people: isAdmin && (count > 0 || need === 'messenger') ? people : undefined,
  }
}

/** @param admins ADMIN_EMAILS */
export function createApprovalRoutes(deps: {
  keepStateStore: Pick<KeepStateStore, 'load' | 'recordDecision' | 'findDecision'>
  snapshot: Pick<PeopleSnapshot, 'report'>
  isAdmin: (user: User) => boolean
  company: Company
  admins: readonly string[] | undefined
  limit: RequestHandler
  sendPage: SendPage
  audit: Audit
  now: () => number
}): Router {
  const { keepStateStore, snapshot, isAdmin, company, admins, limit, sendPage, audit, now } = deps
  const router = Router()

  /** @throws {Problem} 403 */
  async function load(req: Request, res: Response) {
    const requestedInstance = String(req.params['instance'])
    const { user } = requireSignedIn(req)
    const report = () => snapshot.report(browserGoneSignal(res))
    const current = (app: string) => company.activeReplacements.get(app) ?? app
    const isOwnerOf = (app: string) => createAdminCheck(company.approversOf(app, admins).owners, [])(user)
    const refuseOthers = (...apps: string[]) => {
      if (isAdmin(user) || apps.some(isOwnerOf)) return
      // An unknown name is anyone's text.
      const configuredApps = apps.filter((app) => company.datasourceOf(app) !== undefined)
      throw new Problem(403, 'owners_only', {
        detail: `not an owner of ${configuredApps.join(', ') || 'this app'} (or not verified), nor an admin`,
      })
    }
    const replacement = company.declaredReplacements.get(requestedInstance)
    if (replacement !== undefined) {
      refuseOthers(requestedInstance, replacement)
      // Only the people on record show whether the replacement is in use.
      await report()
    }
    const instance = current(requestedInstance)
    refuseOthers(instance)
    const { owners, approve } = company.approversOf(instance, admins)
    const [keepState, decision] = await Promise.all([
      keepStateStore.load(),
      keepStateStore.findDecision(instance),
    ])
    const storedApproval = keepState.approvals?.findLast(
      (approval) => current(approval.instance) === instance,
    )
    const approval = storedApproval
      ? { ...storedApproval, instance }
      : earlyApproval(instance, await report())
    const decidedApproval = {
      ...applyDecision(approval, decision),
      owners: isOwnerOf(instance) ? [] : owners,
    }
    return { instance, user, approve, approval: decidedApproval, keepState }
  }

  router.get('/approvals/:instance', limit, async (req, res) => {
    const { user, approve, approval, keepState } = await load(req, res)
    audit({ event: 'admin_viewed', user, what: 'approval' })
    const data = (t: Texts) => {
      const app = uniqueNames(keepState, [approval], company, t.lang)(approval)
      const wait = describeWait(approval.instance, keepState, { ...company, t, now: now() })
      return approvalPage(approval, { app, approve, isAdmin: isAdmin(user), wait }, t)
    }
    sendPage(req, res, { view: 'admin/approval', data })
  })

  router.post('/approvals/:instance', limit, async (req, res) => {
    const { instance, user, approval } = await load(req, res)

    if (needOf(approval) === 'decision') {
      await keepStateStore.recordDecision(instance, { at: now(), by: user.email ?? user.name ?? '' })
      audit({ event: 'approved', user, datasource: instance })
    }
    seeOther(res, approvalPath(instance))
  })

  return router
}
