// What the browser may bring back from the authorization server and no one is signed in by: forged, cut, replayed,
// another browser's, errors with markup in them. In none of these cases a code is redeemed that should not be.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/control/fault-switches.ts'
import {
  answerOf,
  beginSignIn,
  expectHelpfulPage,
  expectNothingSecret,
  expectRefused,
  expectSignedIn,
  expectSignedOut,
  failuresOf,
  runUnlimited,
  setFaults,
} from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

const changed = (address: string, change: (parameters: URLSearchParams) => void) => {
  const url = new URL(address)
  change(url.searchParams)
  return url.href
}

describe('an answer', () => {
  it.each<NonNullable<Faults['authorizationAnswer']>>(['wrongIss', 'missingIss', 'missingCode'])(
    'with the fault %s signs no one in, and no code is redeemed',
    async (authorizationAnswer) => {
      const browser = await beginSignIn(running)
      setFaults(running, { authorizationAnswer })
      expect((await expectRefused(running, browser)).status).toBe(400)
      expect(running.sandbox.count('token')).toBe(0)
    },
  )

  it.each<NonNullable<Faults['authorizationAnswer']>>(['wrongState', 'missingState', 'duplicateState'])(
    'with the fault %s signs no one in, and no code is redeemed',
    async (authorizationAnswer) => {
      const browser = await beginSignIn(running)
      setFaults(running, { authorizationAnswer })
      expect((await expectRefused(running, browser)).status).toBe(400)
      expect(running.sandbox.count('token')).toBe(0)
    },
  )

  it('with two issuers, or two codes, signs no one in', async () => {
    for (const name of ['iss', 'code', 'error']) {
      const browser = await beginSignIn(running)
      const address = await answerOf(running, browser)
      const twice = changed(address, (parameters) => {
        for (const value of [parameters.get(name) ?? 'access_denied', 'another'])
          parameters.append(name, value)
      })
      const page = await browser.open(twice)
      expectHelpfulPage(page)
      expect(page.status, name).toBeLessThan(500)
      await expectSignedOut(running, browser)
    }
    expect(running.sandbox.count('token')).toBe(0)
  })

  it('with a code that someone made up signs no one in', async () => {
    const browser = await beginSignIn(running)
    const address = await answerOf(running, browser)
    const page = await browser.open(changed(address, (parameters) => parameters.set('code', 'made-up')))
    expectHelpfulPage(page)
    expect(page.status).toBe(400)
    await expectSignedOut(running, browser)
  })

  it('with the code of another sign-in signs no one in (PKCE)', async () => {
    const [one, other] = [await beginSignIn(running), await beginSignIn(running)]
    const stolen = new URL(await answerOf(running, other)).searchParams.get('code') ?? ''
    const address = await answerOf(running, one)
    const page = await one.open(changed(address, (parameters) => parameters.set('code', stolen)))
    expect(page.status).toBe(400)
    await expectSignedOut(running, one)
  })
})

