// Stops reminders. Only a POST acts (RFC 8058), because mail scanners follow every link. It is mounted before the
// cross-site refusal, because mail providers send it, without a cookie. The token, even an expired one, authorizes it.
import express, { Router } from 'express'
import { Problem } from '../problem.ts'
import type { Audit } from '../web/audit.ts'
import type { Log } from '../web/log.ts'
import type { SendPage } from '../web/pages.ts'
import type { Limits } from '../web/rate-limit.ts'
import { seeOther } from '../web/see-other.ts'
import { wantsPage } from '../web/error-page.ts'
import { maskedAddress } from '../people/address.ts'
import { withoutOptOut, withMilestone } from '../people/person.ts'
import type { PeopleStore } from '../people/people-store.ts'
import type { Invitations } from './token.ts'

const optOutPath = (token: string) => `/invite/${token}/opt-out`

const UNKNOWN_LINK = { view: 'invites/opt-out', data: { state: 'unknown', invitation: undefined } }

export function createOptOutRoutes(deps: {
  invitations: Pick<Invitations, 'readIgnoringExpiry'>
  people: Pick<PeopleStore, 'get' | 'change' | 'addressAt'>
  limit: Limits['countOptOut']
  sendPage: SendPage
  audit: Audit
  log: Pick<Log, 'info'>
  now: () => number
}): Router {
  const { invitations, people, limit, sendPage, audit, log, now } = deps
  const router = Router()
  const form = express.urlencoded({ extended: false, limit: '1kb', inflate: false })

  const route = router.route('/invite/:token/opt-out')

  route.get(async (req, res) => {
    const invitation = await invitations.readIgnoringExpiry(req.params.token)
    limit(req, invitation?.email)
    if (invitation === undefined) return sendPage(req, res, UNKNOWN_LINK)

    const email = await people.addressAt(invitation.email, invitation.sentAt)
    const person = await people.get(email)

    const hasOptedOut = person?.optedOutAt !== undefined
    const state = hasOptedOut ? 'out' : req.query['undone'] === 'yes' ? 'undone' : 'in'
    const pageData = { maskedEmail: maskedAddress(email), action: optOutPath(req.params.token) }
    sendPage(req, res, { view: 'invites/opt-out', data: { state, invitation: pageData } })
  })

  route.post(form, async (req, res) => {
    const { token } = req.params
    const invitation = await invitations.readIgnoringExpiry(token)
    limit(req, invitation?.email)
    const fields = (req.body ?? {}) as Record<string, unknown>
    const isUndo = fields['undo'] === 'yes'
    // A provider's one click must not be redirected (RFC 8058 3.2); a person gets the page. Multipart isn't parsed, but
    // our form never sends it.
    const isOneClick = fields['List-Unsubscribe'] !== undefined || Boolean(req.is('multipart/form-data'))
    const isPerson = !isOneClick && wantsPage(req)
    if (invitation === undefined) {
      const detail = 'not an invitation link'
      if (!isPerson) throw new Problem(404, 'not_found', { detail })
      log.info({ code: 'not_found', status: 404, method: 'POST', route: route.path }, detail)
      return sendPage(req, res, { ...UNKNOWN_LINK, status: 404 })
    }

    const email = await people.addressAt(invitation.email, invitation.sentAt)
    await people.change(email, (before) =>
      isUndo ? withoutOptOut(before) : withMilestone(before, 'optedOutAt', now()),
    )
    audit({ event: 'opted_out', result: isUndo ? 'undone' : 'done', email })

    if (isPerson) return seeOther(res, optOutPath(token) + (isUndo ? '?undone=yes' : ''))
    res.statusCode = 200
    res.end()
  })

  return router
}
