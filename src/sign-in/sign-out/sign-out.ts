// POST /sign-out: ends here first and always, then takes the tokens back, then at the authorization server
// (RP-Initiated Logout 1.0). What surprises: a page comes in between, because Chromium holds a form's whole redirect
// chain against form-action.
import { randomBytes } from 'node:crypto'
import { Router, type ErrorRequestHandler, type Request, type RequestHandler } from 'express'
import { buildEndSessionUrl, type Configuration } from 'openid-client'
import { StoreUnavailable } from '../../records/records.ts'
import { storeTrouble } from '../../records/store-trouble.ts'
import { nameOf } from '../../records/seal.ts'
import { browserOf } from '../../session/session.ts'
import { signedInOf, type SignedIn } from '../../session/signed-in.ts'
import type { Note } from '../../web/audit.ts'
import { isProvenFromOwnPage } from '../../web/cross-site.ts'
import type { Log } from '../../web/log.ts'
import type { SendPage } from '../../web/pages.ts'
import { seeOther } from '../../web/see-other.ts'
import { inWords } from '../answer-words.ts'
import { forgetCookie, hidePages } from './cookies.ts'
import { revoke, RevocationLate, type Revocation } from './revoke.ts'
import type { SignIn } from '../sign-in.ts'
import type { SigningOut } from './signed-out.ts'
import { serverMetadataOf } from '../server/configuration.ts'
import { omitUndefined } from '../../omit-undefined.ts'

/** Time to read that this is done here: a server that refuses to end its session shows its own error instead. */
const ONWARD = { seconds: 3, url: '/sign-out/continue' }

const NOT_WRITTEN =
  'at a sign-out the store did not take what comes next, so the next sign-in there may ask no one'

const failureIn = (...results: PromiseSettledResult<unknown>[]): unknown =>
  results.find((result) => result.status === 'rejected')?.reason

/** `limit`: in front of what acts, the limit by address. */
type Parts = SignIn & {
  limit: RequestHandler
  publicUrl: string
  sendPage: SendPage
  log: Pick<Log, 'warn'>
  note: Note
}

export function createSignOutRoutes(parts: Parts): Router {
  const router = Router()
  const { limit, session, prove } = parts

  /**
   * From here on nothing that a request in flight writes is a sign-in. What comes next is kept first: after a double click
   * the second request finds no sign-in, and has to lead on all the same. A store that is full takes no writes and still
   * forgets, so the sign-in ends whatever could not be written.
   * @returns the sign-in with the newest tokens, and why its record is still there, if it is
   * @throws {StoreUnavailable} where the store does not answer
   */
  async function endHere(before: SignedIn, onward: SigningOut | undefined) {
    const name = nameOf(before.id)
    const { signedOut } = parts
    const noting = Promise.allSettled([signedOut.askAnew(name), onward && signedOut.keep(name, onward)])
    const signedIn = (await parts.signIns.load(before.id)) ?? before
    const [gone, unlisted] = await Promise.allSettled([
      parts.signIns.end(name),
      parts.sessions.end(before.user, (session) => session.name === name),
    ])
    const unwritten = failureIn(...(await noting), unlisted)
    if (unwritten !== undefined)
      parts.log.warn({ err: unwritten }, `${NOT_WRITTEN}: ${storeTrouble(unwritten).words}`)
    return { signedIn, failure: failureIn(gone) }
  }

  /** The authorization server as it is known; undefined while it cannot be reached. */
  async function known(): Promise<Configuration | undefined> {
    if (!parts.authorizationServer.isReady()) return undefined
    return await parts.authorizationServer.configuration().catch((error: unknown) => {
      parts.log.warn({ err: error }, 'signed out here only: the authorization server cannot be reached')
      return undefined
    })
  }

  /** Takes the tokens back. */
  async function endThere({ tokens, user }: SignedIn, configuration: Configuration | undefined) {
    const { revoked, cause }: Revocation =
      configuration === undefined ? { revoked: 'failed' } : await revoke(configuration, tokens)
    parts.note({ event: 'sign_out', by: 'person', revoked, user })
    if (cause === undefined) return
    const what = revoked === 'partly' ? 'one of the tokens' : 'the tokens'
    const why = cause instanceof RevocationLate ? cause.message : `answer: ${inWords(cause)}`
    parts.log.warn(
      { err: cause, revoked },
      `the authorization server did not take back ${what} at sign-out (${why}): good until they run out`,
    )
  }

  router.use(prove)

  router.post('/sign-out', limit, session, async (req, res) => {
    const before = signedInOf(req)
    if (before === undefined) {
      // The cookie of a browser that was signed out has the next sign-in ask for the person.
      if (!(await parts.signedOut.mustAsk(req))) forgetCookie(res, parts)
      return seeOther(res, '/signed-out')
    }
    const configuration = await known()
    const onward =
      configuration && endSession(configuration, before.tokens.idToken, `${parts.publicUrl}/signed-out`)
    const { signedIn, failure } = await endHere(before, onward)
    await endThere(signedIn, configuration)
    if (failure !== undefined) throw failure
    hidePages(res, parts)
    seeOther(res, onward === undefined ? '/signed-out' : '/sign-out')
  })

  router.get('/sign-out', session, async (req, res) => {
    const signingOut = await parts.signedOut.of(req)
    if (signingOut?.endSessionUrl === undefined || signedInOf(req) !== undefined)
      return seeOther(res, '/signed-out')
    parts.sendPage(req, res, { view: 'sign-in/signing-out', data: { refresh: ONWARD } })
  })

  router.get('/sign-out/continue', limit, session, async (req, res) => {
    const signingOut = await parts.signedOut.of(req)
    if (signingOut?.endSessionUrl === undefined) return seeOther(res, '/signed-out')
    await parts.signedOut.keep(browserOf(req) ?? '', { state: signingOut.state })
    seeOther(res, signingOut.endSessionUrl)
  })

  router.get('/signed-out', session, async (req, res) => {
    const signingOut = await parts.signedOut.of(req)
    if (signingOut !== undefined && req.query['state'] === signingOut.state) {
      const browser = browserOf(req) ?? ''
      await parts.signedOut.keep(browser, { ...signingOut, isDoneThere: true })
      await parts.signedOut.askNoMore(browser)
      return seeOther(res, '/signed-out')
    }
    if (signedInOf(req) !== undefined)
      return parts.sendPage(req, res, { view: 'sign-in/signed-in-again', data: {} })

    const isOverThere = signingOut?.isDoneThere === true
    res.setHeader('Clear-Site-Data', '"cache", "storage"')
    // Still to come after a double click, whose second request finds no sign-in.
    const refresh = signingOut?.endSessionUrl === undefined ? undefined : ONWARD
    parts.sendPage(req, res, { view: 'sign-in/signed-out', data: { isOverThere, refresh } })
  })

  return router
}

