// What an answer that is no sign-in means for the person, and what the log tells the operator to do about it.
import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  ClientError,
  refreshTokenGrant,
} from 'openid-client'
import { describe, expect, it } from 'vitest'
import { ProxyTrouble } from '../../src/client-api/silence.ts'
import { Problem } from '../../src/problem.ts'
import {
  isClientRefused,
  isGrantRefused,
  problemOfAnswer,
  signInUnavailable,
} from '../../src/sign-in/answer-problems.ts'
import { answering, libraryError, refusalOf } from './library-errors.ts'

const later = { isFresh: false, isEarly: false }
const refusal = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  refusalOf(refreshTokenGrant(answering(status, body, headers), 'one'))
const fromBrowser = (error: string) =>
  new AuthorizationResponseError('x', { cause: new URLSearchParams({ error }) })
const said = (error: unknown) => {
  const { status, code, detail } = problemOfAnswer(error)
  return [status, code, detail]
}

describe('an OAuth error', () => {
  it.each([
    ['access_denied', 403, 'sign_in_denied', ''],
    ['temporarily_unavailable', 503, 'sign_in_unavailable', ''],
    ['server_error', 503, 'sign_in_unavailable', ''],
    ['login_required', 400, 'sign_in_failed', ''],
    [
      'unauthorized_client',
      502,
      'sign_in_misconfigured',
      ': the client may not sign people in this way, or, as some servers say so then, it is not known or its secret is wrong: see OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
    ],
    [
      'invalid_request',
      502,
      'sign_in_misconfigured',
      ': the request was refused: is the redirect address registered, does the server ask for more?',
    ],
    ['unsupported_response_type', 502, 'sign_in_misconfigured', ': the client may not use the code flow'],
    ['unsupported_grant_type', 502, 'sign_in_misconfigured', ': the client may not use the code flow'],
    ['invalid_scope', 502, 'sign_in_misconfigured', ': a scope is not known: see OIDC_SCOPE'],
    ['invalid_target', 502, 'sign_in_misconfigured', ': the resource is not known: see OIDC_RESOURCE'],
  ])('%s is told with what to do about it', async (error, status, code, advice) => {
    expect(said(fromBrowser(error))).toEqual([
      status,
      code,
      `the authorization server answered ${error}${advice}`,
    ])
    const answered = `the authorization server answered ${error} with status 400${advice}`
    expect(said(await refusal(400, { error }))).toEqual([status, code, answered])
  })

  it('of a client that is not accepted names its settings, however it is said', async () => {
    const words =
      /^the authorization server answered (.*): the client is not accepted: see OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and OIDC_CLIENT_AUTH\. If the secret is right/
    const challenge = { 'www-authenticate': 'Basic realm="x"' }
    for (const [error, answer] of [
      [await refusal(401, { error: 'invalid_client' }), 'invalid_client with status 401'],
      [await refusal(401, {}, challenge), 'status 401'],
    ] as const) {
      const problem = problemOfAnswer(error)
      expect([problem.status, problem.code]).toEqual([502, 'sign_in_misconfigured'])
      expect(words.exec(problem.detail)?.[1]).toBe(answer)
    }
  })

  it('with a status that says "not now" is one', async () => {
    for (const [status, unavailable] of [
      [499, false],
      [500, true],
      [503, true],
      [429, true],
      [428, false],
    ] as const)
      expect(problemOfAnswer(await refusal(status, { error: 'odd' })).code, `${status}`).toBe(
        unavailable ? 'sign_in_unavailable' : 'sign_in_failed',
      )
  })
})

describe('a challenge', () => {
  it.each([
    ['Basic realm="x"', 401, true],
    ['Bearer realm="x", error="invalid_token"', 401, false],
    ['Bearer realm="x", error="invalid_grant"', 401, false],
    ['Bearer realm="x", error="not_invalid_token"', 401, true],
    ['Bearer realm="x", error="invalid_tokens"', 401, true],
    ['Basic realm="x", Bearer error="invalid_token"', 401, false],
    ['Basic realm="x"', 403, false],
  ])('%s with status %i is about the client: %s', async (challenge, status, isOfClient) => {
    expect(isClientRefused(await refusal(status, {}, { 'www-authenticate': challenge }))).toBe(isOfClient)
  })

  it('about something else is told with its status', async () => {
    const error = await refusal(403, {}, { 'www-authenticate': 'Basic realm="x"' })
    expect(said(error)).toEqual([502, 'sign_in_misconfigured', 'refused with status 403'])
  })

  it('is not what other errors are', async () => {
    expect(isClientRefused(await refusal(401, { error: 'invalid_client' }))).toBe(true)
    expect(isClientRefused(await refusal(400, { error: 'invalid_grant' }))).toBe(false)
    expect(isClientRefused(new Error('invalid_client'))).toBe(false)
  })
})

