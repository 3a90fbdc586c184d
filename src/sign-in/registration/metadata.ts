// What onramp asks for when it registers itself (RFC 7591 2), and with what less it asks again where that is refused. Pure.
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import { isLoopbackHttp } from '../../loopback.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Settings } from '../../settings/settings.ts'
import { addressesOf } from '../addresses.ts'
import { deniesRefreshTokens } from '../server/metadata-rules.ts'
import { asymmetric } from '../sign-out/logout-token.ts'

export type RequestedMetadata = Record<string, unknown> & {
  redirect_uris: string[]
  token_endpoint_auth_method: Settings['OIDC_CLIENT_AUTH']
  id_token_signed_response_alg?: string
}

/** A server may support more than it lists; what it does not list is the likeliest to be refused. `openid` stays. */
export function listedScope(scope: string, listed: unknown): string {
  if (!Array.isArray(listed)) return scope
  const kept = scope.split(' ').filter((one) => one === 'openid' || listed.includes(one))
  return kept.length === 0 ? scope : kept.join(' ')
}

/** A server may register fewer scopes than were asked for, and says which (RFC 7591 3.2.1): it refuses people the others. */
export function registeredScope(scope: string, registered: unknown): string {
  if (typeof registered !== 'string') return scope
  const names = registered.split(' ')
  // A list of something else, such as of optional scopes only, says nothing of those that were asked for.
  return scope.split(' ').some((one) => names.includes(one)) ? listedScope(scope, names) : scope
}

const grantTypes = (server: ServerMetadata): string[] =>
  deniesRefreshTokens(server) ? ['authorization_code'] : ['authorization_code', 'refresh_token']

/**
 * client_secret_basic is the default (RFC 7591 2), and the default of OIDC_CLIENT_AUTH. Servers differ in how they decode
 * an id or a secret in it (RFC 6749 2.3.1); client_secret_post leaves nothing to decode.
 */
const authMethod = (chosen: Settings['OIDC_CLIENT_AUTH'], listed: readonly string[] | undefined) =>
  chosen === 'client_secret_basic' && listed?.includes('client_secret_post') === true
    ? 'client_secret_post'
    : chosen

/** Undefined: RS256, which is the default (OpenID Connect Dynamic Client Registration 1.0 2). */
function signatureAlgorithm({ id_token_signing_alg_values_supported: listed }: ServerMetadata) {
  return listed?.includes('RS256') === true ? undefined : asymmetric(listed)[0]
}

/** @param jwks the public key, for private_key_jwt */
export function requestedMetadata(
  settings: Settings,
  server: ServerMetadata,
  jwks: object | undefined,
): RequestedMetadata {
  const { PUBLIC_URL: publicUrl, OIDC_CLIENT_AUTH: chosen } = settings
  const addresses = addressesOf(publicUrl)
  return {
    client_name: 'Onramp',
    client_uri: publicUrl,
    // OpenID Connect Dynamic Client Registration 2: http on this machine is for native clients.
    application_type: isLoopbackHttp(new URL(publicUrl)) ? 'native' : 'web',
    redirect_uris: [addresses.callback],
    post_logout_redirect_uris: [addresses.signedOut],
    backchannel_logout_uri: addresses.backChannelLogout,
    grant_types: grantTypes(server),
    response_types: ['code'],
    scope: listedScope(settings.OIDC_SCOPE, server.scopes_supported),
    token_endpoint_auth_method: authMethod(chosen, server.token_endpoint_auth_methods_supported),
    ...omitUndefined({ jwks, id_token_signed_response_alg: signatureAlgorithm(server) }),
  }
}

/** What a sign-in works without; then also what refreshing works with at most servers that refuse to hear of it. */
const LEFT_OUT = [
  ['backchannel_logout_uri', 'application_type', 'scope', 'client_uri', 'post_logout_redirect_uris'],
  ['grant_types', 'response_types'],
]

/** The requests to try one after the other, as long as the server refuses what is asked for: each with less. */
export const requestsFor = (metadata: RequestedMetadata): RequestedMetadata[] =>
  LEFT_OUT.reduce<RequestedMetadata[]>(
    (requests, names) => {
      const before = Object.entries(requests.at(-1) ?? metadata)
      const rest = Object.fromEntries(before.filter(([name]) => !names.includes(name)))
      return [...requests, rest as RequestedMetadata]
    },
    [metadata],
  )

/** RFC 7591 3.2.2 and what servers say in its place. Anything else is about the right to register, not the request. */
const ABOUT_THE_REQUEST =
  /^(invalid_(client_metadata|redirect_uris?|request|scope|client_uri)|unsupported_\w+)$/

export type Refusal = { status: number; error?: string | undefined; description?: string | undefined }

/** Nothing was made there, and another request may fare better. */
export const isAboutTheRequest = ({ status, error }: Refusal): boolean =>
  (status === 400 || status === 422) && (error === undefined || ABOUT_THE_REQUEST.test(error))
