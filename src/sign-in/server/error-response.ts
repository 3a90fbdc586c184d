// What an authorization server's answer means when it is not a sign-in, and its words for the log: told apart by
// openid-client's codes and the registered OAuth errors (RFC 6749 4.1.2.1 and 5.2, OpenID Connect Core 3.1.2.6). Pure but
// for the clock that a Retry-After may be read with.
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { withoutAddresses } from '../../client-api/error-response.ts'
import { retryAfterSeconds } from '../../http/retry-after.ts'
import { hasAdvice, networkErrorOf } from '../../http/network-error.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { Problem, type ProblemCode } from '../../problem.ts'
import { redacted } from '../../web/log.ts'
import { asymmetricAlgorithms } from '../sign-out/logout-token.ts'

type Meaning = { status: number; code: ProblemCode; detail: string }

const MISCONFIGURED: Record<string, string> = {
  invalid_client:
    'the client is not accepted: see OIDC_CLIENT_ID, OIDC_CLIENT_AUTH, and OIDC_CLIENT_SECRET (or the key, certificate or assertion file in its place). If the secret is right but has other characters than letters, digits, - _ . and *, the server may not decode them in client_secret_basic (RFC 6749 2.3.1): set OIDC_CLIENT_AUTH=client_secret_post, or have another secret made. If onramp registered itself and every sign-in fails, call "onramp registration forget" and start again',
  unauthorized_client:
    'the client may not sign people in this way, or, as some servers say so then, it is not known or its secret is wrong: see OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  invalid_request:
    'the request was refused: is the redirect address registered, does the server ask for more?',
  unsupported_response_type: 'the client may not use the code flow',
  unsupported_grant_type: 'the client may not use the code flow',
  invalid_scope: 'a scope is not known: see OIDC_SCOPE',
  invalid_target: 'the resource is not known: see OIDC_RESOURCE',
}

const UNREACHED = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])

const WITHOUT_ID_TOKEN =
  'the token endpoint gave an access token, but no id_token, though openid was asked for: leave openid out of OIDC_SCOPE if the server is plain OAuth 2.1, or allow the scope openid for the client there'

const UNLISTED =
  "which was not agreed on: let the authorization server list it in its metadata (id_token_signing_alg_values_supported; RS256 where that is left out), or sign this client's id_tokens with what it lists"

const FORGEABLE =
  "which onramp does not take: anyone with the client's secret could have made one with HS256, HS384 or HS512, and anyone at all one with none. Let the authorization server sign this client's id_tokens with a key of its own that its metadata names (id_token_signed_response_alg: RS256, ES256, PS256 or EdDSA)"

const unavailable = (detail: string): Meaning => ({ status: 503, code: 'sign_in_unavailable', detail })
const misconfigured = (detail: string): Meaning => ({ status: 502, code: 'sign_in_misconfigured', detail })
const failed = (detail: string): Meaning => ({ status: 400, code: 'sign_in_failed', detail })

/** @param answer in words; the browser brings the answer of the authorization endpoint, so only its code is repeated */
function meaningOfOAuthError(
  error: string,
  status: number | undefined,
  answer = nameOfError(error),
): Meaning {
  const said = `the authorization server answered ${answer}`
  // `login_required` and its like come from the browser, and mean that the person didn't sign in there.
  if (error === 'access_denied' || (status === undefined && error.endsWith('_required')))
    return { status: 403, code: 'sign_in_denied', detail: said }
  // With 500 and above the library reads no body: see UNREACHED.
  if (error === 'temporarily_unavailable' || error === 'server_error' || status === 429)
    return unavailable(said)
  const advice = MISCONFIGURED[error]
  return advice === undefined ? failed(said) : misconfigured(`${said}: ${advice}`)
}

