// Stopping reminders. A GET shows a page, and only a POST acts (RFC 8058), because mail scanners follow every link. It
// comes before the cross-site refusal: the mail program's provider posts it, without a cookie. The token is the proof,
// even when it has expired.
import express, { Router } from 'express'
import { Problem } from '../problem.ts'
import type { Audit } from '../web/audit.ts'
import type { SendPage } from '../web/pages.ts'
import type { Limits } from '../web/rate-limit.ts'
import { seeOther } from '../web/see-other.ts'
import { wantsPage } from '../web/error-page.ts'
import { maskedAddress } from '../people/address.ts'
import { withoutOptOut, withMilestone } from '../people/person.ts'
import type { People } from '../people/people.ts'
import type { Invitations } from './token.ts'

type OptOutParts = {
  limit: Limits['stoppingReminders']
  invitations: Pick<Invitations, 'readExpired'>
  people: Pick<People, 'get' | 'change'>
  sendPage: SendPage
  audit: Audit
  now: () => number
}

const pathOf = (token: string) => `/invite/${token}/opt-out`

const unknownLink = {
  view: 'invites/opt-out',
  data: { state: 'unknown', of: undefined },
}

export function createOptOutRoutes(parts: OptOutParts): Router {
  const { limit, invitations, people, sendPage, audit, now } = parts
  const router = Router()
  const form = express.urlencoded({ extended: false, limit: '1kb' })

  const route = router.route('/invite/:token/opt-out')

  route.get(async (req, res) => {
    const invitation = await invitations.readExpired(req.params.token)
    limit(req, invitation?.email)
    if (invitation === undefined) return sendPage(req, res, unknownLink)
    const { email } = invitation

    const arrival = await people.get(email)

    const isOut = arrival?.optedOutAt !== undefined
    const state = isOut ? 'out' : req.query['undone'] === 'yes' ? 'undone' : 'in'
    const of = { whose: maskedAddress(email), action: pathOf(req.params.token) }
    sendPage(req, res, { view: 'invites/opt-out', data: { state, of } })
  })

  route.post(form, async (req, res) => {
    const { token } = req.params
    const invitation = await invitations.readExpired(token)
    limit(req, invitation?.email)
    const fields = (req.body ?? {}) as Record<string, unknown>
    const isUndo = fields['undo'] === 'yes'
    // A provider's one click wants no redirect (RFC 8058 3.2), a person wants the page. The click may come as multipart,
    // which is not read here; our own form never does.
    const isOneClick = fields['List-Unsubscribe'] !== undefined || Boolean(req.is('multipart/form-data'))
    const isPerson = !isOneClick && wantsPage(req)
    if (invitation === undefined) {
      if (isPerson) return sendPage(req, res, { ...unknownLink, status: 404 })
      throw new Problem(404, 'not_found', { detail: 'no link of an invitation' })
    }

    await people.change(invitation.email, (before) =>
      isUndo ? withoutOptOut(before) : withMilestone(before, 'optedOutAt', now()),
    )
    audit({ event: 'opted_out', result: isUndo ? 'undone' : 'done', email: invitation.email })

    if (isPerson) return seeOther(res, pathOf(token) + (isUndo ? '?undone=yes' : ''))
    res.statusCode = 200
    res.end()
  })

  return router
}
