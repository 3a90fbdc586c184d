// POST /sign-out: ends here first and always, then takes the tokens back, then at the authorization server
// (RP-Initiated Logout 1.0). What surprises: a page comes in between, because Chromium holds a form's whole redirect
// chain against form-action.
import { randomBytes } from 'node:crypto'
import { Router, type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express'
import { buildEndSessionUrl, type Configuration } from 'openid-client'
import { omitUndefined } from '../../omit-undefined.ts'
import { StoreUnavailable } from '../../records/records.ts'
import { hashOf } from '../../records/seal.ts'
import { describeStoreError } from '../../records/store-error.ts'
import { cookieName, endSession, reloadSession } from '../../session/session.ts'
import { signedInOf, type Tokens } from '../../session/signed-in.ts'
import type { Audit } from '../../web/audit.ts'
import { isProvenFromOwnPage } from '../../web/cross-site.ts'
import type { Log } from '../../web/log.ts'
import type { SendPage } from '../../web/pages.ts'
import { seeOther } from '../../web/see-other.ts'
import { describeErrorResponse } from '../server/error-response.ts'
import type { BrowserCookie } from '../transaction/browser-cookie.ts'
import { clientMetadataOf, serverMetadataOf } from '../server/configuration.ts'
import type { SignIn } from '../sign-in.ts'
import { revoke } from './revoke.ts'

/** Time to read that this is done here: a server that refuses to end its session shows its own error instead. */
const ONWARD = { seconds: 3, url: '/sign-out/continue' }

/** What is under way in a browser that was signed out; another tab may sign in again at any time, so it is in no session. */
type PendingSignOut = {
  /** Where the authorization server ends its own session; kept until the browser goes there. */
  endSessionUrl?: string | undefined
  /** What it was given as `state` (RP-Initiated Logout 1.0, 2): only the browser that signed out can bring it back. */
  state: string
}

const SIGNING_OUT_SECONDS = 600

type Needs = Pick<SignIn, 'authorizationServer' | 'browsers' | 'records' | 'sealer'> & {
  /** In front of what acts, the limit by address. */
  limit: RequestHandler
  publicUrl: string
  sendPage: SendPage
  log: Pick<Log, 'warn'>
  audit: Audit
}

export function createSignOutRoutes(needs: Needs): Router {
  const router = Router()
  const { authorizationServer, browsers, limit, publicUrl, log, sendPage } = needs

  const keyOf = ({ id }: BrowserCookie) => `signing-out:${hashOf(id)}`
  const keep = (browser: BrowserCookie, signingOut: PendingSignOut) =>
    needs.records.put(
      keyOf(browser),
      needs.sealer.seal(JSON.stringify(signingOut), browser.id),
      SIGNING_OUT_SECONDS,
    )

  async function signingOutOf(
    req: Request,
  ): Promise<(PendingSignOut & { browser: BrowserCookie }) | undefined> {
    const browser = browsers.read(req)
    const sealed = browser && (await needs.records.get(keyOf(browser)))
    const json = sealed === undefined ? undefined : needs.sealer.open(sealed, browser?.id ?? '')
    return browser && json ? { ...(JSON.parse(json) as PendingSignOut), browser } : undefined
  }

  /** The authorization server as it is known; undefined while it cannot be reached. */
  async function known(): Promise<Configuration | undefined> {
    if (!authorizationServer.isReady()) return undefined
    return await authorizationServer.configuration().catch((error: unknown) => {
      log.warn({ err: error }, 'signed out here only: the authorization server cannot be reached')
      return undefined
    })
  }

  /** A store that is full takes no writes and still forgets: then the way to the authorization server isn't kept. */
  async function keepOnward(browser: BrowserCookie, onward: PendingSignOut | undefined): Promise<boolean> {
    if (onward === undefined) return false
    return await keep(browser, onward).then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, `signed out here only: ${describeStoreError(error).words}`)
        return false
      },
    )
  }

  async function takeBack(tokens: Tokens, configuration: Configuration | undefined) {
    if (configuration === undefined) return 'failed'
    const { revoked, cause } = await revoke(configuration, tokens)
    if (cause === undefined) return revoked
    const what = revoked === 'partly' ? 'one of the tokens' : 'the tokens'
    log.warn(
      { err: cause, revoked },
      `the authorization server did not take back ${what} at sign-out (answer: ${describeErrorResponse(cause)}): good until they run out`,
    )
    return revoked
  }

  router.post('/sign-out', limit, async (req, res) => {
    const before = signedInOf(req)
    forgetSession(res, publicUrl)
    const browser = browsers.markSignedOut(req, res, true)
    // After a double click the second request finds no sign-in, and leads on all the same.
    if (before === undefined) return seeOther(res, (await signingOutOf(req)) ? '/sign-out' : '/signed-out')
    const configuration = await known()
    const onward = configuration && onwardAt(configuration, before.tokens.idToken, `${publicUrl}/signed-out`)

    // Kept first, so that the second request of a double click finds it.
    const isKept = await keepOnward(browser, onward)
    // Another request may have refreshed the tokens meanwhile.
    const latest = await reloadSession(req)
    const [ended] = await Promise.allSettled(latest === undefined ? [] : [endSession(req)])
    const revoked = await takeBack((latest ?? before).tokens, configuration)
    needs.audit({ event: 'sign_out', by: 'person', revoked, user: before.user })
    if (ended?.status === 'rejected') throw ended.reason

    seeOther(res, isKept ? '/sign-out' : '/signed-out')
  })

  router.get('/sign-out', async (req, res) => {
    const signingOut = await signingOutOf(req)
    if (signingOut?.endSessionUrl === undefined || signedInOf(req) !== undefined)
      return seeOther(res, '/signed-out')
    sendPage(req, res, { view: 'sign-in/signing-out', data: { refresh: ONWARD } })
  })

  // As /sign-out: without a limit, so that no one behind the same address keeps a person from leaving.
  router.get('/sign-out/continue', async (req, res) => {
    const { endSessionUrl, state = '', browser } = (await signingOutOf(req)) ?? {}
    if (endSessionUrl === undefined || browser === undefined) return seeOther(res, '/signed-out')
    await keep(browser, { state })
    seeOther(res, endSessionUrl)
  })

  router.get('/signed-out', async (req, res) => {
    const signingOut = await signingOutOf(req)
    if (signingOut !== undefined && req.query['state'] === signingOut.state) {
      // It came back from there, where the next sign-in is asked anyway.
      browsers.markSignedOut(req, res, false)
      return seeOther(res, '/signed-out')
    }
    if (signedInOf(req) !== undefined)
      return sendPage(req, res, { view: 'sign-in/signed-in-again', data: {} })

    const isOverThere = signingOut?.browser.promptLogin === false
    res.setHeader('Clear-Site-Data', '"cache", "storage"')
    // Still to come after a double click, whose second request finds no sign-in.
    const refresh = signingOut?.endSessionUrl === undefined ? undefined : ONWARD
    sendPage(req, res, { view: 'sign-in/signed-out', data: { isOverThere, refresh } })
  })

  return router
}

