// The load: several connections, each of which sends its next request after each response (a closed loop).
import { Agent, Pool, request, type Dispatcher } from 'undici'
import { CookieJar } from '../helpers/cookie-jar.ts'

type Loop = { connections: number; seconds?: number; times?: number }
export type Load = { times: number; perSecond: number; p50: number; p99: number }

/** Repeats the work on each connection, for `seconds` or until it began so many times. */
export async function repeat(
  { connections, seconds = Infinity, times = Infinity }: Loop,
  work: () => Promise<unknown>,
): Promise<Load> {
  const latencies: number[] = []
  const start = performance.now()
  let begun = 0
  const loop = async () => {
    while (begun < times && performance.now() - start < seconds * 1000) {
      begun++
      const from = performance.now()
      await work()
      latencies.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  const perSecond = (latencies.length * 1000) / (performance.now() - start)
  return { times: latencies.length, perSecond, ...percentilesOf(latencies) }
}

/** @param values milliseconds @returns percentiles; NaN without values */
export function percentilesOf(values: readonly number[]): { p50: number; p99: number } {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return { p50: at(0.5), p99: at(0.99) }
}

/** The headers of Chromium for an address that was typed, without Accept-Encoding: no server here compresses. */
const HEADERS = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9',
  'sec-fetch-site': 'none',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-user': '?1',
  'sec-fetch-dest': 'document',
}

/** GET /onboarding as one person after another. @throws for a response that is no page */
export function createPageLoad(port: number, cookies: readonly string[]): () => Promise<string> {
  const pool = new Pool(`http://127.0.0.1:${port}`)
  let next = 0
  return async () => {
    const headers = { ...HEADERS, cookie: cookies[next++ % cookies.length] ?? '' }
    const { statusCode, body } = await pool.request({ method: 'GET', path: '/onboarding', headers })
    const html = await body.text()
    if (statusCode !== 200) throw new Error(`port ${port} answered ${statusCode}, not a page`)
    return html
  }
}

const dispatcher: Dispatcher = new Agent()
const MAX_HOPS = 8

/** Signs a new person in, from the first URL up to the first page. @returns their cookies */
export async function signInFrom(start: string): Promise<string> {
  const jar = new CookieJar()
  const { host } = new URL(start)
  let url = start
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const isHere = new URL(url).host === host
    const sent = isHere && jar.header !== '' ? { ...HEADERS, cookie: jar.header } : HEADERS
    const { statusCode, headers, body } = await request(url, { dispatcher, headers: sent })
    await body.dump()
    if (isHere) jar.keep(headers['set-cookie'])
    const location = headers['location']
    if (statusCode === 200 && isHere) return jar.header
    if (typeof location !== 'string') throw new Error(`${host} answered ${statusCode} during a login`)
    url = new URL(location, url).href
  }
  throw new Error(`a login at ${host} came to no page in ${MAX_HOPS} redirects`)
}
