// A service that refuses the access token: one refresh and one more try, then one sign-in, then a page: never a loop.
// And signing out while a refresh is under way.
import { runWithClock } from '../helpers/faulty-clock.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../helpers/processes.ts'
import {
  expectHelpfulPage,
  expectSignedIn,
  expectSignedOut,
  keptSignIns,
  runUnlimited,
  setFaults,
} from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { ask, refreshesOf } from './two-processes.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => running.sandbox.reset())
afterAll(() => running.close())

describe('an access token that the service refuses', () => {
  it('is refreshed once and tried once more, unseen', async () => {
    const browser = await signIn(running, 'ada')
    running.sandbox.clearRequests()
    running.sandbox.expireTokens()
    expect((await ask(running.url, browser)).status).toBe(200)
    expect(refreshesOf(running.sandbox)).toBe(1)
    expect(running.sandbox.count('checkdatasourceauth')).toBe(2)
  })

  it('is refreshed once, however many requests are refused at once', async () => {
    const browser = await signIn(running, 'ada')
    running.sandbox.clearRequests()
    running.sandbox.expireTokens()
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(running.url, browser)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(refreshesOf(running.sandbox)).toBe(1)
  })

  it('always, ends on a page within one sign-in, and never goes in circles', async () => {
    running.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 401, body: 'Unauthorized' } } })
    const browser = await signIn(running, 'ada')
    expect(browser.page.status).toBe(403)
    expectHelpfulPage(browser.page)
    expect(running.sandbox.count('checkdatasourceauth')).toBe(2)
    expect(running.sandbox.count('authorization')).toBe(1)
    running.sandbox.reset()
    await expectSignedIn(running, browser)
  })

  it('always, of someone who signed in long ago, asks for one new sign-in and then ends on a page', async () => {
    const timed = await runWithClock()
    const browser = new TestBrowser()
    await browser.open(`${timed.url}/onboarding`)
    await browser.post(browser.page.url, { person: 'ada' })
    timed.later(600_000)
    timed.sandbox.clearRequests()
    timed.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 401, body: 'Unauthorized' } } })
    await browser.open(`${timed.url}/onboarding`)
    expect(browser.page.status).toBe(403)
    expectHelpfulPage(browser.page)
    expect(timed.sandbox.count('authorization')).toBe(1)
    expect(timed.sandbox.count('checkdatasourceauth')).toBe(4)
    timed.sandbox.reset()
    await expectSignedIn(timed, browser)
    await timed.close()
  })
})

describe('signing out while a refresh is under way', () => {
  it('is for good: the refresh brings no tokens back', async () => {
    await running.restart({ DATA_DIR: `${running.env['DATA_DIR']}/fresh` })
    setFaults(running, { token: { expiresIn: 0 } })
    const browser = await signIn(running, 'ada', '/sessions')
    const [kept] = keptSignIns(running, 'fresh')
    expect(kept).toBeDefined()
    running.sandbox.clearRequests()
    setFaults(running, { token: { grant: 'refresh_token', delayMs: 700 } })
    const cookies = browser.cookieHeader(running.url)
    const thief = new TestBrowser()
    thief.setCookie(running.url, 'onramp', /onramp=([^;]*)/.exec(cookies)?.[1] ?? '')
    // Whatever the authorization server does: here it does not take the tokens back.
    running.sandbox.switches.set({ answers: { revocation: { status: 503 } } })
    const inFlight = ask(running.url, thief)
    await until(() => running.sandbox.count('token') > 0, 'a refresh')
    await browser.submit('/sign-out', { follow: false })
    const answer = await inFlight
    expect(answer.status).toBe(303)
    expect(answer.location).toMatch(/^\/sign-in/)
    await expectSignedOut(running, thief)
    await expectSignedOut(running, browser)
    expect(keptSignIns(running, 'fresh')).not.toContain(kept)
  })
})
