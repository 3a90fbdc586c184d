// GET /approvals/ID and its one button, for the owners of an app and for administrators; and the email that leads there. Owners
// see how many people wait, administrators also who they are.
import { Router, type Request, type RequestHandler } from 'express'
import type { Notice } from '../campaigns/mail/notice.ts'
import { datasourceType, humanize } from '../company/app-names.ts'
import type { Company } from '../company/company.ts'
import { withAnswer, type OwnerAnswers } from '../people/approvals.ts'
import type { Approval, KeepStateStore } from '../people/keep-state.ts'
import { Problem } from '../problem.ts'
import { whoIsSignedIn } from '../session/signed-in.ts'
import type { Audit } from '../web/audit.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import { peopleUrl } from './filters.ts'
import type { NoticeContext } from './notices.ts'
import { createAdminCheck } from './routes.ts'

export const approvalPath = (instance: string): string => `/approvals/${encodeURIComponent(instance)}`

const isOpen = ({ stage, waiting }: Approval): boolean =>
  stage === 'failed' || (stage !== 'approved' && waiting > 0)

function describeApproval(
  one: Approval | undefined,
  app: string,
  t: Texts,
): { heading: string; paragraphs: string[] } {
  const {
    stage,
    waiting: count,
    since,
    approvedAt,
    by = '',
  } = one ?? { stage: 'waiting', waiting: 0, since: 0, approvedAt: 0 }
  const label = t('approval.done')
  const approved = t('approval.approvedBy', { by, day: t.day(approvedAt) })
  if (stage === 'failed') {
    const failed = t('approval.failed', { app, label, day: t.day(approvedAt) })
    return { heading: t('approval.failedTitle', { app }), paragraphs: [failed] }
  }
  if (stage === 'approved')
    return { heading: t('approval.approvedTitle', { app }), paragraphs: [approved, t('approval.trying')] }
  if (count > 0) {
    const why = [
      t('approval.saw', { app, label: t('overview.block') }),
      t('approval.since', { day: t.day(since) }),
    ]
    return {
      heading: t('admin.need.app', { app, count }),
      paragraphs: [t.sentences(why), t('approval.next', { label })],
    }
  }
  return stage === 'confirmed'
    ? { heading: t('approval.confirmedTitle', { app }), paragraphs: [approved, t('approval.confirmed')] }
    : { heading: t('approval.none', { app }), paragraphs: [t('approval.noneLead')] }
}

/** @param context.where they approve it */
export function approvalNotice(
  one: Approval,
  context: NoticeContext & { where: string | undefined },
): Notice {
  const { t, displayName, publicUrl, where: url } = context
  const app = displayName(one, t.lang)
  const { heading, paragraphs } = describeApproval(one, app, t)
  return {
    subject: heading,
    heading,
    paragraphs: url === undefined ? paragraphs : [...paragraphs, t('approval.where', { url })],
    figures: [],
    needs: [],
    commands: [],
    link: { href: publicUrl + approvalPath(one.instance), label: t('approval.open') },
    owned: app,
  }
}

/** @param admins ADMIN_EMAILS */
export function createApprovalRoutes(deps: {
  keepStateStore: Pick<KeepStateStore, 'load'>
  answers: OwnerAnswers
  isAdmin: ReturnType<typeof createAdminCheck>
  company: Company
  admins: readonly string[] | undefined
  limit: RequestHandler
  sendPage: SendPage
  audit: Audit
  now: () => number
}): Router {
  const { keepStateStore, answers, isAdmin, company, admins, limit, sendPage, audit, now } = deps
  const router = Router()

  /** @throws {Problem} 403 */
  async function load(req: Request) {
    const instance = String(req.params['instance'])
    const { user } = whoIsSignedIn(req)
    const { owners, approve } = company.approvalOf(instance, admins)
    if (!isAdmin(user) && !createAdminCheck(owners, [])(user))
      throw new Problem(403, 'owners_only', {
        detail: `not an owner of ${instance} (or not verified), nor an admin`,
      })
    const [{ approvals = [] }, answer] = await Promise.all([keepStateStore.load(), answers.get(instance)])
    const known = approvals.find((one) => one.instance === instance)
    return { instance, user, approve, approval: known && withAnswer(known, answer) }
  }

  router.get('/approvals/:instance', limit, async (req, res) => {
    const { instance, user, approve, approval } = await load(req)
    audit({ event: 'admin_viewed', user, what: 'approval' })
    const data = (t: Texts) => {
      const app = company.displayName(
        approval ?? { instance, name: humanize(datasourceType(instance)) },
        t.lang,
      )
      const count = approval?.waiting ?? 0
      const people = {
        href: peopleUrl({ filter: 'blocked', app: instance }),
        label: t('admin.filter.blocked'),
      }
      return {
        ...describeApproval(approval, app, t),
        isOpen: approval !== undefined && isOpen(approval),
        path: approvalPath(instance),
        where: approve && { href: approve, label: t('approval.at', { host: new URL(approve).host }) },
        people: isAdmin(user) && count > 0 ? people : undefined,
      }
    }
    sendPage(req, res, { view: 'admin/approval', data })
  })

  router.post('/approvals/:instance', limit, async (req, res) => {
    const { instance, user, approval } = await load(req)

    if (approval !== undefined && isOpen(approval)) {
      await answers.put(instance, { at: now(), by: user.email ?? user.name ?? '' })
      audit({ event: 'approved', user, datasource: instance })
    }
    seeOther(res, approvalPath(instance))
  })

  return router
}
