// Rejected id_tokens, by the OpenID Foundation's conformance tests for relying parties.
import { generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import { expect, it } from 'vitest'
import { setUpSignIn, ISSUER } from './in-process.ts'

const { privateKey: key } = await generateKeyPair('ES256')

it.each([
  ['with another issuer', { issuer: 'https://eve.example' }],
  ['for another client', { audience: 'another' }],
  ['with another nonce', { claims: { nonce: 'another' } }],
  ['without its nonce', { claims: { nonce: undefined } }],
  ['with a signature of another key', { key }],
  ['that has expired', { expires: 1_600_000_000 }],
  ['that is not valid yet', { claims: { nbf: 9_999_999_999 } }],
  ['without a sub', { sub: undefined }],
])('an id_token %s signs no one in', async (_title, fault) => {
  const { browser, person } = setUpSignIn()
  Object.assign(person, fault)
  const ada = browser()
  expect(await ada.signIn({ again: '1' })).toMatchObject({ status: 400, code: 'sign_in_failed' })
  expect(await ada.currentUser()).toMatchObject({ code: 'signed_out' })
})

const secret = Buffer.from('hush'.padEnd(32))
const unsigned = (claims: JWTPayload) => new UnsecuredJWT(claims).encode()
const hashed = (claims: JWTPayload) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)

it.each([
  ['none', 'doesn’t allow', unsigned, ['ES256']],
  ['none', 'allows', unsigned, ['ES256', 'none']],
  ['HS256', 'doesn’t allow', hashed, ['ES256']],
  ['HS256', 'allows', hashed, ['ES256', 'HS256']],
])('an id_token with the algorithm %s, which the metadata %s, signs no one in', async (...row) => {
  const [alg, , sign, listed] = row
  const metadata = { id_token_signing_alg_values_supported: listed }
  const { browser, person, callbackFor } = setUpSignIn({ metadata })
  const ada = browser()
  const { nonce, ...sent } = await ada.begin({ again: '1' })
  const claims = { iss: ISSUER, aud: 'onramp', sub: 'ada', iat: 1, exp: 9_999_999_999, nonce }
  person.tokens = { id_token: await sign(claims) }
  const detail = expect.stringMatching(`signed with ${alg}.*id_token_signed_response_alg`) as string
  const problem = { status: 502, code: 'sign_in_misconfigured', detail }
  expect(await ada.follow(callbackFor({ nonce: nonce ?? '', ...sent }))).toMatchObject(problem)
  expect(await ada.currentUser()).toMatchObject({ code: 'signed_out' })
})
