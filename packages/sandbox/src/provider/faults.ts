// Where an authorization server can be made to lie: its answers are rewritten after oidc-provider made them.
// The faults of tokens and redirects are tables in forgeries.ts; all others are here, by the answer that they change.
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, type JWK } from 'jose'
import type { default as Provider, KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../control/fault-switches.ts'
import { personWithId, type Person } from '../people.ts'
import { ELSEWHERE, idTokenFaults, OTHER_SUB, redirectFaults } from './forgeries.ts'
import type { ProviderStore } from './store.ts'

type Json = Record<string, unknown>
type FaultOptions = {
  faults: Faults
  /** Signs changed id_tokens. */
  key: JWK
  store: ProviderStore
  people: Person[]
  provider: Provider
  /** Lets oidc-provider answer; not called when the fault comes before that. */
  answer: () => Promise<void>
}

/** Answers a request to oidc-provider as the faults say. */
export async function withFaults(ctx: KoaContextWithOIDC, options: FaultOptions): Promise<void> {
  const { faults, store, answer } = options
  if (ctx.method === 'POST' && ctx.path === '/reg' && faults.registration?.closed) {
    ctx.status = faults.registration.closed
    ctx.body = { error: 'access_denied', error_description: 'registration is closed' }
    return
  }
  if (ctx.path === '/me' && faults.metadata?.plainOAuth) await plainUserinfo(ctx, options)
  else await answer()
  const route = ctx.oidc?.route
  const body = jsonOf(ctx)
  if (ctx.path.startsWith('/.well-known/')) metadataFaults(ctx, faults)
  if (route === 'authorization' || route === 'resume') authorizationFaults(ctx, faults)
  if (route === 'token') await tokenFaults(ctx, options)
  if (ctx.path === '/me' && ctx.status === 200) userinfoFaults(body, faults)
  if (route === 'registration' && ctx.status === 201) registrationFaults(body, faults, store)
}

/** oidc-provider's own userinfo endpoint wants the scope `openid`, which plain OAuth 2.1 does not have. */
async function plainUserinfo(ctx: KoaContextWithOIDC, { provider, people }: FaultOptions): Promise<void> {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(ctx.get('authorization')) ?? []
  const person = personWithId(people, (await provider.AccessToken.find(token))?.accountId)
  ctx.status = person ? 200 : 401
  ctx.body = person
    ? { sub: person.id, name: person.name, email: person.email, email_verified: true }
    : { error: 'invalid_token' }
}

/** What OpenID Connect adds to RFC 8414. */
const OPENID = /^(id_token_.*|claims_supported|claim_types_supported|subject_types_supported|jwks_uri)$/

function metadataFaults(ctx: KoaContextWithOIDC, { metadata: fault }: Faults): void {
  if (!fault) return
  if (fault.plainOAuth && ctx.path.startsWith('/.well-known/openid-configuration')) {
    ctx.status = 404
    ctx.body = { error: 'not_found' }
    return
  }
  const left = Object.entries(jsonOf(ctx)).filter(
    ([name]) => !fault.without?.includes(name) && !(fault.plainOAuth && OPENID.test(name)),
  )
  ctx.body = {
    ...Object.fromEntries(left),
    ...(fault.wrongIssuer && { issuer: ELSEWHERE }),
    ...(fault.algNone && { id_token_signing_alg_values_supported: ['RS256', 'none'] }),
  }
}

function authorizationFaults(ctx: KoaContextWithOIDC, faults: Faults): void {
  const { authorizationAnswer, authorizationError } = faults
  const location: string | undefined = ctx.response.get('location')
  const callback = ctx.oidc.params?.['redirect_uri']
  if (typeof callback !== 'string' || !location?.startsWith(callback)) return
  const url = new URL(location)
  if (authorizationError) {
    const { error, description } = authorizationError
    url.searchParams.delete('code')
    url.searchParams.set('error', error)
    if (description) url.searchParams.set('error_description', description)
  }
  if (authorizationAnswer) redirectFaults[authorizationAnswer](url.searchParams)
  ctx.set('location', url.href)
}

async function tokenFaults(ctx: KoaContextWithOIDC, { faults, key, store }: FaultOptions): Promise<void> {
  const grant = ctx.oidc.params?.['grant_type']
  const { token, userinfo } = faults
  if (token && [undefined, grant].includes(token.grant)) await tokenEndpointFaults(ctx, token, store)
  const body = jsonOf(ctx)
  // Clients may take everything from the id_token; a fault of userinfo shows only where they have to ask there.
  const fault = faults.idToken ?? (userinfo && 'subOnly')
  const { id_token: idToken } = body
  if (!fault || typeof idToken !== 'string') return
  if (fault.endsWith('OnRefresh') && grant !== 'refresh_token') return
  const secret = ctx.oidc.client?.clientSecret ?? 'there is no client secret here'
  const good = { token: idToken, claims: decodeJwt(idToken), key, secret, typ: 'JWT' }
  body['id_token'] = await idTokenFaults[fault](good)
}

type TokenFault = NonNullable<Faults['token']>

async function tokenEndpointFaults(ctx: KoaContextWithOIDC, fault: TokenFault, store: ProviderStore) {
  if (fault.delayMs) await sleep(fault.delayMs)
  if (fault.error) {
    forgetRotation(ctx, store)
    ctx.status = fault.status ?? (fault.error === 'invalid_client' ? 401 : 400)
    ctx.body = { error: fault.error, error_description: 'a fault of the sandbox' }
    return
  }
  const body = jsonOf(ctx)
  if (fault.withoutRefreshToken) delete body['refresh_token']
  if (fault.withoutExpiresIn) delete body['expires_in']
  if (fault.expiresIn !== undefined) body['expires_in'] = fault.expiresIn
  if (fault.tokenType) body['token_type'] = fault.tokenType
}

/** A refused client has used nothing up: the refresh token is as good as before. */
function forgetRotation(ctx: KoaContextWithOIDC, store: ProviderStore): void {
  const used: { jti?: string } | undefined = ctx.oidc.entities?.RotatedRefreshToken
  const found = store.list('RefreshToken').find(({ id }) => id === used?.jti)
  if (found) delete found.payload.consumed
}

function userinfoFaults(body: Json, { userinfo: fault }: Faults): void {
  if (fault === 'otherSub') body['sub'] = OTHER_SUB
  if (fault === 'noSub') delete body['sub']
  if (fault === 'noEmail') delete body['email']
}

function registrationFaults(body: Json, { registration: fault }: Faults, store: ProviderStore): void {
  if (!fault?.secretSeconds || !body['client_secret']) return
  body['client_secret_expires_at'] = Math.floor(Date.now() / 1000) + fault.secretSeconds
  const { registration_client_uri: _uri, registration_access_token: _token, ...metadata } = body
  store.put('Client', String(body['client_id']), metadata)
}

/** The body of the answer, to be changed in place; an empty object where there is none. */
function jsonOf({ body }: KoaContextWithOIDC): Json {
  return typeof body === 'object' && body !== null ? (body as Json) : {}
}
