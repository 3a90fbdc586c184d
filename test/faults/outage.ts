// Fixture: load during outages of the store, and expectations about the pages.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { startLoad, type Load } from '../helpers/load.ts'
import { statusOf, until } from '../helpers/processes.ts'
import type { Running } from '../helpers/running.ts'
import type { Hop, TestBrowser } from '../helpers/test-browser.ts'

/** @returns the milliseconds until onramp was ready */
export const untilReady = ({ url }: Pick<Running, 'url'>): Promise<number> =>
  until(async () => (await statusOf(`${url}/readyz`)) === 200, 'readiness')

/** Expects a page about the outage, with Retry-After and without a change of the cookie. */
export function expectOutage(hop: Hop): void {
  expect(hop.status).toBe(503)
  expect(Number(hop.headers['retry-after'])).toBeGreaterThan(0)
  expect(hop.headers['content-type']).toContain('text/html')
  expect(hop.headers['set-cookie']).toBeUndefined()
  expect(hop.body).toContain('We’ll be right back')
}

/** Expects that no 503 has set or removed a cookie of this browser. */
export function expectCookiesKept(browser: TestBrowser): void {
  const outages = browser.hops.filter((hop) => hop.status === 503)
  expect(outages.filter((hop) => hop.headers['set-cookie'] !== undefined)).toEqual([])
}

export async function measure<T>(work: () => Promise<T>): Promise<{ result: T; milliseconds: number }> {
  const start = performance.now()
  const result = await work()
  return { result, milliseconds: performance.now() - start }
}

/** Each of these people loads the list of apps repeatedly. */
export const startPageLoad = (url: string, browsers: readonly TestBrowser[]): Load =>
  startLoad(
    url,
    browsers.map((browser) => ({ path: '/onboarding', cookie: browser.cookieHeader(url) })),
  )

/**
 * Causes a fault while people load their pages.
 * @param fault resolves when another server has taken over
 */
export async function loadDuring(
  running: Running,
  browsers: readonly TestBrowser[],
  fault: () => Promise<unknown>,
): Promise<Load> {
  const load = startPageLoad(running.url, browsers)
  await sleep(500)
  await fault()
  await untilReady(running)
  await sleep(2_000)
  await load.stop()
  return load
}

/** Expects only pages and outages, each within two seconds and without a change of a cookie, and pages at the end. */
export function expectOnlyOutages(load: Load): void {
  const { responses } = load
  expect(Object.keys(load.counts()).filter((status) => !['200', '503'].includes(status))).toEqual([])
  expect(responses.filter(({ status, setCookie }) => status === 503 && setCookie)).toEqual([])
  expect(Math.max(...responses.map(({ milliseconds }) => milliseconds))).toBeLessThan(2_000)
  expect(responses.at(-1)?.status).toBe(200)
}

/** Expects that each browser is still signed in: its page opens without a redirect. */
export async function expectSignedIn(browsers: readonly TestBrowser[], { url }: Running): Promise<void> {
  for (const browser of browsers) {
    const before = browser.hops.length
    await browser.open(`${url}/onboarding`)
    expect(browser.page.status).toBe(200)
    expect(browser.hops.length - before).toBe(1)
    expectCookiesKept(browser)
  }
}
