// Stopping reminders. A GET shows a page, only a POST acts (RFC 8058): mail scanners follow every link. It stands before
// the cross-site refusal, because the mail program's provider posts it, without a cookie; the token is the proof.
import express, { Router } from 'express'
import type { Note } from '../web/audit.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import { wantsPage } from '../web/wants-page.ts'
import { optedIn, reached } from './arrival.ts'
import type { Arrivals } from './arrivals.ts'
import { inviteTexts } from './texts.en.ts'
import type { Invitations } from './token.ts'

export type OptOutParts = {
  invitations: Pick<Invitations, 'read'>
  arrivals: Pick<Arrivals, 'get' | 'change'>
  sendPage: SendPage
  note: Note
  now: () => number
}

export function createOptOutRoutes({ invitations, arrivals, sendPage, note, now }: OptOutParts): Router {
  const router = Router()
  const form = express.urlencoded({ extended: false, limit: '1kb' })

  router.get('/invite/:token/opt-out', async (req, res) => {
    const invitation = await invitations.read(req.params.token)
    const arrival = invitation === undefined ? undefined : await arrivals.get(invitation.email)
    const data = {
      words: inviteTexts,
      action: invitation === undefined ? undefined : `/invite/${req.params.token}/opt-out`,
      isOut: arrival?.optedOutAt !== undefined,
    }
    sendPage(req, res, { view: 'invites/opt-out', data })
  })

  router.post('/invite/:token/opt-out', form, async (req, res) => {
    const invitation = await invitations.read(req.params.token)
    const fields = (req.body ?? {}) as Record<string, unknown>
    const isUndo = fields['undo'] === 'yes'
    if (invitation !== undefined) {
      await arrivals.change(invitation.email, (before) =>
        isUndo ? optedIn(before) : reached(before, 'optedOutAt', now()),
      )
      note({ event: 'opted_out', result: isUndo ? 'undone' : 'done' })
    }
    // The provider's one click wants no redirect (RFC 8058 3.2); a person wants the page.
    if (fields['List-Unsubscribe'] === undefined && wantsPage(req))
      return seeOther(res, `/invite/${req.params.token}/opt-out`)
    res.statusCode = 200
    res.end()
  })

  return router
}
