// Forges ID tokens and logout tokens, each with one fault. The switches have the names of this table.
import { randomBytes, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose'

/** Generates an RS256 key with its private part. */
export async function generateSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig', alg: 'RS256' }
}

type Claims = Record<string, unknown>

/** `secret`: a text that a client may take for a key. */
type ValidToken = { token: string; claims: Claims; key: JWK; secret: string; typ: string }

/** Undefined: no token. */
type Forge = (good: ValidToken) => string | undefined | Promise<string>

const without = (...names: string[]) => Object.fromEntries(names.map((name) => [name, undefined]))
const now = () => Math.floor(Date.now() / 1000)

/** Signs correctly, but with other claims; undefined removes a claim. */
const withClaims =
  (changes: (claims: Claims) => Claims): Forge =>
  (good) =>
    signed({ ...good, claims: { ...good.claims, ...changes(good.claims) } })

async function signed({ claims, key, typ }: ValidToken): Promise<string> {
  const header = { alg: 'RS256', kid: String(key.kid), typ }
  return await new SignJWT(claims).setProtectedHeader(header).sign(await importJWK(key, 'RS256'))
}

/** Some servers leave these to userinfo (OpenID Connect Core 5.4). */
const profile = without('name', 'preferred_username', 'email', 'email_verified')

export const forgeries = {
  wrongIss: withClaims(() => ({ iss: 'https://other-issuer.example' })),
  wrongAud: withClaims(({ aud }) => ({ aud: `not-${String(aud)}` })),
  badSignature: ({ token }) =>
    `${token.slice(0, token.lastIndexOf('.'))}.${randomBytes(256).toString('base64url')}`,
  unknownKid: async (good) => signed({ ...good, key: await generateSigningKey() }),
  algNone({ claims, typ }) {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${encode({ alg: 'none', typ })}.${encode(claims)}.`
  },
  /** Signs with a text that the client may take for a key (RFC 8725 2.1). */
  hs256: ({ claims, secret, typ }) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ }).sign(new TextEncoder().encode(secret)),
  wrongTyp: (good) => signed({ ...good, typ: 'at+jwt' }),
  expired: withClaims(() => ({ iat: now() - 7200, exp: now() - 3600 })),
  issuedInFuture: withClaims(() => ({ iat: now() + 3600, nbf: now() + 3600, exp: now() + 7200 })),
  noSub: withClaims(() => without('sub')),
  otherSub: withClaims(() => ({ ...profile, sub: 'another-person' })),
  subOnly: withClaims(() => profile),
  /** A logout token must not have a nonce. */
  wrongNonce: withClaims(() => ({ nonce: 'another-nonce' })),
  missingNonce: withClaims(() => without('nonce')),
  missing: () => undefined,
  // OpenID Connect Back-Channel Logout 1.0, 2.4
  noSid: withClaims(() => without('sid')),
  noSubNorSid: withClaims(() => without('sub', 'sid')),
  noEvents: withClaims(() => without('events')),
  noJti: withClaims(() => without('jti')),
  noIat: withClaims(() => without('iat')),
} satisfies Record<string, Forge>
