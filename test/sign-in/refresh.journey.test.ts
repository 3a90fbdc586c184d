// Tokens that run out: refreshed once and unseen, whatever the authorization server leaves out; what ends a sign-in and
// what only delays it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/control/fault-switches.ts'
import { expectHelpfulPage, expectSignedIn, runUnlimited, setFaults } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { runWithClock } from '../helpers/faulty-clock.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { ask, askMany, refreshesOf } from './two-processes.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

/** Someone whose access token has run out; further ones live for an hour. */
async function expired(): Promise<TestBrowser> {
  setFaults(running, { token: { expiresIn: 0 } })
  const browser = await signIn(running, 'ada', '/sessions')
  expect(browser.page.status).toBe(200)
  setFaults(running, {})
  running.sandbox.clearRequests()
  return browser
}

const refreshes = () => refreshesOf(running.sandbox)
const page = (browser: TestBrowser) => ask(running.url, browser)

describe('a refresh', () => {
  it('is made once for any number of requests', async () => {
    const browser = await expired()
    setFaults(running, { token: { grant: 'refresh_token', delayMs: 300 } })
    const answers = await askMany(50, running.url, browser)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(refreshes()).toBe(1)
  })

  it.each<[string, NonNullable<Faults['token']>]>([
    ['with a refresh token that rotates', {}],
    ['with a refresh token that is kept', { keepRefreshToken: true }],
    ['whose answer has no refresh token', { keepRefreshToken: true, withoutRefreshToken: true }],
  ])('%s is made again at the next expiry', async (_what, token) => {
    const browser = await expired()
    setFaults(running, { token: { ...token, grant: 'refresh_token', expiresIn: 0 } })
    for (const round of [1, 2, 3]) {
      expect((await page(browser)).status).toBe(200)
      expect(refreshes()).toBe(round)
    }
    setFaults(running, {})
    expect((await page(browser)).status).toBe(200)
    expect((await page(browser)).status).toBe(200)
    expect(refreshes()).toBe(4)
  })
})

describe('a token that is about to run out', () => {
  it('is refreshed ahead of its time, which costs nothing while it is good', async () => {
    const timed = await runWithClock()
    const { sandbox } = timed
    const browser = new TestBrowser()
    await browser.open(`${timed.url}/onboarding`)
    await browser.post(browser.page.url, { person: 'ada' })
    const status = async () => (await ask(timed.url, browser)).status
    // An hour's token: not yet refreshed a minute before its end, but half a minute before it.
    timed.later(3_600_000 - 65_000)
    expect(await status()).toBe(200)
    expect(refreshesOf(sandbox)).toBe(0)
    timed.later(3_600_000 - 25_000)
    sandbox.switches.set({ answers: { token: { status: 503 } } })
    expect(await status()).toBe(200)
    sandbox.switches.set({ answers: { token: null } })
    expect(await status()).toBe(200)
    expect(refreshesOf(sandbox)).toBe(1)
    expect(await status()).toBe(200)
    expect(refreshesOf(sandbox)).toBe(1)
    await timed.close()
  })
})

describe('a token that is about to run out where the sign-in is over', () => {
  it('no longer serves a page, though it is still good', async () => {
    const timed = await runWithClock()
    const browser = new TestBrowser()
    await browser.open(`${timed.url}/onboarding`)
    await browser.post(browser.page.url, { person: 'ada' })
    timed.later(3_600_000 - 25_000)
    timed.sandbox.switches.set({ answers: { token: { status: 400, body: { error: 'invalid_grant' } } } })
    expect(await ask(timed.url, browser)).toMatchObject({
      status: 303,
      location: expect.stringMatching(/^\/sign-in\?/) as string,
    })
    await timed.close()
  })
})

describe('tokens that do not say when they expire', () => {
  it('are refreshed when the service refuses them, once, and the page is served', async () => {
    setFaults(running, { token: { withoutExpiresIn: true } })
    const browser = await signIn(running, 'ada')
    running.sandbox.clearRequests()
    running.sandbox.expireTokens()
    expect((await page(browser)).status).toBe(200)
    expect(refreshes()).toBe(1)
    expect(running.sandbox.count('checkdatasourceauth')).toBe(2)
  })
})

describe('a sign-in without a refresh token', () => {
  it('ends with its access token, and comes back to the same page', async () => {
    setFaults(running, { token: { withoutRefreshToken: true, expiresIn: 0 } })
    const browser = await signIn(running, 'ada', '/sessions')
    setFaults(running, {})
    await browser.open(`${running.url}/onboarding?datasource=jira_1`)
    expect(browser.page.url).toBe(`${running.url}/onboarding?datasource=jira_1`)
    expect(refreshes()).toBe(0)
    await expectSignedIn(running, browser)
  })
})

