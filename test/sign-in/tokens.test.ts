// Lifetimes of tokens, and advice about missing refresh tokens.
import type { TokenEndpointResponse } from 'openid-client'
import { expect, it } from 'vitest'
import { omitUndefined } from '../../src/omit-undefined.ts'
import type { Tokens } from '../../src/session/signed-in.ts'
import { expiryOf, tokensFrom, explainMissingRefreshToken } from '../../src/sign-in/tokens.ts'

const NOW = 1_700_000_000_000
const answer = (more: Partial<TokenEndpointResponse> = {}) =>
  ({ access_token: 'a', token_type: 'bearer', ...more }) as TokenEndpointResponse

it('a token response gives all its tokens, and a refresh keeps the omitted ones', () => {
  const fullResponse = answer({ refresh_token: 'r', id_token: 'i', expires_in: 300 })
  const all = { accessToken: 'a', refreshToken: 'r', idToken: 'i', issuedAt: NOW }
  expect(tokensFrom(fullResponse, NOW)).toEqual({ ...all, expiresAt: NOW + 300_000 })
  const before = { accessToken: 'old', refreshToken: 'r0', idToken: 'i0', issuedAt: 1, expiresAt: 2 }
  const kept = { refreshToken: 'r0', idToken: 'i0', expiresAt: undefined }
  expect(tokensFrom(answer(), NOW, before)).toEqual({ ...all, ...kept })
  expect(tokensFrom(fullResponse, NOW, before)).toMatchObject(all)
})

it.each([
  ['29 seconds, without a refresh token, have no known expiry', 29, undefined, undefined],
  ['30 seconds, without a refresh token, expire then', 30, undefined, 30_000],
  ['0 seconds, with a refresh token, expire at once', 0, 'r', 0],
  ['an unnamed time, with a refresh token, have no known expiry', undefined, 'r', undefined],
])('tokens for %s', (_what, seconds, refresh, life) => {
  const lifetime = omitUndefined({ expires_in: seconds, refresh_token: refresh })
  expect(tokensFrom(answer(lifetime), NOW).expiresAt).toBe(life === undefined ? undefined : NOW + life)
})

it.each([
  ['an hour, more than a minute before its end', 3_600_000, 3_539_999, 'fresh'],
  ['an hour, a minute before its end', 3_600_000, 3_540_000, 'expiring'],
  ['five minutes, more than a tenth before', 300_000, 269_999, 'fresh'],
  ['five minutes, a tenth before its end', 300_000, 270_000, 'expiring'],
  ['five minutes, one millisecond before its end', 300_000, 299_999, 'expiring'],
  ['five minutes, at its end', 300_000, 300_000, 'expired'],
  ['unknown length', Infinity, 1e12, 'fresh'],
])('a token is fresh, expiring or expired by its lifetime: %s', (_what, life, now, expiry) => {
  const expiresAt = life === Infinity ? undefined : NOW + life
  expect(expiryOf({ accessToken: 'a', issuedAt: NOW, expiresAt }, NOW + now)).toBe(expiry)
})

const tokens = { accessToken: 'a', issuedAt: NOW, expiresAt: NOW + 3_600_000 }
const both = 'openid offline_access'

it.each<[string, Partial<Tokens>, string, string | undefined, RegExp]>([
  ['it was requested', {}, both, undefined, /_access was requested: after 60 minutes.*OIDC_PROMPT=consent/],
  ['the expiry is unknown', { expiresAt: undefined }, both, undefined, /when the access token expires/],
  ['the client may not get one', {}, both, 'openid profile', /issued: after 60 minutes.*allow it there/],
  ['the response has one', { refreshToken: 'r' }, both, undefined, /^$/],
  ['none was requested', {}, 'openid', undefined, /^$/],
])('a missing refresh token is explained to the operator: %s', (_why, own, wanted, registered, words) => {
  expect(explainMissingRefreshToken({ ...tokens, ...own }, wanted, registered) ?? '').toMatch(words)
})
