// Simulates faults of an authorization server by rewriting oidc-provider's responses.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, importJWK, SignJWT, type JWK } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Faults } from '../switches.ts'
import type { IssuerConfig } from './store.ts'

type Json = Record<string, unknown>

/** @param key signs changed ID tokens */
export async function applyFaults(ctx: KoaContextWithOIDC, issuer: IssuerConfig, key: JWK) {
  const { faults } = issuer.switches.get()
  const route = ctx.oidc?.route
  if (ctx.path.startsWith('/.well-known/')) changeMetadata(ctx, faults)
  if (route === 'token') await changeIdToken(ctx, key, faults)
  if (route === 'token' && faults.tokenDelayMs) await sleep(faults.tokenDelayMs)
  if (ctx.path === '/me') completeUserinfo(ctx, issuer)
}

/** The body, to be changed in place; empty if it isn't JSON. */
function jsonOf({ body }: KoaContextWithOIDC): Json {
  return typeof body === 'object' && body !== null ? (body as Json) : {}
}

/** Additions of OpenID Connect to RFC 8414. */
const OPENID = /^(id_token_.*|claims_supported|claim_types_supported|subject_types_supported|jwks_uri)$/

function changeMetadata(ctx: KoaContextWithOIDC, { plainOAuth, metadata }: Faults): void {
  if (plainOAuth && ctx.path.startsWith('/.well-known/openid-configuration'))
    return void Object.assign(ctx, { status: 404, body: { error: 'not_found' } })
  const members = Object.entries({ ...jsonOf(ctx), ...metadata })
  ctx.body = Object.fromEntries(
    members.filter(([name, value]) => value !== null && !(plainOAuth && OPENID.test(name))),
  )
}

/** Claims of changed ID tokens, by fault; undefined removes a claim. */
const CHANGED_CLAIMS = {
  wrongNonce: { nonce: 'another-nonce' },
  /** Some servers leave these to userinfo (OpenID Connect Core 5.4). */
  subOnly: { name: undefined, preferred_username: undefined, email: undefined, email_verified: undefined },
}

async function changeIdToken(ctx: KoaContextWithOIDC, key: JWK, { idToken: fault }: Faults) {
  const body = jsonOf(ctx)
  const { id_token: token } = body
  if (!fault || typeof token !== 'string') return
  if (fault === 'badSignature') {
    const signedPart = token.slice(0, token.lastIndexOf('.'))
    body['id_token'] = `${signedPart}.${randomBytes(256).toString('base64url')}`
    return
  }
  const changedToken = new SignJWT({ ...decodeJwt(token), ...CHANGED_CLAIMS[fault] })
  const header = { alg: 'RS256', kid: String(key.kid), typ: 'JWT' }
  body['id_token'] = await changedToken.setProtectedHeader(header).sign(await importJWK(key, 'RS256'))
}

/** Plain OAuth 2.1 lacks the scope `openid`, which oidc-provider's userinfo requires. */
function completeUserinfo(ctx: KoaContextWithOIDC, { people }: IssuerConfig): void {
  const person = people.find(({ id }) => id === ctx.oidc.accessToken?.accountId)
  if (ctx.status !== 403 || !person) return
  ctx.remove('www-authenticate')
  ctx.status = 200
  ctx.body = { sub: person.id, name: person.name, email: person.email, email_verified: true }
}
