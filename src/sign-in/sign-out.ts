// POST /sign-out: ends here first and always, then takes the tokens back, then at the authorization server
// (RP-Initiated Logout 1.0). What surprises: a page stands in between, because Chromium holds a form's whole redirect
// chain against form-action.
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { buildEndSessionUrl, type Configuration } from 'openid-client'
import { StoreUnavailable } from '../records/records.ts'
import { nameOf } from '../session/seal.ts'
import { renewSession, saveSession } from '../session/session.ts'
import type { Note } from '../web/audit.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { revoke } from './revoke.ts'
import type { SignedInSessions } from './signed-in-sessions.ts'
import type { HeldTokens, TokenRecords } from './tokens.ts'

export type SignOutParts = {
  /** In front of what acts: the limit by address. */
  limit: RequestHandler
  session: RequestHandler
  authorizationServer: Pick<AuthorizationServer, 'configuration' | 'isReady'>
  tokens: Pick<TokenRecords, 'load' | 'remove'>
  sessions: Pick<SignedInSessions, 'end'>
  publicUrl: string
  cookieName: string
  sendPage: SendPage
  log: { warn(fields: object, message: string): void }
  note: Note
}

export function createSignOutRoutes(parts: SignOutParts): Router {
  const router = Router()
  const { limit, session } = parts

  /** Its tokens, and that they are gone: from here on nothing that a request in flight writes is a sign-in. */
  async function endHere(req: Request): Promise<HeldTokens | undefined> {
    const { user } = req.session
    if (user === undefined) return undefined
    const held = await parts.tokens.load(req.sessionID)
    await parts.tokens.remove(req.sessionID)
    const name = nameOf(req.sessionID)
    await parts.sessions.end(user, (session) => session.name === name)
    return held
  }

  /** Undefined where the authorization server keeps no session that could be ended, or is not known now. */
  async function endThere(held: HeldTokens): Promise<string | undefined> {
    if (!parts.authorizationServer.isReady()) return undefined
    const configuration = await parts.authorizationServer.configuration()
    const revoked = await revoke(configuration, held.tokens)
    parts.note({ event: 'sign_out', by: 'person', revoked })
    return endSessionUrl(configuration, held.tokens.idToken, `${parts.publicUrl}/signed-out`)
  }

  router.post('/sign-out', limit, session, async (req, res) => {
    const held = await endHere(req)
    await renewSession(req)
    const onward = held === undefined ? undefined : await endThere(held)
    if (onward !== undefined) {
      req.session.endSessionUrl = onward
      await saveSession(req)
      return seeOther(res, '/sign-out')
    }
    forgetCookie(res, parts)
    seeOther(res, '/signed-out')
  })

  router.get('/sign-out', session, (req, res) => {
    if (req.session.endSessionUrl === undefined) return seeOther(res, '/signed-out')
    parts.sendPage(req, res, { view: 'sign-in/signing-out', data: {} })
  })

  router.get('/sign-out/continue', limit, session, async (req, res) => {
    const { endSessionUrl: onward } = req.session
    delete req.session.endSessionUrl
    await saveSession(req)
    seeOther(res, onward ?? '/signed-out')
  })

  router.get('/signed-out', session, (req, res) => {
    res.setHeader('Clear-Site-Data', '"cache", "storage"')
    parts.sendPage(req, res, { view: 'sign-in/signed-out', data: {} })
  })

  return router
}

export type SignOutAwayParts = Pick<SignOutParts, 'publicUrl' | 'cookieName' | 'log'>

/**
 * Signing out works on this device while the store is away: the session there runs out by itself. It stands at the end of
 * the pipeline, because a store that is away already fails the session, which stands in front of the route.
 */
export function createSignOutWhileAway(parts: SignOutAwayParts): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const route = (req.route as { path?: unknown } | undefined)?.path
    if (!(error instanceof StoreUnavailable) || req.method !== 'POST' || route !== '/sign-out')
      return next(error)
    parts.log.warn({ err: error }, 'signed out on the device only: the store cannot be reached')
    delete (req as Partial<Request>).session
    forgetCookie(res, parts)
    seeOther(res, '/signed-out')
  }
}

/** A __Host- cookie is taken back only by one that follows its rules. */
const forgetCookie = (res: Response, parts: Pick<SignOutParts, 'cookieName' | 'publicUrl'>) =>
  res.clearCookie(parts.cookieName, { path: '/', secure: parts.publicUrl.startsWith('https:') })

function endSessionUrl(
  configuration: Configuration,
  idToken: string | undefined,
  back: string,
): string | undefined {
  if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
  const hint: Record<string, string> = idToken === undefined ? {} : { id_token_hint: idToken }
  return buildEndSessionUrl(configuration, { ...hint, post_logout_redirect_uri: back }).href
}
