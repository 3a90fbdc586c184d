// Where an authorization server can be made to lie: its answers are rewritten after oidc-provider made them.
// The faults of tokens are tables in forgeries.ts; all others are here, by the answer that they change.
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, type JWK } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { personWithId } from '../people.ts'
import type { Faults } from '../switches.ts'
import type { Issuer } from './configuration.ts'
import { idTokenFaults } from './forgeries.ts'

type Json = Record<string, unknown>

/**
 * Rewrites an answer of oidc-provider as the faults say.
 * @param key signs changed id_tokens
 */
export async function applyFaults(ctx: KoaContextWithOIDC, issuer: Issuer, key: JWK): Promise<void> {
  const { faults } = issuer.switches.get()
  const route = ctx.oidc?.route
  if (ctx.path.startsWith('/.well-known/')) changeMetadata(ctx, faults)
  if (route === 'authorization' || route === 'resume') changeRedirect(ctx, faults.authorizationAnswer)
  if (route === 'token') await changeIdToken(ctx, key, faults)
  if (route === 'token' && faults.tokenDelayMs) await sleep(faults.tokenDelayMs)
  if (ctx.path === '/me') await changeUserinfo(ctx, issuer, faults)
  if (route === 'registration' && ctx.status === 201) endSecret(ctx, issuer, faults.secretSeconds)
}

/** The body of the answer, to be changed in place; an empty object where there is none. */
function jsonOf({ body }: KoaContextWithOIDC): Json {
  return typeof body === 'object' && body !== null ? (body as Json) : {}
}

function change(body: Json, members: Json = {}): void {
  for (const [name, value] of Object.entries(members))
    if (value === null) delete body[name]
    else body[name] = value
}

/** What OpenID Connect adds to RFC 8414. */
const OPENID = /^(id_token_.*|claims_supported|claim_types_supported|subject_types_supported|jwks_uri)$/

function changeMetadata(ctx: KoaContextWithOIDC, { plainOAuth, metadata }: Faults): void {
  if (plainOAuth && ctx.path.startsWith('/.well-known/openid-configuration')) {
    ctx.status = 404
    ctx.body = { error: 'not_found' }
    return
  }
  const left = Object.entries(jsonOf(ctx)).filter(([name]) => !plainOAuth || !OPENID.test(name))
  const body = Object.fromEntries(left)
  change(body, metadata)
  ctx.body = body
}

function changeRedirect(ctx: KoaContextWithOIDC, changes: Faults['authorizationAnswer'] = {}): void {
  const location: string | undefined = ctx.response.get('location')
  const callback = ctx.oidc.params?.['redirect_uri']
  if (typeof callback !== 'string' || !location?.startsWith(callback)) return
  const url = new URL(location)
  for (const [name, value] of Object.entries(changes))
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  ctx.set('location', url.href)
}

/** Clients may take everything from the id_token; a fault of userinfo shows only where they have to ask there. */
async function changeIdToken(
  ctx: KoaContextWithOIDC,
  key: JWK,
  { idToken, userinfo }: Faults,
): Promise<void> {
  const fault = idToken ?? (userinfo && 'subOnly')
  const body = jsonOf(ctx)
  const { id_token: token } = body
  if (!fault || typeof token !== 'string') return
  const secret = ctx.oidc.client?.clientSecret ?? 'there is no client secret here'
  body['id_token'] = await idTokenFaults[fault]({ token, claims: decodeJwt(token), key, secret, typ: 'JWT' })
}

async function changeUserinfo(ctx: KoaContextWithOIDC, { people }: Issuer, faults: Faults): Promise<void> {
  // oidc-provider's own userinfo endpoint wants the scope `openid`, which plain OAuth 2.1 does not have.
  if (faults.plainOAuth) {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(ctx.get('authorization')) ?? []
    const person = personWithId(people, (await ctx.oidc.provider.AccessToken.find(token))?.accountId)
    ctx.remove('www-authenticate')
    ctx.status = person ? 200 : 401
    ctx.body = person
      ? { sub: person.id, name: person.name, email: person.email, email_verified: true }
      : { error: 'invalid_token' }
  }
  if (ctx.status === 200) change(jsonOf(ctx), faults.userinfo)
}

function endSecret(ctx: KoaContextWithOIDC, { store }: Issuer, seconds: number | undefined): void {
  const body = jsonOf(ctx)
  if (!seconds || !body['client_secret']) return
  body['client_secret_expires_at'] = Math.floor(Date.now() / 1000) + seconds
  const { registration_client_uri: _uri, registration_access_token: _token, ...metadata } = body
  store.put('Client', String(body['client_id']), metadata)
}
