// Rate limits by address, for every spelling of a path; and no stored records for strangers except a used-state mark.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signInUntilCallback, expectSignedIn } from '../helpers/signed-in.ts'
import { sendRaw } from '../helpers/raw-request.ts'
import { startRedis } from '../helpers/redis.ts'
import { invite, run, signIn, type Running } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const PER_MINUTE = 10
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('an address', () => {
  let running: Running
  beforeEach(async () => {
    running = await run({ settings: { SIGN_INS_PER_MINUTE: String(PER_MINUTE) } })
  })
  afterEach(() => running.close())
  const statusOf = async (target: string, options: Parameters<typeof sendRaw>[2] = {}) =>
    (await sendRaw(running.url, target, options)).status

  it('a rate-limited address gets a page with the time to try again', async () => {
    for (let count = 0; count < PER_MINUTE; count++) await statusOf('/sign-in')
    const before = running.log.length
    const { status, headers, body } = await new TestBrowser().open(`${running.url}/sign-in`)
    expect([status, headers['retry-after']]).toEqual([429, '6'])
    expect(body).toContain('<h1>')
    expect(await statusOf('/sign-in/callback?state=x')).toBe(429)
    const lines = running.log.slice(before).map((line) => JSON.parse(line) as object)
    const refusal = { audit: 'limited', what: 'address' }
    expect(lines).toMatchObject([refusal, refusal])
  })

  it('an address over its limit of sign-ins can still finish started ones', async () => {
    const browser = new TestBrowser()
    await browser.open(`${running.url}/sign-in`)
    const callback = await signInUntilCallback(running, browser)
    for (let count = 0; count < PER_MINUTE; count++) await statusOf('/sign-in')
    expect(await statusOf('/sign-in')).toBe(429)
    expect((await browser.open(callback, { follow: false })).status).toBe(303)
    await expectSignedIn(running, browser)
  })

  it('a callback that is repeated too often is redirected to the start of its sign-in', async () => {
    const browser = new TestBrowser()
    await browser.open(`${running.url}/sign-in?return_to=/onboarding/?datasource=slack`)
    const callback = await signInUntilCallback(running, browser)
    for (let count = 0; count < 60; count++) await browser.open(callback, { follow: false })
    const page = await browser.open(callback, { follow: false })
    expect([page.status, page.headers['refresh']]).toEqual([
      429,
      '6; url=/sign-in?return_to=%2Fonboarding%2F%3Fdatasource%3Dslack',
    ])
  })

  it('an address over its limit of sign-outs can still sign out', async () => {
    const ada = await signIn(running, 'ada')
    const token = invite(running)
    const post = { method: 'POST', headers: form, body: 'List-Unsubscribe=One-Click' }
    for (const path of ['/sign-out', '/invite/made-up/opt-out']) {
      for (let count = 0; count < PER_MINUTE; count++) expect(await statusOf(path, post)).not.toBe(429)
      expect(await statusOf(path, post)).toBe(429)
    }
    expect((await ada.post(`${running.url}/sign-out`, {}, { follow: false })).status).toBe(303)
    // The redirect goes to the authorization server, where the session has already ended.
    expect((await ada.open(`${running.url}/sign-out/continue`, { follow: false })).status).toBe(303)
    expect(await statusOf(`/invite/${token}/opt-out`, post)).toBe(200)
    expect(await statusOf(`/invite/${token}/opt-out`)).toBe(200)
  })
})

describe('signed-out people', () => {
  const redis = shared(startRedis)
  const running = shared(() => run({ settings: { REDIS_URL: redis.url } }))
  beforeAll(async () => {
    await signIn(running, 'ada')
    await redis.ask('FLUSHALL')
  })
  const stored = async () => [...(await redis.dump()).keys()].filter((key) => !key.endsWith(':ready'))

  it.each([
    '/sign-in',
    `/sign-in?return_to=/onboarding?x=${'a'.repeat(900)}`,
    '/sign-in/callback?state=x&code=y',
    '/invite/x',
    '/invite/x/start',
    '/signed-out',
    '/sign-out',
    '/sign-out/continue',
    '/sign-in/same-account',
    '/api/status',
    '/onboarding',
    '/admin',
    '/nowhere',
  ])('people who aren’t signed in can store nothing with %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST'])
      expect((await sendRaw(running.url, path, { method })).status).toBeLessThan(500)
    expect(await stored()).toEqual([])
  })

  it('a callback without a session stores one used-state mark for ten minutes', async () => {
    const browser = new TestBrowser()
    await browser.open(`${running.url}/sign-in`)
    const state = new URL(await signInUntilCallback(running, browser)).searchParams.get('state') ?? ''
    for (let count = 0; count < 3; count++)
      await browser.open(`${running.url}/sign-in/callback?state=${state}&code=made-up`, { follow: false })
    expect(await stored()).toEqual([expect.stringContaining(':used-state:')])
    const [seconds] = (await redis.lives()).values()
    expect(seconds).toBeGreaterThan(590)
    expect(seconds).toBeLessThanOrEqual(600)
    expect(Number(await redis.ask('MEMORY', 'USAGE', (await stored())[0] ?? ''))).toBeLessThan(200)
  })
})
