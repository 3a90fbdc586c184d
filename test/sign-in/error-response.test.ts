// Error responses: the problem for the person, the advice for the log, and no secrets. The errors are the library's own.
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
const caused = (cause: unknown) => new Error('outer', { cause })
const problemOf = (error: unknown) => {
  const { status, code, detail } = errorResponseProblem(error)
  return [status, code, detail]
}

it.each([
  ['access_denied', 403, 'sign_in_denied', /^$/],
  ['temporarily_unavailable', 503, 'sign_in_unavailable', /^$/],
  ['server_error', 503, 'sign_in_unavailable', /^$/],
  ['invalid_client', 502, 'sign_in_misconfigured', /OIDC_CLIENT_AUTH.*onramp registration forget/],
  ['unauthorized_client', 502, 'sign_in_misconfigured', /OIDC_CLIENT_ID and OIDC_CLIENT_SECRET/],
  ['invalid_request', 502, 'sign_in_misconfigured', /redirect address/],
  ['unsupported_response_type', 502, 'sign_in_misconfigured', /code flow/],
  ['unsupported_grant_type', 502, 'sign_in_misconfigured', /code flow/],
  ['invalid_scope', 502, 'sign_in_misconfigured', /OIDC_SCOPE/],
  ['invalid_target', 502, 'sign_in_misconfigured', /OIDC_RESOURCE/],
])('%s is explained with what the operator can do', async (error, status, code, advice) => {
  for (const [answer, words] of [
    [fromBrowser(error), error],
    [await refusal(400, { error }), `${error} with status 400`],
  ] as const) {
    const problem = errorResponseProblem(answer)
    expect([problem.status, problem.code]).toEqual([status, code])
    const [, rest = ''] = problem.detail?.split(`the authorization server answered ${words}`) ?? []
    expect(rest).toMatch(advice)
  }
})

it.each([
  [428, 'sign_in_failed'],
  [429, 'sign_in_unavailable'],
  [499, 'sign_in_failed'],
  [500, 'sign_in_unavailable'],
])('an unknown error with the status %i is temporary, or a failure', async (status, code) => {
  expect(errorResponseProblem(await refusal(status, { error: 'odd' })).code).toBe(code)
})

it.each([
  ['Basic realm="x"', 401, 'the authorization server answered status 401: the client is not accepted'],
  ['Bearer realm="x", error="invalid_token"', 401, 'refused with status 401'],
  ['Bearer realm="x", error="not_invalid_token"', 401, 'the client is not accepted'],
  ['Basic realm="x", Bearer error="invalid_token"', 401, 'refused with status 401'],
  ['Basic realm="x"', 403, 'refused with status 403'],
])(
  'a challenge %s with the status %i is about the client, or about the token',
  async (text, status, detail) => {
    const problem = errorResponseProblem(await refusal(status, {}, challenge(text)))
    expect(problem).toMatchObject({ status: 502, code: 'sign_in_misconfigured' })
    expect(problem.detail).toContain(detail)
  },
)

it.each([
  ['200 with an error in it', 200, { error: 'bad_refresh_token' }, {}],
  ['200 without a token', 200, { ok: false }, {}],
  ['200 with an expiry that is none', 200, { access_token: 'a', token_type: 'Bearer', expires_in: -1 }, {}],
  ['400 without an error code', 400, { errorCode: 'E0000011' }, {}],
  ['401 without a body', 401, '', {}],
  ['401 and a challenge about the token', 401, {}, challenge('Bearer realm="x", error="invalid_token"')],
  ['403 with a page', 403, '<html>', {}],
])('a refresh that gets %s ends a sign-in unless it is new', async (_what, status, body, headers) => {
  const error = await refusal(status, body, headers)
  expect(isRefreshTokenRefused(error, { isRecent: false, isEarly: false })).toBe(true)
  expect(isRefreshTokenRefused(error, { isRecent: true, isEarly: false })).toBe(false)
})

it.each([
  ['429', 429, { error: 'slow_down' }, {}],
  ['503', 503, '<html>', {}],
  ['a redirect', 302, '', {}],
  ['404 of a proxy whose server restarts', 404, '404 page not found', {}],
  ['200 with a page', 200, '<html>', {}],
  ['200 and server_error', 200, { error: 'server_error' }, {}],
  ['temporarily_unavailable', 400, { error: 'temporarily_unavailable' }, {}],
  ['401 invalid_client', 401, { error: 'invalid_client' }, {}],
  ['401 and a challenge for the client', 401, {}, challenge('Basic realm="x"')],
])('a refresh that gets %s is tried again', async (_what, status, body, headers) => {
  const error = await refusal(status, body, headers)
  expect(isRefreshTokenRefused(error, { isRecent: false, isEarly: false })).toBe(false)
})

