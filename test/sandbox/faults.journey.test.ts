// Faults of the authorization servers: each is one that a careful client notices. Others are in use in test/sign-in.
import { decodeProtectedHeader } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'
import type { Faults } from '../../packages/sandbox/src/switches.ts'
import { choosePerson, discover, exchange, signIn, testClient } from './sign-in.ts'

let sandbox: Sandbox
let config: oidc.Configuration
beforeAll(async () => {
  sandbox = await startSandbox({ clients: [testClient] })
  config = await discover(sandbox.urls.authorizationServer)
  oidc.enableNonRepudiationChecks(config)
})
afterEach(() => sandbox.reset())
afterAll(() => sandbox.close())

const set = (faults: Faults) => sandbox.switches.set({ faults })

/** What openid-client found wrong. */
async function reasonOf(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => new Error('it was accepted'),
    (error: unknown) => error,
  )
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}

it.each([
  ['wrongIss', '"iss" (issuer) claim value'],
  ['wrongAud', '"aud" (audience) claim value'],
  ['wrongNonce', '"nonce" claim value'],
  ['missingNonce', '"nonce" (nonce) claim missing'],
  ['badSignature', 'signature verification failed'],
  ['unknownKid', 'no applicable keys found'],
  ['algNone', 'unexpected JWT "alg"'],
  ['expired', 'expiration is past'],
  ['issuedInFuture', '"nbf" (not before)'],
  ['noSub', '"sub" (subject) claim missing'],
  ['missing', '"id_token" property must be a string'],
] as const)('the id_token %s is refused by a careful client for that reason', async (idToken, reason) => {
  set({ idToken })
  expect(await reasonOf(signIn(config, 'ada'))).toContain(reason)
  set({})
  expect((await signIn(config, 'ada')).claims()?.sub).toBe('ada')
})

it.each<[NonNullable<Faults['authorizationAnswer']>, string]>([
  [{ iss: 'https://other-issuer.example' }, 'unexpected "iss"'],
  [{ iss: null }, '"iss" (issuer) missing'],
  [{ state: 'another-state' }, 'unexpected "state"'],
  [{ code: null }, 'no authorization code'],
])('a way back with %j is refused by a careful client for that reason', async (changes, reason) => {
  set({ authorizationAnswer: changes })
  expect(await reasonOf(exchange(config, await choosePerson(config, 'ada')))).toContain(reason)
})

it('rotated keys sign with another kid; sessions and tokens live on', async () => {
  const before = await signIn(config, 'ada')
  await sandbox.rotateKeys()
  const fresh = await discover(sandbox.urls.authorizationServer)
  const after = await signIn(fresh, 'ada')
  const kid = (token = '') => decodeProtectedHeader(token).kid
  expect(kid(after.id_token)).not.toBe(kid(before.id_token))
  expect((await oidc.fetchUserInfo(fresh, before.access_token, 'ada')).email).toBe('ada@acme.example')
  const refreshed = await oidc.refreshTokenGrant(fresh, before.refresh_token ?? '')
  expect(refreshed.access_token).toBeTypeOf('string')
})
