// Rules about the authorization server's metadata and keys. Reports only metadata that no working server has.
import type { ServerMetadata as Metadata } from 'openid-client'
import { parseJsonObject } from '../http/body.ts'
import { isSafeUrl } from '../http/loopback.ts'
import type { Problem } from '../problem.ts'
import type { Settings } from '../settings/settings.ts'
import { assertUsableMetadata, lacksRefreshTokenGrant } from '../sign-in/server/discovery.ts'
import { fetchOnce } from './fetch-once.ts'
import { createCheck, fail, ok, unreachable, warn, type DoctorContext } from './findings.ts'

function isForSigning(key: unknown): boolean {
  const { kty, use } = Object(key) as Record<string, unknown>
  return typeof kty === 'string' && kty !== 'oct' && use !== 'enc'
}

async function collect(metadata: Metadata) {
  if (!isSafeUrl(metadata.jwks_uri)) return { metadata, keys: undefined }
  const result = await fetchOnce(metadata.jwks_uri)
  const keys = result.kind === 'response' ? parseJsonObject(result.text)?.['keys'] : undefined
  const count = Array.isArray(keys) ? keys.filter(isForSigning).length : 0
  return { metadata, keys: { result, count } }
}

const scopesOf = ({ OIDC_SCOPE: scope = '' }: Partial<Settings>) => scope.split(' ').filter(Boolean)
const isOpenId = (settings: Partial<Settings>) => scopesOf(settings).includes('openid')

/** With symmetric algorithms (HS256), anyone with the client secret could forge an id_token. */
const ASYMMETRIC = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/

function signInFlow(metadata: Metadata, { OIDC_SCOPE: scope = 'openid' }: Partial<Settings>) {
  let names: string
  try {
    names = assertUsableMetadata(metadata, scope).join(', ')
  } catch (problem) {
    const { detail } = problem as Problem
    return fail(
      `${detail.replace(/^t/, 'T').replace(/: see OIDC_ISSUER$/, '')}.`,
      "OIDC_ISSUER, OIDC_SCOPE: every sign-in needs it, with an https URL; a server behind a proxy often doesn't know its https URL",
    )
  }
  if (names === '') return undefined
  return warn(
    `The server's metadata names addresses that aren't https, so onramp doesn't use them: ${names}.`,
    "OIDC_ISSUER: have the server use https in its metadata; behind a proxy it often doesn't know its https URL",
  )
}

/** The server should support PKCE (RFC 9700 2.1.1). Microsoft Entra does without listing it. */
const pkce = (metadata: Metadata) =>
  metadata.code_challenge_methods_supported?.includes('S256') !== true &&
  !('msgraph_host' in metadata) &&
  warn(
    "The server doesn't advertise PKCE (S256), which onramp always uses.",
    'OIDC_ISSUER: enable PKCE for the client there',
  )

function scopes({ scopes_supported: offered }: Metadata, settings: Partial<Settings>) {
  // Scopes of an API, like api://ID/search, are never listed.
  const requestedScopes = scopesOf(settings).filter((scope) => !scope.includes('/'))
  const lacking = requestedScopes.filter((scope) => offered?.includes(scope) === false)
  if (lacking.length === 0) return undefined
  return warn(
    `The server doesn't advertise every scope in OIDC_SCOPE: ${lacking.join(', ')} missing.`,
    "OIDC_SCOPE: remove the scopes that the server doesn't support; some servers issue refresh tokens without offline_access",
  )
}

function refreshTokens(metadata: Metadata, settings: Partial<Settings>) {
  const consequence = 'people have to sign in again each time their access token expires.'
  if (lacksRefreshTokenGrant(metadata))
    return warn(
      `The server doesn't advertise refresh tokens (grant_types_supported): without one, ${consequence}`,
      'OIDC_SCOPE: allow the refresh_token grant for the client there, unless the server issues refresh tokens anyway',
    )
  const isOffered = metadata.scopes_supported?.includes('offline_access') !== false
  if (!isOpenId(settings) || scopesOf(settings).includes('offline_access') || !isOffered) return undefined
  return warn(
    `OIDC_SCOPE lacks offline_access: if the server issues no refresh token without it, ${consequence}`,
    'OIDC_SCOPE: add offline_access, if the server supports it',
  )
}

function idTokenSigning(metadata: Metadata, settings: Partial<Settings>) {
  const { id_token_signing_alg_values_supported: listed = [] } = metadata
  if (!isOpenId(settings) || listed.length === 0 || listed.some((algorithm) => ASYMMETRIC.test(algorithm)))
    return undefined
  const algorithms = listed.filter((algorithm) => /^[\w-]{2,20}$/.test(algorithm)).join(', ')
  return fail(
    `The server signs ID tokens only with ${algorithms}, which onramp doesn't accept: with HS256, HS384 and HS512, anyone who has the client secret could forge one.`,
    "OIDC_ISSUER: configure the server to sign this client's ID tokens with its own key (id_token_signed_response_alg RS256, ES256, PS256 or EdDSA)",
  )
}

/** The source of the person's identity, because a plain OAuth 2.1 server has no id_token. */
const identity = (metadata: Metadata, settings: Partial<Settings>) =>
  settings.OIDC_SCOPE !== undefined &&
  !isOpenId(settings) &&
  metadata.userinfo_endpoint === undefined &&
  metadata.introspection_endpoint === undefined &&
  warn(
    'The server has no userinfo or introspection endpoint: unless access tokens are JWTs from this issuer with a sub, onramp treats every sign-in as a new person.',
    'OIDC_SCOPE, OIDC_ISSUER: use OpenID Connect (add openid) if the server supports it, or turn on userinfo or token introspection there',
  )

function signingKeys({ keys }: Awaited<ReturnType<typeof collect>>) {
  if (keys === undefined) return undefined
  const { result, count } = keys
  if (count > 0) return ok(`The signing keys can be fetched (${count}).`)
  if (result.kind === 'no-response')
    return unreachable(result.why, 'OIDC_ISSUER', "Couldn't fetch the signing keys")
  if (result.status === 429)
    return warn(
      'The server is limiting requests for its signing keys (429).',
      'OIDC_ISSUER: try again in a few minutes',
    )
  return result.status === 200
    ? fail(
        'The jwks_uri in the metadata has no signing key.',
        'OIDC_ISSUER: have the authorization server publish the keys that it signs ID tokens with',
      )
    : fail(
        `Couldn't fetch the signing keys (${result.status}).`,
        'OIDC_ISSUER: make sure this machine can reach the jwks_uri in the metadata',
      )
}

export const serverCheck = createCheck(collect, {
  'authorization-server.abilities': ({ metadata }, { settings }: DoctorContext) => [
    signInFlow(metadata, settings),
    pkce(metadata),
    scopes(metadata, settings),
    refreshTokens(metadata, settings),
    idTokenSigning(metadata, settings),
    identity(metadata, settings),
  ],
  'authorization-server.keys': signingKeys,
})
