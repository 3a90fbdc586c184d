// What onramp asks for when it registers itself (RFC 7591 2), with what less it asks again where that is refused, and what
// it reads in the answer: tolerantly, because a client that was made and is not used is made again with every try. Pure.
import type { ClientMetadata, ServerMetadata } from 'openid-client'
import { parseJsonObject } from '../../http/body.ts'
import { isLoopbackHttp } from '../../http/loopback.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import type { Settings } from '../../settings/settings.ts'
import { clientAddresses } from '../server/client-addresses.ts'
import { lacksRefreshTokenGrant } from '../server/discovery.ts'
import { asymmetricAlgorithms } from '../sign-out/logout-token.ts'

export type RequestedMetadata = Record<string, unknown> & {
  redirect_uris: string[]
  token_endpoint_auth_method: Settings['OIDC_CLIENT_AUTH']
  id_token_signed_response_alg?: string
}

/** A server may support more than it lists; what it does not list is the likeliest to be refused. `openid` stays. */
function listedScope(scope: string, listed: unknown): string {
  if (!Array.isArray(listed)) return scope
  const kept = scope.split(' ').filter((one) => one === 'openid' || listed.includes(one))
  return kept.length === 0 ? scope : kept.join(' ')
}

/** The scope to request: what the server lists, within what it registered for the client (RFC 7591 3.2.1). */
export function scopeToRequest(scope: string, server: ServerMetadata, registered: unknown): string {
  const listed = listedScope(scope, server.scopes_supported)
  const names = typeof registered === 'string' ? registered.split(' ') : []
  // A list of something else, such as of optional scopes only, says nothing of those that were asked for.
  return listed.split(' ').some((one) => names.includes(one)) ? listedScope(listed, names) : listed
}

const grantTypes = (server: ServerMetadata): string[] =>
  lacksRefreshTokenGrant(server) ? ['authorization_code'] : ['authorization_code', 'refresh_token']

/** Prefers client_secret_post to the default: servers decode basic credentials differently (RFC 6749 2.3.1). */
const authMethod = (chosen: Settings['OIDC_CLIENT_AUTH'], listed: readonly string[] | undefined) =>
  chosen === 'client_secret_basic' && listed?.includes('client_secret_post') === true
    ? 'client_secret_post'
    : chosen

/** Undefined: RS256, which is the default (OpenID Connect Dynamic Client Registration 1.0 2). */
function signatureAlgorithm({ id_token_signing_alg_values_supported: listed }: ServerMetadata) {
  return listed?.includes('RS256') === true ? undefined : asymmetricAlgorithms(listed)[0]
}

/** @param jwks the public key, for private_key_jwt */
export function requestedMetadata(
  settings: Settings,
  server: ServerMetadata,
  jwks: object | undefined,
): RequestedMetadata {
  const { PUBLIC_URL: publicUrl, OIDC_CLIENT_AUTH: chosen } = settings
  const addresses = clientAddresses(publicUrl)
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
    scope: scopeToRequest(settings.OIDC_SCOPE, server, undefined),
    token_endpoint_auth_method: authMethod(chosen, server.token_endpoint_auth_methods_supported),
    ...omitUndefined({ jwks, id_token_signed_response_alg: signatureAlgorithm(server) }),
  }
}

/** What a sign-in works without; then also what refreshing works with at most servers that refuse to hear of it. */
const LEFT_OUT = [
  [],
  ['backchannel_logout_uri', 'application_type', 'scope', 'client_uri', 'post_logout_redirect_uris'],
  ['grant_types', 'response_types'],
]

/** The requests to try one after the other, as long as the server refuses what is asked for: each with less. */
export const registrationAttempts = (metadata: RequestedMetadata): RequestedMetadata[] =>
  LEFT_OUT.map((_, index) => {
    const without = LEFT_OUT.slice(0, index + 1).flat()
    const rest = Object.entries(metadata).filter(([name]) => !without.includes(name))
    return Object.fromEntries(rest) as RequestedMetadata
  })

