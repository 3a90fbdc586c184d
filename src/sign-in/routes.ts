// GET /sign-in and GET /sign-in/callback. What surprises: a callback that comes twice, late or to another tab is ordinary
// (back button, double click, restored tabs) and leads to the result, or through the sign-in again.
import { Router, type Request, type RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { cookieValue } from '../session/cookie-id.ts'
import { browserOf } from '../session/session.ts'
import { signedInOf } from '../session/signed-in.ts'
import type { Log } from '../web/log.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import {
  CALLBACK_PATH,
  MAX_RESTARTS,
  restartsOf,
  restartsSaid,
  signInAgainPath,
  signInPath,
} from './addresses.ts'
import type { TakenSignIn } from './pending.ts'
import { wishOf } from './prompt.ts'
import { enteredReturnTo } from './return-to.ts'
import type { SignIn } from './sign-in.ts'

type Parts = SignIn & { publicUrl: string; sendPage: SendPage; log: Pick<Log, 'debug'> }

const HOME = '/onboarding'

export function createSignInRoutes(parts: Parts): Router {
  const { entering, pending, returnTo: rules, publicUrl, log } = parts
  const router = Router()

  const hasCookie = (req: Request) => cookieValue(req.headers.cookie ?? '', parts.cookieName) !== undefined
  const stateOf = (req: Request) => onlyOne(callbackUrl(req, publicUrl).searchParams, 'state')

  router.get('/sign-in', ...entering, async (req, res) => {
    const returnTo = enteredReturnTo(req.query['return_to'], rules) ?? HOME
    const { login_hint: hint, prompt } = req.query
    const wish = wishOf(prompt)
    const loginHint = typeof hint === 'string' && hint !== '' && hint.length <= 254 ? hint : undefined
    const restarts = restartsSaid(req.query['again'])

    const isDone = restarts > 0 && wish === undefined && signedInOf(req) !== undefined
    log.debug({ restarts, wish, isDone }, 'sign-in: a browser asks to sign in')
    seeOther(res, isDone ? returnTo : await parts.start(req, { returnTo, restarts, loginHint, wish }))
  })

  /** Asked for while the session is: neither needs the other, unless another tab has signed in meanwhile. */
  const early = new WeakMap<Request, Promise<TakenSignIn | undefined>>()
  const takeEarly: RequestHandler = (req, _res, next) => {
    const state = stateOf(req)
    if (state !== undefined) {
      const taking = pending.take(state, browserOf(req))
      // Awaited by the route, unless the session fails first.
      taking.catch(() => {})
      early.set(req, taking)
    }
    next()
  }

  async function takenBy(req: Request, state: string): Promise<TakenSignIn | undefined> {
    const taken = await early.get(req)
    const signedIn = signedInOf(req)
    if (taken === undefined || taken.mayRedeem || signedIn === undefined) return taken
    return await pending.take(state, signedIn.browser)
  }

  /** An answer that this browser waits for. */
  const isAwaited = async (req: Request) => {
    const state = stateOf(req)
    if (state === undefined) return false
    const taking = takenBy(req, state)
    early.set(req, taking)
    return (await taking)?.mayRedeem === true
  }

  router.get(CALLBACK_PATH, ...parts.answering(takeEarly, isAwaited), async (req, res) => {
    const url = callbackUrl(req, publicUrl)
    const state = stateOf(req)
    const taken = await early.get(req)

    if (state === undefined || taken === undefined) {
      log.debug({ hasState: state !== undefined }, 'sign-in: an answer to no sign-in that is known')
      if (signedInOf(req) !== undefined) return seeOther(res, HOME)
      throw over('no sign-in is known for this state', HOME)
    }
    const { signIn, mayRedeem } = taken
    const { returnTo } = signIn
    const browser = browserOf(req)
    const outcome =
      mayRedeem && browser !== undefined ? await parts.redeem(req, { url, state, browser, signIn }) : 'used'
    const restarts = restartsOf(state)
    log.debug({ outcome, restarts }, 'sign-in: the authorization server has answered')
    if (outcome === 'signed-in' || outcome === 'same-account')
      await Promise.all([pending.succeeded(taken), parts.forgive(req)])
    if (outcome === 'same-account')
      return seeOther(res, `/sign-in/same-account?return_to=${encodeURIComponent(returnTo)}`)
    if (signedInOf(req) !== undefined && outcome !== 'ask-login' && outcome !== 'restart')
      return seeOther(res, returnTo)
    if (outcome === 'ask-login' && restarts < MAX_RESTARTS)
      return seeOther(res, signInAgainPath(returnTo, restarts + 1, { prompt: 'login' }))
    if (restarts > 0 && !hasCookie(req)) {
      const detail = 'the callback came without its session cookie'
      throw new Problem(400, 'cookies_blocked', { detail, tryAgain: signInPath(returnTo) })
    }
    // Many tabs at once: this one's cookie may have been renewed while it was on its way.
    if (restarts < MAX_RESTARTS) return seeOther(res, signInAgainPath(returnTo, restarts + 1))
    throw over('this sign-in was used, or belongs to another browser', returnTo)
  })

  router.get('/sign-in/same-account', ...entering, (req, res) => {
    const returnTo = enteredReturnTo(req.query['return_to'], rules) ?? HOME
    const user = signedInOf(req)?.user
    if (user === undefined) return seeOther(res, returnTo)
    const data = { account: user.email ?? user.name, returnTo }
    parts.sendPage(req, res, { view: 'sign-in/same-account', data })
  })

  return router
}

/** The address as we publish it, whatever was written: it becomes the redirect_uri of the token request. */
function callbackUrl(req: Request, publicUrl: string): URL {
  const [, query = ''] = req.originalUrl.split(/\?(.*)/s)
  return new URL(`${CALLBACK_PATH}?${query}`, publicUrl)
}

const over = (detail: string, returnTo: string) =>
  new Problem(400, 'sign_in_expired', { detail, tryAgain: signInPath(returnTo) })

/** A parameter given twice is an attack or a fault (RFC 6749 3.1): it counts as missing. */
function onlyOne(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name)
  return values.length === 1 && values[0] !== undefined && values[0].length <= 200 ? values[0] : undefined
}
