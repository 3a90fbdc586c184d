// Fixture: a client of the sandbox's authorization servers, with PKCE, and a browser for their pages.
import * as oidc from 'openid-client'
import type { SandboxClient } from '../../packages/sandbox/src/provider/identity-provider.ts'
import { TestBrowser, type Hop } from '../helpers/test-browser.ts'

const origin = 'http://127.0.0.1:9'
export const callback = `${origin}/callback`
export const signedOut = `${origin}/signed-out`

export const testClient: SandboxClient = {
  client_id: 'test-client',
  client_secret: 'a-secret-for-tests-that-is-long-enough',
  redirect_uris: [callback],
  post_logout_redirect_uris: [signedOut],
}

/** Follows redirects to a page, or to an address outside of the sandbox, where nothing listens. */
export async function walk(browser: TestBrowser, url: string, fields?: Record<string, string>): Promise<Hop> {
  const step = { follow: false }
  let hop = await (fields ? browser.post(url, fields, step) : browser.open(url, step))
  while (hop.location !== undefined) {
    const next = new URL(hop.location, hop.url).href
    if (!/^http:\/\/127\.0\.0\.\d+:\d{2,}\//.test(next)) return { ...hop, url: next }
    hop = await browser.open(next, step)
  }
  return hop
}

const checks = {
  pkceCodeVerifier: 'a-code-verifier-for-tests-that-is-at-least-43-characters-long',
  expectedState: 'the-state',
  expectedNonce: 'the-nonce',
}

/** The configuration of openid-client for the test client at an issuer. */
export async function discover(issuer: string): Promise<oidc.Configuration> {
  const [execute, secret] = [[oidc.allowInsecureRequests], testClient.client_secret]
  return oidc.discovery(new URL(issuer), testClient.client_id, secret, undefined, { execute })
}

/** The authorization URL of a sign-in. */
export async function startAddress(config: oidc.Configuration, extra: object = {}): Promise<string> {
  const parameters = {
    redirect_uri: callback,
    scope: 'openid email profile offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    ...extra,
  }
  return oidc.buildAuthorizationUrl(config, parameters).href
}

/** Signs in as one person on the sign-in page. @returns the callback URL */
export async function choosePerson(
  config: oidc.Configuration,
  person: string,
  extra: object = {},
  browser = new TestBrowser(),
): Promise<string> {
  const { url } = await walk(browser, await startAddress(config, extra))
  return url.includes('/sign-in/') ? (await walk(browser, url, { person })).url : url
}

/** Exchanges the code of a callback URL for tokens. */
export async function exchange(config: oidc.Configuration, url: string) {
  return oidc.authorizationCodeGrant(config, new URL(url), { ...checks })
}

/** A complete sign-in: page, callback, tokens. */
export async function signIn(config: oidc.Configuration, person: string, browser?: TestBrowser) {
  return exchange(config, await choosePerson(config, person, {}, browser))
}
