// What the tokens of a sign-in are good for, and how long; and what the log says where no refresh token was issued.
import type { TokenEndpointResponse } from 'openid-client'
import { omitUndefined } from '../omit-undefined.ts'
import type { Tokens } from '../session/signed-in.ts'
import type { Settings } from '../settings/settings.ts'
import type { Log } from '../web/log.ts'

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
export function tokensOf(answer: TokenEndpointResponse, now: number, before?: Tokens): Tokens {
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

const withoutOffline =
  'offline_access was not asked for, because the authorization server does not list it or did not register this client for it: allow it there'

const withoutRefreshToken =
  'If the authorization server issues one only with consent (OpenID Connect Core 11), set OIDC_PROMPT=consent; otherwise let the client have the grant refresh_token there, or leave offline_access out of OIDC_SCOPE'

const hasOffline = (scope: string) => scope.split(' ').includes('offline_access')

/**
 * @param wanted OIDC_SCOPE
 * @returns looks at the tokens of a sign-in, and at the scope that the client was registered for, if that is known. It
 * warns once a process, because every sign-in would say the same.
 */
export function createRefreshTokenNote(wanted: string, log: Pick<Log, 'warn' | 'debug'>) {
  let hasWarned = false
  return ({ refreshToken, expiresAt, issuedAt }: Tokens, registered: unknown): void => {
    if (refreshToken !== undefined || !hasOffline(wanted)) return
    const minutes = expiresAt === undefined ? undefined : Math.round((expiresAt - issuedAt) / 60_000)
    const asked = typeof registered === 'string' ? registered : wanted
    const when = minutes === undefined ? 'when the access token runs out' : `after ${minutes} minutes`
    const [though, advice] = hasOffline(asked)
      ? [', though offline_access was asked for', withoutRefreshToken]
      : ['', withoutOffline]
    const words = `no refresh token was issued${though}: ${when} people are sent to sign in again. ${advice}`
    if (hasWarned) log.debug({ minutes }, words)
    else log.warn({ minutes }, words)
    hasWarned = true
  }
}