describe('a refusal of a refresh token', () => {
  it('in so many words counts always', async () => {
    const error = await refusal(400, { error: 'invalid_grant' })
    expect(isGrantRefused(error, { isFresh: true, isEarly: true })).toBe(true)
  })

  it.each(['invalid_client', 'server_error', 'temporarily_unavailable'])('%s is none', async (error) => {
    expect(isGrantRefused(await refusal(400, { error }), later)).toBe(false)
  })

  it('is none where nothing was answered', () => {
    for (const error of [new Error('x'), libraryError('OAUTH_TIMEOUT')])
      expect(isGrantRefused(error, later)).toBe(false)
  })
})

describe('no usable answer', () => {
  it.each([
    'OAUTH_TIMEOUT',
    'OAUTH_ABORT',
    'OAUTH_RESPONSE_IS_NOT_CONFORM',
    'OAUTH_PARSE_ERROR',
    'OAUTH_RESPONSE_IS_NOT_JSON',
  ])('(%s) is for later', (code) => {
    const detail = 'the authorization server gave no usable answer'
    expect(said(libraryError(code))).toEqual([503, 'sign_in_unavailable', `${detail} (${code})`])
    const answered = libraryError(code, new Response('', { status: 502 }))
    expect(said(answered)).toEqual([503, 'sign_in_unavailable', `${detail} (status 502, ${code})`])
  })

  it('of another kind is refused with its code', () => {
    expect(said(libraryError('OAUTH_ODD'))).toEqual([
      400,
      'sign_in_failed',
      'the answer was refused (OAUTH_ODD)',
    ])
    expect(said(new ClientError('x'))[2]).toBe('the answer was refused (no code)')
  })

  it('at all is told as such, or with the proxy that stood in between', () => {
    expect(said(new TypeError('x'))).toEqual([
      503,
      'sign_in_unavailable',
      'the authorization server cannot be reached',
    ])
    const trouble = new ProxyTrouble({ proxy: 'p:1', hostname: 'as.example', isSignedIn: false, status: 403 })
    expect(said(libraryError('OAUTH_ODD', trouble))[2]).toBe(
      'the authorization server cannot be reached: the proxy p:1 refuses to connect to as.example (403)',
    )
  })
})

describe('the problem of an answer', () => {
  it('waits as long as the server asks for, where waiting helps', async () => {
    const headers = { 'retry-after': '7' }
    expect(problemOfAnswer(await refusal(503, { error: 'x' }, headers)).retryAfter).toBe(7)
    expect(problemOfAnswer(await refusal(400, { error: 'x' }, headers)).retryAfter).toBeUndefined()
  })

  it('knows its cause, and where to try again', () => {
    const error = fromBrowser('access_denied')
    const problem = problemOfAnswer(error, '/sign-in')
    expect([problem.cause, problem.tryAgain]).toEqual([error, '/sign-in'])
    expect(problemOfAnswer(problem, '/elsewhere')).toBe(problem)
  })

  it('that something of ours is away is for five seconds later', () => {
    const cause = new Error('x')
    expect(signInUnavailable('away', cause)).toEqual(
      new Problem(503, 'sign_in_unavailable', { detail: 'away', cause, retryAfter: 5 }),
    )
    expect(signInUnavailable('away')).toMatchObject({ detail: 'away', retryAfter: 5 })
  })

  it('names the algorithm of an id_token, and what else is missing in an answer', async () => {
    const callback = new URL('http://onramp.example/sign-in/callback?code=c')
    const body = { access_token: 'a', token_type: 'Bearer', expires_in: 'x' }
    const error = await refusalOf(authorizationCodeGrant(answering(200, body), callback))
    expect(said(error)).toEqual([
      400,
      'sign_in_failed',
      'the answer was refused (OAUTH_INVALID_RESPONSE: expires_in is missing, or cannot be used)',
    ])
  })
})