describe('an answer that comes twice', () => {
  it('lands on the result, and its code is redeemed once', async () => {
    const browser = new TestBrowser()
    await browser.open(`${running.url}/onboarding?datasource=jira_1`)
    const address = await answerOf(running, browser)
    await browser.open(address)
    expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=jira_1`)
    for (const again of [1, 2]) {
      await browser.open(address)
      expect(browser.page.url, String(again)).toBe(`${running.url}/onboarding?datasource=jira_1`)
      expect(browser.page.status).toBe(200)
    }
    expect(running.sandbox.count('token')).toBe(1)
    await expectSignedIn(running, browser)
  })

  it('at the same moment is redeemed once, and the browser is signed in', async () => {
    const browser = await beginSignIn(running)
    const address = await answerOf(running, browser)
    const pages = await Promise.all([1, 2, 3, 4].map(() => browser.open(address)))
    for (const page of pages) expect(page.status).toBe(200)
    await browser.open(`${running.url}/onboarding`)
    await expectSignedIn(running, browser)
    const codes = running.sandbox.requests
      .filter(({ operation }) => operation === 'token')
      .map(({ body }) => (body as { code: string }).code)
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('after signing out leads to a sign-in, not into the session', async () => {
    const browser = await beginSignIn(running)
    const address = await answerOf(running, browser)
    await browser.open(address)
    await browser.submit('/sign-out')
    await browser.open(address, { follow: false })
    await expectSignedOut(running, browser)
    expect(running.sandbox.count('token')).toBe(1)
  })
})

describe('an answer in another browser', () => {
  it('signs no one in: its own person signs in there', async () => {
    const mallory = await beginSignIn(running)
    const address = await answerOf(running, mallory)
    const victim = new TestBrowser()
    await victim.open(address)
    await expectSignedOut(running, victim)
    expect(running.sandbox.count('token')).toBe(0)
    const signedIn = await signIn(running, 'bob')
    await signedIn.open(address)
    await signedIn.open(`${running.url}/onboarding`)
    expect(signedIn.text).toContain('bob@acme.example')
    expect(running.sandbox.requests.filter(({ operation }) => operation === 'token')).toHaveLength(1)
  })

  it('after the cookie was lost on the way ends well after one more round', async () => {
    const browser = await beginSignIn(running, '/onboarding?datasource=github_1')
    const address = await answerOf(running, browser)
    browser.clearCookies(running.url)
    await browser.open(address)
    if (browser.page.status !== 200) await browser.click('/sign-in')
    expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=github_1`)
    await expectSignedIn(running, browser)
  })

  it('that keeps no cookies is told so, and does not go in circles', async () => {
    const browser = await beginSignIn(running)
    let address = await answerOf(running, browser)
    let last = browser.page
    for (let redirects = 0; redirects < 20; redirects++) {
      browser.clearCookies(running.url)
      const hop = await browser.open(address, { follow: false })
      last = hop
      if (hop.location === undefined) break
      address = new URL(hop.location, hop.url).href
    }
    expectHelpfulPage(last)
    expect(last.body).toContain('cookie')
  })

  it('that comes with the cookie of another sign-in each time is refused, and does not go in circles', async () => {
    const stranger = (await beginSignIn(running)).cookieHeader(running.url).split('onramp=')[1] ?? ''
    const browser = await beginSignIn(running)
    let address = await answerOf(running, browser)
    let last = browser.page
    for (let redirects = 0; redirects < 40; redirects++) {
      browser.clearCookies(running.url)
      if (address.includes('/sign-in/callback')) browser.setCookie(running.url, 'onramp', stranger)
      const hop = await browser.open(address, { follow: false })
      last = hop
      if (hop.location === undefined) break
      address = new URL(hop.location, hop.url).href
    }
    expect(last.status).toBe(400)
    expectHelpfulPage(last)
    expect(running.sandbox.count('token')).toBe(0)
  })
})

describe('an error of the authorization server', () => {
  const description = '<script>alert(1)</script><b>bold</b>'
  it.each([
    ['access_denied', 403],
    ['server_error', 503],
    ['temporarily_unavailable', 503],
    ['login_required', 400],
    ['consent_required', 400],
    ['invalid_scope', 502],
    ['unauthorized_client', 502],
    ['an_error_that_is_not_registered', 400],
    ['<b>', 400],
  ])('%s is a page of its own, without what the server said', async (error, status) => {
    const browser = await beginSignIn(running, '/onboarding?datasource=jira_1')
    setFaults(running, { authorizationError: { error, description } })
    const page = await expectRefused(running, browser)
    expect(page.status).toBe(status)
    expect(page.body).not.toContain('alert')
    expect(page.body).not.toContain('<b>')
    expect(failuresOf(running).at(-1)?.msg).not.toContain('<')
    expect(running.sandbox.count('token')).toBe(0)
    expectNothingSecret(running, browser, page)
    running.sandbox.reset()
    await browser.open(`${running.url}/sign-in/callback?error=${encodeURIComponent(error)}`)
    expect(browser.page.status).toBe(400)
  })

  it('is over when the person tries again, at the place they wanted to go to', async () => {
    const browser = await beginSignIn(running, '/onboarding?datasource=jira_1')
    await browser.post(browser.page.url, { cancel: 'yes' })
    expect(browser.page.status).toBe(403)
    await browser.click('/sign-in')
    await browser.post(browser.page.url, { person: 'ada' })
    expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=jira_1`)
  })
})
