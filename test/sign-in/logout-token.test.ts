// Verifying logout tokens.
import { asymmetricAlgorithms } from '../../src/sign-in/server/signing-keys.ts'
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { InvalidLogoutToken, verifyLogoutToken } from '../../src/sign-in/sign-out/logout-token.ts'

const issuer = 'https://login.example'
const NOW = 1_700_000_000
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const good = { iss: issuer, aud: 'onramp', iat: NOW, jti: 'one', sub: 'ada', events: { [EVENT]: {} } }

let keys: Awaited<ReturnType<typeof generateKeyPair>>
beforeAll(async () => {
  keys = await generateKeyPair('ES256')
})

const rules = () => ({
  issuer,
  clientId: 'onramp',
  algorithms: ['ES256'],
  keys: async () => keys.publicKey,
  now: NOW * 1000,
})

async function read(claims: object, header: object = {}) {
  const token = await new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: 'ES256', ...header })
    .sign(keys.privateKey)
  return await verifyLogoutToken(token, rules())
}

const reasonOf = (reading: Promise<unknown>) =>
  reading.then(
    () => undefined,
    (error: unknown) => (error as InvalidLogoutToken).message,
  )

it('a logout token with an empty sub or sid counts as without it', async () => {
  expect(await read({ sub: '', sid: 'a' })).toEqual({ jti: 'one', sid: 'a' })
  expect(await read({ sub: 'a', sid: '' })).toEqual({ jti: 'one', sub: 'a' })
  expect(await read({ sub: 'a', sid: 'b' })).toEqual({ jti: 'one', sub: 'a', sid: 'b' })
  for (const named of [{ sub: '' }, { sub: '', sid: '' }, { sub: undefined, sid: 7 }])
    expect(await reasonOf(read(named))).toBe('it names neither a subject nor a session')
})

it.each([undefined, 'logout+jwt', 'JWT', 'application/logout+jwt', 'application/JWT'])(
  'a logout token of the type %j is accepted',
  async (typ) => {
    expect(await read({}, typ === undefined ? {} : { typ })).toEqual({ jti: 'one', sub: 'ada' })
  },
)

it.each(['at+jwt', 'application/at+jwt', 'xlogout+jwt', 'logout+jwtx', 'logout', ''])(
  'a logout token of the type %j is refused',
  async (typ) => {
    expect(await reasonOf(read({}, { typ }))).toBe('its typ is not that of a logout token')
  },
)

it.each<[string, object, string]>([
  ['with a nonce', { nonce: 'x' }, 'it has a nonce, as only id_tokens may'],
  ['without the event', { events: {} }, 'it does not carry the logout event'],
  ['with an event that is no object', { events: { [EVENT]: true } }, 'it does not carry the logout event'],
  ['with events that are a text', { events: EVENT }, 'it does not carry the logout event'],
  ['with an empty jti', { jti: '' }, 'it has no jti'],
  ['with a jti that is no text', { jti: 7 }, 'it has no jti'],
  ['without a jti', { jti: undefined }, 'the token does not verify (ERR_JWT_CLAIM_VALIDATION_FAILED)'],
  ['without a time', { iat: undefined }, 'the token does not verify (ERR_JWT_CLAIM_VALIDATION_FAILED)'],
  ['of another issuer', { iss: 'x' }, 'the token does not verify (ERR_JWT_CLAIM_VALIDATION_FAILED)'],
  ['for another client', { aud: 'x' }, 'the token does not verify (ERR_JWT_CLAIM_VALIDATION_FAILED)'],
  ['that is too old', { iat: NOW - 331 }, 'the token does not verify (ERR_JWT_EXPIRED)'],
  ['of the future', { iat: NOW + 31 }, 'the token does not verify (ERR_JWT_CLAIM_VALIDATION_FAILED)'],
  ['that ran out', { exp: NOW - 31 }, 'the token does not verify (ERR_JWT_EXPIRED)'],
])('a logout token is refused: %s', async (_what, claims, reason) => {
  const reading = read(claims)
  await expect(reading).rejects.toBeInstanceOf(InvalidLogoutToken)
  expect(await reasonOf(reading)).toBe(reason)
})

it('a logout token may be five minutes old, or half a minute ahead', async () => {
  for (const iat of [NOW + 30, NOW - 330]) expect(await read({ iat })).toMatchObject({ jti: 'one' })
})

it('a logout token that is unsigned or signed with another key is refused', async () => {
  const other = await generateKeyPair('ES256')
  const forged = await new SignJWT(good).setProtectedHeader({ alg: 'ES256' }).sign(other.privateKey)
  const unsigned = new UnsecuredJWT(good).encode()
  for (const [token, code] of [
    [forged, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
    [unsigned, 'ERR_JOSE_ALG_NOT_ALLOWED'],
    ['x', 'ERR_JWS_INVALID'],
  ] as const)
    expect(await reasonOf(verifyLogoutToken(token, rules()))).toBe(`the token does not verify (${code})`)
})

it('a logout token is refused if no key can be fetched', async () => {
  const token = await new SignJWT(good).setProtectedHeader({ alg: 'ES256' }).sign(keys.privateKey)
  for (const thrown of [new Error('away'), 'away'])
    expect(await reasonOf(verifyLogoutToken(token, { ...rules(), keys: () => Promise.reject(thrown) }))).toBe(
      'the token does not verify (unreadable)',
    )
})

it('algorithms that can be forged with the client secret never count', () => {
  expect(asymmetricAlgorithms(undefined)).toEqual(['RS256'])
  expect(
    asymmetricAlgorithms(['none', 'NONE', 'HS256', 'hs512', 'ES256', 'EdDSA', 'xHS256', 'HS', 'nonesuch']),
  ).toEqual(['ES256', 'EdDSA', 'xHS256', 'HS', 'nonesuch'])
})
