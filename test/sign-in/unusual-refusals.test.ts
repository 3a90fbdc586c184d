// What a token endpoint's answer means when it is neither tokens nor a refusal as RFC 6749 5.2 has it. The errors are the
// library's own, made of such answers.
import { authorizationCodeGrant, refreshTokenGrant } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { isGrantRefused, problemOfAnswer } from '../../src/sign-in/answer-problems.ts'
import { answering, refusalOf } from './library-errors.ts'

const challenge = (error: string) => ({ 'www-authenticate': `Bearer realm="x", error="${error}"` })

describe('a refresh', () => {
  it.each([
    ['200 with an error in it', 200, { error: 'bad_refresh_token' }, {}],
    ['200 without a token', 200, { ok: false }, {}],
    ['200 with an expiry that is none', 200, { access_token: 'a', token_type: 'Bearer', expires_in: -1 }, {}],
    ['400 without an error code', 400, { errorCode: 'E0000011' }, {}],
    ['401 without a body', 401, '', {}],
    ['401 and a challenge about the token', 401, { error: 'invalid_token' }, challenge('invalid_token')],
    ['403 with a page', 403, '<html>', {}],
  ])('answered by %s is over, unless the sign-in is new', async (_what, status, body, headers) => {
    const error = await refusalOf(refreshTokenGrant(answering(status, body, headers), 'one'))
    expect(isGrantRefused(error, { isFresh: false, isEarly: false })).toBe(true)
    expect(isGrantRefused(error, { isFresh: true, isEarly: false })).toBe(false)
  })

  it.each([
    ['429', 429, { error: 'slow_down' }, {}],
    ['408', 408, '', {}],
    ['503', 503, '<html>', {}],
    ['a redirect', 302, '', {}],
    ['404 of a proxy whose server restarts', 404, '404 page not found', {}],
    ['405', 405, '', {}],
    ['451', 451, '<html>', {}],
    ['200 with a page', 200, '<html>', {}],
    ['200 and server_error', 200, { error: 'server_error' }, {}],
    ['401 invalid_client', 401, { error: 'invalid_client' }, {}],
    ['401 and a challenge for the client', 401, {}, { 'www-authenticate': 'Basic realm="x"' }],
  ])('answered by %s is tried again', async (_what, status, body, headers) => {
    const error = await refusalOf(refreshTokenGrant(answering(status, body, headers), 'one'))
    expect(isGrantRefused(error, { isFresh: false, isEarly: false })).toBe(false)
  })

  it('ahead of time is over only where the answer says why', async () => {
    const early = { isFresh: false, isEarly: true }
    for (const bare of [answering(403, '<html>'), answering(200, { status: 'maintenance' })])
      expect(isGrantRefused(await refusalOf(refreshTokenGrant(bare, 'one')), early)).toBe(false)
    const said = await refusalOf(refreshTokenGrant(answering(400, { error: 'interaction_required' }), 'one'))
    expect(isGrantRefused(said, early)).toBe(true)
  })
})

describe('tokens that cannot be used', () => {
  const tokens = { access_token: 'a', token_type: 'Bearer' }
  const callback = new URL('http://onramp.example/sign-in/callback?code=c')

  it.each([
    ['expires_in', { ...tokens, expires_in: -1 }],
    ['access_token', { error: 'bad_verification_code' }],
    ['scope', { ...tokens, scope: 5 }],
  ])('are refused with the name of what is wrong: %s', async (member, body) => {
    const sent = [
      authorizationCodeGrant(answering(200, body), callback),
      refreshTokenGrant(answering(200, body), 'one'),
    ]
    for (const work of sent) {
      const { detail } = problemOfAnswer(await refusalOf(work))
      expect(detail).toContain(`${member} is missing, or cannot be used`)
      expect(detail).not.toContain('OIDC_SCOPE')
    }
  })

  it('without an id_token speak of OIDC_SCOPE where one was asked for', async () => {
    const grant = authorizationCodeGrant(answering(200, tokens), callback, { idTokenExpected: true })
    expect(problemOfAnswer(await refusalOf(grant)).detail).toContain('leave openid out of OIDC_SCOPE')
  })
})

describe('an id_token with an algorithm that was not agreed on', () => {
  it.each([
    ['RS256', ['none'], /signed with RS256, which was not agreed on/],
    ['ES256', undefined, /signed with ES256, which was not agreed on/],
    ['none', undefined, /signed with none, which onramp does not take/],
    ['HS256', undefined, /signed with HS256, which onramp does not take/],
  ])('is told apart: %s where %j are listed', async (alg, listed, says) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const body = { access_token: 'a', token_type: 'Bearer', id_token: `${part({ alg })}.${part({})}.AAAA` }
    const more = listed && { id_token_signing_alg_values_supported: listed }
    const work = refreshTokenGrant(answering(200, body, {}, more), 'one')
    expect(problemOfAnswer(await refusalOf(work)).detail).toMatch(says)
  })
})
