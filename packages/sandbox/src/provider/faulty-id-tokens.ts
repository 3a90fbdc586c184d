// id_tokens that a careful client refuses, made of good ones.
import { createHmac } from 'node:crypto'
import { decodeJwt, importJWK, SignJWT, type JWK, type JWTPayload } from 'jose'
import type { Faults } from '../control/fault-switches.ts'
import { generateSigningKey } from './signing-keys.ts'

type IdTokenFault = NonNullable<Faults['idToken']>

export const elsewhere = 'https://other-issuer.example'

/** @param signing the authorization server's key, and the client's secret */
export async function faultyIdToken(
  token: string,
  fault: IdTokenFault,
  { key, secret }: { key: JWK; secret: string },
): Promise<string> {
  const claims = faultyClaims(decodeJwt(token), fault)
  if (fault === 'algNone') return unsigned(claims)
  if (fault === 'badSignature') return badlySigned(token)
  if (fault === 'hs256') return signedWithSecret(claims, secret)
  return signed(claims, fault === 'unknownKid' ? await generateSigningKey() : key)
}

/** A JWT with a good signature of the key. */
export async function signed(claims: JWTPayload, key: JWK, typ = 'JWT'): Promise<string> {
  const header = { alg: 'RS256', kid: String(key.kid), typ }
  return await new SignJWT(claims).setProtectedHeader(header).sign(await importJWK(key, 'RS256'))
}

/** RFC 8725 2.1: signed with a text that the client takes for a key. */
export const signedWithSecret = (claims: JWTPayload, secret: string, typ = 'JWT'): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ }).sign(new TextEncoder().encode(secret))

export function unsigned(claims: JWTPayload, typ = 'JWT'): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none', typ })}.${encode(claims)}.`
}

export function badlySigned(token: string): string {
  const signed = token.slice(0, token.lastIndexOf('.'))
  const noise = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((seed) =>
    createHmac('sha256', seed).update(signed).digest(),
  )
  return `${signed}.${Buffer.concat(noise).toString('base64url')}`
}

/** As servers do that leave the rest to userinfo (OpenID Connect Core 5.4). */
function subOnly({ name: _1, preferred_username: _2, email: _3, email_verified: _4, ...claims }: JWTPayload) {
  return claims
}

function faultyClaims(claims: JWTPayload, fault: IdTokenFault): JWTPayload {
  const now = Math.floor(Date.now() / 1000)
  const { nonce: _nonce, ...withoutNonce } = claims
  const { sub: _sub, ...withoutSub } = claims
  const { aud } = claims
  if (fault === 'wrongIss' || fault === 'otherIssOnRefresh') return { ...claims, iss: elsewhere }
  if (fault === 'wrongAud') return { ...claims, aud: `not-${String(aud)}` }
  if (fault === 'wrongNonce') return { ...claims, nonce: 'another-nonce' }
  if (fault === 'missingNonce') return withoutNonce
  if (fault === 'expired') return { ...claims, iat: now - 7200, exp: now - 3600 }
  if (fault === 'issuedInFuture') return { ...claims, iat: now + 3600, nbf: now + 3600, exp: now + 7200 }
  if (fault === 'noSub') return withoutSub
  if (fault === 'subOnly') return subOnly(claims)
  // Name and address are those of the person who signed in, so they would not fit.
  if (fault === 'otherSub' || fault === 'otherSubOnRefresh')
    return { ...subOnly(claims), sub: 'somebody-else' }
  return claims
}
