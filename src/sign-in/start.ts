// Sends a person to the authorization server: code flow with PKCE, state and nonce (RFC 9700 2.1), pushed only where the
// server requires it (RFC 9126): a pushed request costs a call for each GET of a stranger. Nothing is stored for it.
import type { Request, Response } from 'express'
import {
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  ResponseBodyError,
  type Configuration,
} from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import { Problem } from '../problem.ts'
import { signedInOf } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import { clientAddresses, signInPath } from './server/client-addresses.ts'
import { errorResponseProblem } from './server/error-response.ts'
import type { BrowserCookie, BrowserCookies } from './transaction/browser-cookie.ts'
import {
  isPromptLoginRefused,
  isSelectAccountRefused,
  supportedPrompt,
  promptParameter,
  type Prompt,
} from './transaction/prompt.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { clientMetadataOf, serverMetadataOf } from './server/configuration.ts'
import type { LoginTransactions } from './transaction/login-transaction.ts'

type AuthorizationRequest = {
  returnTo: string
  /** How often this sign-in has started over without the person's doing. */
  restarts?: number
  loginHint?: string | undefined
  /** The person asks for another account. */
  prompt?: Prompt | undefined
  /** The server refused this request in the address: pushes it if the server takes pushed requests. */
  isPushed?: boolean
}

/** Gives the browser its cookie and the address to go to. @throws {Problem} */
type StartSignIn = (req: Request, res: Response, start: AuthorizationRequest) => Promise<string>

type Needs = {
  settings: Settings
  authorizationServer: AuthorizationServer
  states: LoginTransactions
  browsers: BrowserCookies
  /** The language of the person who makes the request, as a BCP 47 tag. */
  languageOf: (req: Request) => string
  now: () => number
}

export function createStartSignIn(needs: Needs): StartSignIn {
  const { settings, authorizationServer, states, now } = needs
  const { OIDC_SCOPE: scope, OIDC_PROMPT: alwaysPrompt } = settings
  const choosesAccount = alwaysPrompt?.split(' ').includes('select_account') === true
  const asksForIdToken = scope.split(' ').includes('openid')

  async function addressFor(
    req: Request,
    browser: BrowserCookie,
    start: AuthorizationRequest,
  ): Promise<string> {
    const { returnTo, restarts = 0, loginHint, prompt, isPushed = false } = start
    const { text, nonce, codeChallenge } = states.seal(
      { returnTo, startedAt: now(), prompt, restarts },
      { cookie: browser.value, sessionId: signedInOf(req)?.id },
    )
    const parameters = omitUndefined({
      ...settings.OIDC_AUTHORIZATION_PARAMS,
      // RFC 8707.
      resource: settings.OIDC_RESOURCE,
      audience: settings.OIDC_AUDIENCE,
      redirect_uri: clientAddresses(settings.PUBLIC_URL).callback,
      scope,
      state: text,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      nonce: asksForIdToken ? nonce : undefined,
      // The page to sign in on speaks the same language (OpenID Connect Core 3.1.2.1).
      ui_locales: asksForIdToken ? needs.languageOf(req) : undefined,
      // Together with select_account some servers fail, and the hint would contradict the request for another account.
      login_hint: prompt !== undefined || choosesAccount ? undefined : loginHint,
      prompt: promptParameter(alwaysPrompt, prompt),
    })
    const configuration = await authorizationServer.configuration()
    return await authorizationUrl(configuration, parameters, isPushed).catch((error: unknown) => {
      throw errorResponseProblem(error, signInPath(returnTo), 'the pushed authorization request failed: ')
    })
  }

  /** What the server can do about it, as far as it says. */
  async function possible(prompt: Prompt | undefined): Promise<Prompt | undefined> {
    if (prompt === undefined) return undefined
    return supportedPrompt(prompt, serverMetadataOf(await authorizationServer.configuration()))
  }

  return async (req, res, wanted) => {
    const browser = needs.browsers.extend(req, res)
    const mustAsk = (browser.promptLogin || req.session.promptLogin === true) && signedInOf(req) === undefined
    const start = { ...wanted, prompt: await possible(mustAsk ? 'login' : wanted.prompt) }
    try {
      return await addressFor(req, browser, start)
    } catch (error) {
      const cause = error instanceof Problem ? error.cause : undefined
      // A server that takes pushed requests refuses select_account at once.
      if (!(cause instanceof ResponseBodyError)) throw error
      if (isSelectAccountRefused(start.prompt, cause.error))
        return await addressFor(req, browser, { ...start, prompt: 'login' })
      if (mustAsk && isPromptLoginRefused(cause.error))
        return await addressFor(req, browser, { ...start, prompt: undefined })
      throw error
    }
  }
}

export const acceptsPushedRequests = (configuration: Configuration): boolean =>
  serverMetadataOf(configuration).pushed_authorization_request_endpoint !== undefined

async function authorizationUrl(
  configuration: Configuration,
  given: Record<string, string>,
  push: boolean,
): Promise<string> {
  // A client that registered itself asks for what it was registered for.
  const { scope } = clientMetadataOf(configuration)
  const parameters = typeof scope === 'string' ? { ...given, scope } : given
  const { require_pushed_authorization_requests: isRequired } = serverMetadataOf(configuration)
  const isPushed = isRequired === true || (push && acceptsPushedRequests(configuration))
  const url = isPushed
    ? await buildAuthorizationUrlWithPAR(configuration, parameters)
    : buildAuthorizationUrl(configuration, parameters)
  return url.href
}