/** The client as it is kept: client_id, perhaps a secret and when it expires, the method it wants. */
export type RegisteredClient = ClientMetadata & {
  client_secret_expires_at?: number
  /** Milliseconds since 1970. */
  registered_at?: number
}

/** What is kept of the answer. Anything else could only change how answers are checked, which was not asked for. */
const TEXTS = [
  'client_secret',
  'scope',
  'token_endpoint_auth_method',
  'id_token_signed_response_alg',
  'userinfo_signed_response_alg',
  'registration_client_uri',
  'registration_access_token',
]

/** How the client is to prove itself: as the server says, where that can be done with what it gave. */
function methodIn(kept: Record<string, unknown>, asked: string): string {
  const hasSecret = kept['client_secret'] !== undefined
  const possible = hasSecret ? ['client_secret_basic', 'client_secret_post', 'none'] : ['none']
  if (asked === 'private_key_jwt') possible.push(asked)
  const wanted = [kept['token_endpoint_auth_method'], asked]
  return (
    possible.find((one) => one === wanted[0]) ??
    possible.find((one) => one === wanted[1]) ??
    possible[0] ??
    'none'
  )
}

/** @param now milliseconds since 1970 @returns the client, or why the response can't be used */
export function readRegistrationResponse(
  text: string,
  requested: RequestedMetadata,
  now: number,
): { client: RegisteredClient; oddities: string[] } | { unusable: string } {
  const body = parseJsonObject(text)
  if (body === undefined) return { unusable: 'the body is not a JSON object' }
  const { client_id: id, redirect_uris: addresses, post_logout_redirect_uris: back } = body
  if (typeof id !== 'string' || id === '') return { unusable: 'there is no client_id that is a text' }
  const texts = TEXTS.map((name) => [name, body[name]]).filter(
    ([, text]) => typeof text === 'string' && text !== '',
  )
  const kept = Object.fromEntries(texts) as Record<string, string>
  const method = methodIn(kept, requested.token_endpoint_auth_method)
  const areLacking =
    Array.isArray(addresses) && !requested.redirect_uris.every((one) => addresses.includes(one))
  const expires = Number(body['client_secret_expires_at'])
  const client: RegisteredClient = {
    ...omitUndefined({ id_token_signed_response_alg: requested.id_token_signed_response_alg }),
    ...kept,
    client_id: id,
    registered_at: now,
    token_endpoint_auth_method: method,
    // 0 where the secret does not expire, or where the answer makes no sense.
    client_secret_expires_at: Number.isSafeInteger(expires) && expires * 1000 > now ? expires : 0,
  }
  // A server that says what it registered has not registered what it leaves out, nor what it wasn't asked for.
  const saysAll = addresses !== undefined || requested['post_logout_redirect_uris'] === undefined
  if (Array.isArray(back) || saysAll) client['post_logout_redirect_uris'] = Array.isArray(back) ? back : []
  const oddities = [
    areLacking && 'redirect_uris are not those that were asked for',
    method !== (kept['token_endpoint_auth_method'] ?? requested.token_endpoint_auth_method) &&
      `the client proves itself by ${method}, because it can't do so as agreed with what the server gave`,
  ]
  return { client, oddities: oddities.filter((one) => one !== false) }
}

const MAX_LETTERS = 200

/** `error` and `error_description` of a refusal (RFC 7591 3.2.2), for the log: short lines. @param secret is left out */
export function readErrorResponse(text: string, secret = '') {
  const body = parseJsonObject(text)
  const wordsOf = (said: unknown) => {
    const plain = typeof said === 'string' ? said.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim() : ''
    return (secret === '' ? plain : plain.replaceAll(secret, '…')).slice(0, MAX_LETTERS) || undefined
  }
  return { error: wordsOf(body?.['error']), description: wordsOf(body?.['error_description']) }
}
