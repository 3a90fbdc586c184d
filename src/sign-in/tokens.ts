// What the tokens of a sign-in are good for, and how long; and why there is no refresh token. Pure.
import type { TokenEndpointResponse } from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import type { Tokens } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'

/** Further parameters of the token request: `resource` (RFC 8707 2.2). */
export const tokenParameters = ({ OIDC_RESOURCE: resource }: Settings): Record<string, string> =>
  omitUndefined({ resource })

/** A sign-in may take this long: a shorter life cannot be meant where nothing renews it. */
const MIN_SECONDS = 30

/**
 * The tokens of a token endpoint's answer (RFC 6749 5.1).
 * @param now milliseconds since 1970, when the answer came
 * @param before what it replaces: a refresh may leave out what has not changed
 */
export function tokensFrom(answer: TokenEndpointResponse, now: number, before?: Tokens): Tokens {
  const { expires_in: seconds } = answer
  const refreshToken = answer.refresh_token ?? before?.refreshToken
  // Sent to sign in again at once, people would go round in circles: what the token is good for is the service's to say.
  const isUseful = seconds !== undefined && (refreshToken !== undefined || seconds >= MIN_SECONDS)
  return {
    accessToken: answer.access_token,
    refreshToken,
    idToken: answer.id_token ?? before?.idToken,
    issuedAt: now,
    expiresAt: isUseful ? now + seconds * 1000 : undefined,
  }
}

const MAX_EARLY_MS = 60_000
const EARLY_SHARE = 0.1

/** `expiring` still works and should be refreshed: for the last minute, or the last tenth of a short life. */
export function expiryOf(
  { expiresAt = Infinity, issuedAt }: Tokens,
  now: number,
): 'fresh' | 'expiring' | 'expired' {
  if (now >= expiresAt) return 'expired'
  return now < expiresAt - Math.min(MAX_EARLY_MS, (expiresAt - issuedAt) * EARLY_SHARE) ? 'fresh' : 'expiring'
}

const withoutOffline =
  'offline_access was not asked for, because the authorization server does not list it or did not register this client for it: allow it there'

const withoutRefreshToken =
  'If the authorization server issues one only with consent (OpenID Connect Core 11), set OIDC_PROMPT=consent; otherwise let the client have the grant refresh_token there, or leave offline_access out of OIDC_SCOPE'

const hasOffline = (scope: string) => scope.split(' ').includes('offline_access')

/**
 * Pure: what the operator can do where a sign-in came without a refresh token.
 * @param wanted OIDC_SCOPE @param registered the scope that the client was registered for, if that is known
 * @returns undefined where there is one, or none was wanted
 */
export function explainMissingRefreshToken(
  { refreshToken, expiresAt, issuedAt }: Tokens,
  wanted: string,
  registered: unknown,
): string | undefined {
  if (refreshToken !== undefined || !hasOffline(wanted)) return undefined
  const minutes = expiresAt === undefined ? undefined : Math.round((expiresAt - issuedAt) / 60_000)
  const when = minutes === undefined ? 'when the access token runs out' : `after ${minutes} minutes`
  const [though, advice] = hasOffline(typeof registered === 'string' ? registered : wanted)
    ? [', though offline_access was asked for', withoutRefreshToken]
    : ['', withoutOffline]
  return `no refresh token was issued${though}: ${when} people are sent to sign in again. ${advice}`
}
