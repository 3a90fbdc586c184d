// Simulates faults of an authorization server by rewriting oidc-provider's responses. forgeries.ts has forged tokens.
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, type JWK } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../switches.ts'
import { forgeries } from './forgeries.ts'
import type { IssuerConfig, ProviderStore } from './store.ts'

type Json = Record<string, unknown>

/** @param key signs changed ID tokens */
export async function applyFaults(
  ctx: KoaContextWithOIDC,
  issuer: IssuerConfig,
  store: ProviderStore,
  key: JWK,
) {
  const { faults } = issuer.switches.get()
  const route = ctx.oidc?.route
  if (ctx.path.startsWith('/.well-known/')) changeMetadata(ctx, faults)
  if (route === 'authorization' || route === 'resume') changeRedirect(ctx, faults.authorizationAnswer)
  if (route === 'token') await changeIdToken(ctx, key, faults)
  if (route === 'token' && faults.tokenDelayMs) await sleep(faults.tokenDelayMs)
  if (ctx.path === '/me') changeUserinfo(ctx, issuer, faults)
  if (route === 'registration' && ctx.status === 201) endSecret(ctx, store, faults.secretSeconds)
}

/** The body, to be changed in place; empty if it isn't JSON. */
function jsonOf({ body }: KoaContextWithOIDC): Json {
  return typeof body === 'object' && body !== null ? (body as Json) : {}
}

/** null removes a member. */
const changed = (body: Json, changes: Json = {}): Json =>
  Object.fromEntries(Object.entries({ ...body, ...changes }).filter(([, value]) => value !== null))

/** Additions of OpenID Connect to RFC 8414. */
const OPENID = /^(id_token_.*|claims_supported|claim_types_supported|subject_types_supported|jwks_uri)$/

function changeMetadata(ctx: KoaContextWithOIDC, { plainOAuth, metadata }: Faults): void {
  if (plainOAuth && ctx.path.startsWith('/.well-known/openid-configuration'))
    return void Object.assign(ctx, { status: 404, body: { error: 'not_found' } })
  const left = Object.entries(jsonOf(ctx)).filter(([name]) => !plainOAuth || !OPENID.test(name))
  ctx.body = changed(Object.fromEntries(left), metadata)
}

function changeRedirect(ctx: KoaContextWithOIDC, changes: Faults['authorizationAnswer'] = {}): void {
  const location: string | undefined = ctx.response.get('location')
  const callback = ctx.oidc.params?.['redirect_uri']
  if (typeof callback !== 'string' || !location?.startsWith(callback)) return
  const url = new URL(location)
  const parameters = changed(Object.fromEntries(url.searchParams), changes) as Record<string, string>
  url.search = String(new URLSearchParams(parameters))
  ctx.set('location', url.href)
}

/** A userinfo fault also strips the ID token, so that clients have to call userinfo. */
async function changeIdToken(ctx: KoaContextWithOIDC, key: JWK, { idToken, userinfo }: Faults) {
  const fault = idToken ?? (userinfo && 'subOnly')
  const body = jsonOf(ctx)
  const { id_token: token } = body
  if (!fault || typeof token !== 'string') return
  const secret = ctx.oidc.client?.clientSecret ?? 'there is no client secret here'
  body['id_token'] = await forgeries[fault]({ token, claims: decodeJwt(token), key, secret, typ: 'JWT' })
}

function changeUserinfo(ctx: KoaContextWithOIDC, { people }: IssuerConfig, { userinfo }: Faults): void {
  // oidc-provider's userinfo requires the scope `openid`, which plain OAuth 2.1 lacks.
  const person = people.find(({ id }) => id === ctx.oidc.accessToken?.accountId)
  if (ctx.status === 403 && person) {
    ctx.remove('www-authenticate')
    ctx.status = 200
    ctx.body = { sub: person.id, name: person.name, email: person.email, email_verified: true }
  }
  // A signed response is text, which no fault changes.
  if (ctx.status === 200 && typeof ctx.body !== 'string') ctx.body = changed(jsonOf(ctx), userinfo)
}

function endSecret(ctx: KoaContextWithOIDC, store: ProviderStore, seconds: number | undefined): void {
  const body = jsonOf(ctx)
  if (!seconds || !body['client_secret']) return
  const end = { client_secret_expires_at: Math.floor(Date.now() / 1000) + seconds }
  for (const client of [body, store.find('Client', String(body['client_id']))])
    Object.assign(client ?? {}, end)
}
