// Tokens and userinfo that sign no one in: the cases of the OpenID Foundation's suite for relying parties.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/switches.ts'
import {
  beginSignIn,
  expectRefused,
  expectSignedIn,
  failuresOf,
  runUnlimited,
  setFaults,
} from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

it.each([
  ['with another issuer', 'wrongIss'],
  ['for another client', 'wrongAud'],
  ['with another nonce', 'wrongNonce'],
  ['without its nonce', 'missingNonce'],
  ['with a signature that is not one', 'badSignature'],
  ['signed by a key that no one knows', 'unknownKid'],
  ['that has expired', 'expired'],
  ['that is not valid yet', 'issuedInFuture'],
  ['about no one', 'noSub'],
] as const)('an id_token %s signs no one in', async (_what, idToken) => {
  const browser = await beginSignIn(running)
  setFaults(running, { idToken })
  const page = await expectRefused(running, browser)
  expect(page.status).toBe(400)
})

it.each([
  ['that is not signed', 'algNone', 'none'],
  ['signed with the client secret', 'hs256', 'HS256'],
] as const)(
  'an id_token %s signs no one in, and the log names the setting to change',
  async (_what, idToken, alg) => {
    const browser = await beginSignIn(running)
    setFaults(running, { idToken })
    expect((await expectRefused(running, browser)).status).toBe(502)
    expect(failuresOf(running).at(-1)).toMatchObject({ code: 'sign_in_misconfigured', level: 'warn' })
    expect(failuresOf(running).at(-1)?.msg).toContain(`signed with ${alg}`)
    expect(failuresOf(running).at(-1)?.msg).toContain('id_token_signed_response_alg')
  },
)

it('an unsigned id_token signs no one in, even if the metadata allows it', async () => {
  setFaults(running, {
    metadata: { id_token_signing_alg_values_supported: ['RS256', 'none'] },
    idToken: 'algNone',
  })
  await running.restart()
  expect((await expectRefused(running, await beginSignIn(running))).status).toBe(502)
})

it('an id_token about another person than userinfo signs no one in', async () => {
  for (const faults of [
    { userinfo: { sub: 'another-person' } },
    { idToken: 'otherSub' },
  ] satisfies Faults[]) {
    const browser = await beginSignIn(running)
    setFaults(running, faults)
    expect((await expectRefused(running, browser)).status).toBe(400)
    setFaults(running, {})
  }
})

it('a right id_token signs in, so the others were refused for their faults', async () => {
  const browser = await signIn(running, 'ada')
  expect(browser.page.status).toBe(200)
  await expectSignedIn(running, browser)
})
