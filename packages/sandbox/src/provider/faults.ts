// Where an authorization server can be made to lie: its answers are rewritten after oidc-provider made them.
// The faults of tokens and redirects are tables in forgeries.ts; all others are here, by the answer that they change.
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, type JWK } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { personWithId } from '../people.ts'
import type { Faults } from '../switches.ts'
import type { Issuer } from './configuration.ts'
import { ELSEWHERE, idTokenFaults, OTHER_SUB, redirectFaults } from './forgeries.ts'

type Json = Record<string, unknown>

/**
 * Answers a request to oidc-provider as the faults say.
 * @param key signs changed id_tokens
 * @param answer lets oidc-provider answer; not called when the fault comes before that
 */
export async function withFaults(
  ctx: KoaContextWithOIDC,
  server: Issuer,
  key: JWK,
  answer: () => Promise<void>,
): Promise<void> {
  const { faults } = server.switches.get()
  if (ctx.method === 'POST' && ctx.path === '/reg' && faults.registration?.closed) {
    ctx.status = faults.registration.closed
    ctx.body = { error: 'access_denied', error_description: 'registration is closed' }
    return
  }
  await answer()
  const route = ctx.oidc?.route
  if (ctx.path.startsWith('/.well-known/') && faults.metadata) metadataFaults(ctx, faults.metadata)
  if (route === 'authorization' || route === 'resume') authorizationFaults(ctx, faults)
  if (route === 'token' && [undefined, ctx.oidc.params?.['grant_type']].includes(faults.token?.grant))
    await tokenFaults(ctx, server, faults.token ?? {})
  if (route === 'token') await idTokenFault(ctx, key, faults)
  if (ctx.path === '/me') await userinfoFaults(ctx, server, faults)
  if (route === 'registration' && ctx.status === 201) registrationFaults(ctx, server, faults)
}

/** The body of the answer, to be changed in place; an empty object where there is none. */
function jsonOf({ body }: KoaContextWithOIDC): Json {
  return typeof body === 'object' && body !== null ? (body as Json) : {}
}

/** What OpenID Connect adds to RFC 8414. */
const OPENID = /^(id_token_.*|claims_supported|claim_types_supported|subject_types_supported|jwks_uri)$/

function metadataFaults(ctx: KoaContextWithOIDC, fault: NonNullable<Faults['metadata']>): void {
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

async function tokenFaults(ctx: KoaContextWithOIDC, { store }: Issuer, fault: NonNullable<Faults['token']>) {
  if (fault.delayMs) await sleep(fault.delayMs)
  const body = jsonOf(ctx)
  if (fault.withoutRefreshToken) delete body['refresh_token']
  if (fault.withoutExpiresIn) delete body['expires_in']
  if (!fault.error) return
  // A refused client has used nothing up: the refresh token is as good as before.
  const used: { jti?: string } | undefined = ctx.oidc.entities?.RotatedRefreshToken
  delete store.find('RefreshToken', used?.jti ?? '')?.consumed
  ctx.status = fault.status ?? (fault.error === 'invalid_client' ? 401 : 400)
  ctx.body = { error: fault.error, error_description: 'a fault of the sandbox' }
}

/** Clients may take everything from the id_token; a fault of userinfo shows only where they have to ask there. */
async function idTokenFault(ctx: KoaContextWithOIDC, key: JWK, { idToken, userinfo }: Faults): Promise<void> {
  const fault = idToken ?? (userinfo && 'subOnly')
  const body = jsonOf(ctx)
  const { id_token: token } = body
  if (!fault || typeof token !== 'string') return
  if (fault.endsWith('OnRefresh') && ctx.oidc.params?.['grant_type'] !== 'refresh_token') return
  const secret = ctx.oidc.client?.clientSecret ?? 'there is no client secret here'
  body['id_token'] = await idTokenFaults[fault]({ token, claims: decodeJwt(token), key, secret, typ: 'JWT' })
}

async function userinfoFaults(ctx: KoaContextWithOIDC, { people }: Issuer, faults: Faults): Promise<void> {
  // oidc-provider's own userinfo endpoint wants the scope `openid`, which plain OAuth 2.1 does not have.
  if (faults.metadata?.plainOAuth) {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(ctx.get('authorization')) ?? []
    const person = personWithId(people, (await ctx.oidc.provider.AccessToken.find(token))?.accountId)
    ctx.remove('www-authenticate')
    ctx.status = person ? 200 : 401
    ctx.body = person
      ? { sub: person.id, name: person.name, email: person.email, email_verified: true }
      : { error: 'invalid_token' }
  }
  if (ctx.status !== 200) return
  if (faults.userinfo === 'otherSub') jsonOf(ctx)['sub'] = OTHER_SUB
  if (faults.userinfo === 'noSub') delete jsonOf(ctx)['sub']
}

function registrationFaults(ctx: KoaContextWithOIDC, { store }: Issuer, { registration }: Faults): void {
  const body = jsonOf(ctx)
  if (!registration?.secretSeconds || !body['client_secret']) return
  body['client_secret_expires_at'] = Math.floor(Date.now() / 1000) + registration.secretSeconds
  const { registration_client_uri: _uri, registration_access_token: _token, ...metadata } = body
  store.put('Client', String(body['client_id']), metadata)
}
