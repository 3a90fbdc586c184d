// GET /sign-in and GET /sign-in/callback: code flow with PKCE, state and nonce. What surprises: a callback that comes
// twice, late or to another tab is ordinary (back button, double click, restored tabs) and leads to the result.
import { randomBytes } from 'node:crypto'
import { Router, type Request, type Response } from 'express'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  randomNonce,
  randomPKCECodeVerifier,
  type Configuration,
} from 'openid-client'
import { Problem } from '../problem.ts'
import { renewSession, saveSession } from '../session/session.ts'
import { seeOther } from '../web/see-other.ts'
import { problemOfAnswer } from './answer-problems.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { identify } from './identity.ts'
import type { PendingSignIn, PendingSignIns } from './pending.ts'
import { safeReturnTo, type ReturnToRules } from './return-to.ts'
import { restartsOf, newState, signInPath } from './state.ts'
import { tokensOf, type TokenRecords } from './tokens.ts'

export type SignInParts = {
  authorizationServer: Pick<AuthorizationServer, 'configuration' | 'forget'>
  pending: PendingSignIns
  tokens: Pick<TokenRecords, 'save' | 'remove'>
  returnTo: ReturnToRules
  /** PUBLIC_URL. */
  publicUrl: string
  scope: string
  /** Further parameters of the authorization request: `resource` (RFC 8707), `audience`. */
  parameters: Record<string, string>
  now: () => number
}

const HOME = '/onboarding'
const PROMPTS = ['select_account', 'login']

export function createSignInRoutes(parts: SignInParts): Router {
  const router = Router()
  const redirectUri = `${parts.publicUrl}/sign-in/callback`
  const asksForIdToken = parts.scope.split(' ').includes('openid')

  type Start = {
    returnTo: string
    restarts: number
    loginHint?: string | undefined
    prompt?: string | undefined
  }

  async function start(req: Request, res: Response, { returnTo, restarts, loginHint, prompt }: Start) {
    const configuration = await parts.authorizationServer.configuration()
    req.session.browser ??= randomBytes(16).toString('base64url')
    const state = newState(restarts)
    const verifier = randomPKCECodeVerifier()
    const nonce = asksForIdToken ? randomNonce() : undefined
    const challenge = await calculatePKCECodeChallenge(verifier)
    await parts.pending.add(state, { browser: req.session.browser, verifier, nonce, returnTo })
    await saveSession(req)
    const url = buildAuthorizationUrl(configuration, {
      ...parts.parameters,
      redirect_uri: redirectUri,
      scope: parts.scope,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(nonce === undefined ? {} : { nonce }),
      ...(prompt === undefined ? {} : { prompt }),
      // Together with select_account some servers fail, and the hint would contradict the wish.
      ...(loginHint === undefined || prompt !== undefined ? {} : { login_hint: loginHint }),
    })
    seeOther(res, url.href)
  }

  router.get('/sign-in', async (req, res) => {
    const returnTo = safeReturnTo(req.query['return_to'], parts.returnTo) ?? HOME
    const { login_hint: hint, prompt } = req.query
    const wish = PROMPTS.find((known) => known === prompt)
    const loginHint = typeof hint === 'string' && hint.length <= 254 ? hint : undefined
    await start(req, res, { returnTo, restarts: 0, loginHint, prompt: wish })
  })

  router.get('/sign-in/callback', async (req, res) => {
    const answer = new URL(req.originalUrl, parts.publicUrl)
    const state = onlyOne(answer.searchParams, 'state')
    const signIn = state === undefined ? undefined : await parts.pending.find(state)

    if (state === undefined || signIn === undefined) {
      if (req.session.user !== undefined) return seeOther(res, HOME)
      throw new Problem(400, 'sign_in_expired', {
        detail: 'no sign-in is known for this state',
        tryAgain: signInPath(HOME),
      })
    }
    const again = signInPath(signIn.returnTo)
    const isOurs = signIn.browser === req.session.browser
    const mayRedeem = isOurs && signIn.kind === 'pending' && (await parts.pending.finish(state, signIn))
    if (mayRedeem) return await redeem(req, res, { answer, state, signIn })
    if (req.session.user !== undefined) return seeOther(res, signIn.returnTo)
    if (req.session.browser === undefined)
      throw new Problem(400, 'cookies_blocked', {
        detail: 'the callback came without its session cookie',
        tryAgain: again,
      })
    if (restartsOf(state) === 0) return await start(req, res, { returnTo: signIn.returnTo, restarts: 1 })
    throw new Problem(400, 'sign_in_expired', {
      detail: 'this sign-in was used, or belongs to another browser',
      tryAgain: again,
    })
  })

  type Redemption = { answer: URL; state: string; signIn: PendingSignIn }

  async function redeem(req: Request, res: Response, { answer, state, signIn }: Redemption) {
    const again = signInPath(signIn.returnTo)
    const configuration = await parts.authorizationServer.configuration()
    const { user, tokens } = await granted(configuration, { answer, state, signIn }).catch(
      (error: unknown) => {
        if (error instanceof ClientError && error.code === 'OAUTH_KEY_SELECTION_FAILED')
          parts.authorizationServer.forget()
        throw problemOfAnswer(error, again)
      },
    )
    const [before, { browser }] = [req.sessionID, signIn]
    await renewSession(req)
    Object.assign(req.session, { browser, user, signedInAt: parts.now() })
    await parts.tokens.save(req.sessionID, tokens)
    await saveSession(req)
    await parts.tokens.remove(before)
    seeOther(res, signIn.returnTo)
  }

  async function granted(configuration: Configuration, { answer, state, signIn }: Redemption) {
    const grant = await authorizationCodeGrant(configuration, answer, {
      pkceCodeVerifier: signIn.verifier,
      expectedState: state,
      idTokenExpected: asksForIdToken,
      ...(signIn.nonce === undefined ? {} : { expectedNonce: signIn.nonce }),
    })
    const user = await identify(configuration, grant, grant.claims())
    return { user, tokens: tokensOf(grant, parts.now()) }
  }

  return router
}

/** A parameter given twice is an attack or a fault (RFC 6749 3.1): it counts as missing. */
function onlyOne(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name)
  return values.length === 1 && values[0] !== undefined && values[0].length <= 200 ? values[0] : undefined
}
