// GET /sign-in and GET /sign-in/callback. What surprises: a callback that comes twice, late or to another tab is ordinary
// (back button, double click, restored tabs) and leads to the result, or through the sign-in again.
import { Router, type Request, type RequestHandler } from 'express'
import { Problem } from '../problem.ts'
import { hashOf } from '../records/seal.ts'
import { signedInOf } from '../session/signed-in.ts'
import { isUnattended, unattendedPath } from '../web/cross-site.ts'
import type { Log } from '../web/log.ts'
import type { SendPage } from '../web/pages.ts'
import type { Limits } from '../web/rate-limit.ts'
import { seeOther } from '../web/see-other.ts'
import { SIGN_IN_CALLBACK_PATH, signInPath } from './server/client-addresses.ts'
import { parsePrompt } from './transaction/prompt.ts'
import { isRecentSignIn } from './require-sign-in.ts'
import { asAddress, enteredReturnTo } from './return-to.ts'
import type { SignIn } from './sign-in.ts'
import { hasError } from './callback.ts'
import {
  checkCallback,
  MAX_STATE_CHARACTERS,
  type LoginTransaction,
} from './transaction/login-transaction.ts'

type Needs = Pick<SignIn, 'start' | 'redeem' | 'states' | 'browsers' | 'records' | 'returnTo'> & {
  /** By address: in front of what anyone can ask for. */
  limit: RequestHandler
  comingBack: Limits['comingBack']
  publicUrl: string
  sendPage: SendPage
  log: Pick<Log, 'debug'>
  now: () => number
}

const HOME = '/onboarding'

/** A sign-in starts over this often at most; a browser follows about 20 redirects in a row. */
const MAX_RESTARTS = 4

/** A code is good for ten minutes at most (RFC 6749 4.1.2). */
const USED_SECONDS = 600

