// Signing out here and at the authorization server, end to end.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { hashOf } from '../../src/records/seal.ts'
import { expectSignedOut, keptSignIns, runUnlimited } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

/** Another browser with the same cookie, as after a theft. */
function copyOf(browser: TestBrowser): TestBrowser {
  const copy = new TestBrowser()
  copy.setCookie(running.url, 'onramp', /onramp=([^;]*)/.exec(browser.cookieHeader(running.url))?.[1] ?? '')
  return copy
}

it("signing out ends the session here, revokes the tokens, and ends the server's session", async () => {
  const browser = await signIn(running, 'ada')
  const copy = copyOf(browser)
  running.sandbox.clearRequests()
  await browser.submit('/sign-out')
  expect(browser.page.url).toBe(`${running.url}/sign-out`)
  expect(running.sandbox.count('revocation')).toBe(2)
  const id = decodeURIComponent(copy.cookieHeader(running.url)).match(/s:(.*)\./)?.[1] ?? ''
  expect(id).not.toBe('')
  expect(keptSignIns(running)).not.toContain(`session:${hashOf(id)}`)
  await browser.click('/sign-out/continue')
  expect(browser.page.url).toBe(`${running.url}/signed-out`)
  const end = running.sandbox.requests.find(({ operation }) => operation === 'endSession')
  expect(end?.query).toMatchObject({ post_logout_redirect_uri: `${running.url}/signed-out` })
  expect(end?.query['id_token_hint']).toBeTypeOf('string')
  await expectSignedOut(running, browser)
  await expectSignedOut(running, copy)
  await browser.open(`${running.url}/onboarding`)
  expect(browser.page.url).toContain('/sign-in/')
})

it('the page after signing out says that the server refused, or could not be reached', async () => {
  const browser = await signIn(running, 'ada')
  running.sandbox.switches.set({ answers: { endSession: { status: 400, body: 'invalid_request' } } })
  await browser.submit('/sign-out')
  expect(browser.text).toContain('You’re signed out here either way')
  await browser.click('/sign-out/continue')
  expect(browser.page.status).toBe(400)
  for (const state of ['', '?state=', '?state=undefined', '?state=made-up']) {
    await browser.open(`${running.url}/signed-out${state}`)
    expect(browser.text).toContain('may still remember you')
  }
  const other = await signIn(running, 'bob')
  running.sandbox.switches.set({ answers: { authorizationServer: { close: true } } })
  await other.submit('/sign-out')
  await other.open(`${running.url}/signed-out`)
  expect(other.text).toContain('may still remember you')
})
