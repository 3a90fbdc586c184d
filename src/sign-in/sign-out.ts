// POST /sign-out: ends here first and always, then at the authorization server (RP-Initiated Logout 1.0). What surprises:
// a page stands in between, because Chromium holds a form's whole redirect chain against form-action.
import { Router, type Request } from 'express'
import { buildEndSessionUrl } from 'openid-client'
import { renewSession, saveSession } from '../session/session.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { TokenRecords } from './tokens.ts'

export type SignOutParts = {
  authorizationServer: Pick<AuthorizationServer, 'configuration' | 'isReady'>
  tokens: Pick<TokenRecords, 'load' | 'remove'>
  publicUrl: string
  cookieName: string
  sendPage: SendPage
}

export function createSignOutRoutes(parts: SignOutParts): Router {
  const router = Router()

  /** Undefined where the authorization server keeps no session that could be ended, or cannot be asked now. */
  async function endSessionUrl(idToken: string | undefined): Promise<string | undefined> {
    if (!parts.authorizationServer.isReady()) return undefined
    const configuration = await parts.authorizationServer.configuration()
    if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
    const hint: Record<string, string> = idToken === undefined ? {} : { id_token_hint: idToken }
    return buildEndSessionUrl(configuration, {
      ...hint,
      post_logout_redirect_uri: `${parts.publicUrl}/signed-out`,
    }).href
  }

  async function endHere(req: Request): Promise<string | undefined> {
    if (req.session.user === undefined) return undefined
    const tokens = await parts.tokens.load(req.sessionID)
    await parts.tokens.remove(req.sessionID)
    return await endSessionUrl(tokens?.idToken)
  }

  router.post('/sign-out', async (req, res) => {
    const onward = await endHere(req)
    await renewSession(req)
    if (onward !== undefined) {
      req.session.endSessionUrl = onward
      await saveSession(req)
      return seeOther(res, '/sign-out')
    }
    res.clearCookie(parts.cookieName, { path: '/' })
    seeOther(res, '/signed-out')
  })

  router.get('/sign-out', (req, res) => {
    const onward = req.session.endSessionUrl !== undefined
    if (!onward) return seeOther(res, '/signed-out')
    parts.sendPage(req, res, { view: 'sign-in/signing-out', data: {} })
  })

  router.get('/sign-out/continue', async (req, res) => {
    const { endSessionUrl: onward } = req.session
    delete req.session.endSessionUrl
    await saveSession(req)
    seeOther(res, onward ?? '/signed-out')
  })

  router.get('/signed-out', (req, res) => {
    res.setHeader('Clear-Site-Data', '"cache", "storage"')
    parts.sendPage(req, res, { view: 'sign-in/signed-out', data: {} })
  })

  return router
}
