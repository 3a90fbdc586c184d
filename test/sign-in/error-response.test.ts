// Error responses: the problem for the person, the advice for the log, and no secrets. The errors are the library's
// own.
import { generateKeyPairSync, sign } from 'node:crypto'
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  enableNonRepudiationChecks,
  refreshTokenGrant,
} from 'openid-client'
import { expect, it } from 'vitest'
import { ProxyError } from '../../src/http/network-error.ts'
import {
  describeErrorResponse,
  isRefreshTokenRefused,
  errorResponseProblem,
  responseStatus,
} from '../../src/sign-in/server/error-response.ts'
import { answering, issuer, libraryError, refusalOf } from './library-errors.ts'

const refusal = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  refusalOf(refreshTokenGrant(answering(status, body, headers), 'one'))
const fromBrowser = (error: string) =>
  new AuthorizationResponseError('x', { cause: new URLSearchParams({ error }) })
const challenge = (text: string) => ({ 'www-authenticate': text })
const problemOf = (error: unknown) => {
  const { status, code, detail } = errorResponseProblem(error)
  return [status, code, detail]
}
const detailOf = async (work: Promise<unknown>) => errorResponseProblem(await refusalOf(work)).detail
const matching = (words: RegExp) => expect.stringMatching(words) as string

it.each([
  ['access_denied', 403, 'sign_in_denied', /^$/],
  ['temporarily_unavailable', 503, 'sign_in_unavailable', /^$/],
  ['server_error', 503, 'sign_in_unavailable', /^$/],
  ['invalid_client', 502, 'sign_in_misconfigured', /OIDC_CLIENT_AUTH.*onramp registration forget/],
  ['unauthorized_client', 502, 'sign_in_misconfigured', /OIDC_CLIENT_ID and OIDC_CLIENT_SECRET/],
  ['invalid_request', 502, 'sign_in_misconfigured', /redirect URI/],
  ['unsupported_response_type', 502, 'sign_in_misconfigured', /code flow/],
  ['unsupported_grant_type', 502, 'sign_in_misconfigured', /code flow/],
  ['invalid_scope', 502, 'sign_in_misconfigured', /OIDC_SCOPE/],
  ['invalid_target', 502, 'sign_in_misconfigured', /OIDC_RESOURCE/],
])('the error %s becomes the problem %i %s, with any advice for the operator', async (...row) => {
  const [error, status, code, advice] = row
  for (const [response, words] of [
    [fromBrowser(error), error],
    [await refusal(400, { error }), `${error} with status 400`],
  ] as const) {
    const [actualStatus, actualCode, detail] = problemOf(response)
    expect([actualStatus, actualCode]).toEqual([status, code])
    expect(String(detail).split(`the authorization server responded ${words}`)[1]).toMatch(advice)
  }
})

it.each([
  [428, 'sign_in_failed'],
  [429, 'sign_in_unavailable'],
  [499, 'sign_in_failed'],
  [500, 'sign_in_unavailable'],
])('an unknown error with the status %i becomes %s', async (status, code) => {
  expect(errorResponseProblem(await refusal(status, { error: 'odd' })).code).toBe(code)
})

it.each([
  ['Basic realm="x"', 401, 'the authorization server responded status 401: the client was rejected'],
  ['Bearer realm="x", error="invalid_token"', 401, 'the request was rejected with status 401'],
  ['Bearer realm="x", error="not_invalid_token"', 401, 'the client was rejected'],
  ['Basic realm="x", Bearer error="invalid_token"', 401, 'the request was rejected with status 401'],
  ['Basic realm="x"', 403, 'the request was rejected with status 403'],
])('the challenge %s with the status %i is explained: %s', async (text, status, words) => {
  const detail = expect.stringContaining(words) as string
  expect(problemOf(await refusal(status, {}, challenge(text)))).toEqual([
    502,
    'sign_in_misconfigured',
    detail,
  ])
})

const tokens = { access_token: 'a', token_type: 'Bearer' }
type When = 'always' | 'unless new' | 'unless new or early' | 'never'
const aboutToken = challenge('Bearer realm="x", error="invalid_token"')

