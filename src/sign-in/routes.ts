// GET /sign-in and GET /sign-in/callback. What surprises: a callback that comes twice, late or to another tab is ordinary
// (back button, double click, restored tabs) and leads to the result, or through the sign-in again.
import { Router, type Request, type RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { cookieValue } from '../session/cookie-value.ts'
import { networkOf } from '../web/network.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import { CALLBACK_PATH } from './addresses.ts'
import type { PendingSignIns } from './pending.ts'
import { wishOf } from './prompt.ts'
import type { Redeem } from './redeem.ts'
import { safeReturnTo, type ReturnToRules } from './return-to.ts'
import type { StartSignIn } from './start.ts'
import { MOST_RESTARTS, restartsOf, restartsSaid, signInAgainPath, signInPath } from './state.ts'
import type { TokenRecords } from './tokens.ts'

export type SignInParts = {
  /** In front of every route: the limits, and between them the session. */
  entering: RequestHandler[]
  /** In front of the callback: `early` comes before the session, and what is awaited is not counted by address. */
  answering: (early: RequestHandler, isAwaited: (req: Request) => Promise<boolean>) => RequestHandler[]
  /** The request no longer counts against its address. */
  forgive: (req: Request) => Promise<void>
  pending: Pick<PendingSignIns, 'find' | 'finish' | 'succeeded'>
  start: StartSignIn
  redeem: Redeem
  tokens: Pick<TokenRecords, 'load'>
  returnTo: ReturnToRules
  /** PUBLIC_URL. */
  publicUrl: string
  cookieName: string
  sendPage: SendPage
}

const HOME = '/onboarding'

export function createSignInRoutes({
  entering,
  answering,
  forgive,
  pending,
  start,
  redeem,
  tokens,
  returnTo: rules,
  publicUrl,
  cookieName,
  sendPage,
}: SignInParts): Router {
  const router = Router()

  const isSignedIn = async (req: Request) =>
    req.session.user !== undefined && (await tokens.load(req.sessionID)) !== undefined

  const hasCookie = (req: Request) => cookieValue(req.headers.cookie ?? '', cookieName) !== undefined

  const started = router.route('/sign-in').get(entering)
  started.get(async (req, res) => {
    const returnTo = shortEnough(safeReturnTo(req.query['return_to'], rules)) ?? HOME
    const { login_hint: hint, prompt } = req.query
    const wish = wishOf(prompt)
    const loginHint = typeof hint === 'string' && hint !== '' && hint.length <= 254 ? hint : undefined
    const restarts = restartsSaid(req.query['again'])

    if (restarts > 0 && wish === undefined && (await isSignedIn(req))) return seeOther(res, returnTo)
    // The cookie's session is over. Another tab's answer may be about to bring a newer one, which a new cookie of ours
    // would overwrite: so the browser is asked to come again once, with whatever it has then.
    if (restarts === 0 && req.session.browser === undefined && hasCookie(req)) {
      const wishes = {
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...(wish === undefined ? {} : { prompt: wish }),
      }
      await forgive(req)
      return seeOther(res, signInAgainPath(returnTo, 1, wishes))
    }
    seeOther(res, await start(req, { returnTo, restarts, loginHint, wish }))
  })

  /** Asked for while the session is: neither needs the other. */
  const found = new WeakMap<Request, ReturnType<typeof pending.find>>()
  const findEarly: RequestHandler = (req, _res, next) => {
    const state = onlyOne(callbackUrl(req, publicUrl).searchParams, 'state')
    if (state !== undefined) {
      const finding = pending.find(state)
      // Awaited by the route, unless the session fails first.
      finding.catch(() => {})
      found.set(req, finding)
    }
    next()
  }

  const isAwaited = async (req: Request) => {
    const signIn = await found.get(req)
    return signIn?.kind === 'pending' && signIn.browser === req.session.browser
  }

  const answered = router.route(CALLBACK_PATH).get(answering(findEarly, isAwaited))
  answered.get(async (req, res) => {
    const url = callbackUrl(req, publicUrl)
    const state = onlyOne(url.searchParams, 'state')
    const signIn = await found.get(req)

    if (state === undefined || signIn === undefined) {
      if (req.session.user !== undefined) return seeOther(res, HOME)
      throw over('no sign-in is known for this state', HOME)
    }
    const { returnTo } = signIn
    const isOurs = signIn.browser === req.session.browser
    const mayRedeem = isOurs && signIn.kind === 'pending' && (await pending.finish(state, signIn))
    const outcome = mayRedeem ? await redeem(req, { url, state, signIn }) : 'used'
    if (outcome === 'same-account') return seeOther(res, sameAccountPath(returnTo))
    if (outcome === 'signed-in' && signIn.kind === 'pending')
      await Promise.all([pending.succeeded(signIn, networkOf(req.ip ?? '')), forgive(req)])
    if (outcome === 'signed-in' || (outcome === 'used' && req.session.user !== undefined))
      return seeOther(res, returnTo)
    const restarts = restartsOf(state)
    if (outcome === 'ask-login' && restarts < MOST_RESTARTS)
      return seeOther(res, signInAgainPath(returnTo, restarts + 1, { prompt: 'login' }))
    if (restarts > 0 && !hasCookie(req)) {
      const detail = 'the callback came without its session cookie'
      throw new Problem(400, 'cookies_blocked', { detail, tryAgain: signInPath(returnTo) })
    }
    // Many tabs at once: this one's cookie may have been renewed while it was on its way.
    if (restarts < MOST_RESTARTS) return seeOther(res, signInAgainPath(returnTo, restarts + 1))
    throw over('this sign-in was used, or belongs to another browser', returnTo)
  })

  const stayed = router.route('/sign-in/same-account').get(entering)
  stayed.get((req, res) => {
    const returnTo = safeReturnTo(req.query['return_to'], rules) ?? HOME
    const { user } = req.session
    if (user === undefined) return seeOther(res, returnTo)
    const data = { account: user.email ?? user.name, returnTo }
    sendPage(req, res, { view: 'sign-in/same-account', data })
  })

  return router
}

/** The address as we publish it, whatever was written: it becomes the redirect_uri of the token request. */
function callbackUrl(req: Request, publicUrl: string): URL {
  const [, query = ''] = req.originalUrl.split(/\?(.*)/s)
  return new URL(`${CALLBACK_PATH}?${query}`, publicUrl)
}

const sameAccountPath = (returnTo: string) =>
  `/sign-in/same-account?return_to=${encodeURIComponent(returnTo)}`

const over = (detail: string, returnTo: string) =>
  new Problem(400, 'sign_in_expired', { detail, tryAgain: signInPath(returnTo) })

/** Anyone can have it stored, so it is shorter than what someone signed in may ask for. */
const MAX_STORED_CHARACTERS = 1024

const shortEnough = (address: string | undefined) =>
  address !== undefined && address.length <= MAX_STORED_CHARACTERS ? address : undefined

/** A parameter given twice is an attack or a fault (RFC 6749 3.1): it counts as missing. */
function onlyOne(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name)
  return values.length === 1 && values[0] !== undefined && values[0].length <= 200 ? values[0] : undefined
}
