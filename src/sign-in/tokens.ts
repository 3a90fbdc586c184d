// What the tokens of a sign-in are good for, and how long. Pure.
import type { TokenEndpointResponse } from 'openid-client'
import type { Tokens } from '../session/signed-in.ts'

/**
 * The tokens of a token endpoint's answer (RFC 6749 5.1).
 * @param now milliseconds since 1970, when the answer came
 * @param before what it replaces: a refresh may leave out what has not changed
 */
export function tokensOf(answer: TokenEndpointResponse, now: number, before?: Tokens): Tokens {
  return {
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? before?.refreshToken,
    idToken: answer.id_token ?? before?.idToken,
    issuedAt: now,
    expiresAt: answer.expires_in === undefined ? undefined : now + answer.expires_in * 1000,
  }
}

const MAX_EARLY_MS = 60_000
const EARLY_SHARE = 0.1

/**
 * What the tokens are good for now. `ageing` still works and should be refreshed; ahead of expiry by up to a minute, or a
 * tenth of a short life, less for some sessions than for others, so that not all refresh at once.
 * @param jitter gives a number between 0 and 1, the same for a session each time
 */
export function conditionOf(
  tokens: Tokens,
  now: number,
  jitter: () => number,
): 'fresh' | 'ageing' | 'expired' {
  if (tokens.expiresAt === undefined) return 'fresh'
  if (now >= tokens.expiresAt) return 'expired'
  const early = Math.min(MAX_EARLY_MS, (tokens.expiresAt - tokens.issuedAt) * EARLY_SHARE)
  if (now < tokens.expiresAt - early) return 'fresh'
  return now >= tokens.expiresAt - early * (0.5 + jitter() / 2) ? 'ageing' : 'fresh'
}
