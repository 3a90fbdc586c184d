// Signing in at one of the sandbox's authorization servers as a client would, with PKCE, through its pages.
import * as oidc from 'openid-client'
import type { SandboxClient } from '../../packages/sandbox/src/provider/identity-provider.ts'
import { createPlainBrowser, type PlainBrowser, type Visit } from './plain-browser.ts'

const origin = 'http://127.0.0.1:9'
export const callback = `${origin}/callback`
export const signedOut = `${origin}/signed-out`
export const atClient = (url: string) => url.startsWith(`${origin}/`)

export const testClient: SandboxClient = {
  client_id: 'test-client',
  client_secret: 'a-secret-for-tests-that-is-long-enough',
  redirect_uris: [callback],
  post_logout_redirect_uris: [signedOut],
}

const state = 'the-state'
const nonce = 'the-nonce'
const verifier = 'a-code-verifier-for-tests-that-is-at-least-43-characters-long'

/** The configuration of openid-client for a client at an issuer. */
export async function discover(
  issuer: string,
  client: { client_id: string; client_secret?: string | undefined } = testClient,
  authentication?: oidc.ClientAuth,
): Promise<oidc.Configuration> {
  const execute = [oidc.allowInsecureRequests]
  return oidc.discovery(new URL(issuer), client.client_id, client.client_secret, authentication, { execute })
}

/** The address that starts a sign-in. */
export async function startAddress(
  config: oidc.Configuration,
  extra: Record<string, string> = {},
): Promise<string> {
  const parameters = {
    redirect_uri: callback,
    scope: 'openid email profile offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...extra,
  }
  return oidc.buildAuthorizationUrl(config, parameters).href
}

/** Walks through the sign-in page as one person. @returns where the browser was sent back to */
export async function choosePerson(
  config: oidc.Configuration,
  personId: string,
  extra: Record<string, string> = {},
  browser: PlainBrowser = createPlainBrowser(),
): Promise<Visit> {
  const page = await browser.open(await startAddress(config, extra), atClient)
  return page.url.includes('/sign-in/') ? browser.submit(page.url, { person: personId }, atClient) : page
}

/** Turns the address that the browser came back to into tokens. */
export async function exchange(config: oidc.Configuration, url: string) {
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
  return oidc.authorizationCodeGrant(config, new URL(url), checks)
}

/** The whole way: sign-in page, callback, tokens. */
export async function signIn(config: oidc.Configuration, personId: string, browser?: PlainBrowser) {
  return exchange(config, (await choosePerson(config, personId, {}, browser)).url)
}
