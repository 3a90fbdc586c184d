// Turns errors of the authorization server into problems for people and details for the log, by openid-client's codes
// and the registered OAuth errors (RFC 6749 4.1.2.1 and 5.2, OpenID Connect Core 3.1.2.6).
import {
  AuthorizationResponseError,
  ClientError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import { withoutAddresses } from '../../client-api/error-response.ts'
import { causesOf, hasAdvice, networkErrorOf } from '../../http/network-error.ts'
import { retryAfterSeconds } from '../../http/retry-after.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { Problem } from '../../problem.ts'
import { redact } from '../../web/log.ts'
import { asymmetricAlgorithms } from './signing-keys.ts'

const STATUSES = {
  sign_in_failed: 400,
  sign_in_denied: 403,
  sign_in_misconfigured: 502,
  sign_in_unavailable: 503,
}

type Explanation = { code: keyof typeof STATUSES; detail: string }

const MISCONFIGURED: Record<string, string> = {
  invalid_client:
    'the client was rejected: see OIDC_CLIENT_ID, OIDC_CLIENT_AUTH, and OIDC_CLIENT_SECRET (or the key, certificate or assertion file used instead). If the secret is right but contains characters other than letters, digits, - _ . and *, the server may not decode them in client_secret_basic (RFC 6749 2.3.1): set OIDC_CLIENT_AUTH=client_secret_post, or create another secret. If onramp registered itself and every sign-in fails, run "onramp registration forget" and restart',
  unauthorized_client:
    'the client is not allowed this grant or, with some servers, is unknown or has a wrong secret: see OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  invalid_request:
    'the request was rejected: check that the redirect URI is registered, and whether the server requires more parameters',
  unsupported_response_type: 'the client is not allowed the authorization code flow',
  unsupported_grant_type: 'the client is not allowed the authorization code flow',
  invalid_scope: 'a scope is unknown: see OIDC_SCOPE',
  invalid_target: 'the resource is unknown: see OIDC_RESOURCE',
}

const UNUSABLE_RESPONSE = /^OAUTH_(TIMEOUT|ABORT|PARSE_ERROR|RESPONSE_IS_NOT_(CONFORM|JSON))$/

const WITHOUT_ID_TOKEN =
  'the token endpoint returned an access token but no id_token, although openid was requested: remove openid from OIDC_SCOPE if the server is plain OAuth 2.1, or allow the scope openid for the client there'

const UNLISTED =
  "which its metadata doesn't list: have the authorization server add it to id_token_signing_alg_values_supported (default: RS256), or sign this client's id_tokens with a listed algorithm"

const FORGEABLE =
  "which onramp rejects: with HS256, HS384 or HS512, anyone with the client secret could forge one, and with none, anyone at all. Have the authorization server sign this client's id_tokens with its own key (id_token_signed_response_alg: RS256, ES256, PS256 or EdDSA)"

const UNKNOWN_KEY =
  "no key at the authorization server's jwks_uri matches the id_token's kid and alg, or several do"

const ENCRYPTED =
  "the id_token can't be read: it is encrypted (JWE), and onramp has no key for it. Turn off encryption of id_tokens for this client there"

const MISSING_ISS =
  "the authorization response lacks iss, which the server's metadata promises (authorization_response_iss_parameter_supported; RFC 9207)"

const unavailable = (detail: string): Explanation => ({ code: 'sign_in_unavailable', detail })
const misconfigured = (detail: string): Explanation => ({ code: 'sign_in_misconfigured', detail })
const failed = (detail: string): Explanation => ({ code: 'sign_in_failed', detail })

/** The authorization server, or our data about it, can't be used now. */
export const signInUnavailable = (detail: string, cause?: unknown): Problem =>
  new Problem(503, 'sign_in_unavailable', { detail, cause, retryAfter: 5 })

/** @param tryAgain path at which the person starts again @param request the failed one, a prefix of the detail */
export function errorResponseProblem(error: unknown, tryAgain?: string, request = ''): Problem {
  // The library wraps errors of client authentication.
  const problem = causesOf(error).find((cause) => cause instanceof Problem)
  if (problem !== undefined) return problem
  const { code, detail } = explain(error)
  const wait = responseOf(error)?.headers.get('retry-after') ?? undefined
  const retryAfter = code === 'sign_in_unavailable' ? retryAfterSeconds(wait, Date.now()) : undefined
  const more = omitUndefined({ retryAfter, tryAgain })
  return new Problem(STATUSES[code], code, { detail: request + detail, cause: error, ...more })
}

function explain(error: unknown): Explanation {
  // This error comes through the browser, so only its code is repeated.
  if (error instanceof AuthorizationResponseError)
    return explainOAuthError(error.error, undefined, errorCode(error.error))
  if (error instanceof ResponseBodyError)
    return explainOAuthError(error.error, error.status, describeErrorResponse(error))
  if (isClientRefused(error))
    return explainOAuthError('invalid_client', undefined, describeErrorResponse(error))
  if (error instanceof WWWAuthenticateChallengeError)
    return misconfigured(`the request was rejected with ${describeErrorResponse(error)}`)
  return explainIdToken(error) ?? explainIssuer(error) ?? explainNetwork(error) ?? explainRefused(error)
}

function explainOAuthError(error: string, status: number | undefined, response: string): Explanation {
  const detail = `the authorization server responded ${response}`
  // In a callback, login_required and similar codes mean that the person didn't sign in.
  if (error === 'access_denied' || (status === undefined && error.endsWith('_required')))
    return { code: 'sign_in_denied', detail }
  if (error === 'temporarily_unavailable' || error === 'server_error' || status === 429)
    return unavailable(detail)
  const advice = MISCONFIGURED[error]
  return advice === undefined ? failed(detail) : misconfigured(`${detail}: ${advice}`)
}

function explainIdToken(error: unknown): Explanation | undefined {
  const carried = nonErrorCause(error)
  const { alg } = objectOf('header' in carried && 'expected' in carried ? carried['header'] : carried)
  if (typeof alg === 'string') {
    const name = /^[\w-]{1,20}$/.test(alg) ? alg : 'an unknown algorithm'
    const why = asymmetricAlgorithms([name]).length > 0 ? UNLISTED : FORGEABLE
    return misconfigured(`the id_token is signed with ${name}, ${why}`)
  }
  if (!(error instanceof ClientError) || error.code !== 'OAUTH_UNSUPPORTED_OPERATION') return undefined
  const { modulusLength: bits } = objectOf(carried['algorithm'])
  if (typeof bits === 'number')
    return misconfigured(
      `the id_token is signed with a key of ${bits} bits: RFC 7518 3.3 requires at least 2,048`,
    )
  if ('token_type' in objectOf(carried['body']))
    return misconfigured("the token_type isn't Bearer (RFC 6750): the service accepts only bearer tokens")
  return causesOf(error).some((cause) => typeof cause === 'string') ? misconfigured(ENCRYPTED) : undefined
}

/** A wrong `iss` in an authorization response (RFC 9207), which only the library's message explains. */
function explainIssuer(error: unknown): Explanation | undefined {
  const messages = messagesOf(error)
  if (messages.includes('response parameter "iss" (issuer) missing')) return failed(MISSING_ISS)
  return messages.includes('"iss" (issuer) response parameter value')
    ? failed('the authorization response has the iss of another server (RFC 9207)')
    : undefined
}

function explainNetwork(error: unknown): Explanation | undefined {
  const networkError = networkErrorOf(error)
  if (hasAdvice(networkError))
    return unavailable(`the authorization server cannot be reached: ${networkError}`)
  if (networkError === 'too-large')
    return unavailable("the authorization server's keys (jwks_uri), or another response, exceed 1 MiB")
  return error instanceof ClientError ? undefined : unavailable('the authorization server cannot be reached')
}

function explainRefused(error: unknown): Explanation {
  const code = (error as ClientError).code ?? 'no code'
  // Only the library's message names the member of the response, or the claim of its id_token.
  const [, member] = /(?:body|JWT) "(\w{1,40})" (?:property|\([\w ]+\) claim)/.exec(messagesOf(error)) ?? []
  if (member === 'id_token') return misconfigured(WITHOUT_ID_TOKEN)
  if (code === 'OAUTH_KEY_SELECTION_FAILED') return failed(UNKNOWN_KEY)
  if (isSignatureInvalid(error))
    return failed("the id_token's signature doesn't match the key with its kid at jwks_uri")
  const { status, url = '' } = responseOf(error) ?? {}
  if (UNUSABLE_RESPONSE.test(code)) {
    const which = [status && `status ${status}`, code, url && `at ${url}`].filter(Boolean).join(', ')
    return unavailable(`the authorization server sent no valid response (${which})`)
  }
  const why = member === undefined ? code : `${code}: ${member} is missing or invalid`
  return failed(`the response was rejected (${why})`)
}

/** True for invalid_client, and for a challenge (RFC 6749 5.2) that isn't about a token (RFC 6750 3.1). */
const isClientRefused = (error: unknown): boolean =>
  (error instanceof ResponseBodyError && error.error === 'invalid_client') ||
  (error instanceof WWWAuthenticateChallengeError &&
    error.status === 401 &&
    !error.cause.some(({ parameters }) => /^invalid_(token|grant)$/.test(parameters['error'] ?? '')))

/** These codes are about the client or an outage, not about the refresh token. */
const OTHER_CAUSES = ['invalid_client', 'server_error', 'temporarily_unavailable']
/** RFC 6749 5.2. Other statuses without an error code come from a proxy. */
const REFUSALS = [400, 401, 403]

/**
 * True if this refresh token would be refused again, so that only a new sign-in helps. Besides invalid_grant, Microsoft
 * Entra sends interaction_required; others send an error with 200, or a bare 401 or 403.
 * @param isRecent a new sign-in would also fail @param isEarly the access token is valid, so require an error code
 */
export function isRefreshTokenRefused(
  error: unknown,
  { isRecent, isEarly }: { isRecent: boolean; isEarly: boolean },
): boolean {
  const code = errorIn(error)
  if (error instanceof ResponseBodyError && code === 'invalid_grant') return true
  if (isRecent || isClientRefused(error) || OTHER_CAUSES.includes(code ?? '')) return false
  const isNoToken = error instanceof ClientError && error.code === 'OAUTH_INVALID_RESPONSE'
  const isErrorWith200 = error instanceof ResponseBodyError && error.status < 300
  const isRefused = isNoToken || isErrorWith200 || REFUSALS.includes(responseStatus(error) ?? 0)
  return isRefused && (code !== undefined || !isEarly)
}

const MAX_DESCRIPTION = 200

/** Repeats only registered codes, which are harmless. */
const errorCode = (error: string) => (/^[a-z_]{1,40}$/.test(error) ? error : 'an unknown error')

const messagesOf = (error: unknown) =>
  causesOf(error)
    .map((cause) => (cause instanceof Error ? cause.message : ''))
    .join('\n')

const objectOf = (value: unknown) => (value ?? {}) as Record<string, unknown>

/** The first cause that isn't an error: the value that the library's error is about. */
const nonErrorCause = (error: unknown) =>
  objectOf(causesOf(error).find((one) => typeof one === 'object' && one !== null && !(one instanceof Error)))

const responseOf = (error: unknown): Response | undefined =>
  causesOf(error)
    .map((cause) =>
      cause instanceof WWWAuthenticateChallengeError || cause instanceof ResponseBodyError
        ? cause.response
        : cause,
    )
    .find((one) => one instanceof Response)

export const responseStatus = (error: unknown): number | undefined => responseOf(error)?.status

/** A word of lower case, upper case and digits may be a code or a token. */
const RANDOM = /\b(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{8,}\b/g

/** Keeps ASCII (RFC 6749 5.2), without email addresses and random words. */
function quote(description: string): string {
  const plain = description.replaceAll(/[^\x20-\x7e…]|["\\<>]/g, ' ').slice(0, 4 * MAX_DESCRIPTION)
  return redact(withoutAddresses(plain)).replaceAll(RANDOM, '…').slice(0, MAX_DESCRIPTION).trim()
}

/** `invalid_grant with status 400 ("grant request is invalid")`, `status 502`, `no valid response (OAUTH_TIMEOUT)`. */
export function describeErrorResponse(error: unknown): string {
  const status = responseStatus(error)
  if (error instanceof ResponseBodyError) {
    const description = quote(error.error_description ?? '')
    const code = `${errorCode(error.error)} with status ${status}`
    return description === '' ? code : `${code} ("${description}")`
  }
  if (status !== undefined) return `status ${status}`
  const code = error instanceof ClientError ? error.code : undefined
  return code === undefined ? 'no response' : `no valid response (${code})`
}

/** The OAuth error code, even in a response with status 200. */
function errorIn(error: unknown): string | undefined {
  if (error instanceof ResponseBodyError) return error.error
  const code = objectOf(nonErrorCause(error)['body'])['error']
  return typeof code === 'string' ? code : undefined
}

/** True if the key with a token's kid didn't make its signature. */
export const isSignatureInvalid = (error: unknown): boolean => 'signature' in nonErrorCause(error)
