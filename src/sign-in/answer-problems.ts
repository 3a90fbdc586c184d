// What an authorization server's answer means when it is not a sign-in: told apart by openid-client's codes and the
// registered OAuth errors (RFC 6749 4.1.2.1 and 5.2, OpenID Connect Core 3.1.2.6), never by messages. Pure but
// for the clock that a Retry-After may be read with.
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import { Problem, type ProblemCode } from '../problem.ts'
import { retryAfterSeconds } from '../client-api/retry-after.ts'
import { isOfProxy, silenceOf } from '../client-api/silence.ts'
import {
  errorSaid,
  inWords,
  nameOfError,
  refusedAlgorithm,
  refusedMember,
  retryAfterOf,
  statusOf,
} from './answer-words.ts'
import { asymmetric } from './sign-out/logout-token.ts'

type Meaning = { status: number; code: ProblemCode; detail: string }

const MISCONFIGURED: Record<string, string> = {
  invalid_client:
    'the client is not accepted: see OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_CLIENT_AUTH. If the secret is right but has other characters than letters, digits, - _ . and *, the server may not decode them in client_secret_basic (RFC 6749 2.3.1): set OIDC_CLIENT_AUTH=client_secret_post, or have another secret made. If onramp registered itself and every sign-in fails, call "onramp registration forget" and start again',
  unauthorized_client:
    'the client may not sign people in this way, or, as some servers say so then, it is not known or its secret is wrong: see OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  invalid_request:
    'the request was refused: is the redirect address registered, does the server ask for more?',
  unsupported_response_type: 'the client may not use the code flow',
  unsupported_grant_type: 'the client may not use the code flow',
  invalid_scope: 'a scope is not known: see OIDC_SCOPE',
  invalid_target: 'the resource is not known: see OIDC_RESOURCE',
}

/**
 * Does the authorization server not accept our client? Said as `invalid_client`, or as a challenge where the client
 * came with an Authorization header (RFC 6749 5.2); the library tells these apart. A challenge may also be about the
 * token that was sent (RFC 6750 3.1).
 */
export const isClientRefused = (error: unknown): boolean =>
  (error instanceof ResponseBodyError && error.error === 'invalid_client') ||
  (error instanceof WWWAuthenticateChallengeError && error.status === 401 && !isOfTheToken(error))

const isOfTheToken = ({ cause }: WWWAuthenticateChallengeError) =>
  cause.some(({ parameters }) => /^invalid_(token|grant)$/.test(parameters['error'] ?? ''))

/** What says nothing of a refresh token: it is about the client, or about the moment. */
const NOT_OF_THE_GRANT = new Set(['invalid_client', 'server_error', 'temporarily_unavailable'])
/** RFC 6749 5.2. Any other status without an error code comes from something in front of the server, or in its place. */
const REFUSALS = new Set([400, 401, 403])

/**
 * Will this refresh token be refused again? Servers say so in other words than invalid_grant too: Microsoft Entra with
 * interaction_required, where the person has to prove more than before; others with 200 and an error in it, or with a
 * bare 401 or 403. A new sign-in is what helps then, and a sign-in that is kept would fail until its last hour.
 * @param when isFresh: the sign-in is so new that another one would end in the same way. isEarly: the access token is
 * still good, so that an answer without an error code can wait until it isn't
 */
export function isGrantRefused(error: unknown, when: { isFresh: boolean; isEarly: boolean }): boolean {
  const said = errorSaid(error)
  if (error instanceof ResponseBodyError && said === 'invalid_grant') return true
  if (when.isFresh || isClientRefused(error) || NOT_OF_THE_GRANT.has(said ?? '')) return false
  // An answer with 200 that is no token.
  const isNone = error instanceof ClientError && error.code === 'OAUTH_INVALID_RESPONSE'
  return (isNone || REFUSALS.has(statusOf(error) ?? 0)) && (said !== undefined || !when.isEarly)
}

const UNREACHED = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])

const unavailable = (detail: string): Meaning => ({ status: 503, code: 'sign_in_unavailable', detail })

