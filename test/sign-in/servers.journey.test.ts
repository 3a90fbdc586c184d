// The authorization servers of the contract: OpenID Connect, plain OAuth 2.1, and an external identity provider.
import { expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/switches.ts'
import { expectSignedIn, expectSignedOut, messagesOf } from '../helpers/signed-in.ts'
import { signIn, type Running, type RunOptions } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { expectSignsIn, refreshesOf, signInThere, start, runOnramp } from './at-plain-server.ts'

const plain: Faults = { plainOAuth: true }
const settings = { OIDC_SCOPE: 'email offline_access' }

it.each(['', '/oauth2/default'])(
  'people sign in at plain OAuth 2.1 with the issuer path "%s"',
  async (path) => {
    const sandbox = { paths: { authorizationServer: path }, switches: { faults: plain } }
    const running = await runOnramp({ settings, sandbox })
    const browser = await signIn(running, 'ada')
    expect(browser.page.url).toBe(`${running.url}/onboarding`)
    expect(browser.text).toContain('ada@acme.example')
    const requests = running.sandbox.requests.find(({ operation }) => operation === 'authorization')
    expect(requests?.query).toHaveProperty('state')
    expect(requests?.query).not.toHaveProperty('nonce')
    running.sandbox.expireTokens()
    await expectSignedIn(running, browser)
    expect(refreshesOf(running)).toBe(1)
    await browser.submit('/sign-out', { follow: false })
    expect(running.sandbox.count('revocation')).toBe(2)
  },
)

it('each call of the service, also a retry, names an external identity provider', async () => {
  const running = await runOnramp({ settings: { TOKEN_ISSUED_BY: 'external-idp' } })
  const { externalIdp } = running.sandbox.urls
  // Its address is known only when it runs.
  running.env['OIDC_ISSUER'] = externalIdp
  await running.restart()
  running.sandbox.clearRequests()
  const browser = new TestBrowser()
  await browser.open(`${running.url}/onboarding`)
  expect(browser.page.url).toContain(externalIdp)
  await browser.post(browser.page.url, { person: 'ada' })
  await expectSignedIn(running, browser)
  running.sandbox.expireTokens()
  await expectSignedIn(running, browser)
  await browser.open(`${running.url}/search?q=plan`)
  expect(browser.page.status).toBe(200)
  const calls = running.sandbox.requests.filter(({ server }) => server === 'service')
  expect(calls.length).toBeGreaterThan(3)
  for (const { headers } of calls) expect(headers['x-service-auth-type']).toBe('OAUTH')
})

/** A client that registered itself at oidc-provider with more metadata than onramp requests. */
async function startAs(client: object, options: RunOptions = {}): Promise<Running> {
  const running = await runOnramp(options)
  const { env, sandbox, url } = running
  const response = await fetch(`${sandbox.urls.authorizationServer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [`${url}/sign-in/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      application_type: 'native',
      ...client,
    }),
  })
  const { client_id, client_secret } = (await response.json()) as Record<string, string>
  Object.assign(env, { OIDC_CLIENT_ID: client_id, OIDC_CLIENT_SECRET: client_secret })
  await running.restart()
  return running
}

it('requests are pushed after a refusal if oidc-provider requires it for this client only', async () => {
  const running = await startAs({ require_pushed_authorization_requests: true })
  const browser = await signIn(running, 'ada')
  expect(browser.page.url).toBe(`${running.url}/onboarding`)
  expect(running.sandbox.count('par')).toBe(1)
})

it('userinfo that oidc-provider signs completes the id_token, although its metadata lists no algorithm', async () => {
  const metadata = { userinfo_signing_alg_values_supported: null }
  const switches = { faults: { metadata, idToken: 'subOnly' } } as const
  const running = await startAs({ userinfo_signed_response_alg: 'RS256' }, { sandbox: { switches } })
  const browser = await signIn(running, 'ada')
  expect(running.sandbox.count('userinfo')).toBe(1)
  expect(browser.text).toContain('ada@acme.example')
  expect(messagesOf(running)).not.toContain('userinfo')
})

it('keys that are listed twice, beside null, verify a sign-in and a back-channel logout', async () => {
  const running = await runOnramp({})
  const { sandbox, url } = running
  const response = await fetch(`${sandbox.urls.authorizationServer}/jwks`)
  const { keys } = (await response.json()) as { keys: object[] }
  sandbox.switches.set({ answers: { jwks: { status: 200, body: { keys: [null, ...keys, ...keys] } } } })
  const browser = await signIn(running, 'ada')
  expect(browser.page.url).toBe(`${url}/onboarding`)
  await sandbox.endSessions('ada')
  await expect.poll(() => messagesOf(running)).toContain('sign_out')
  await expectSignedOut(running, browser)
})

it('keys of more than 1 MiB are reported as too large, not as unreachable', async () => {
  const running = await runOnramp({})
  const body = { keys: [], more: 'x'.repeat(1024 * 1024) }
  running.sandbox.switches.set({ answers: { jwks: { status: 200, body } } })
  const browser = await signIn(running, 'ada')
  expect(browser.page.status).toBe(503)
  expect(messagesOf(running)).toContain('keys (jwks_uri), or another response, exceed 1 MiB')
  expect(messagesOf(running)).not.toContain('cannot be reached')
})

it('a sender-constrained access token signs no one in, because the service accepts bearer tokens only', async () => {
  const { running, server } = await start()
  for (const type of ['DPoP', 'dpop ', 'JWT']) {
    server.tokens['token_type'] = type
    expect((await signInThere(running)).hops.at(-1)?.status, type).toBe(502)
    expect(messagesOf(running).split('\n').at(-1)).toContain("the token_type isn't Bearer")
  }
  server.tokens['token_type'] = 'bearer'
  await expectSignsIn(running)
})
