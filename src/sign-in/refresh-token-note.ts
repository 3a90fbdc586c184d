// Says in the log that no refresh token was issued, what that means for people, and what the operator can change.
import type { Tokens } from '../session/signed-in.ts'

const signInAgain = (minutes: number | undefined) =>
  `${minutes === undefined ? 'when the access token runs out' : `after ${minutes} minutes`} people are sent to sign in again`

const withoutOffline = (minutes: number | undefined) =>
  `no refresh token was issued: ${signInAgain(minutes)}. offline_access was not asked for, because the authorization server does not list it or did not register this client for it: allow it there`

const withoutRefreshToken = (minutes: number | undefined) =>
  `no refresh token was issued, though offline_access was asked for: ${signInAgain(minutes)}. If the authorization server issues one only with consent (OpenID Connect Core 11), set OIDC_PROMPT=consent; otherwise let the client have the grant refresh_token there, or leave offline_access out of OIDC_SCOPE`

const hasOffline = (scope: string) => scope.split(' ').includes('offline_access')

type NoteParts = {
  /** OIDC_SCOPE. */
  scope: string
  log: { warn(fields: object, message: string): void; debug(fields: object, message: string): void }
}

/**
 * @returns looks at the tokens of a sign-in, and at the scope that the client was registered for, if that is known. It
 * warns once a process, because every sign-in would say the same.
 */
export function createRefreshTokenNote({ scope: wanted, log }: NoteParts) {
  let hasWarned = false
  return ({ refreshToken, expiresAt, issuedAt }: Tokens, registered: unknown): void => {
    if (refreshToken !== undefined || !hasOffline(wanted)) return
    const minutes = expiresAt === undefined ? undefined : Math.round((expiresAt - issuedAt) / 60_000)
    const asked = typeof registered === 'string' ? registered : wanted
    const words = hasOffline(asked) ? withoutRefreshToken(minutes) : withoutOffline(minutes)
    if (hasWarned) log.debug({ minutes }, words)
    else log.warn({ minutes }, words)
    hasWarned = true
  }
}
