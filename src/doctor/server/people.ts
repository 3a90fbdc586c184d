// What the authorization server says of people, and for how long: scopes, refresh tokens, who signs in, and whether their
// addresses count. A claim that is not listed may still arrive, because listing it is only recommended.
import type { Settings } from '../../settings/settings.ts'
import { deniesRefreshTokens } from '../../sign-in/server/metadata-rules.ts'
import { ok, skip, warn, type Finding, type Findings } from '../finding.ts'
import type { Metadata } from './discovered.ts'

const OFFLINE = 'offline_access'

/** @param scope OIDC_SCOPE */
export function scopes({ scopes_supported: offered }: Metadata, scope: string): Finding {
  if (offered === undefined)
    return ok("The server doesn't advertise its scopes; it may support all scopes in OIDC_SCOPE.")
  const missing = scope.split(' ').filter((one) => !offered.includes(one))
  if (missing.length === 0) return ok('All scopes in OIDC_SCOPE are supported.')
  return warn(
    `The server doesn't advertise ${missing.length === 1 ? 'this scope' : 'these scopes'} in OIDC_SCOPE: ${missing.join(', ')}.`,
    {
      settings: ['OIDC_SCOPE'],
      fix: missing.includes(OFFLINE)
        ? 'remove offline_access if the server issues refresh tokens without it'
        : "remove the scopes that the server doesn't support",
    },
  )
}

const NO_REFRESH = 'people have to sign in again each time their access token expires'

/**
 * Without a refresh token people sign in again when the access token expires, often after an hour. A server may ignore
 * offline_access without prompt=consent (OpenID Connect Core 11).
 */
export function refreshing(metadata: Metadata, settings: Partial<Settings>): Finding | undefined {
  const { scopes_supported: offered } = metadata
  const { OIDC_SCOPE: scope = '', OIDC_PROMPT: prompt = '' } = settings
  const asked = scope.split(' ')
  if (deniesRefreshTokens(metadata))
    return warn(
      `The server doesn't advertise refresh tokens (grant_types_supported): without one, ${NO_REFRESH}.`,
      {
        settings: ['OIDC_SCOPE'],
        fix: 'allow the refresh_token grant for the client there, unless the server issues refresh tokens anyway',
      },
    )
  if (asked.includes(OFFLINE) && prompt.split(' ').includes('consent')) return undefined
  if (asked.includes(OFFLINE))
    return ok(
      'onramp requests a refresh token (offline_access). Some servers only issue one with prompt=consent: if the log says that none was issued, set OIDC_PROMPT=consent.',
    )
  if (!asked.includes('openid') || offered?.includes(OFFLINE) === false) return undefined
  return warn(
    `OIDC_SCOPE lacks offline_access: if the server issues no refresh token without it, ${NO_REFRESH}.`,
    { settings: ['OIDC_SCOPE'], fix: 'add offline_access, if the server supports it' },
  )
}

const NEW_PERSON = 'onramp treats every sign-in as a new person, who starts over'

/**
 * Who signs in at a plain OAuth 2.1 server (OIDC_SCOPE without openid), where no id_token says it. See
 * src/sign-in/identity.ts.
 */
export function identity(metadata: Metadata, scope: string): Finding | undefined {
  if (scope.split(' ').includes('openid')) return undefined
  if (metadata.userinfo_endpoint !== undefined) return ok('The userinfo endpoint identifies who signed in.')
  if (metadata.introspection_endpoint !== undefined)
    return skip(
      `can't tell whether onramp can identify people: there is no userinfo endpoint. The server offers token introspection, but only a sign-in shows whether this client can use it. If it can't, and access tokens aren't JWTs with a sub, ${NEW_PERSON}.`,
    )
  return warn(
    `The server has no userinfo or introspection endpoint: unless access tokens are JWTs from this issuer with a sub, ${NEW_PERSON}.`,
    {
      settings: ['OIDC_SCOPE', 'OIDC_ISSUER'],
      fix: 'use OpenID Connect (add openid) if the server supports it, or turn on userinfo or token introspection there',
    },
  )
}

/** OpenID Connect Discovery 1.0, 3: claims_supported is recommended, and need not name every claim. */
function arrival(claims: readonly string[] | undefined, claim: string): Finding | undefined {
  if (claims === undefined || claims.includes(claim)) return undefined
  return warn(`The server doesn't advertise the ${claim} claim (OIDC_EMAIL_CLAIM), but may still send it.`, {
    settings: ['OIDC_EMAIL_CLAIM'],
    fix: 'sign in once: if there is no address, choose a claim that the server sends, such as preferred_username or upn',
  })
}

/** Only an address that is known to be the person's opens /admin and counts in the report. */
function trusted(claims: readonly string[] | undefined, claim: string): Finding | undefined {
  if (claim === 'email' && claims === undefined)
    return skip(
      "the server doesn't advertise its claims, so it may or may not send email_verified. If people in ADMIN_EMAILS still get 404 at /admin, no email counts as verified: see OIDC_EMAIL_TRUST.",
    )
  if (claim === 'email' && claims?.includes('email_verified')) return undefined
  const why =
    claim === 'email'
      ? "The server doesn't advertise email_verified: if it doesn't send that claim, no email counts as verified"
      : `An address from ${claim} only counts as verified if it is also in the email claim, with email_verified`
  return warn(`${why}. Then no one in ADMIN_EMAILS can open /admin (404).`, {
    settings: ['OIDC_EMAIL_TRUST', 'ADMIN_EMAILS'],
    fix: 'set OIDC_EMAIL_TRUST to always if your company assigns the addresses',
  })
}

/** Both findings are reported: one of them does not hide the other. */
export function addresses({ claims_supported: claims }: Metadata, settings: Partial<Settings>): Findings {
  const { OIDC_EMAIL_CLAIM: claim = 'email', OIDC_EMAIL_TRUST: trust, ADMIN_EMAILS: admins } = settings
  const isAsked = admins !== undefined && trust !== 'always'
  return [arrival(claims, claim), isAsked ? trusted(claims, claim) : undefined]
}
