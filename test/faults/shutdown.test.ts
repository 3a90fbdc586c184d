// SIGTERM: unready at once, serving for a moment, requests in flight finish, and the exit within ten seconds.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { statusOf, until, type OnrampProcess } from '../helpers/processes.ts'
import { startRedis } from '../helpers/redis.ts'
import { chooseAccount, run, signIn, startAlone } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const redis = shared(startRedis)
const running = shared(() => run({ settings: { REDIS_URL: redis.url, DRAIN_SECONDS: '1' } }))
let onramp: OnrampProcess
beforeEach(async () => {
  onramp = await startAlone(running)
})
afterEach(async () => {
  redis.thaw()
  running.sandbox.reset()
  await onramp.close()
})

/** Slows down an operation of the sandbox. @returns a promise of its call */
function hold(operation: 'checkdatasourceauth' | 'token', milliseconds: number) {
  running.sandbox.clearRequests()
  running.sandbox.switches.set({ latencyMs: { [operation]: milliseconds } })
  return () => until(() => running.sandbox.count(operation) > 0, operation)
}

it('a process that gets SIGTERM answers every request before it exits', async () => {
  const browser = await signIn(running, 'ada')
  const other = await signIn(running, 'bob')
  const isCalled = hold('checkdatasourceauth', 2_000)
  const page = browser.open('/onboarding')
  await isCalled()
  const ended = onramp.end('SIGTERM')
  await until(async () => (await statusOf(`${running.url}/readyz`)) === 503, 'it to be unready', 1_000)
  expect(await statusOf(`${running.url}/healthz`)).toBe(200)
  expect((await other.open('/search?q=plans')).status).toBe(200)
  expect((await page).status).toBe(200)
  const { code, milliseconds } = await ended
  expect(code).toBe(0)
  expect(milliseconds).toBeLessThan(5_000)
  expect(await statusOf(`${running.url}/healthz`)).toBeUndefined()
})

it('a process that gets SIGTERM finishes a sign-in whose code is being redeemed', async () => {
  const browser = new TestBrowser()
  await browser.open(`${running.url}/onboarding`)
  const isCalled = hold('token', 1_500)
  const finishing = chooseAccount(running, browser, 'ada').catch(() => {})
  await isCalled()
  const ended = await onramp.end('SIGTERM')
  await finishing
  expect(ended.code).toBe(0)
  const callback = browser.hops.find((hop) => hop.url.includes('/sign-in/callback'))
  expect(callback?.status).toBe(303)
  expect(callback?.location).toBe('/onboarding')
})

it('a process that gets SIGTERM waits for nothing that hangs, and says what it cut', async () => {
  const browser = await signIn(running, 'ada')
  const parked = connect(Number(running.env['PORT']), 'localhost')
  parked.on('error', () => {})
  const isCalled = hold('checkdatasourceauth', 60_000)
  const page = browser.open('/onboarding').catch(() => {})
  await isCalled()
  redis.freeze()
  const { code, milliseconds } = await onramp.end('SIGTERM')
  await page
  parked.destroy()
  expect(code).toBe(0)
  expect(milliseconds).toBeLessThan(10_000)
  expect(onramp.output()).toMatch(/"connections":2.*shutting down: cut connections/)
})

it('a process that gets SIGTERM twice ends at once', async () => {
  const ended = onramp.end('SIGTERM')
  await sleep(100)
  onramp.signal('SIGTERM')
  expect((await ended).milliseconds).toBeLessThan(1_000)
})
