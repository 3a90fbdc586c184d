// How long tokens are good, when they are refreshed, and what the log says where they can't be.
import type { TokenEndpointResponse } from 'openid-client'
import { describe, expect, it } from 'vitest'
import type { Tokens } from '../../src/session/signed-in.ts'
import { expiryOf, tokensFrom, explainMissingRefreshToken } from '../../src/sign-in/tokens.ts'

const NOW = 1_700_000_000_000
const answer = (more: Partial<TokenEndpointResponse> = {}) =>
  ({ access_token: 'a', token_type: 'bearer', ...more }) as TokenEndpointResponse

describe('the tokens of an answer', () => {
  it('are all that it has, with the time that they are good for', () => {
    const whole = answer({ refresh_token: 'r', id_token: 'i', expires_in: 300 })
    expect(tokensFrom(whole, NOW)).toEqual({
      accessToken: 'a',
      refreshToken: 'r',
      idToken: 'i',
      issuedAt: NOW,
      expiresAt: NOW + 300_000,
    })
  })

  it('keep of those before what is left out', () => {
    const before = { accessToken: 'old', refreshToken: 'r0', idToken: 'i0', issuedAt: 1, expiresAt: 2 }
    expect(tokensFrom(answer(), NOW, before)).toEqual({
      accessToken: 'a',
      refreshToken: 'r0',
      idToken: 'i0',
      issuedAt: NOW,
      expiresAt: undefined,
    })
    expect(tokensFrom(answer({ refresh_token: 'r1', id_token: 'i1' }), NOW, before)).toMatchObject({
      refreshToken: 'r1',
      idToken: 'i1',
    })
  })

  it.each([
    [29, undefined, undefined],
    [30, undefined, 30_000],
    [0, 'r', 0],
    [undefined, 'r', undefined],
  ])('for %j seconds, with the refresh token %j, run out after %j', (seconds, refresh, life) => {
    const given = answer({
      ...(seconds !== undefined && { expires_in: seconds }),
      ...(refresh && { refresh_token: refresh }),
    })
    expect(tokensFrom(given, NOW).expiresAt).toBe(life === undefined ? undefined : NOW + life)
  })
})

describe('the condition of tokens', () => {
  const tokens = (life?: number) => ({
    accessToken: 'a',
    issuedAt: NOW,
    expiresAt: life === undefined ? undefined : NOW + life,
  })

  it('is fresh for ever where no end is known', () => {
    expect(expiryOf(tokens(), NOW + 1e12)).toBe('fresh')
  })

  it.each([
    ['an hour, until a minute before its end', 3_600_000, 3_539_999, 'fresh'],
    ['an hour, from a minute before its end', 3_600_000, 3_540_000, 'expiring'],
    ['five minutes, until a tenth before', 300_000, 269_999, 'fresh'],
    ['five minutes, from a tenth before', 300_000, 270_000, 'expiring'],
    ['five minutes, one millisecond before its end', 300_000, 299_999, 'expiring'],
    ['five minutes, at its end', 300_000, 300_000, 'expired'],
  ])('of a life of %s', (_what, life, now, condition) => {
    expect(expiryOf(tokens(life), NOW + now)).toBe(condition)
  })
})

describe('a sign-in without a refresh token', () => {
  const tokens = { accessToken: 'a', issuedAt: NOW, expiresAt: NOW + 3_600_000 }
  const both = 'openid offline_access'

  it.each<[string, Partial<Tokens>, string, string | undefined, RegExp]>([
    ['it was asked for', {}, both, undefined, /_access was asked for: after 60 minutes.*OIDC_PROMPT=consent/],
    ['no end is known', { expiresAt: undefined }, both, undefined, /when the access token runs out people/],
    ['the client has no right to it', {}, both, 'openid profile', /issued: after 60 minutes.*allow it there/],
    ['there is one', { refreshToken: 'r' }, both, undefined, /^$/],
    ['none was wanted', {}, 'openid', undefined, /^$/],
  ])('is explained to the operator: %s', (_why, own, wanted, registered, words) => {
    expect(explainMissingRefreshToken({ ...tokens, ...own }, wanted, registered) ?? '').toMatch(words)
  })
})
