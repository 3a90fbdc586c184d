// What the authorization server says of people, and for how long: scopes, refresh tokens, who signs in, and whether their
// addresses count. A claim that is not listed may still arrive, because listing it is only recommended.
import type { Settings } from '../../settings/settings.ts'
import { ok, skip, warn, type Finding, type Findings } from '../finding.ts'
import type { Metadata } from './discovered.ts'

const OFFLINE = 'offline_access'

/** @param scope OIDC_SCOPE */
export function scopes({ scopes_supported: offered }: Metadata, scope: string): Finding {
  if (offered === undefined) return ok('It does not list its scopes; those of OIDC_SCOPE may be among them.')
  const missing = scope.split(' ').filter((one) => !offered.includes(one))
  if (missing.length === 0) return ok('It lists the scopes of OIDC_SCOPE.')
  return warn(
    `It does not list ${missing.length === 1 ? 'a scope' : 'scopes'} of OIDC_SCOPE: ${missing.join(', ')}.`,
    {
      settings: ['OIDC_SCOPE'],
      fix: missing.includes(OFFLINE)
        ? 'leave offline_access out if the server gives refresh tokens without it'
        : 'leave out what the server does not know',
    },
  )
}

const NO_REFRESH = 'people have to sign in again whenever their access token expires'

/**
 * Without a refresh token people sign in again when the access token expires, often after an hour. A server may ignore
 * offline_access without prompt=consent (OpenID Connect Core 11).
 */
export function refreshing(metadata: Metadata, settings: Partial<Settings>): Finding | undefined {
  const { scopes_supported: offered, grant_types_supported: grants } = metadata
  const { OIDC_SCOPE: scope = '', OIDC_PROMPT: prompt = '' } = settings
  const asked = scope.split(' ')
  if (grants?.includes('refresh_token') === false)
    return warn(`It does not list refresh tokens (grant_types_supported): without one ${NO_REFRESH}.`, {
      settings: ['OIDC_SCOPE'],
      fix: 'allow the grant refresh_token for the client there',
    })
  if (asked.includes(OFFLINE) && prompt.split(' ').includes('consent')) return undefined
  if (asked.includes(OFFLINE))
    return ok(
      'onramp asks for a refresh token (offline_access). Some servers give one with prompt=consent only: if the log says that none came, set OIDC_PROMPT=consent.',
    )
  if (!asked.includes('openid') || offered?.includes(OFFLINE) === false) return undefined
  return warn(
    `OIDC_SCOPE lacks offline_access: where the server gives no refresh token without it, ${NO_REFRESH}.`,
    { settings: ['OIDC_SCOPE'], fix: 'add offline_access, if the server knows it' },
  )
}

const NEW_PERSON = 'every sign-in is a new person, whose walk starts over'

/**
 * Who signs in at a plain OAuth 2.1 server (OIDC_SCOPE without openid), where no id_token says it. See
 * src/sign-in/identity.ts.
 */
export function identity(metadata: Metadata, scope: string): Finding | undefined {
  if (scope.split(' ').includes('openid')) return undefined
  if (metadata.userinfo_endpoint !== undefined) return ok('Its userinfo endpoint says who signed in.')
  if (metadata.introspection_endpoint !== undefined)
    return skip(
      `who signs in: there is no userinfo endpoint. It offers token introspection, but only a sign-in shows whether this client may use it: where it may not, and access tokens are no JWTs with a sub, ${NEW_PERSON}.`,
    )
  return warn(
    `It has no userinfo or introspection endpoint: unless access tokens are JWTs of this issuer with a sub, ${NEW_PERSON}.`,
    {
      settings: ['OIDC_SCOPE', 'OIDC_ISSUER'],
      fix: 'use OpenID Connect (add openid) if the server speaks it, or let it offer userinfo or token introspection',
    },
  )
}

/** OpenID Connect Discovery 1.0, 3: claims_supported is recommended, and need not name every claim. */
function arrival(claims: readonly string[] | undefined, claim: string): Finding | undefined {
  if (claims === undefined || claims.includes(claim)) return undefined
  return warn(`It does not list the claim ${claim} of OIDC_EMAIL_CLAIM; it may arrive all the same.`, {
    settings: ['OIDC_EMAIL_CLAIM'],
    fix: 'sign in once: if no address arrives, choose a claim that it gives, such as preferred_username or upn',
  })
}

/** Only an address that is known to be the person's opens /admin and counts in the report. */
function trusted(claims: readonly string[] | undefined, claim: string): Finding | undefined {
  if (claim === 'email' && claims === undefined)
    return skip(
      'it does not list its claims, so email_verified may or may not arrive. If /admin stays 404 for ADMIN_EMAILS, no address counts as verified: see OIDC_EMAIL_TRUST.',
    )
  if (claim === 'email' && claims?.includes('email_verified')) return undefined
  const why =
    claim === 'email'
      ? 'It does not list email_verified: if that claim does not arrive, no address counts as verified'
      : `An address from ${claim} counts as verified only where it is also the claim email, with email_verified`
  return warn(`${why}. /admin then stays 404 for everyone in ADMIN_EMAILS.`, {
    settings: ['OIDC_EMAIL_TRUST', 'ADMIN_EMAILS'],
    fix: 'set OIDC_EMAIL_TRUST to always if the company itself gives out the addresses',
  })
}

/** Both findings are reported: one of them does not hide the other. */
export function addresses({ claims_supported: claims }: Metadata, settings: Partial<Settings>): Findings {
  const { OIDC_EMAIL_CLAIM: claim = 'email', OIDC_EMAIL_TRUST: trust, ADMIN_EMAILS: admins } = settings
  const isAsked = admins !== undefined && trust !== 'always'
  return [arrival(claims, claim), isAsked ? trusted(claims, claim) : undefined]
}