it.each<[string, When, number, unknown, Record<string, string>?]>([
  ['invalid_grant', 'always', 400, { error: 'invalid_grant' }],
  ['200 with an error', 'unless new', 200, { error: 'bad_refresh_token' }],
  ['interaction_required', 'unless new', 400, { error: 'interaction_required' }],
  ['200 without a token', 'unless new or early', 200, { ok: false }],
  ['an invalid expiry', 'unless new or early', 200, { ...tokens, expires_in: -1 }],
  ['400 without an error code', 'unless new or early', 400, { errorCode: 'E0000011' }],
  ['401 without a body', 'unless new or early', 401, ''],
  ['401 and a challenge about the token', 'unless new or early', 401, {}, aboutToken],
  ['403 with a page', 'unless new or early', 403, '<html>'],
  ['429', 'never', 429, { error: 'slow_down' }],
  ['503', 'never', 503, '<html>'],
  ['a redirect', 'never', 302, ''],
  ['404 of a proxy whose server restarts', 'never', 404, '404 page not found'],
  ['200 with a page', 'never', 200, '<html>'],
  ['200 and server_error', 'never', 200, { error: 'server_error' }],
  ['temporarily_unavailable', 'never', 400, { error: 'temporarily_unavailable' }],
  ['401 invalid_client', 'never', 401, { error: 'invalid_client' }],
  ['401 and a challenge for the client', 'never', 401, {}, challenge('Basic realm="x"')],
])('a refresh with the response %s ends the sign-in: %s', async (_title, when, status, body, headers) => {
  const error = await refusal(status, body, headers)
  const ends = (isRecent: boolean, isEarly: boolean) => isRefreshTokenRefused(error, { isRecent, isEarly })
  const outcomes = [ends(false, false), ends(false, true), ends(true, false), ends(true, true)]
  const isNew = when === 'always'
  const isEarly = isNew || when === 'unless new'
  expect(outcomes).toEqual([when !== 'never', isEarly, isNew, isNew])
})

it('a refresh without a response ends no sign-in', () => {
  for (const none of [new Error('x'), libraryError('OAUTH_TIMEOUT')])
    expect(isRefreshTokenRefused(none, { isRecent: false, isEarly: false })).toBe(false)
})

it.each([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])('the library’s error %s is temporary', (code) => {
  const unavailable = [503, 'sign_in_unavailable']
  const detail = 'the authorization server sent no valid response'
  expect(problemOf(libraryError(code))).toEqual([...unavailable, `${detail} (${code})`])
  const value = `${issuer}/keys`
  const response = Object.defineProperty(new Response('', { status: 502 }), 'url', { value })
  const more = `(status 502, ${code}, at ${value})`
  expect(problemOf(libraryError(code, response))).toEqual([...unavailable, `${detail} ${more}`])
})

it('an unknown library error is a failure, and a proxy’s refusal is temporary', () => {
  const failed = [400, 'sign_in_failed', 'the response was rejected (OAUTH_X)']
  expect(problemOf(libraryError('OAUTH_X'))).toEqual(failed)
  const away = 'the authorization server cannot be reached'
  expect(problemOf(new TypeError('x'))).toEqual([503, 'sign_in_unavailable', away])
  const trouble = new ProxyError('p:1', 'refuses to connect to as.example (403)')
  const why = `${away}: the proxy p:1 refuses to connect to as.example (403)`
  expect(problemOf(libraryError('OAUTH_ODD', trouble))[2]).toBe(why)
})

const rightClaims = { iss: issuer, aud: 'client', sub: 'ada', iat: 1, exp: 9_999_999_999 }
const jwtOf = (...parts: object[]) =>
  parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

const UNLISTED = /signed with \wS256, which its metadata doesn't list/
it.each<[string, object, RegExp, string[]?]>([
  ['an invalid expiry', { expires_in: -1 }, /: expires_in is missing or invalid/],
  ['an error', { access_token: undefined, error: 'odd' }, /: access_token is missing/],
  ['a scope that isn’t a string', { scope: 5 }, /: scope is missing or invalid/],
  ['a sub that isn’t a string', { id_token: { sub: 7 } }, /: sub is missing or invalid/],
  ['no time', { id_token: { iat: undefined } }, /: iat is missing or invalid/],
  ['an end in the past', { id_token: { exp: 1 } }, /: exp is missing or invalid/],
  ['RS256, which is not listed', { id_token: {} }, UNLISTED, ['none']],
  ['ES256', { id_token: {}, alg: 'ES256' }, UNLISTED],
  ['no signature', { id_token: {}, alg: 'none' }, /signed with none, which onramp rejects/],
  ['HS256', { id_token: {}, alg: 'HS256' }, /signed with HS256, which onramp rejects/],
  ['an odd algorithm', { id_token: {}, alg: 'x'.repeat(21) }, /signed with an unknown algorithm, /],
])('a token response with %s is explained', async (_title, wrong, words, listed) => {
  const { id_token: claims, alg = 'RS256', ...members } = wrong as { id_token?: object; alg?: string }
  const id_token = claims && `${jwtOf({ alg }, { ...rightClaims, ...claims })}.AAAA`
  const more = listed && { id_token_signing_alg_values_supported: listed }
  const configuration = answering(200, { ...tokens, id_token, ...members }, {}, more)
  expect(await detailOf(refreshTokenGrant(configuration, 'one'))).toMatch(words)
})

it('a missing id_token is explained with OIDC_SCOPE', async () => {
  const callback = new URL('http://onramp.example/sign-in/callback?code=c')
  const grant = authorizationCodeGrant(answering(200, tokens), callback, { idTokenExpected: true })
  expect(await detailOf(grant)).toContain('remove openid from OIDC_SCOPE')
})

