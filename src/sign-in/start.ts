// Sends a person to the authorization server: code flow with PKCE, state and nonce (RFC 9700 2.1), pushed where the
// server takes pushed requests (RFC 9126).
import { hash } from 'node:crypto'
import type { Request } from 'express'
import {
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  randomNonce,
  randomPKCECodeVerifier,
  ResponseBodyError,
  type Configuration,
} from 'openid-client'
import { Problem } from '../problem.ts'
import { bindBrowser } from '../session/session.ts'
import { networkOf } from '../web/network.ts'
import { addressesOf, newState, signInPath } from './addresses.ts'
import { problemOfAnswer } from './answer-problems.ts'
import type { SignInParts } from './parts.ts'
import type { PendingSignIns } from './pending.ts'
import { isLoginRefused, isWishRefused, possibleWish, promptFor, type Wish } from './prompt.ts'
import { serverMetadataOf } from './server/configuration.ts'
import type { SignedOut } from './sign-out/signed-out.ts'
import { omitUndefined } from '../omit-undefined.ts'

export type Start = {
  returnTo: string
  /** How often this sign-in has started over without the person's doing. */
  restarts: number
  loginHint?: string | undefined
  /** The person asks for another account. */
  wish?: Wish | undefined
}

/** Keeps what the answer will be held against, and gives the address to send the browser to. @throws {Problem} */
export type StartSignIn = (req: Request, start: Start) => Promise<string>

type StartParts = SignInParts & { pending: PendingSignIns; signedOut: Pick<SignedOut, 'mustAsk'> }

export function createStartSignIn(parts: StartParts): StartSignIn {
  const { settings } = parts
  const { OIDC_SCOPE: scope, OIDC_PROMPT: alwaysPrompt } = settings
  const choosesAccount = alwaysPrompt?.split(' ').includes('select_account') === true
  const asksForIdToken = scope.split(' ').includes('openid')

  async function addressOf(
    parameters: Record<string, string>,
    { returnTo, wish }: Pick<Start, 'returnTo' | 'wish'>,
  ): Promise<string> {
    const prompt = promptFor(alwaysPrompt, wish)
    const asked = prompt === undefined ? parameters : { ...parameters, prompt }
    const configuration = await parts.authorizationServer.configuration()
    return await authorizationUrl(configuration, asked).catch((error: unknown) => {
      throw problemOfAnswer(error, signInPath(returnTo))
    })
  }

  async function begin(req: Request, { returnTo, restarts, loginHint, wish }: Start): Promise<string> {
    const state = newState(restarts)
    const verifier = randomPKCECodeVerifier()
    const nonce = asksForIdToken ? randomNonce() : undefined
    const parameters = omitUndefined({
      ...settings.OIDC_AUTHORIZATION_PARAMS,
      // RFC 8707.
      resource: settings.OIDC_RESOURCE,
      audience: settings.OIDC_AUDIENCE,
      redirect_uri: addressesOf(settings.PUBLIC_URL).callback,
      scope,
      state,
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      nonce,
      // The page to sign in on speaks the same language (OpenID Connect Core 3.1.2.1).
      ui_locales: asksForIdToken ? parts.languageOf(req) : undefined,
      // Together with select_account some servers fail, and the hint would contradict the wish.
      login_hint: wish !== undefined || choosesAccount ? undefined : loginHint,
    })
    const network = networkOf(req.ip ?? '')
    const pending = { verifier, nonce, returnTo, startedAt: parts.now(), wish, network }
    // A pushed request is work for the authorization server: none for a network that may keep no sign-in.
    const prepared = await parts.pending.prepare(state, bindBrowser(req), pending)
    const url = await addressOf(parameters, { returnTo, wish }).catch(async (error: unknown) => {
      await prepared.drop()
      throw error
    })
    await prepared.keep()
    return url
  }

  /** What the server can do about it, as far as it says. */
  async function possible(wish: Wish | undefined): Promise<Wish | undefined> {
    if (wish === undefined) return undefined
    const configuration = await parts.authorizationServer.configuration()
    return possibleWish(wish, serverMetadataOf(configuration))
  }

  return async (req, asked) => {
    const mustAsk = await parts.signedOut.mustAsk(req)
    const start = { ...asked, wish: await possible(mustAsk ? 'login' : asked.wish) }
    try {
      return await begin(req, start)
    } catch (error) {
      const cause = error instanceof Problem ? error.cause : undefined
      // A server that takes pushed requests refuses select_account at once.
      if (!(cause instanceof ResponseBodyError)) throw error
      if (isWishRefused(start.wish, cause.error)) return await begin(req, { ...start, wish: 'login' })
      if (mustAsk && isLoginRefused(cause.error)) return await begin(req, { ...start, wish: undefined })
      throw error
    }
  }
}

async function authorizationUrl(
  configuration: Configuration,
  given: Record<string, string>,
): Promise<string> {
  // A client that registered itself asks for what it was registered for.
  const { scope } = configuration.clientMetadata()
  const parameters = typeof scope === 'string' ? { ...given, scope } : given
  const takesPushed = serverMetadataOf(configuration).pushed_authorization_request_endpoint !== undefined
  const url = takesPushed
    ? await buildAuthorizationUrlWithPAR(configuration, parameters)
    : buildAuthorizationUrl(configuration, parameters)
  return url.href
}
