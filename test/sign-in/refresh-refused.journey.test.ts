// A refresh that the authorization server refuses in other words than invalid_grant, one that it does not answer, and
// tokens that have run out when they are issued.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/control/fault-switches.ts'
import { expectSignedIn } from '../helpers/faulty.ts'
import { runWithClock, type RunningWithClock } from '../helpers/faulty-clock.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { refreshesOf } from './two-processes.ts'

const HOUR_MS = 3_600_000

let timed: RunningWithClock
beforeEach(async () => {
  timed = await runWithClock()
})
afterEach(() => timed.close())

async function signedIn(): Promise<TestBrowser> {
  const browser = new TestBrowser()
  await browser.open(`${timed.url}/onboarding`)
  await browser.post(browser.page.url, { person: 'ada' })
  expect(browser.page.status).toBe(200)
  timed.sandbox.clearRequests()
  return browser
}

const refuse = (error: string, status: number) => {
  const token: Faults['token'] = { grant: 'refresh_token', error, status }
  timed.sandbox.switches.set({ faults: { token } })
}

describe('a refresh that is refused', () => {
  it.each([
    ['interaction_required', 400],
    ['login_required', 400],
    ['consent_required', 400],
    ['account_selection_required', 400],
    ['access_denied', 403],
    ['unauthorized_client', 400],
    ['invalid_request', 400],
    ['invalid_scope', 400],
  ])('with %s (%i) leads through one sign-in and back to the same step', async (error, status) => {
    const browser = await signedIn()
    timed.later(HOUR_MS + 1)
    refuse(error, status)
    const step = `${timed.url}/onboarding?datasource=jira_1`
    const before = browser.hops.length
    await browser.open(step)
    expect(browser.page.url).toBe(step)
    expect(browser.page.status).toBe(200)
    const asked = browser.hops.slice(before).filter(({ location }) => location?.includes('/auth?'))
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['slow_down', 429],
    ['invalid_request', 503],
    ['server_error', 400],
    ['temporarily_unavailable', 400],
  ])('with %s (%i) keeps the sign-in and its refresh token for the next try', async (error, status) => {
    const browser = await signedIn()
    timed.later(HOUR_MS + 1)
    refuse(error, status)
    await browser.open(`${timed.url}/onboarding`)
    expect(browser.page.status).toBe(503)
    timed.sandbox.switches.set({ faults: {} })
    await expectSignedIn(timed, browser)
    expect(timed.sandbox.count('authorization')).toBe(0)
  })

  it('does not send anyone round in circles where the service refuses the new token too', async () => {
    const browser = await signedIn()
    timed.later(HOUR_MS + 1)
    refuse('unauthorized_client', 400)
    timed.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 401, body: {} } } })
    await browser.open(`${timed.url}/onboarding`)
    expect(browser.page.status).toBeGreaterThanOrEqual(400)
    expect(timed.sandbox.count('authorization')).toBeLessThanOrEqual(2)
  })
})

describe('a token endpoint that hangs while the access token is still good', () => {
  it('holds one page for a few seconds, and the next ones not at all', async () => {
    const browser = await signedIn()
    timed.later(HOUR_MS - 25_000)
    timed.sandbox.switches.set({ answers: { token: { hang: true } } })
    const times: number[] = []
    for (let page = 0; page < 3; page++) {
      const start = performance.now()
      await expectSignedIn(timed, browser)
      times.push(performance.now() - start)
    }
    expect(times[0]).toBeLessThan(5_000)
    expect(Math.max(...times.slice(1))).toBeLessThan(1_500)
  })
})

describe('a sign-in without a refresh token', () => {
  it.each([0, 1, 10])('whose token is good for %i seconds is not sent round in circles', async (seconds) => {
    const token: Faults['token'] = { withoutRefreshToken: true, expiresIn: seconds }
    timed.sandbox.switches.set({ faults: { token } })
    const browser = await signedIn()
    timed.later((seconds + 1) * 1000)
    await expectSignedIn(timed, browser)
    expect(timed.sandbox.count('authorization')).toBe(0)
  })

  it('ends with its access token, and comes back to the same page', async () => {
    timed.sandbox.switches.set({ faults: { token: { withoutRefreshToken: true } } })
    const browser = await signedIn()
    timed.later(HOUR_MS + 1)
    await browser.open(`${timed.url}/onboarding?datasource=jira_1`)
    expect(browser.page.url).toBe(`${timed.url}/onboarding?datasource=jira_1`)
    expect(timed.sandbox.count('authorization')).toBeGreaterThan(0)
    expect(refreshesOf(timed.sandbox)).toBe(0)
  })
})