/** @param answer in words; the browser brings the answer of the authorization endpoint, so only its code is repeated */
function meaningOfOAuthError(
  error: string,
  status: number | undefined,
  answer = nameOfError(error),
): Meaning {
  const said = `the authorization server answered ${answer}`
  if (error === 'access_denied') return { status: 403, code: 'sign_in_denied', detail: said }
  if (error === 'temporarily_unavailable' || error === 'server_error') return unavailable(said)
  // With 500 and above the library reads no body: see UNREACHED.
  if (status === 429) return unavailable(said)
  const advice = MISCONFIGURED[error]
  if (advice !== undefined) return misconfigured(`${said}: ${advice}`)
  return { status: 400, code: 'sign_in_failed', detail: said }
}

const misconfigured = (detail: string): Meaning => ({ status: 502, code: 'sign_in_misconfigured', detail })

const wrongAlgorithm = (algorithm: string) =>
  asymmetric([algorithm]).length > 0 ? unlistedAlgorithm(algorithm) : forgeableAlgorithm(algorithm)

const unlistedAlgorithm = (algorithm: string) =>
  `the id_token is signed with ${algorithm}, which was not agreed on: let the authorization server list it in its metadata (id_token_signing_alg_values_supported; RS256 where that is left out), or sign this client's id_tokens with what it lists`

const forgeableAlgorithm = (algorithm: string) =>
  `the id_token is signed with ${algorithm}, which onramp does not take: anyone with the client's secret could have made one with HS256, HS384 or HS512, and anyone at all one with none. Let the authorization server sign this client's id_tokens with a key of its own that its metadata names (id_token_signed_response_alg: RS256, ES256, PS256 or EdDSA)`

const WITHOUT_ID_TOKEN =
  'the token endpoint gave an access token, but no id_token, though openid was asked for: leave openid out of OIDC_SCOPE if the server is plain OAuth 2.1, or allow the scope openid for the client there'

function meaningOf(error: unknown): Meaning {
  if (error instanceof AuthorizationResponseError) return meaningOfOAuthError(error.error, undefined)
  if (error instanceof ResponseBodyError)
    return meaningOfOAuthError(error.error, error.status, inWords(error))
  if (isClientRefused(error)) return meaningOfOAuthError('invalid_client', undefined, inWords(error))
  if (error instanceof WWWAuthenticateChallengeError) return misconfigured(`refused with ${inWords(error)}`)
  const algorithm = refusedAlgorithm(error)
  if (algorithm !== undefined) return misconfigured(wrongAlgorithm(algorithm))
  const member = refusedMember(error)
  if (member === 'id_token') return misconfigured(WITHOUT_ID_TOKEN)
  const silence = silenceOf(error)
  if (isOfProxy(silence)) return unavailable(`the authorization server cannot be reached: ${silence}`)
  if (!(error instanceof ClientError)) return unavailable('the authorization server cannot be reached')
  const code = error.code ?? 'no code'
  if (!UNREACHED.has(code)) {
    const why = member === undefined ? code : `${code}: ${member} is missing, or cannot be used`
    return { status: 400, code: 'sign_in_failed', detail: `the answer was refused (${why})` }
  }
  const status = statusOf(error)
  const which = status === undefined ? code : `status ${status}, ${code}`
  return unavailable(`the authorization server gave no usable answer (${which})`)
}

/** The authorization server cannot be used now, or what we keep of it can't. */
export const signInUnavailable = (detail: string, cause?: unknown): Problem =>
  new Problem(503, 'sign_in_unavailable', { detail, cause, retryAfter: 5 })

/** The problem that a failed sign-in, refresh or metadata request means; `tryAgain` is where the person starts anew. */
export function problemOfAnswer(error: unknown, tryAgain?: string): Problem {
  if (error instanceof Problem) return error
  const { status, code, detail } = meaningOf(error)
  const retryAfter =
    code === 'sign_in_unavailable' ? retryAfterSeconds(retryAfterOf(error), Date.now()) : undefined
  return new Problem(status, code, { detail, cause: error, ...omitUndefined({ retryAfter, tryAgain }) })
}
