// Guards as a stranger meets them, at the front door: what is counted together, and where a sign-in may lead.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const PER_MINUTE = 10

describe('signing in from addresses of one household (RFC 6177)', () => {
  let running: Running
  beforeAll(async () => {
    running = await run({
      settings: { SIGN_INS_PER_MINUTE: String(PER_MINUTE), TRUST_PROXY: '127.0.0.1,::1' },
    })
  })
  afterAll(() => running.close())

  const statusFrom = async (address: string) =>
    (
      await new TestBrowser().open(`${running.url}/sign-in`, {
        follow: false,
        headers: { 'x-forwarded-for': address },
      })
    ).status

  it('is counted together, whichever address of its /64 each browser has', async () => {
    const home = (host: number) => `2001:db8:1:2:${host.toString(16)}::${host}`
    for (let host = 1; host <= PER_MINUTE; host++) expect(await statusFrom(home(host))).toBe(303)
    expect(await statusFrom(home(PER_MINUTE + 1))).toBe(429)
    expect(await statusFrom('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(429)
    expect(await statusFrom('2001:db8:1:3::1')).toBe(303)
  })
})

describe('a sign-in', () => {
  let running: Running
  beforeAll(async () => {
    running = await run({ settings: { RETURN_TO_ORIGINS: 'https://intranet.acme.example' } })
  })
  afterAll(() => running.close())

  it.each([
    'https://evil-intranet.acme.example/',
    'https://evilintranet.acme.example/',
    'https://sub.intranet.acme.example/',
    'https://intranet.acme.example.evil.example/',
    'https://acme.example/',
    'https://evil.example/?https://intranet.acme.example',
  ])('leads to our own pages, and never to %s', async (target) => {
    const browser = await signIn(running, 'ada', `/onboarding?return_to=${encodeURIComponent(target)}`)
    expect(browser.page.body).not.toContain(`//${new URL(target).host}`)
    const begun = new TestBrowser()
    await begun.open(`${running.url}/sign-in?return_to=${encodeURIComponent(target)}`)
    await begun.post(begun.page.url, { person: 'ada' })
    expect(new URL(begun.page.url).origin).toBe(running.url)
  })

  it('leads back to an allowed origin', async () => {
    const target = 'https://intranet.acme.example/tools'
    const browser = await signIn(running, 'ada', `/onboarding?return_to=${encodeURIComponent(target)}`)
    expect(browser.page.body).toContain(target)
  })
})
