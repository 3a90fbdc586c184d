// What onramp asks for when it registers itself (RFC 7591 2), and what it can do without when that is refused. Pure.
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import { isLoopbackHttp } from '../../loopback.ts'
import { present } from '../../present.ts'
import type { Settings } from '../../settings/settings.ts'
import { addressesOf } from '../addresses.ts'
import { deniesRefreshTokens } from '../server/metadata-rules.ts'

export type Wishes = Record<string, unknown> & {
  redirect_uris: string[]
  token_endpoint_auth_method?: string
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

/** @param jwks the public key, for private_key_jwt */
export function wishesOf(settings: Settings, server: ServerMetadata, jwks: object | undefined): Wishes {
  const { PUBLIC_URL: publicUrl } = settings
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
    token_endpoint_auth_method: settings.OIDC_CLIENT_AUTH,
    ...present({ jwks }),
  }
}

/** What can be left out, the one that is refused most often and missed least first. */
const OPTIONAL = [
  'backchannel_logout_uri',
  'application_type',
  'scope',
  'client_uri',
  'post_logout_redirect_uris',
  'grant_types',
  'token_endpoint_auth_method',
] as const

/** RFC 7591 3.2.2 and what servers say in its place. Anything else is about the right to register, not the request. */
const ABOUT_THE_REQUEST =
  /^(invalid_(client_metadata|redirect_uris?|request|scope|client_uri)|unsupported_\w+)$/

export type Refusal = { status: number; error?: string | undefined; description?: string | undefined }

/** Nothing was made there, and another request may fare better. */
export const isAboutTheRequest = ({ status, error }: Refusal): boolean =>
  (status === 400 || status === 422) && (error === undefined || ABOUT_THE_REQUEST.test(error))

const names = (member: string, { error, description = '' }: Refusal): boolean => {
  const said = `${error ?? ''} ${description}`.toLowerCase()
  const words = member.replace(/_(uris?|types?)$/, '').split('_')
  if (said.includes(member)) return true
  if (member === 'backchannel_logout_uri') return /back.?channel/.test(said)
  if (member === 'post_logout_redirect_uris') return /post.?logout/.test(said)
  if (member === 'grant_types') return /grant.?type|refresh_token/.test(said)
  return words.length > 1 && said.includes(words.join(' '))
}

/**
 * The next request to try after a refusal: without the member that the server names, otherwise without the next one of
 * those that can be left out.
 * @returns undefined when there is nothing left to leave out
 */
export function withoutOne(
  wishes: Wishes,
  refusal: Refusal,
): { wishes: Wishes; leftOut: string } | undefined {
  // Without it the server would take the secret for what proves us: not for a client that has none.
  const hasSecret = wishes.token_endpoint_auth_method?.startsWith('client_secret') ?? false
  const left = OPTIONAL.filter(
    (member) => member in wishes && (member !== 'token_endpoint_auth_method' || hasSecret),
  )
  const leftOut = left.find((member) => names(member, refusal)) ?? left[0]
  if (leftOut === undefined) return undefined
  const { [leftOut]: _without, ...rest } = wishes
  return { wishes: rest, leftOut }
}