describe('invalid_grant', () => {
  it('ends the sign-in; the person signs in and is back at the same step', async () => {
    const browser = await expired()
    setFaults(running, { token: { grant: 'refresh_token', error: 'invalid_grant' } })
    const before = browser.hops.length
    const step = `${running.url}/onboarding?datasource=jira_1`
    await browser.open(step)
    expect(browser.page.url).toBe(step)
    expect(browser.page.status).toBe(200)
    expect(refreshes()).toBe(1)
    expect(browser.hops.slice(before).filter(({ location }) => location?.includes('/auth?'))).toHaveLength(1)
  })

  it('tells fetches so, without sending them to another origin', async () => {
    const browser = await expired()
    setFaults(running, { token: { grant: 'refresh_token', error: 'invalid_grant' } })
    const hop = await browser.open(`${running.url}/onboarding`, { headers: { accept: 'application/json' } })
    expect(hop.status).toBe(401)
    expect(JSON.parse(hop.body)).toMatchObject({ code: 'signed_out' })
  })
})

describe('a token endpoint in trouble', () => {
  it.each([
    ['500', { answers: { token: { status: 500, body: '<h1>oops</h1>', contentType: 'text/html' } } }],
    ['503 as JSON', { faults: { token: { grant: 'refresh_token' as const, error: 'x', status: 503 } } }],
    ['429', { answers: { token: { status: 429 } } }],
    ['200 and nonsense', { answers: { token: { status: 200, body: 'nonsense' } } }],
    ['200 and JSON without a token', { answers: { token: { body: { token_type: 'Bearer' } } } }],
    ['a connection that is cut', { answers: { token: { close: true } } }],
    ['invalid_request', { faults: { token: { grant: 'refresh_token' as const, error: 'invalid_request' } } }],
  ])('(%s) keeps the sign-in, and the page may be tried again', async (_what, trouble) => {
    const browser = await expired()
    running.sandbox.switches.set(trouble)
    await browser.open(`${running.url}/onboarding`)
    expect([502, 503]).toContain(browser.page.status)
    expectHelpfulPage(browser.page)
    const { status, headers } = browser.page
    expect(status === 502 || Number(headers['retry-after']) > 0).toBe(true)
    running.sandbox.switches.set({ answers: { token: null }, faults: {} })
    await expectSignedIn(running, browser)
    expect(running.sandbox.count('authorization')).toBe(0)
  })

  it('(all of the server is down) keeps the sign-in', async () => {
    const browser = await expired()
    running.sandbox.switches.set({ authorizationServerDown: true })
    const answer = await page(browser)
    expect(answer.status).toBe(503)
    running.sandbox.switches.set({ authorizationServerDown: false })
    await expectSignedIn(running, browser)
  })
})

describe('a refresh that is answered for someone else', () => {
  it.each(['otherSubOnRefresh', 'otherIssOnRefresh', 'wrongAud', 'expired'] as const)(
    '(%s) ends the sign-in, and nothing of it is used',
    async (idToken) => {
      const browser = await expired()
      setFaults(running, { idToken })
      const answer = await page(browser)
      expect(answer.status).toBe(303)
      expect(answer.location).toMatch(/^\/sign-in/)
      expect(running.sandbox.count('checkdatasourceauth')).toBe(0)
      setFaults(running, {})
      await browser.open(`${running.url}/onboarding`)
      await expectSignedIn(running, browser)
    },
  )
})

describe('signing keys that are rotated', () => {
  it('sign no one out at the next refresh, though it was just before', async () => {
    const browser = await expired()
    for (const round of [1, 2]) {
      await running.sandbox.rotateKeys()
      setFaults(running, { token: { grant: 'refresh_token', expiresIn: 0 } })
      expect((await page(browser)).status).toBe(200)
      expect(refreshes()).toBe(round)
    }
  })

  it('twice within a minute, ask no one for more than one more round at sign-in', async () => {
    for (const person of ['bob', 'carol', 'dan']) {
      await running.sandbox.rotateKeys()
      const browser = await signIn(running, person)
      if (browser.page.status !== 200) await browser.click('/sign-in')
      expect(browser.page.url).toBe(`${running.url}/onboarding`)
      expect(browser.page.status).toBe(200)
    }
  })
})
