// What an authorization server's answer means when it is not a sign-in: told apart by openid-client's codes and the
// registered OAuth errors (RFC 6749 4.1.2.1 and 5.2, OpenID Connect Core 3.1.2.6), never by messages. Pure.
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { Problem, type ProblemCode, type ProblemOptions } from '../problem.ts'

type Meaning = { status: number; code: ProblemCode; detail: string; retryAfter?: number }

const MISCONFIGURED: Record<string, string> = {
  invalid_client:
    'the client is not accepted: see OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_CLIENT_AUTH. If the secret is right but has other characters than letters, digits, - _ . and *, the server may not decode them in client_secret_basic (RFC 6749 2.3.1): set OIDC_CLIENT_AUTH=client_secret_post, or have another secret made',
  unauthorized_client:
    'the client may not sign people in this way: see OIDC_CLIENT_ID at the authorization server',
  invalid_request:
    'the request was refused: is the redirect address registered, does the server ask for more?',
  unsupported_response_type: 'the client may not use the code flow',
  unsupported_grant_type: 'the client may not use the code flow',
  invalid_scope: 'a scope is not known: see OIDC_SCOPE',
  invalid_target: 'the resource is not known: see OIDC_RESOURCE',
}

/**
 * Does the authorization server not accept our client? Said as `invalid_client`, or as a challenge where the client
 * came with an Authorization header (RFC 6749 5.2); the library tells these apart.
 */
export const isClientRefused = (error: unknown): boolean =>
  (error instanceof ResponseBodyError && error.error === 'invalid_client') ||
  (error instanceof WWWAuthenticateChallengeError && error.status === 401)

const UNREACHED = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])

const unavailable = (detail: string): Meaning => ({
  status: 503,
  code: 'sign_in_unavailable',
  detail,
  retryAfter: 5,
})

/** A registered error code is plain text of the specification; anything else is not repeated. */
const nameOfError = (error: string) => (/^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error')

function meaningOfOAuthError(error: string, status: number | undefined): Meaning {
  const said = `the authorization server answered ${nameOfError(error)}`
  if (error === 'access_denied') return { status: 403, code: 'sign_in_denied', detail: said }
  if (error === 'temporarily_unavailable' || error === 'server_error') return unavailable(said)
  if (status !== undefined && (status >= 500 || status === 429))
    return unavailable(`${said} with status ${status}`)
  const mend = MISCONFIGURED[error]
  if (mend !== undefined) return { status: 502, code: 'sign_in_misconfigured', detail: `${said}: ${mend}` }
  return { status: 400, code: 'sign_in_failed', detail: said }
}

function meaningOf(error: unknown): Meaning {
  if (error instanceof AuthorizationResponseError) return meaningOfOAuthError(error.error, undefined)
  if (error instanceof ResponseBodyError) return meaningOfOAuthError(error.error, error.status)
  if (isClientRefused(error)) return meaningOfOAuthError('invalid_client', undefined)
  if (error instanceof WWWAuthenticateChallengeError)
    return { status: 502, code: 'sign_in_misconfigured', detail: `refused with status ${error.status}` }
  if (error instanceof ClientError) {
    const code = error.code ?? 'no code'
    if (UNREACHED.has(code)) return unavailable(`the authorization server gave no usable answer (${code})`)
    return { status: 400, code: 'sign_in_failed', detail: `the answer was refused (${code})` }
  }
  return unavailable('the authorization server cannot be reached')
}

/** The problem that a failed sign-in, refresh or metadata request means; `tryAgain` is where the person starts anew. */
export function problemOfAnswer(error: unknown, tryAgain?: string): Problem {
  if (error instanceof Problem) return error
  const { status, code, detail, retryAfter } = meaningOf(error)
  const options: ProblemOptions = { detail, cause: error }
  if (retryAfter !== undefined) options.retryAfter = retryAfter
  if (tryAgain !== undefined) options.tryAgain = tryAgain
  return new Problem(status, code, options)
}
