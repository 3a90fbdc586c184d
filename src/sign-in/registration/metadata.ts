// Builds the metadata of a registration (RFC 7591 2) and reads the response. Tolerant, because a client whose response
// was rejected would be registered again with every attempt. Pure.
import type { ClientMetadata, ServerMetadata } from 'openid-client'
import { parseJsonObject } from '../../http/body.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Settings } from '../../settings/settings.ts'
import { clientUrls } from '../server/client-urls.ts'
import { lacksRefreshTokenGrant } from '../server/discovery.ts'
import { asymmetricAlgorithms } from '../server/signing-keys.ts'

type RequestedMetadata = {
  token_endpoint_auth_method: Settings['OIDC_CLIENT_AUTH']
  id_token_signed_response_alg?: string
  post_logout_redirect_uris?: string[]
}

/** Removes scopes that the server doesn't list, because it would probably refuse them. `openid` stays. */
function listedScope(scope: string, listed: unknown): string {
  if (!Array.isArray(listed)) return scope
  const kept = scope.split(' ').filter((name) => name === 'openid' || listed.includes(name))
  return kept.length === 0 ? scope : kept.join(' ')
}

/** Requests scopes that the server lists, and registered for the client (RFC 7591 3.2.1). */
export function scopeToRequest(scope: string, server: ServerMetadata, registered: unknown): string {
  const listed = listedScope(scope, server.scopes_supported)
  const names = typeof registered === 'string' ? registered.split(' ') : []
  // Some servers return only other scopes, such as optional ones.
  return listed.split(' ').some((name) => names.includes(name)) ? listedScope(listed, names) : listed
}

/** Prefers client_secret_post, because servers decode basic credentials differently (RFC 6749 2.3.1). */
const authMethod = (chosen: Settings['OIDC_CLIENT_AUTH'], listed: readonly string[] = []) =>
  chosen === 'client_secret_basic' && listed.includes('client_secret_post') ? 'client_secret_post' : chosen

/** @returns undefined for RS256, the default (OpenID Connect Dynamic Client Registration 1.0 2) */
function signatureAlgorithm({ id_token_signing_alg_values_supported: listed }: ServerMetadata) {
  return listed?.includes('RS256') === true ? undefined : asymmetricAlgorithms(listed)[0]
}

export function requestedMetadata(settings: Settings, server: ServerMetadata, jwks: object | undefined) {
  const { PUBLIC_URL: publicUrl, OIDC_CLIENT_AUTH: chosen } = settings
  const urls = clientUrls(publicUrl)
  return {
    client_name: 'Onramp',
    client_uri: publicUrl,
    // OpenID Connect Dynamic Client Registration 1.0 2: http on loopback is for native clients.
    application_type: new URL(publicUrl).protocol === 'http:' ? 'native' : 'web',
    redirect_uris: [urls.redirectUri],
    post_logout_redirect_uris: [urls.postLogoutRedirectUri],
    backchannel_logout_uri: urls.backChannelLogoutUri,
    grant_types: ['authorization_code', ...(lacksRefreshTokenGrant(server) ? [] : ['refresh_token'])],
    response_types: ['code'],
    scope: scopeToRequest(settings.OIDC_SCOPE, server, undefined),
    token_endpoint_auth_method: authMethod(chosen, server.token_endpoint_auth_methods_supported),
    ...omitUndefined({ jwks, id_token_signed_response_alg: signatureAlgorithm(server) }),
  }
}

/** `client_secret_expires_at`: seconds, 0 for never; `registered_at`: milliseconds, both since 1970. */
export type RegisteredClient = ClientMetadata & {
  token_endpoint_auth_method?: string
  client_secret_expires_at?: number
  registered_at?: number
}

/** Other members could change how tokens are checked, which onramp didn't request. */
const STORED_MEMBER =
  /^(client_secret|scope|token_endpoint_auth_method|(id_token|userinfo)_signed_response_alg|registration_(client_uri|access_token))$/

/** Prefers the server's method, then the requested one, then any for which the credentials suffice. */
function usableAuthMethod(stored: Record<string, string>, requested: string): string {
  const withSecret = ['client_secret_basic', 'client_secret_post']
  const possible = [...(stored['client_secret'] === undefined ? [] : withSecret), 'none']
  if (requested === 'private_key_jwt') possible.push(requested)
  const wanted = [stored['token_endpoint_auth_method'] ?? '', requested, ...possible]
  return wanted.find((method) => possible.includes(method)) ?? 'none'
}

/** @param now milliseconds since 1970 @returns the client, or the reason why the response can't be used */
export function readRegistrationResponse(
  text: string,
  requested: RequestedMetadata,
  now: number,
): RegisteredClient | string {
  const body = parseJsonObject(text)
  if (body === undefined) return 'the body is not a JSON object'
  const { client_id: id, post_logout_redirect_uris: back } = body
  if (typeof id !== 'string' || id === '') return 'client_id is missing or not text'
  const members = Object.entries(body).filter(
    ([name, value]) => STORED_MEMBER.test(name) && typeof value === 'string' && value !== '',
  )
  const stored = Object.fromEntries(members) as Record<string, string>
  const expires = Number(body['client_secret_expires_at'])
  const client: RegisteredClient = {
    ...omitUndefined({ id_token_signed_response_alg: requested.id_token_signed_response_alg }),
    ...stored,
    client_id: id,
    registered_at: now,
    token_endpoint_auth_method: usableAuthMethod(stored, requested.token_endpoint_auth_method),
    client_secret_expires_at: Number.isSafeInteger(expires) && expires * 1000 > now ? expires : 0,
  }
  // A server that returns addresses has not registered those that it omits.
  const isExhaustive = 'redirect_uris' in body || requested.post_logout_redirect_uris === undefined
  if (Array.isArray(back) || isExhaustive)
    client['post_logout_redirect_uris'] = Array.isArray(back) ? back : []
  return client
}

const MAX_CHARACTERS = 200

/** `error` and `error_description` (RFC 7591 3.2.2) as short lines for the log. @param secret to remove from them */
export function readRegistrationError(text: string, secret = '') {
  const body = parseJsonObject(text)
  const plain = (value: unknown) => {
    const line = typeof value === 'string' ? value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim() : ''
    return (secret === '' ? line : line.replaceAll(secret, '…')).slice(0, MAX_CHARACTERS) || undefined
  }
  return { error: plain(body?.['error']), description: plain(body?.['error_description']) }
}
