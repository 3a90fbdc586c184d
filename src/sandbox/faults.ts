// Where an authorization server can be made to lie: its answers are rewritten after oidc-provider made them.
// A new fault: name it in fault-switches.ts, then do it in the function of the answer that it changes.
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from './fault-switches.ts'
import type { ProviderStore } from './provider-store.ts'
import { generateSigningKey } from './signing-keys.ts'

type Json = Record<string, unknown>
type FaultOptions = { faults: Faults; key: JWK; store: ProviderStore; answer: () => Promise<void> }

const elsewhere = 'https://other-issuer.example'

/**
 * Answers a request to oidc-provider as the faults say.
 * @param answer lets oidc-provider answer; not called when the fault comes before that
 * @param key signs changed id_tokens
 */
export async function withFaults(ctx: KoaContextWithOIDC, options: FaultOptions) {
  const { faults, key, store, answer } = options
  if (ctx.method === 'POST' && ctx.path === '/reg' && faults.registration?.closed) {
    ctx.status = faults.registration.closed
    ctx.body = { error: 'access_denied', error_description: 'registration is closed' }
    return
  }
  await answer()
  const route = ctx.oidc?.route
  if (route === 'authorization' || route === 'resume') authorizationFaults(ctx, faults)
  if (route === 'token') await tokenFaults(ctx, faults, key)
  if (route === 'userinfo') userinfoFaults(ctx, faults)
  if (route === 'registration') registrationFaults(ctx, faults, store)
}

function authorizationFaults(ctx: KoaContextWithOIDC, { authorizationAnswer: fault }: Faults): void {
  const location = ctx.response.get('location')
  const callback = ctx.oidc.params?.['redirect_uri']
  if (!fault || typeof callback !== 'string' || !location.startsWith(callback)) return
  const url = new URL(location)
  if (fault === 'wrongIss') url.searchParams.set('iss', elsewhere)
  if (fault === 'missingIss') url.searchParams.delete('iss')
  if (fault === 'wrongState') url.searchParams.set('state', 'another-state')
  if (fault === 'missingState') url.searchParams.delete('state')
  if (fault === 'missingCode') url.searchParams.delete('code')
  ctx.set('location', url.href)
}

async function tokenFaults(ctx: KoaContextWithOIDC, faults: Faults, key: JWK): Promise<void> {
  const grant = ctx.oidc.params?.['grant_type']
  if (faults.token && [undefined, grant].includes(faults.token.grant))
    await tokenEndpointFaults(ctx, faults.token)
  const body = jsonOf(ctx)
  if (!faults.idToken || typeof body['id_token'] !== 'string') return
  if (faults.idToken === 'otherSubOnRefresh' && grant !== 'refresh_token') return
  if (faults.idToken === 'missing') delete body['id_token']
  else body['id_token'] = await faultyIdToken(body['id_token'], faults.idToken, key)
}

async function tokenEndpointFaults(
  ctx: KoaContextWithOIDC,
  fault: NonNullable<Faults['token']>,
): Promise<void> {
  if (fault.delayMs) await sleep(fault.delayMs)
  const body = jsonOf(ctx)
  if (fault.error) {
    ctx.status = fault.status ?? (fault.error === 'invalid_client' ? 401 : 400)
    ctx.body = { error: fault.error, error_description: 'a fault of the sandbox' }
    return
  }
  if (fault.withoutRefreshToken) delete body['refresh_token']
  if (fault.withoutExpiresIn) delete body['expires_in']
  if (fault.expiresIn !== undefined) body['expires_in'] = fault.expiresIn
  if (fault.tokenType) body['token_type'] = fault.tokenType
}

function userinfoFaults(ctx: KoaContextWithOIDC, { userinfo: fault }: Faults): void {
  const body = jsonOf(ctx)
  if (!fault || ctx.status !== 200) return
  if (fault === 'otherSub') body['sub'] = 'somebody-else'
  if (fault === 'noSub') delete body['sub']
  if (fault === 'noEmail') delete body['email']
}

function registrationFaults(
  ctx: KoaContextWithOIDC,
  { registration: fault }: Faults,
  store: ProviderStore,
): void {
  const body = jsonOf(ctx)
  if (!fault?.secretSeconds || ctx.status !== 201 || !body['client_secret']) return
  body['client_secret_expires_at'] = Math.floor(Date.now() / 1000) + fault.secretSeconds
  const { registration_client_uri: _uri, registration_access_token: _token, ...metadata } = body
  store.put('Client', String(body['client_id']), metadata)
}

/** The body of the answer, to be changed in place; an empty object where there is none. */
function jsonOf({ body }: KoaContextWithOIDC): Json {
  return isJson(body) ? body : {}
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

async function faultyIdToken(
  token: string,
  fault: NonNullable<Faults['idToken']>,
  key: JWK,
): Promise<string> {
  const claims = faultyClaims(decodeJwt(token), fault)
  if (fault === 'algNone') return unsigned(claims)
  if (fault === 'badSignature') return badlySigned(token)
  const signingKey = fault === 'unknownKid' ? await generateSigningKey() : key
  const header = { alg: 'RS256', kid: String(signingKey.kid), typ: 'JWT' }
  return new SignJWT(claims).setProtectedHeader(header).sign(await importJWK(signingKey, 'RS256'))
}

function faultyClaims(claims: JWTPayload, fault: NonNullable<Faults['idToken']>): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  const { nonce: _nonce, ...withoutNonce } = claims
  const { sub: _sub, ...withoutSub } = claims
  const { aud } = claims
  if (fault === 'wrongIss') return { ...claims, iss: elsewhere }
  if (fault === 'wrongAud') return { ...claims, aud: `not-${String(aud)}` }
  if (fault === 'wrongNonce') return { ...claims, nonce: 'another-nonce' }
  if (fault === 'missingNonce') return withoutNonce
  if (fault === 'expired') return { ...claims, iat: now - 7200, exp: now - 3600 }
  if (fault === 'issuedInFuture') return { ...claims, iat: now + 3600, nbf: now + 3600, exp: now + 7200 }
  if (fault === 'noSub') return withoutSub
  if (fault === 'otherSub' || fault === 'otherSubOnRefresh') return { ...claims, sub: 'somebody-else' }
  return claims
}

function unsigned(claims: JWTPayload): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none', typ: 'JWT' })}.${encode(claims)}.`
}

function badlySigned(token: string): string {
  const signed = token.slice(0, token.lastIndexOf('.'))
  const noise = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((seed) =>
    createHmac('sha256', seed).update(signed).digest(),
  )
  return `${signed}.${Buffer.concat(noise).toString('base64url')}`
}
