// Hostile tokens: invitations, and logout tokens of an authorization server.
import { createHmac, hkdfSync } from 'node:crypto'
import { createLocalJWKSet, EncryptJWT, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { parseJson } from '../../src/http/body.ts'
import { Invitations } from '../../src/invites/token.ts'
import { verifyLogoutToken } from '../../src/sign-in/sign-out/back-channel.ts'
import { jsonTextWith, near, must, refusing, words, type Reader } from './inputs.ts'

const NOW = Date.UTC(2026, 10, 22)
const SECRET = 'a secret of thirty-two characters'
const OWN = 'https://onramp.acme.example'

const invitations = new Invitations([SECRET], OWN, () => NOW)
const invitation = invitations.issue({ email: 'ada@acme.example', datasources: ['slack_1'] }, 30)
const key = new Uint8Array(hkdfSync('sha256', SECRET, '', 'onramp invitation, A256GCM', 32))
const kid = createHmac('sha256', key).update('id').digest('base64url').slice(0, 6)
/** A token of an earlier version. */
const jwt = await new EncryptJWT({ email: 'ada@acme.example' })
  .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid })
  .setAudience(OWN)
  .setIssuedAt(NOW / 1000)
  .setExpirationTime(NOW / 1000 + 60)
  .setJti('1')
  .encrypt(key)
const segments = jwt.split('.')
const headers = ['{"alg":"dir","enc":"A256GCM"}', '{"alg":"none"}', '{"alg":"RSA-OAEP","zip":"DEF"}']

const invitationTokens: Reader = {
  name: 'the token of an invitation',
  input: near(
    invitation,
    jwt,
    ...headers.map((header) => [Buffer.from(header).toString('base64url'), ...segments.slice(1)].join('.')),
    `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.e30.AA`,
  ),
  async read(token) {
    for (const read of [await invitations.read(token), await invitations.readIgnoringExpiry(token)])
      must(read === undefined || read.email === 'ada@acme.example', 'take an invitation that we never sent')
  },
}

const { publicKey, privateKey } = await generateKeyPair('RS256')
const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const signedWith = async (claims: Record<string, unknown>, header: object = {}) =>
  await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k', typ: 'logout+jwt', ...header })
    .sign(privateKey)
const rules = {
  issuer: 'https://login.acme.example',
  clientId: 'onramp',
  algorithms: ['RS256'],
  keys: createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] }),
  now: NOW,
}
const times = { iat: NOW / 1000, exp: NOW / 1000 + 60 }
const goodClaims = { iss: rules.issuer, aud: 'onramp', ...times, jti: 'j', sub: 's', events: EVENT }

const logoutTokens: Reader = {
  name: 'a logout token',
  input: near(await signedWith(goodClaims), await signedWith({ ...goodClaims, aud: 'another' })),
  read: (token) => refusing(['InvalidLogoutToken'], () => verifyLogoutToken(token, rules)),
}

const logoutClaims: Reader = {
  name: 'a logout token with any claims, well signed',
  input: jsonTextWith(...words('iss aud iat exp jti sub sid events nonce'), ...Object.keys(EVENT)),
  async read(text) {
    const json = parseJson(text)
    const claims = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {}
    // What is nested too deeply for signing can't be signed by anyone else on this library either.
    const token = await signedWith({ ...goodClaims, ...claims }).catch(() => '')
    await refusing(['InvalidLogoutToken'], async () => {
      const { sub, sid } = await verifyLogoutToken(token, rules)
      must(Boolean(sub) || Boolean(sid), 'end the sign-ins of no one')
    })
  },
}

export const tokens: readonly Reader[] = [invitationTokens, logoutTokens, logoutClaims]
