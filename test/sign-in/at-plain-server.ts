// Fixture: onramp for one test, at the sandbox or at the tests' plain authorization server, where it registers itself.
import { expect, onTestFinished } from 'vitest'
import { messagesOf, runUnlimited } from '../helpers/signed-in.ts'
import { startPlainServer, type Answers, type PlainServer } from '../helpers/plain-authorization-server.ts'
import type { Running, RunOptions } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

export type Json = Record<string, unknown>

/** Starts onramp for one test, and stops it afterwards. */
export async function runOnramp(options: RunOptions): Promise<Running> {
  const running = await runUnlimited(options)
  onTestFinished(() => running.close())
  return running
}

export type Started = { running: Running; server: PlainServer }

export async function start(
  answers: Answers = {},
  { metadata, settings, ...options }: RunOptions & { metadata?: (url: string) => Json } = {},
): Promise<Started> {
  const server = await startPlainServer(answers, metadata)
  onTestFinished(() => server.close())
  const own = { OIDC_ISSUER: server.url, OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '', ...settings }
  return { running: await runOnramp({ ...options, settings: own }), server }
}

/** Finishes a sign-in. @returns the callback's parameters and the page behind it */
export async function signInThere({ url }: Running): Promise<TestBrowser> {
  const browser = new TestBrowser()
  let hop = await browser.open(`${url}/sign-in`, { follow: false })
  for (let hops = 0; hop.location !== undefined && hops < 8; hops++) {
    const next = new URL(hop.location, hop.url)
    if (next.href === `${url}/onboarding`) break
    hop = await browser.open(next.href, { follow: false })
  }
  return browser
}

export async function expectSignsIn(running: Running): Promise<void> {
  const browser = await signInThere(running)
  const response = browser.hops.find(({ url }) => url.startsWith(`${running.url}/sign-in/callback`))
  expect(response?.location, messagesOf(running)).toBe('/onboarding')
}

export const statusOf = async (running: Running, path: string) =>
  (await new TestBrowser().open(running.url + path, { follow: false })).status

/** Number of times that a refresh token was sent to the token endpoint. */
export const refreshesOf = ({ sandbox }: Pick<Running, 'sandbox'>): number =>
  sandbox.requests.filter(
    ({ operation, body }) =>
      operation === 'token' && Reflect.get(Object(body), 'grant_type') === 'refresh_token',
  ).length
