// Redis is unavailable at the start, during operation, or loses its data. People see an outage page, and stay signed
// in unless Redis lost their session.
import { afterEach, expect, it } from 'vitest'
import { statusOf, until } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { chooseAccount, run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { expectCookiesKept, expectOutage, measure, untilReady } from './outage.ts'

const redis = shared(() => startRedis({ started: false }))
const running = shared(() => run({ settings: { REDIS_URL: redis.url } }))
afterEach(async () => {
  await redis.kill()
  await redis.start()
  await untilReady(running)
})

it('onramp that starts without Redis is ready once Redis is', async () => {
  expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  expect(await statusOf(`${running.url}/readyz`)).toBe(503)
  const browser = new TestBrowser()
  await browser.open(`${running.url}/onboarding`)
  const page = await measure(() => chooseAccount(running, browser, 'ada'))
  expectOutage(browser.page)
  expect(page.milliseconds).toBeLessThan(1_500)
  await redis.start()
  expect(await untilReady(running)).toBeLessThan(5_000)
  expect((await browser.open(`${running.url}/onboarding`)).status).toBe(200)
})

it('while Redis is unavailable, every page shows the outage at once and keeps the cookie', async () => {
  const browser = await signIn(running, 'ada')
  const cookie = browser.cookieHeader(running.url)
  await redis.kill()
  for (const path of ['/onboarding', '/search?q=a', '/sign-in', '/sign-in/callback?code=a&state=b']) {
    const page = await measure(() => browser.open(path))
    expectOutage(page.result)
    expect(page.milliseconds).toBeLessThan(1_000)
  }
  expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  expect(await statusOf(`${running.url}/readyz`)).toBe(503)
  expect(browser.cookieHeader(running.url)).toBe(cookie)
  expectCookiesKept(browser)
})

it('a sign-in that loses Redis after redeeming its code ends on the outage page', async () => {
  const browser = new TestBrowser()
  await browser.open(`${running.url}/onboarding`)
  const before = browser.cookieHeader(running.url)
  running.sandbox.clearRequests()
  running.sandbox.switches.set({ latencyMs: { token: 600 } })
  const finishing = chooseAccount(running, browser, 'ada')
  await until(() => running.sandbox.count('token') === 1, 'the token request')
  await redis.kill()

  await finishing
  running.sandbox.switches.reset()
  expectOutage(browser.page)
  expect(browser.page.url).toContain('/sign-in/callback')
  expect(browser.cookieHeader(running.url)).toBe(before)

  await redis.start()
  await untilReady(running)
  await browser.open('/onboarding')
  if (browser.page.url.startsWith(running.sandbox.urls.authorizationServer))
    await chooseAccount(running, browser, 'ada')
  expect(browser.page.status).toBe(200)
  expectCookiesKept(browser)
})

it('a sign-out that loses Redis still signs out the device', async () => {
  const browser = await signIn(running, 'ada')
  running.sandbox.clearRequests()
  running.sandbox.switches.set({ latencyMs: { revocation: 600 } })
  const signingOut = browser.post('/sign-out')
  await until(() => running.sandbox.count('revocation') > 0, 'the revocation')
  await redis.kill()
  await signingOut
  running.sandbox.switches.reset()
  expect(browser.page.url).toBe(`${running.url}/signed-out?device=only`)
  expect(browser.page.status).toBe(200)
  // Only the cookie that marks the sign-out is left, so the next sign-in sends prompt=login.
  expect(browser.cookieHeader(running.url)).toMatch(/^onramp-browser=[\w-]+\.ask$/)
})

it('after a Redis restart, pages work again, and a signed-in person signs in once more', async () => {
  const browser = await signIn(running, 'bob', '/search?q=plans')
  expect(browser.page.url).toBe(`${running.url}/search?q=plans&unattended=yes`)
  await redis.kill()
  expectOutage(await browser.open('/search?q=plans'))
  await redis.start()
  expect(await untilReady(running)).toBeLessThan(5_000)
  // Redis restarts empty. The authorization server still has a session, so no one sees a prompt.
  const before = browser.hops.length
  await browser.open('/search?q=plans')
  expect(browser.page.status).toBe(200)
  expect(browser.page.url).toBe(`${running.url}/search?q=plans`)
  const paths = browser.hops.slice(before).map((hop) => new URL(hop.url).pathname)
  expect(paths.filter((path) => path === '/sign-in/callback')).toHaveLength(1)
  expectCookiesKept(browser)
})