/** A __Host- cookie is taken back only by one that follows its rules. */
function forgetSession(res: Response, publicUrl: string): void {
  const secure = publicUrl.startsWith('https:')
  res.clearCookie(cookieName(secure), { path: '/', secure })
}

/**
 * Signs out this device, and lets it go on from there, while the store is unreachable; the session there runs out. Mounted at
 * the end of the pipeline: the session in front of the routes has failed by then.
 */
export function signOutWithoutStore(
  needs: Pick<Needs, 'publicUrl' | 'browsers' | 'log' | 'sendPage'>,
): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const [, path] = /^\/(sign-out|signed-out)\/?$/i.exec(req.path) ?? []
    // An address that is typed, or another site's link, signs no one out.
    const isWanted = req.method === 'POST' || isProvenFromOwnPage(req)
    if (!(error instanceof StoreUnavailable) || path === undefined || !isWanted) return next(error)
    needs.log.warn({ err: error }, `signed out on the device only: ${describeStoreError(error).words}`)
    delete (req as Partial<Request>).session
    forgetSession(res, needs.publicUrl)
    needs.browsers.markSignedOut(req, res, true)
    if (path.toLowerCase() === 'sign-out') return seeOther(res, '/signed-out')
    needs.sendPage(req, res, { view: 'sign-in/signed-out', data: { isOverThere: false, refresh: undefined } })
  }
}

/** Where the authorization server ends its session; undefined where it can't. @param back where it sends people then */
function onwardAt(
  configuration: Configuration,
  idToken: string | undefined,
  back: string,
): PendingSignOut | undefined {
  if (serverMetadataOf(configuration).end_session_endpoint === undefined) return undefined
  const state = randomBytes(16).toString('hex')
  const parameters = omitUndefined({
    id_token_hint: idToken,
    ...(mayComeBack(configuration, back) && { post_logout_redirect_uri: back, state }),
  })
  return { endSessionUrl: buildEndSessionUrl(configuration, parameters).href, state }
}

/** False if the server left the address out of our registration: it would then refuse to sign out at all. */
function mayComeBack(configuration: Configuration, back: string): boolean {
  const { post_logout_redirect_uris: registered } = clientMetadataOf(configuration)
  return !Array.isArray(registered) || registered.includes(back)
}
