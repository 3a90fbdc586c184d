// POST /sign-out and the pages after it. A page comes before the authorization server's, because Chromium applies
// form-action to every redirect of a form.
import { Router, type ErrorRequestHandler, type RequestHandler } from 'express'
import { StoreUnavailable } from '../../records/records.ts'
import { findSignedIn } from '../../session/signed-in.ts'
import { isProvenFromOwnPage } from '../../web/cross-site.ts'
import type { SendPage } from '../../web/pages.ts'
import { seeOther } from '../../web/see-other.ts'
import type { SignOut } from './sign-out.ts'

/** Time to read that onramp's session has ended, because a server that refuses to end its own shows an error. */
const REFRESH = { seconds: 3, url: '/sign-out/continue' }

export function createSignOutRoutes(signOut: SignOut, limit: RequestHandler, sendPage: SendPage): Router {
  const router = Router()

  router.post('/sign-out', limit, async (req, res) =>
    seeOther(res, (await signOut.end(req, res)) ? '/sign-out' : '/signed-out'),
  )

  router.get('/sign-out', async (req, res) => {
    const pending = await signOut.findPending(req)
    if (pending?.endSessionUrl === undefined || findSignedIn(req) !== undefined)
      return seeOther(res, '/signed-out')
    sendPage(req, res, { view: 'sign-in/signing-out', data: { refresh: REFRESH } })
  })

  // This route has no limit, so that others behind the same address can't prevent a sign-out.
  router.get('/sign-out/continue', async (req, res) =>
    seeOther(res, (await signOut.takeEndSessionUrl(req)) ?? '/signed-out'),
  )

  router.get('/signed-out', async (req, res) => {
    const pending = await signOut.findPending(req)
    if (pending !== undefined && req.query['state'] === pending.state) {
      signOut.finish(req, res)
      return seeOther(res, '/signed-out')
    }
    if (findSignedIn(req) !== undefined)
      return sendPage(req, res, { view: 'sign-in/signed-in-again', data: {} })

    const isOverThere = pending?.cookie.promptLogin === false
    res.setHeader('Clear-Site-Data', '"cache", "storage"')
    // The second request of a double click still has to redirect.
    const refresh = pending?.endSessionUrl === undefined ? undefined : REFRESH
    const isOnDevice = req.query['device'] === 'only'
    sendPage(req, res, { view: 'sign-in/signed-out', data: { isOnDevice, isOverThere, refresh } })
  })

  return router
}

/** Signs out this device while the store is unavailable. An error handler, because loading the session has failed. */
export const signOutWithoutStore =
  (signOut: SignOut, sendPage: SendPage): ErrorRequestHandler =>
  (error: unknown, req, res, next) => {
    const [, path] = /^\/(sign-out|signed-out)\/?$/i.exec(req.path) ?? []
    // A typed address or a link of another site must not sign anyone out (logout CSRF).
    const isWanted = req.method === 'POST' || isProvenFromOwnPage(req)
    if (!(error instanceof StoreUnavailable) || path === undefined || !isWanted) return next(error)
    signOut.endOnDevice(req, res, error)
    if (path.toLowerCase() === 'sign-out') return seeOther(res, '/signed-out?device=only')
    const data = { isOnDevice: true, isOverThere: false, refresh: undefined }
    sendPage(req, res, { view: 'sign-in/signed-out', data })
  }