/**
 * Signing out works on this device while the store is away; the session there runs out. So does going on from it, where the
 * store went away in between. It is mounted at the end of the pipeline, because a store that is away already fails the
 * session middleware in front of the route.
 */
export function createSignOutWhileAway(
  parts: Pick<Parts, 'publicUrl' | 'cookieName' | 'log' | 'sendPage'>,
): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const route = (req.route as { path?: unknown } | undefined)?.path
    const isOurs = error instanceof StoreUnavailable && (route === '/sign-out' || route === '/signed-out')
    // An address that is typed, or another site's link, signs no one out.
    if (!isOurs || (req.method !== 'POST' && !isProvenFromOwnPage(req))) return next(error)
    parts.log.warn({ err: error }, `signed out on the device only: ${storeTrouble(error).words}`)
    delete (req as Partial<Request>).session
    forgetCookie(res, parts)
    if (route === '/sign-out') return seeOther(res, '/signed-out')
    parts.sendPage(req, res, { view: 'sign-in/signed-out', data: { isOverThere: false, refresh: undefined } })
  }
}

/** Where the authorization server ends its session; undefined where it can't. @param back where it sends people then */
function endSession(
  configuration: Configuration,
  idToken: string | undefined,
  back: string,
): SigningOut | undefined {
  if (serverMetadataOf(configuration).end_session_endpoint === undefined) return undefined
  const state = randomBytes(16).toString('base64url')
  const parameters = omitUndefined({
    id_token_hint: idToken,
    ...(mayComeBack(configuration, back) && { post_logout_redirect_uri: back, state }),
  })
  return { endSessionUrl: buildEndSessionUrl(configuration, parameters).href, state }
}

/**
 * A server says what it has registered of a client that registered itself (RFC 7591 3.2.1): one that left the address
 * out would refuse to sign out at all. Of a client that was registered by hand nothing is known.
 */
function mayComeBack(configuration: Configuration, back: string): boolean {
  const { redirect_uris: isRegistered, post_logout_redirect_uris: registered } =
    configuration.clientMetadata()
  if (Array.isArray(registered)) return registered.includes(back)
  return isRegistered === undefined
}