const newKeys = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
const [signingKey, shortKey, otherKey] = [newKeys(2048), newKeys(1024), newKeys(2048)]
const jwe = 'a.b.c.d.e'
const strangersKey = { ...otherKey.publicKey.export({ format: 'jwk' }), kid: 'one' }

// prettier-ignore
it.each<{ what: string; more: object; key: typeof signingKey; code: string; words: RegExp }>([
  { what: 'a wrong signature', more: { keys: [strangersKey] }, key: signingKey, code: 'failed', words: /signature doesn't match the key/ },
  { what: 'a token that isn’t a bearer token', more: { token_type: 'mac' }, key: signingKey, code: 'misconfigured', words: /token_type/ },
  { what: 'an encrypted id_token', more: { id_token: jwe }, key: signingKey, code: 'misconfigured', words: /encrypted \(JWE\)(?!.*a\.b\.c)/ },
  { what: 'a key of 1,024 bits', more: {}, key: shortKey, code: 'misconfigured', words: /a key of 1024 bits: .* 2,048/ },
  { what: 'no matching key', more: { keys: [] }, key: signingKey, code: 'failed', words: /no key at .* jwks_uri matches/ },
  { what: 'no list of keys', more: { keys: 'none' }, key: signingKey, code: 'failed', words: /: keys is missing/ },
])('the log explains $what', async ({ more, key, code, words }) => {
  const { privateKey, publicKey } = key
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }]
  const unsigned = jwtOf({ alg: 'RS256', kid: 'one' }, rightClaims)
  const id_token = `${unsigned}.${sign('sha256', Buffer.from(unsigned), privateKey).toString('base64url')}`
  // Both requests get the same response.
  const body = { ...tokens, id_token, keys, ...more }
  const configuration = answering(200, body, {}, { jwks_uri: `${issuer}/keys` })
  enableNonRepudiationChecks(configuration)
  const error = await refusalOf(refreshTokenGrant(configuration, 'one'))
  expect(problemOf(error).slice(1)).toEqual([`sign_in_${code}`, matching(words)])
})

it('a temporary failure has the server’s Retry-After', async () => {
  const headers = { 'retry-after': '7' }
  expect(errorResponseProblem(await refusal(503, { error: 'x' }, headers)).retryAfter).toBe(7)
  expect(errorResponseProblem(await refusal(400, { error: 'x' }, headers)).retryAfter).toBeUndefined()
})

it('a problem keeps its cause and the address for “Try again”', () => {
  const error = fromBrowser('access_denied')
  const problem = errorResponseProblem(error, '/sign-in')
  expect([problem.cause, problem.tryAgain]).toEqual([error, '/sign-in'])
  expect(errorResponseProblem(problem, '/elsewhere')).toBe(problem)
})

it.each([
  ['invalid_grant', 'invalid_grant'],
  ['a'.repeat(41), 'an unknown error'],
  ['Invalid', 'an unknown error'],
  ['invalid_grant ', 'an unknown error'],
])('only a registered error code is quoted: %j', async (error, name) => {
  expect(describeErrorResponse(await refusal(400, { error }))).toBe(`${name} with status 400`)
})

it.each([
  ['grün "quoted" <b>\\n', 'gr n  quoted   b  n'],
  ['code aB3aB3aB is wrong', 'code … is wrong'],
  ['code aB3aB3a is short', 'code aB3aB3a is short'],
  ['ALLCAPS123 abcdefgh1 ABCDefghi', 'ALLCAPS123 abcdefgh1 ABCDefghi'],
  ['Wrong … for you', 'Wrong … for you'],
  ['of ada@acme.example', 'of …'],
  ['word '.repeat(100), 'word '.repeat(40).trim()],
  [`${'aB3aB3aB '.repeat(30)}end`, `${'… '.repeat(30)}end`],
  [`${'A'.repeat(800)} end`, '…'],
])('an error description is shortened and stripped of secrets: %j', async (error_description, words) => {
  const error = await refusal(400, { error: 'invalid_grant', error_description })
  expect(describeErrorResponse(error)).toBe(`invalid_grant with status 400 ("${words}")`)
})

it('an error without a code is described by its status, if any', async () => {
  expect(describeErrorResponse(await refusal(502, '<html>'))).toBe('status 502')
  expect(describeErrorResponse(await refusal(401, '', challenge('Basic realm="x"')))).toBe('status 401')
  expect(describeErrorResponse(undefined)).toBe('no response')
  expect(describeErrorResponse(libraryError('OAUTH_TIMEOUT'))).toBe('no valid response (OAUTH_TIMEOUT)')
})

it('a status is found up to five causes deep', () => {
  const caused = (cause: unknown) => new Error('outer', { cause })
  const nested = (depth: number) =>
    Array.from({ length: depth }).reduce<unknown>(caused, new Response('', { status: 418 }))
  expect([responseStatus(nested(5)), responseStatus(nested(6))]).toEqual([418, undefined])
})
