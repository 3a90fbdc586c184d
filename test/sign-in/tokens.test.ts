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
  ['30 seconds, without a refresh token, expire then', 30, undefined, NOW + 30_000],
  ['0 seconds, with a refresh token, expire at once', 0, 'r', NOW],
  ['an unnamed time, with a refresh token, have no known expiry', undefined, 'r', undefined],
])('tokens that are valid for %s', (_title, seconds, refresh, expiresAt) => {
  const lifetime = omitUndefined({ expires_in: seconds, refresh_token: refresh })
  expect(tokensFrom(answer(lifetime), NOW).expiresAt).toBe(expiresAt)
})

it.each([
  ['an hour, more than a minute before its end', 'fresh', 3_600_000, 3_539_999],
  ['an hour, a minute before its end', 'expiring', 3_600_000, 3_540_000],
  ['five minutes, more than a tenth before', 'fresh', 300_000, 269_999],
  ['five minutes, a tenth before its end', 'expiring', 300_000, 270_000],
  ['five minutes, one millisecond before its end', 'expiring', 300_000, 299_999],
  ['five minutes, at its end', 'expired', 300_000, 300_000],
  ['unknown length, at any time', 'fresh', Infinity, 1e12],
])('a token with a life of %s, counts as %s', (_title, expiry, life, now) => {
  const expiresAt = life === Infinity ? undefined : NOW + life
  expect(expiryOf({ accessToken: 'a', issuedAt: NOW, expiresAt }, NOW + now)).toBe(expiry)
})

const tokens = { accessToken: 'a', issuedAt: NOW, expiresAt: NOW + 3_600_000 }
const bothScopes = 'openid offline_access'

// prettier-ignore
it.each<{ what: string; own: Partial<Tokens>; wanted: string; registered?: string | undefined; words: RegExp }>([
  { what: 'that was requested is missing, with advice about OIDC_PROMPT', own: {}, wanted: bothScopes, words: /_access was requested: after 60 minutes.*OIDC_PROMPT=consent/ },
  { what: 'is missing beside an access token without a known expiry', own: { expiresAt: undefined }, wanted: bothScopes, words: /when the access token expires/ },
  { what: 'that the client may not get is missing, with advice to allow it', own: {}, wanted: bothScopes, registered: 'openid profile', words: /issued: after 60 minutes.*allow it there/ },
  { what: 'in the response needs no explanation', own: { refreshToken: 'r' }, wanted: bothScopes, words: /^$/ },
  { what: 'that wasn’t requested needs no explanation', own: {}, wanted: 'openid', words: /^$/ },
])('to the operator, a refresh token $what', ({ own, wanted, registered, words }) => {
  expect(explainMissingRefreshToken({ ...tokens, ...own }, wanted, registered) ?? '').toMatch(words)
})
