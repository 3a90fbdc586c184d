// What a careful client refuses: id_tokens and logout tokens with one thing wrong, made of good ones.
// A new fault is an entry in one of the tables; the switches take its name from here.
import { randomBytes, randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose'

const ELSEWHERE = 'https://other-issuer.example'

/** A fresh RS256 key with a kid of its own, private part included. */
export async function generateSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), use: 'sig', alg: 'RS256' }
}

type Claims = Record<string, unknown>

/** A good token and what it takes to forge one: the server's key, and a text that a client may take for a key. */
type Good = { token: string; claims: Claims; key: JWK; secret: string; typ: string }

/** Makes a bad token of a good one; undefined: there is none. */
type Forge = (good: Good) => string | undefined | Promise<string>

const without = (...names: string[]) => Object.fromEntries(names.map((name) => [name, undefined]))
const now = () => Math.floor(Date.now() / 1000)

/** Well signed, with other claims; an undefined one is left out. */
const withClaims =
  (changes: (claims: Claims) => Claims): Forge =>
  (good) =>
    signed({ ...good, claims: { ...good.claims, ...changes(good.claims) } })

async function signed({ claims, key, typ }: Good): Promise<string> {
  const header = { alg: 'RS256', kid: String(key.kid), typ }
  return await new SignJWT(claims).setProtectedHeader(header).sign(await importJWK(key, 'RS256'))
}

/** RFC 8725 2.1: signed with a text that the client takes for a key. */
const signedWithSecret: Forge = ({ claims, secret, typ }) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ }).sign(new TextEncoder().encode(secret))

const unsigned: Forge = ({ claims, typ }) => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode({ alg: 'none', typ })}.${encode(claims)}.`
}

const badSignature: Forge = ({ token }) =>
  `${token.slice(0, token.lastIndexOf('.'))}.${randomBytes(256).toString('base64url')}`

const wrongIss = withClaims(() => ({ iss: ELSEWHERE }))
const wrongAud = withClaims(({ aud }) => ({ aud: `not-${String(aud)}` }))

/** As servers do that leave the rest to userinfo (OpenID Connect Core 5.4). */
const profile = without('name', 'preferred_username', 'email', 'email_verified')

export const idTokenFaults = {
  wrongIss,
  wrongAud,
  wrongNonce: withClaims(() => ({ nonce: 'another-nonce' })),
  missingNonce: withClaims(() => without('nonce')),
  badSignature,
  unknownKid: async (good) => signed({ ...good, key: await generateSigningKey() }),
  algNone: unsigned,
  hs256: signedWithSecret,
  expired: withClaims(() => ({ iat: now() - 7200, exp: now() - 3600 })),
  issuedInFuture: withClaims(() => ({ iat: now() + 3600, nbf: now() + 3600, exp: now() + 7200 })),
  noSub: withClaims(() => without('sub')),
  // The name and the address belong to the person who signed in, so they go too.
  otherSub: withClaims(() => ({ ...profile, sub: 'another-person' })),
  subOnly: withClaims(() => profile),
  missing: () => undefined,
} satisfies Record<string, Forge>

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** OpenID Connect Back-Channel Logout 1.0. The last one is about how the token is sent. */
export const logoutTokenFaults = {
  algNone: unsigned,
  wrongAlg: signedWithSecret,
  badSignature,
  wrongAud,
  wrongIss,
  wrongEvent: withClaims(() => ({ events: { [`${LOGOUT_EVENT}-of-another-kind`]: {} } })),
  noEvent: withClaims(() => without('events')),
  withNonce: withClaims(() => ({ nonce: 'a-nonce' })),
  noSubNorSid: withClaims(() => without('sub', 'sid')),
  noJti: withClaims(() => without('jti')),
  noIat: withClaims(() => without('iat')),
  oldIat: withClaims(() => ({ iat: now() - 3600, exp: now() + 3600 })),
  wrongTyp: (good) => signed({ ...good, typ: 'at+jwt' }),
  subOnly: withClaims(() => without('sid')),
  sidOnly: withClaims(() => without('sub')),
  tooLarge: ({ token }) => token,
} satisfies Record<string, Forge>