it('invalid_grant ends every sign-in, and no response ends none', async () => {
  const error = await refusal(400, { error: 'invalid_grant' })
  expect(isRefreshTokenRefused(error, { isRecent: true, isEarly: true })).toBe(true)
  for (const none of [new Error('x'), libraryError('OAUTH_TIMEOUT')])
    expect(isRefreshTokenRefused(none, { isRecent: false, isEarly: false })).toBe(false)
})

it('an early refresh ends the sign-in only with an error code', async () => {
  const early = { isRecent: false, isEarly: true }
  for (const [status, body] of [
    [403, '<html>'],
    [200, { status: 'maintenance' }],
  ] as const)
    expect(isRefreshTokenRefused(await refusal(status, body), early)).toBe(false)
  expect(isRefreshTokenRefused(await refusal(400, { error: 'interaction_required' }), early)).toBe(true)
})

it.each([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_JSON',
])('%s is temporary', (code) => {
  const detail = 'the authorization server gave no usable answer'
  expect(problemOf(libraryError(code))).toEqual([503, 'sign_in_unavailable', `${detail} (${code})`])
  const response = Object.defineProperty(new Response('', { status: 502 }), 'url', {
    value: `${issuer}/keys`,
  })
  const more = `(status 502, ${code}, at ${issuer}/keys)`
  expect(problemOf(libraryError(code, response))).toEqual([503, 'sign_in_unavailable', `${detail} ${more}`])
})

it("an unknown library error is a failure, and a proxy's refusal is temporary", () => {
  expect(problemOf(libraryError('OAUTH_X'))).toEqual([
    400,
    'sign_in_failed',
    'the answer was refused (OAUTH_X)',
  ])
  const away = 'the authorization server cannot be reached'
  expect(problemOf(new TypeError('x'))).toEqual([503, 'sign_in_unavailable', away])
  const trouble = new ProxyError('p:1', 'refuses to connect to as.example (403)')
  expect(problemOf(libraryError('OAUTH_ODD', trouble))[2]).toBe(
    `${away}: the proxy p:1 refuses to connect to as.example (403)`,
  )
})

const tokens = { access_token: 'a', token_type: 'Bearer' }
const callback = new URL('http://onramp.example/sign-in/callback?code=c')

it.each([
  ['expires_in', { ...tokens, expires_in: -1 }],
  ['access_token', { error: 'bad_verification_code' }],
  ['scope', { ...tokens, scope: 5 }],
])('a token response names the member that is wrong: %s', async (member, body) => {
  const { detail } = errorResponseProblem(await refusal(200, body))
  expect(detail).toContain(`${member} is missing, or cannot be used`)
})

it('a missing id_token is explained with OIDC_SCOPE', async () => {
  const grant = authorizationCodeGrant(answering(200, tokens), callback, { idTokenExpected: true })
  expect(errorResponseProblem(await refusalOf(grant)).detail).toContain('leave openid out of OIDC_SCOPE')
})

it.each([
  ['RS256', ['none'], /signed with RS256, which was not agreed on/],
  ['ES256', undefined, /signed with ES256, which was not agreed on/],
  ['none', undefined, /signed with none, which onramp does not take/],
  ['HS256', undefined, /signed with HS256, which onramp does not take/],
  ['x'.repeat(21), undefined, /signed with an unknown algorithm, /],
])('an id_token with the algorithm %s is explained where %j are listed', async (alg, listed, words) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const body = { ...tokens, id_token: `${part({ alg })}.${part({})}.AAAA` }
  const more = listed && { id_token_signing_alg_values_supported: listed }
  const work = refreshTokenGrant(answering(200, body, {}, more), 'one')
  expect(errorResponseProblem(await refusalOf(work)).detail).toMatch(words)
})