export function createSignInRoutes(needs: Needs): Router {
  const { states, browsers, limit, returnTo: rules, publicUrl, log } = needs
  const router = Router()

  router.get('/sign-in', limit, async (req, res) => {
    const returnTo = enteredReturnTo(req.query['return_to'], rules) ?? HOME
    const { login_hint: hint } = req.query
    const prompt = parsePrompt(req.query['prompt'])
    const loginHint = typeof hint === 'string' && hint !== '' && hint.length <= 254 ? hint : undefined
    const restarts = restartsIn(req.query['again'])

    const isDone = restarts > 0 && !prompt && !isUnattended(req) && signedInOf(req) !== undefined
    log.debug({ restarts, prompt, isDone }, 'sign-in: a browser asks to sign in')
    seeOther(
      res,
      isDone ? asAddress(returnTo) : await needs.start(req, res, { returnTo, restarts, loginHint, prompt }),
    )
  })

  /** Of any number of callbacks one may redeem the code: the first. */
  const isFirst = ({ id }: LoginTransaction) =>
    needs.records.compareAndSet(`used-state:${hashOf(id)}`, undefined, '1', USED_SECONDS)

  router.get(SIGN_IN_CALLBACK_PATH, async (req, res) => {
    const url = callbackUrl(req, publicUrl)
    const opened = states.open(onlyOne(url.searchParams, 'state') ?? '')
    needs.comingBack(req, opened?.state.id)
    const sessionId = signedInOf(req)?.id
    if (opened === undefined) {
      log.debug({}, 'sign-in: an answer to no sign-in that is known')
      if (hasError(url.searchParams) || saysYes(url, 'success', 'false'))
        throw new Problem(400, 'sign_in_unfinished', {
          detail: 'the authorization server sent an error, for no sign-in of ours',
          ...(sessionId === undefined && { tryAgain: signInPath(HOME) }),
        })
      if (sessionId !== undefined) return seeOther(res, HOME)
      if (saysYes(url, 'admin_consent') || saysYes(url, 'success'))
        return needs.sendPage(req, res, { view: 'sign-in/confirmed', data: {} })
      throw over('no sign-in is known for this state', HOME)
    }
    const { state } = opened
    const { returnTo, restarts } = state
    const cookie = browsers.read(req)?.value

    const judged = checkCallback(state, { cookie, sessionId, now: needs.now() })
    const mayRedeem = judged === 'redeem' && cookie !== undefined && (await isFirst(state))
    const outcome = mayRedeem
      ? await needs.redeem(req, res, { url, state, secrets: opened.secretsFor(cookie) })
      : judged
    log.debug({ outcome, restarts }, 'sign-in: the authorization server has answered')
    if (outcome === 'same-account')
      return seeOther(res, `/sign-in/same-account?return_to=${encodeURIComponent(returnTo)}`)
    // Also where another callback of this sign-in was first.
    if (outcome === 'signed-in' || outcome === 'go-on' || (outcome === 'redeem' && sessionId !== undefined))
      return seeOther(res, asAddress(returnTo))
    if (restarts > 0 && cookie === undefined) {
      const detail = 'the callback came without its cookie'
      throw new Problem(400, 'cookies_blocked', { detail, tryAgain: signInPath(returnTo) })
    }
    if (restarts >= MAX_RESTARTS) throw over('this sign-in was used, or belongs to another browser', returnTo)
    if (outcome === 'push')
      return seeOther(res, await needs.start(req, res, { ...state, restarts: restarts + 1, isPushed: true }))
    seeOther(res, againPath(state, outcome === 'ask-login'))
  })

  router.get('/sign-in/same-account', (req, res) => {
    const returnTo = enteredReturnTo(req.query['return_to'], rules) ?? HOME
    const { user, signedInAt = 0 } = signedInOf(req) ?? {}
    // Another site's link can name this address, too.
    if (user === undefined || !isRecentSignIn(signedInAt, needs.now()))
      return seeOther(res, asAddress(returnTo))
    const data = {
      account: user.email ?? user.name,
      returnTo: returnTo.startsWith('/') ? unattendedPath(asAddress(returnTo)) : returnTo,
    }
    needs.sendPage(req, res, { view: 'sign-in/same-account', data })
  })

  return router
}

/** How often the address of a sign-in says that it has started over. It is no secret and guards nothing but a loop. */
const restartsIn = (value: unknown): number =>
  typeof value === 'string' && /^[1-9]$/.test(value) ? Math.min(Number(value), MAX_RESTARTS) : 0

/** Where a sign-in starts over: one that another tab has finished meanwhile will do, unless another account was asked for. */
function againPath({ returnTo, restarts }: LoginTransaction, asksForPerson: boolean): string {
  const again = { return_to: returnTo, again: String(restarts + 1) }
  const parameters = asksForPerson ? { ...again, prompt: 'login' } : again
  return `/sign-in?${new URLSearchParams(parameters).toString()}`
}

/** The address as we publish it, whatever was written: it becomes the redirect_uri of the token request. */
function callbackUrl(req: Request, publicUrl: string): URL {
  const [, query = ''] = req.originalUrl.split(/\?(.*)/s)
  return new URL(`${SIGN_IN_CALLBACK_PATH}?${query}`, publicUrl)
}

/** For callbacks after an admin's consent or a confirmed address. Another site's link can say it too, so no page repeats it. */
const saysYes = ({ searchParams }: URL, name: string, wanted = 'true'): boolean =>
  searchParams.get(name)?.toLowerCase() === wanted

const over = (detail: string, returnTo: string) =>
  new Problem(400, 'sign_in_expired', { detail, tryAgain: signInPath(returnTo) })

/** A parameter given twice is an attack or a fault (RFC 6749 3.1): it counts as missing. */
function onlyOne(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name)
  const [value] = values
  return values.length === 1 && value !== undefined && value.length <= MAX_STATE_CHARACTERS
    ? value
    : undefined
}
