// What an outage of the store must look like.
import { expect } from 'vitest'
import { startLoad, type Load } from '../helpers/load.ts'
import type { Hop, TestBrowser } from '../helpers/test-browser.ts'

/** A page that says so and when to try again, with the cookie left alone. */
export function expectOutage(hop: Hop): void {
  expect(hop.status).toBe(503)
  expect(Number(hop.headers['retry-after'])).toBeGreaterThan(0)
  expect(hop.headers['content-type']).toContain('text/html')
  expect(hop.headers['set-cookie']).toBeUndefined()
  expect(hop.body).toContain('We’ll be right back')
}

/** No answer with 503 that this browser ever got set or took back a cookie. */
export function expectCookiesKept(browser: TestBrowser): void {
  const outages = browser.hops.filter((hop) => hop.status === 503)
  expect(outages.filter((hop) => hop.headers['set-cookie'] !== undefined)).toEqual([])
}

export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; milliseconds: number }> {
  const start = performance.now()
  const result = await work()
  return { result, milliseconds: performance.now() - start }
}

/** Each of these people looks at the list of apps again and again. */
export const lookingAt = (url: string, browsers: readonly TestBrowser[]): Load =>
  startLoad(
    url,
    browsers.map((browser) => ({ path: '/onboarding', cookie: browser.cookieHeader(url) })),
  )

/** Nothing but pages and refusals, each within two seconds, none of which touched a cookie; and at last pages. */
export function expectOnlyRefusals(load: Load): void {
  expect(Object.keys(load.counts()).filter((status) => !['200', '503'].includes(status))).toEqual([])
  expect(load.answers.filter(({ status, setCookie }) => status === 503 && setCookie)).toEqual([])
  expect(Math.max(...load.answers.map(({ milliseconds }) => milliseconds))).toBeLessThan(2_000)
  expect(load.answers.at(-1)?.status).toBe(200)
}

/** Each browser still is who it was, and its page is there. */
export async function expectSignedIn(browsers: readonly TestBrowser[], url: string): Promise<void> {
  for (const browser of browsers) {
    const before = browser.hops.length
    await browser.open(url)
    expect(browser.page.status).toBe(200)
    expect(browser.hops.length - before).toBe(1)
    expectCookiesKept(browser)
  }
}