it.each([
  ['sub', { sub: 7 }],
  ['iat', { iat: undefined }],
  ['exp', { exp: 1 }],
])('an id_token names the claim that is wrong: %s', async (claim, wrong) => {
  const right = { iss: issuer, aud: 'client', sub: 'ada', iat: 1, exp: 9_999_999_999 }
  const parts = [{ alg: 'RS256' }, { ...right, ...wrong }].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  )
  const work = refreshTokenGrant(answering(200, { ...tokens, id_token: `${parts.join('.')}.AAAA` }), 'one')
  expect(errorResponseProblem(await refusalOf(work)).detail).toContain(
    `: ${claim} is missing, or cannot be used`,
  )
})

const unverified = async (more: object, bits = 2048) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one' }
  const parts = [
    { alg: 'RS256', kid: 'one' },
    { iss: issuer, aud: 'client', sub: 'ada', iat: 1, exp: 9_999_999_999 },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  const signed = `${parts.join('.')}.${sign('sha256', Buffer.from(parts.join('.')), privateKey).toString('base64url')}`
  // One answer for both questions.
  const body = { ...tokens, id_token: signed, keys: [jwk], ...more }
  const configuration = answering(200, body, {}, { jwks_uri: `${issuer}/keys` })
  enableNonRepudiationChecks(configuration)
  return errorResponseProblem(await refusalOf(refreshTokenGrant(configuration, 'one')))
}

const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
const stranger = { keys: [{ ...other, kid: 'one' }] }

it.each<[string, object, number, string, RegExp]>([
  ['a wrong signature', stranger, 2048, 'sign_in_failed', /signature isn't of the key at jwks_uri/],
  ['a token that is no bearer token', { token_type: 'mac' }, 2048, 'sign_in_misconfigured', /token_type/],
  ['an encrypted id_token', { id_token: 'a.b.c.d.e' }, 2048, 'sign_in_misconfigured', /encrypted \(JWE\)/],
  ['a key of 1,024 bits', {}, 1024, 'sign_in_misconfigured', /a key of 1024 bits: .* 2,048/],
  ['no key that fits', { keys: [] }, 2048, 'sign_in_failed', /none of the keys at .* jwks_uri fits/],
  ['no list of keys', { keys: 'none' }, 2048, 'sign_in_failed', /: keys is missing/],
])('the log explains %s in a sentence of its own', async (_what, more, bits, code, words) => {
  const { detail, code: described } = await unverified(more, bits)
  expect([described, detail]).toEqual([code, expect.stringMatching(words)])
  expect(detail).not.toContain('a.b.c.d.e')
})

it("a temporary failure takes the server's Retry-After", async () => {
  const headers = { 'retry-after': '7' }
  expect(errorResponseProblem(await refusal(503, { error: 'x' }, headers)).retryAfter).toBe(7)
  expect(errorResponseProblem(await refusal(400, { error: 'x' }, headers)).retryAfter).toBeUndefined()
})

it('a problem keeps its cause and where to try again', () => {
  const error = fromBrowser('access_denied')
  const problem = errorResponseProblem(error, '/sign-in')
  expect([problem.cause, problem.tryAgain]).toEqual([error, '/sign-in'])
  expect(errorResponseProblem(problem, '/elsewhere')).toBe(problem)
})

const described = async (error: string, description?: string) =>
  describeErrorResponse(
    await refusal(400, { error, ...(description !== undefined && { error_description: description }) }),
  )

it.each([
  ['invalid_grant', 'invalid_grant'],
  ['a'.repeat(41), 'an unknown error'],
  ['Invalid', 'an unknown error'],
  ['invalid_grant ', 'an unknown error'],
])('only a registered spelling of an error code is repeated: %j', async (error, name) => {
  expect(await described(error)).toBe(`${name} with status 400`)
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
])('an error description is short and quotes nothing secret: %j', async (description, words) => {
  expect(await described('invalid_grant', description)).toBe(`invalid_grant with status 400 ("${words}")`)
})

it('an error without a code is described by its status, or as nothing', async () => {
  expect(describeErrorResponse(await refusal(502, '<html>'))).toBe('status 502')
  expect(describeErrorResponse(await refusal(401, '', challenge('Basic realm="x"')))).toBe('status 401')
  expect(describeErrorResponse(undefined)).toBe('nothing')
  expect(describeErrorResponse(libraryError('OAUTH_TIMEOUT'))).toBe('nothing usable (OAUTH_TIMEOUT)')
})

it('a status is found up to five causes deep', () => {
  const nested = (depth: number) =>
    Array.from({ length: depth }).reduce<unknown>(caused, new Response('', { status: 418 }))
  expect([responseStatus(nested(5)), responseStatus(nested(6))]).toEqual([418, undefined])
})
