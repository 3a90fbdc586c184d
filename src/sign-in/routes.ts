// GET /sign-in and GET /sign-in/callback. Repeated, late and misplaced callbacks are ordinary (back button, double
// click, restored tabs): they lead to the page, or through the sign-in again.
import { Router, type Request, type Response } from 'express'
import { Problem } from '../problem.ts'
import { findSignedIn } from '../session/signed-in.ts'
import { isMarkedUntrusted, untrustedPath } from '../web/cross-site.ts'
import type { Log } from '../web/log.ts'
import type { SendPage } from '../web/pages.ts'
import type { Limits } from '../web/rate-limit.ts'
import { seeOther } from '../web/see-other.ts'
import type { SignInCallback } from './callback.ts'
import { isRecentSignIn } from './require-sign-in.ts'
import { decodeReturnTo, parseReturnTo, signInPath, type ReturnToRules } from './return-to.ts'
import { clientUrls } from './server/client-urls.ts'
import type { SignInStart } from './start.ts'
import type { LoginTransaction } from './transaction/login-transaction.ts'
import { parsePrompt } from './transaction/prompt.ts'

const HOME = '/onboarding'

/** Low enough for browsers, which follow about 20 redirects in a row. */
const MAX_RESTARTS = 4

export function createSignInRoutes(deps: {
  start: SignInStart
  callback: SignInCallback
  limits: Pick<Limits, 'signingIn' | 'countCallback' | 'redeeming'>
  returnTo: ReturnToRules
  sendPage: SendPage
  log: Pick<Log, 'debug'>
  now: () => number
}): Router {
  const { start, callback, limits, returnTo: rules, sendPage, log, now } = deps
  const router = Router()

  router.get('/sign-in', limits.signingIn, async (req, res) => {
    const { query } = req
    const returnTo = parseReturnTo(query['return_to'], rules) ?? HOME
    const prompt = parsePrompt(query['prompt'])
    const { login_hint: hint = '' } = query
    const loginHint = typeof hint === 'string' && /^.{1,254}$/s.test(hint) ? hint : undefined
    const restarts = parseRestarts(query['again'])

    // Another tab may have signed in before this one started over.
    const isDone = restarts > 0 && !prompt && !isMarkedUntrusted(req) && findSignedIn(req) !== undefined
    log.debug({ restarts, prompt, isDone }, 'sign-in: start')
    const location = isDone
      ? decodeReturnTo(returnTo)
      : await start.authorizationUrl(req, res, { returnTo, restarts, loginHint, prompt })
    seeOther(res, location)
  })

  router.get('/sign-in/callback', async (req, res) => {
    const url = callbackUrl(req, rules.publicOrigin)
    const opened = callback.open(url)
    limits.countCallback(req, opened?.transaction.id, opened && signInPath(opened.transaction.returnTo))
    if (opened === undefined) {
      log.debug({}, 'sign-in: callback of an unknown transaction')
      return answerUnknown(req, res, { url, sendPage })
    }
    const { returnTo, restarts } = opened.transaction

    const outcome = await limits.redeeming(req, () => callback.finish(req, res, url, opened))

    log.debug({ outcome, restarts }, 'sign-in: callback')
    if (outcome === 'same-account')
      return seeOther(res, `/sign-in/same-account?return_to=${encodeURIComponent(returnTo)}`)
    if (outcome === 'signed-in' || outcome === 'keep-session') return seeOther(res, decodeReturnTo(returnTo))
    const tryAgain = signInPath(returnTo)
    if (outcome === 'no-cookie' && restarts > 0)
      throw new Problem(400, 'cookies_blocked', { detail: 'the callback lacks its cookie', tryAgain })
    if (restarts >= MAX_RESTARTS)
      throw expiredProblem('this sign-in was used, or belongs to another browser', returnTo)
    if (outcome !== 'use-par')
      return seeOther(res, restartPath(opened.transaction, outcome === 'prompt-login'))
    const again = { ...opened.transaction, restarts: restarts + 1, prefersPushed: true }
    seeOther(res, await start.authorizationUrl(req, res, again))
  })

  router.get('/sign-in/same-account', (req, res) => {
    const returnTo = parseReturnTo(req.query['return_to'], rules) ?? HOME
    const { user, signedInAt = 0 } = findSignedIn(req) ?? {}
    // A link of another site can lead here, too.
    if (user === undefined || !isRecentSignIn(signedInAt, now()))
      return seeOther(res, decodeReturnTo(returnTo))
    const next = returnTo.startsWith('/') ? untrustedPath(decodeReturnTo(returnTo)) : returnTo
    const data = { account: user.email ?? user.name, returnTo: next }
    sendPage(req, res, { view: 'sign-in/same-account', data })
  })

  return router
}

/** Handles a callback without our state, as after an admin's consent or an error. Signs no one in. */
function answerUnknown(
  req: Request,
  res: Response,
  { url: { searchParams }, sendPage }: { url: URL; sendPage: SendPage },
): void {
  const isSignedIn = findSignedIn(req) !== undefined
  const hasParameter = (name: string, value: string) => searchParams.get(name)?.toLowerCase() === value
  if (searchParams.get('error') || hasParameter('success', 'false'))
    throw new Problem(400, 'sign_in_unfinished', {
      detail: 'the authorization server sent an error for an unknown sign-in',
      ...(!isSignedIn && { tryAgain: signInPath(HOME) }),
    })
  if (isSignedIn) return seeOther(res, HOME)
  // A link of another site can claim these, too, so the page repeats nothing of the address.
  if (hasParameter('admin_consent', 'true') || hasParameter('success', 'true'))
    return sendPage(req, res, { view: 'sign-in/confirmed', data: {} })
  throw expiredProblem('no sign-in has this state', HOME)
}

const parseRestarts = (value: unknown): number =>
  typeof value === 'string' && /^[1-9]$/.test(value) ? Math.min(Number(value), MAX_RESTARTS) : 0

function restartPath({ returnTo, restarts }: LoginTransaction, promptLogin: boolean): string {
  const again = { return_to: returnTo, again: String(restarts + 1), ...(promptLogin && { prompt: 'login' }) }
  return `/sign-in?${new URLSearchParams(again).toString()}`
}

/** The callback at its registered address, which becomes the redirect_uri of the token request. */
function callbackUrl(req: Request, publicOrigin: string): URL {
  const [, query = ''] = req.originalUrl.split(/\?(.*)/s)
  return new URL(`${clientUrls(publicOrigin).redirectUri}?${query}`)
}

const expiredProblem = (detail: string, returnTo: string) =>
  new Problem(400, 'sign_in_expired', { detail, tryAgain: signInPath(returnTo) })
