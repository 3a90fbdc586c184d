// The tokens of a sign-in: their validity, and the reason for a missing refresh token. Pure.
import type { TokenEndpointResponse } from 'openid-client'
import type { Tokens } from '../session/signed-in.ts'

/** The duration of a sign-in: shorter-lived tokens without a refresh token would cause a loop. */
const MIN_SECONDS = 30

/** @param now the time of the response (RFC 6749 5.1) @param before has the values that a refresh may omit */
export function tokensFrom(response: TokenEndpointResponse, now: number, before?: Tokens): Tokens {
  const { expires_in: seconds } = response
  const refreshToken = response.refresh_token ?? before?.refreshToken
  const isUsable = seconds !== undefined && (refreshToken !== undefined || seconds >= MIN_SECONDS)
  return {
    accessToken: response.access_token,
    refreshToken,
    idToken: response.id_token ?? before?.idToken,
    issuedAt: now,
    expiresAt: isUsable ? now + seconds * 1000 : undefined,
  }
}

const MAX_EARLY_MS = 60_000
const EARLY_SHARE = 0.1

/** `expiring`: valid, but to be refreshed, in the last minute or the last tenth of a short life. */
export function expiryOf({ expiresAt = Infinity, issuedAt }: Tokens, now: number) {
  if (now >= expiresAt) return 'expired'
  return now < expiresAt - Math.min(MAX_EARLY_MS, (expiresAt - issuedAt) * EARLY_SHARE) ? 'fresh' : 'expiring'
}

const NOT_REQUESTED =
  'offline_access was not requested, because the authorization server does not list it, or did not register it for this client: allow it there'

const NOT_ISSUED =
  'If the authorization server issues one only with consent (OpenID Connect Core 11), set OIDC_PROMPT=consent; otherwise allow the grant refresh_token for the client there, or remove offline_access from OIDC_SCOPE'

const hasOffline = (scope: string) => scope.split(' ').includes('offline_access')

/** @param registered scope of the client, if known @returns undefined if there is one, or OIDC_SCOPE requests none */
export function explainMissingRefreshToken(
  { refreshToken, expiresAt, issuedAt }: Tokens,
  scope: string,
  registered: unknown,
): string | undefined {
  if (refreshToken !== undefined || !hasOffline(scope)) return undefined
  const minutes = expiresAt === undefined ? undefined : Math.round((expiresAt - issuedAt) / 60_000)
  const when = minutes === undefined ? 'when the access token expires' : `after ${minutes} minutes`
  const [though, advice] = hasOffline(typeof registered === 'string' ? registered : scope)
    ? [', although offline_access was requested', NOT_ISSUED]
    : ['', NOT_REQUESTED]
  return `no refresh token was issued${though}: ${when}, people have to sign in again. ${advice}`
}
