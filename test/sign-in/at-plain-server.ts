// onramp at a server of the tests' own, where it registers itself.
import { afterEach, expect } from 'vitest'
import { messagesOf, runUnlimited } from '../helpers/faulty.ts'
import { startPlainServer, type Answers, type PlainServer } from '../helpers/plain-authorization-server.ts'
import type { Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

export type Json = Record<string, unknown>

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

export type Started = { running: Running; server: PlainServer }

export async function start(
  answers: Answers = {},
  options: { metadata?: (url: string) => Json; settings?: Record<string, string>; now?: () => number } = {},
): Promise<Started> {
  const server = await startPlainServer(answers, options.metadata)
  closers.push(() => server.close())
  const running = await runUnlimited({
    ...(options.now === undefined ? {} : { now: options.now }),
    settings: { OIDC_ISSUER: server.url, OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '', ...options.settings },
  })
  closers.push(() => running.close())
  return { running, server }
}

/** What the browser is sent back to us with, and where that leads; the code is redeemed. */
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
  const answer = browser.hops.find(({ url }) => url.startsWith(`${running.url}/sign-in/callback`))
  expect(answer?.location, messagesOf(running)).toBe('/onboarding')
}

export const statusOf = async (running: Running, path: string) =>
  (await new TestBrowser().open(running.url + path, { follow: false })).status
