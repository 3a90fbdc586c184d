// What the token endpoint and userinfo may say and nobody is signed in by: the cases of the OpenID Foundation's suite
// for relying parties (oidcc-client-test-…), and what a token endpoint that is not well says.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Faults } from '../../src/sandbox/fault-switches.ts'
import type { Switches } from '../../src/sandbox/switches.ts'
import { beginSignIn, expectRefused, expectSignedIn, runUnlimited, setFaults } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

describe('an id_token', () => {
  it.each([
    ['with another issuer', 'wrongIss'],
    ['for another client', 'wrongAud'],
    ['with another nonce', 'wrongNonce'],
    ['without its nonce', 'missingNonce'],
    ['with a signature that is not one', 'badSignature'],
    ['signed by a key that nobody knows', 'unknownKid'],
    ['that is not signed (alg none)', 'algNone'],
    ['signed with the client secret (HS256)', 'hs256'],
    ['that has expired', 'expired'],
    ['that is not valid yet', 'issuedInFuture'],
    ['about nobody', 'noSub'],
    ['that is not there', 'missing'],
  ] as const)('%s signs nobody in', async (_what, idToken) => {
    const browser = await beginSignIn(running)
    setFaults(running, { idToken })
    const page = await expectRefused(running, browser)
    expect(page.status).toBe(400)
  })

  it('that is not signed signs nobody in, though the metadata says that it may be so', async () => {
    setFaults(running, { metadata: { algNone: true }, idToken: 'algNone' })
    await running.restart()
    expect((await expectRefused(running, await beginSignIn(running))).status).toBe(400)
  })

  it('about somebody else than userinfo signs nobody in', async () => {
    for (const faults of [{ userinfo: 'otherSub' }, { idToken: 'otherSub' }] satisfies Faults[]) {
      const browser = await beginSignIn(running)
      setFaults(running, faults)
      expect((await expectRefused(running, browser)).status).toBe(400)
      setFaults(running, {})
    }
  })

  it('that is right signs in, so that the others were refused for their faults', async () => {
    const browser = await signIn(running, 'ada')
    expect(browser.page.status).toBe(200)
    await expectSignedIn(running, browser)
  })
})

describe('a token endpoint', () => {
  const html = { body: '<h1>Bad gateway</h1>', contentType: 'text/html' }
  it.each<[string, NonNullable<Switches['answers'][string]>]>([
    ['500 with a page', { status: 500, ...html }],
    ['502 with a page', { status: 502, ...html }],
    ['503 with nothing', { status: 503, body: '' }],
    ['200 with a page', { status: 200, ...html }],
    [
      '200 with JSON that is cut',
      { status: 200, body: '{"access_token": "a', contentType: 'application/json' },
    ],
    ['429', { status: 429, body: { error: 'slow_down' }, headers: { 'retry-after': '3' } }],
    ['429 with a page', { status: 429, ...html }],
    ['a connection that is cut', { close: true }],
  ])('that answers %s signs nobody in, and may be tried again', async (_what, answer) => {
    const browser = await beginSignIn(running)
    running.sandbox.switches.set({ answers: { token: answer } })
    const page = await expectRefused(running, browser)
    expect(page.status).toBe(503)
    expect(Number(page.headers['retry-after'])).toBeGreaterThan(0)
    running.sandbox.switches.set({ answers: { token: null } })
    await browser.open(`${running.url}/onboarding`)
    await expectSignedIn(running, browser)
  })

  it('that never answers is given up in time', async () => {
    const browser = await beginSignIn(running)
    running.sandbox.switches.set({ answers: { token: { hang: true } } })
    const before = performance.now()
    const page = await expectRefused(running, browser)
    expect(page.status).toBe(503)
    expect(performance.now() - before).toBeLessThan(10_000)
  })

  it.each([
    ['invalid_grant', 400],
    ['invalid_client', 502],
    ['unauthorized_client', 502],
    ['a made up error', 400],
  ])('that answers %s signs nobody in', async (error, status) => {
    const browser = await beginSignIn(running)
    setFaults(running, { token: { error } })
    expect((await expectRefused(running, browser)).status).toBe(status)
  })

  it.each([
    ['without an access token', { body: { token_type: 'Bearer' } }],
    ['of a kind that is not understood', { body: { access_token: 'a-b-c-d', token_type: 'mac' } }],
    ['that is a list', { body: [] }],
    ['that is null', { body: 'null', contentType: 'application/json' }],
  ])('with an answer %s signs nobody in', async (_what, answer) => {
    const browser = await beginSignIn(running)
    running.sandbox.switches.set({ answers: { token: answer } })
    expect([400, 503]).toContain((await expectRefused(running, browser)).status)
  })
})
