// What an outage of the store must look like, and requests that go on while it happens.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { expect } from 'vitest'
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

export type Answer = { at: number; status: number; milliseconds: number; setCookie: boolean }

export type Load = {
  answers: Answer[]
  /** Milliseconds between the first and the last answer that was not 200; 0 when all were. */
  trouble(): number
  /** How many answers there were of each status; 0: the connection was refused or broke. */
  counts(): Record<string, number>
  stop(): Promise<void>
}

/** Opens the page again and again, as these browsers in turn. */
export function startLoad(url: string, cookies: readonly string[], workers = 4): Load {
  const agent = new Agent({ connections: workers, keepAliveTimeout: 1_000 })
  const answers: Answer[] = []
  const stopping = new AbortController()
  async function ask(cookie: string): Promise<void> {
    const at = performance.now()
    const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none', cookie }
    const answer = await request(url, { dispatcher: agent, headers }).then(
      async ({ statusCode, headers: sent, body }) => {
        await body.dump()
        return { status: statusCode, setCookie: sent['set-cookie'] !== undefined }
      },
      () => ({ status: 0, setCookie: false }),
    )
    answers.push({ at, milliseconds: performance.now() - at, ...answer })
  }
  const working = Array.from({ length: workers }, async (_, worker) => {
    for (let turn = worker; !stopping.signal.aborted; turn++) {
      await ask(cookies[turn % cookies.length] ?? '')
      await sleep(10)
    }
  })
  return {
    answers,
    trouble() {
      const failed = answers.filter(({ status }) => status !== 200)
      const [first, last] = [failed[0], failed.at(-1)]
      return first === undefined || last === undefined ? 0 : last.at + last.milliseconds - first.at
    },
    counts() {
      const counts: Record<string, number> = {}
      for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
      return counts
    },
    async stop() {
      stopping.abort()
      await Promise.all(working)
      await agent.close()
    },
  }
}

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
