// Sends somebody to the authorization server: code flow with PKCE, state and nonce (RFC 9700 2.1), pushed where the
// server takes pushed requests (RFC 9126).
import { randomBytes } from 'node:crypto'
import type { Request } from 'express'
import {
  buildAuthorizationUrl,
  buildAuthorizationUrlWithPAR,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  type Configuration,
} from 'openid-client'
import { saveSession } from '../session/session.ts'
import { isClientRefused, problemOfAnswer } from './answer-problems.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import type { PendingSignIns } from './pending.ts'
import { newState, signInPath } from './state.ts'

export type StartParts = {
  authorizationServer: Pick<AuthorizationServer, 'confirmedConfiguration' | 'dropIfUnknown'>
  pending: Pick<PendingSignIns, 'add'>
  /** PUBLIC_URL. */
  publicUrl: string
  scope: string
  /** Further parameters of the authorization request: `resource` (RFC 8707), `audience`. */
  parameters: Record<string, string>
  now: () => number
}

export type Start = {
  returnTo: string
  /** How often this sign-in has started over by itself. */
  restarts: number
  loginHint?: string | undefined
  prompt?: string | undefined
}

/** Keeps what the answer will be held against, and gives the address to send the browser to. @throws {Problem} */
export type StartSignIn = (req: Request, start: Start) => Promise<string>

export function createStartSignIn(parts: StartParts): StartSignIn {
  const asksForIdToken = parts.scope.split(' ').includes('openid')

  async function browserOf(req: Request): Promise<string> {
    if (req.session.browser !== undefined) return req.session.browser
    req.session.browser = randomBytes(16).toString('base64url')
    await saveSession(req)
    return req.session.browser
  }

  async function addressOf(parameters: Record<string, string>, returnTo: string): Promise<string> {
    const configuration = await parts.authorizationServer.confirmedConfiguration()
    try {
      return await authorizationUrl(configuration, parameters)
    } catch (error) {
      const { client_id: clientId } = configuration.clientMetadata()
      if (!isClientRefused(error) || !(await parts.authorizationServer.dropIfUnknown(clientId)))
        throw problemOfAnswer(error, signInPath(returnTo))
      return await authorizationUrl(await parts.authorizationServer.confirmedConfiguration(), parameters)
    }
  }

  return async (req, { returnTo, restarts, loginHint, prompt }) => {
    const state = newState(restarts)
    const verifier = randomPKCECodeVerifier()
    const nonce = asksForIdToken ? randomNonce() : undefined
    const url = await addressOf(
      {
        ...parts.parameters,
        redirect_uri: `${parts.publicUrl}/sign-in/callback`,
        scope: parts.scope,
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(nonce === undefined ? {} : { nonce }),
        ...(prompt === undefined ? {} : { prompt }),
        // Together with select_account some servers fail, and the hint would contradict the wish.
        ...(loginHint === undefined || prompt !== undefined ? {} : { login_hint: loginHint }),
      },
      returnTo,
    )
    const startedAt = parts.now()
    await parts.pending.add(state, { browser: await browserOf(req), verifier, nonce, returnTo, startedAt })
    return url
  }
}

async function authorizationUrl(
  configuration: Configuration,
  given: Record<string, string>,
): Promise<string> {
  // A client that registered itself asks for what it was registered for.
  const { scope } = configuration.clientMetadata()
  const parameters = typeof scope === 'string' ? { ...given, scope } : given
  const takesPushed = configuration.serverMetadata().pushed_authorization_request_endpoint !== undefined
  const url = takesPushed
    ? await buildAuthorizationUrlWithPAR(configuration, parameters)
    : buildAuthorizationUrl(configuration, parameters)
  return url.href
}