function meaningOf(error: unknown): Meaning {
  if (error instanceof AuthorizationResponseError) return meaningOfOAuthError(error.error, undefined)
  if (error instanceof ResponseBodyError)
    return meaningOfOAuthError(error.error, error.status, describeErrorResponse(error))
  if (isClientRefused(error))
    return meaningOfOAuthError('invalid_client', undefined, describeErrorResponse(error))
  if (error instanceof WWWAuthenticateChallengeError)
    return misconfigured(`refused with ${describeErrorResponse(error)}`)
  const algorithm = refusedAlgorithm(error)
  if (algorithm !== undefined) {
    const why = asymmetricAlgorithms([algorithm]).length > 0 ? UNLISTED : FORGEABLE
    return misconfigured(`the id_token is signed with ${algorithm}, ${why}`)
  }
  const refused = unsupported(error)
  if (refused !== undefined) return misconfigured(refused)
  const issuer = refusedIssuer(error)
  if (issuer !== undefined) return failed(issuer)
  const member = refusedMember(error)
  if (member === 'id_token') return misconfigured(WITHOUT_ID_TOKEN)
  const silence = networkErrorOf(error)
  if (hasAdvice(silence)) return unavailable(`the authorization server cannot be reached: ${silence}`)
  if (!(error instanceof ClientError)) return unavailable('the authorization server cannot be reached')
  const code = error.code ?? 'no code'
  if (code === 'OAUTH_KEY_SELECTION_FAILED')
    return failed(
      "none of the keys at the authorization server's jwks_uri fits the id_token, by its kid and alg, or more than one does",
    )
  if (isSignatureInvalid(error))
    return failed("the id_token's signature isn't of the key at jwks_uri that its kid names")
  const { status, url = '' } = responseOf(error) ?? {}
  if (UNREACHED.has(code)) {
    const which = [status && `status ${status}`, code, url && `at ${url}`].filter(Boolean).join(', ')
    return unavailable(`the authorization server gave no usable answer (${which})`)
  }
  const why = member === undefined ? code : `${code}: ${member} is missing, or cannot be used`
  return failed(`the answer was refused (${why})`)
}

/** The authorization server cannot be used now, or what we keep of it can't. */
export const signInUnavailable = (detail: string, cause?: unknown): Problem =>
  new Problem(503, 'sign_in_unavailable', { detail, cause, retryAfter: 5 })

/** @param tryAgain where the person starts anew @param which request failed: a prefix of the detail */
export function errorResponseProblem(error: unknown, tryAgain?: string, which = ''): Problem {
  // The library wraps what a client's authentication throws.
  const own = chainOf(error).find((one) => one instanceof Problem)
  if (own !== undefined) return own
  const { status, code, detail } = meaningOf(error)
  const wait = responseOf(error)?.headers.get('retry-after') ?? undefined
  const retryAfter = code === 'sign_in_unavailable' ? retryAfterSeconds(wait, Date.now()) : undefined
  return new Problem(status, code, {
    detail: which + detail,
    cause: error,
    ...omitUndefined({ retryAfter, tryAgain }),
  })
}

/** invalid_client, or a challenge after an Authorization header (RFC 6749 5.2) not about the token (RFC 6750 3.1). */
const isClientRefused = (error: unknown): boolean =>
  (error instanceof ResponseBodyError && error.error === 'invalid_client') ||
  (error instanceof WWWAuthenticateChallengeError &&
    error.status === 401 &&
    !error.cause.some(({ parameters }) => /^invalid_(token|grant)$/.test(parameters['error'] ?? '')))

/** What says nothing of a refresh token: it is about the client, or about the moment. */
const NOT_OF_THE_GRANT = new Set(['invalid_client', 'server_error', 'temporarily_unavailable'])
/** RFC 6749 5.2. Any other status without an error code comes from something in front of the server, or in its place. */
const REFUSALS = new Set([400, 401, 403])

/**
 * True if this refresh token would be refused again, so that only a new sign-in helps. Besides invalid_grant, Microsoft Entra
 * sends interaction_required; others an error with 200, or a bare 401 or 403.
 * @param when isFresh: another sign-in would end alike. isEarly: the access token is still good, so an error code is needed
 */
export function isRefreshTokenRefused(error: unknown, when: { isFresh: boolean; isEarly: boolean }): boolean {
  const said = errorIn(error)
  if (error instanceof ResponseBodyError && said === 'invalid_grant') return true
  if (when.isFresh || isClientRefused(error) || NOT_OF_THE_GRANT.has(said ?? '')) return false
  // An answer with 200 that is no token, or an error.
  const isNone = error instanceof ClientError && error.code === 'OAUTH_INVALID_RESPONSE'
  const isError = error instanceof ResponseBodyError && error.status < 300
  return (
    (isNone || isError || REFUSALS.has(responseStatus(error) ?? 0)) && (said !== undefined || !when.isEarly)
  )
}

const MAX_DESCRIPTION = 200
const MAX_CAUSES = 5

