// Sends a person to the authorization server: code flow with PKCE, state and nonce (RFC 9700 2.1). Requests are pushed
// (RFC 9126) only if the server requires it, because each GET of a stranger would cost a call.
import type { Request, Response } from 'express'
import { buildAuthorizationUrl, buildAuthorizationUrlWithPAR, ResponseBodyError } from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import { Problem } from '../problem.ts'
import { findSignedIn } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import type { Limits } from '../web/rate-limit.ts'
import { signInPath } from './return-to.ts'
import type { AuthorizationServer } from './server/authorization-server.ts'
import { clientUrls } from './server/client-urls.ts'
import { errorResponseProblem } from './server/error-response.ts'
import type {
  BrowserCookie,
  BrowserCookies,
  LoginTransaction,
  LoginTransactions,
} from './transaction/login-transaction.ts'
import { isSelectAccountRefused, promptParameter, supportedPrompt } from './transaction/prompt.ts'

type StartRequest = Partial<Pick<LoginTransaction, 'restarts' | 'prompt'>> & {
  returnTo: string
  loginHint?: string | undefined
  /** Push the request, if possible, because the server refused it in the address. */
  prefersPushed?: boolean
}

export class SignInStart {
  readonly #deps

  constructor(deps: {
    settings: Settings
    authorizationServer: AuthorizationServer
    transactions: LoginTransactions
    cookies: BrowserCookies
    limits: Pick<Limits, 'starting'>
    languageOf: (req: Request) => string
    now: () => number
  }) {
    this.#deps = deps
  }

  /** @throws {Problem} 429 if too many starts wait for the authorization server */
  authorizationUrl(req: Request, res: Response, request: StartRequest): Promise<string> {
    return this.#deps.limits.starting(req, () => this.#authorizationUrl(req, res, request))
  }

  async #authorizationUrl(req: Request, res: Response, request: StartRequest): Promise<string> {
    const cookie = this.#deps.cookies.extend(req, res)
    const promptLogin = cookie.promptLogin || req.session.promptLogin === true
    const wanted = promptLogin ? 'login' : request.prompt
    const configuration = await this.#deps.authorizationServer.configuration()
    const urlWith = (prompt: StartRequest['prompt']) => this.#buildUrl(req, cookie, { ...request, prompt })
    const prompt = wanted && supportedPrompt(wanted, configuration.serverMetadata())
    try {
      return await urlWith(prompt)
    } catch (error) {
      // A server that requires pushed requests refuses a prompt here, not in the callback.
      const cause = error instanceof Problem ? error.cause : undefined
      if (!(cause instanceof ResponseBodyError)) throw error
      if (isSelectAccountRefused(prompt, cause.error)) return await urlWith('login')
      if (promptLogin && cause.error === 'invalid_request') return await urlWith(undefined)
      throw error
    }
  }

  async #buildUrl(req: Request, cookie: BrowserCookie, request: StartRequest): Promise<string> {
    const configuration = await this.#deps.authorizationServer.configuration()
    const { pushed_authorization_request_endpoint: par, ...server } = configuration.serverMetadata()
    const isWanted = request.prefersPushed === true && par !== undefined
    const isPushed = server.require_pushed_authorization_requests === true || isWanted
    // A client registered by onramp requests its registered scope.
    const { scope } = configuration.clientMetadata()
    const ownParameters = this.#parameters(req, cookie, request)
    const parameters = typeof scope === 'string' ? { ...ownParameters, scope } : ownParameters
    try {
      const url = isPushed
        ? await buildAuthorizationUrlWithPAR(configuration, parameters)
        : buildAuthorizationUrl(configuration, parameters)
      return url.href
    } catch (error) {
      const tryAgain = signInPath(request.returnTo)
      throw errorResponseProblem(error, tryAgain, 'the pushed authorization request failed: ')
    }
  }

  #parameters(
    req: Request,
    cookie: BrowserCookie,
    { returnTo, restarts = 0, loginHint, prompt }: StartRequest,
  ): Record<string, string> {
    const { settings, transactions, languageOf, now } = this.#deps
    const { OIDC_SCOPE: scope, OIDC_PROMPT: alwaysPrompt } = settings
    const isOpenId = scope.split(' ').includes('openid')
    const selectsAccount = alwaysPrompt?.split(' ').includes('select_account') === true
    const { state, nonce, codeChallenge } = transactions.seal(
      { returnTo, startedAt: now(), prompt, restarts },
      { cookie: cookie.value, sessionId: findSignedIn(req)?.id, issuer: settings.OIDC_ISSUER },
    )
    return omitUndefined({
      ...settings.OIDC_AUTHORIZATION_PARAMS,
      // RFC 8707.
      resource: settings.OIDC_RESOURCE,
      audience: settings.OIDC_AUDIENCE,
      redirect_uri: clientUrls(settings.PUBLIC_URL).redirectUri,
      scope,
      state,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      nonce: isOpenId ? nonce : undefined,
      ui_locales: isOpenId ? languageOf(req) : undefined,
      // Some servers fail if it comes with select_account, and a hint contradicts the wish for another account.
      login_hint: prompt !== undefined || selectsAccount ? undefined : loginHint,
      prompt: promptParameter(alwaysPrompt, prompt),
    })
  }
}