/** A registered error code is plain text of the specification; anything else is not repeated. */
const nameOfError = (error: string) => (/^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error')

/** The error and what caused it, the outermost first. */
function chainOf(error: unknown): unknown[] {
  const chain = [error]
  for (let last = error; last instanceof Error && chain.length <= MAX_CAUSES; last = last.cause)
    chain.push(last.cause)
  return chain
}

const messagesOf = (error: unknown) =>
  chainOf(error)
    .map((one) => (one instanceof Error ? one.message : ''))
    .join('\n')

const recordOf = (value: unknown) => (value ?? {}) as Record<string, unknown>

/** What the library's error carries: the first of its causes that is no error. */
const carriedBy = (error: unknown) =>
  recordOf(chainOf(error).find((one) => typeof one === 'object' && one !== null && !(one instanceof Error)))

/** The answer that an error of the library is about, or undefined where there was none. */
const responseOf = (error: unknown): Response | undefined =>
  chainOf(error)
    .map((one) =>
      one instanceof WWWAuthenticateChallengeError || one instanceof ResponseBodyError ? one.response : one,
    )
    .find((one) => one instanceof Response)

/** The HTTP status of the answer that an error of the library is about. */
export const responseStatus = (error: unknown): number | undefined => responseOf(error)?.status

/** Small and capital letters with digits in one word: made by a machine, so perhaps a code. */
const RANDOM = /\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{8,}\b/g

/** RFC 6749 5.2 allows ASCII only, but for our own mark; words that look made up and addresses are left out. */
function quoted(description: string): string {
  const plain = description.replaceAll(/[^\x20-\x7e…]|["\\<>]/g, ' ').slice(0, 4 * MAX_DESCRIPTION)
  return redacted(withoutAddresses(plain)).replaceAll(RANDOM, '…').slice(0, MAX_DESCRIPTION).trim()
}

/** What came back: `invalid_grant with status 400 ("grant request is invalid")`, `status 502`, `nothing (OAUTH_TIMEOUT)`. */
export function describeErrorResponse(error: unknown): string {
  const status = responseStatus(error)
  if (error instanceof ResponseBodyError) {
    const description = quoted(error.error_description ?? '')
    const said = `${nameOfError(error.error)} with status ${status}`
    return description === '' ? said : `${said} ("${description}")`
  }
  if (status !== undefined) return `status ${status}`
  const code = error instanceof ClientError ? error.code : undefined
  return code === undefined ? 'nothing' : `nothing usable (${code})`
}

/** The error code in the answer's body, where there is one; also in an answer with 200. */
function errorIn(error: unknown): string | undefined {
  if (error instanceof ResponseBodyError) return error.error
  const said = recordOf(carriedBy(error)['body'])['error']
  return typeof said === 'string' ? said : undefined
}

/** The member of a response, or claim of its id_token, that the library refused. Only its message names it: for the log. */
function refusedMember(error: unknown): string | undefined {
  return /(?:body|JWT) "(\w{1,40})" (?:property|\([\w ]+\) claim)/.exec(messagesOf(error))?.[1]
}

/** The library has one code for all that it doesn't do; what its error carries tells them apart. */
function unsupported(error: unknown): string | undefined {
  if (!(error instanceof ClientError) || error.code !== 'OAUTH_UNSUPPORTED_OPERATION') return undefined
  const { algorithm, body } = carriedBy(error)
  const { modulusLength: bits } = recordOf(algorithm)
  if (typeof bits === 'number')
    return `the id_token is signed with a key of ${bits} bits: RFC 7518 3.3 asks for 2,048 or more`
  if ('token_type' in recordOf(body))
    return "the access token isn't a bearer token, by its token_type (RFC 6750): the service takes no others"
  // What the token was in a string, which isn't repeated.
  if (!chainOf(error).some((one) => typeof one === 'string')) return undefined
  return "the id_token can't be read: it is encrypted (JWE), and onramp has no key for it. Turn off encryption of id_tokens for this client there"
}

/** What is wrong with the `iss` of an authorization response (RFC 9207), which the library says in its message only. */
function refusedIssuer(error: unknown): string | undefined {
  const message = messagesOf(error)
  if (message.includes('response parameter "iss" (issuer) missing'))
    return "the answer came without iss, which the authorization server's metadata promises (authorization_response_iss_parameter_supported; RFC 9207)"
  return message.includes('"iss" (issuer) response parameter value')
    ? 'the answer has the iss of another authorization server (RFC 9207)'
    : undefined
}

/** The algorithm of an id_token that the library refused: its error carries the header and the expected ones. */
function refusedAlgorithm(error: unknown): string | undefined {
  const carried = carriedBy(error)
  const { alg } = recordOf('header' in carried && 'expected' in carried ? carried['header'] : carried)
  if (typeof alg !== 'string') return undefined
  return /^[\w-]{1,20}$/.test(alg) ? alg : 'an unknown algorithm'
}

/** A token's signature is not of the key with that name. The library says so only in what its error carries. */
export const isSignatureInvalid = (error: unknown): boolean => 'signature' in carriedBy(error)
