// A minimal browser, because it shares the machine with the measured servers: onramp's cookies, Fetch Metadata,
// redirects. After an error it reloads the page, like people do.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'undici'
import type { CookieJar } from '../../helpers/cookie-jar.ts'
import type { Gateway } from './gateway.ts'
import type { Ledger } from './ledger.ts'

export type Network = {
  publicUrl: string
  gateway: Gateway
  standIn: Pool
  ledger: Ledger
}

type Navigation = { site: 'none' | 'same-origin' | 'cross-site'; method?: 'GET' | 'POST' }
type BrowserResponse = { status: number; location: string; refresh: string; text: string }
export type StatusCounts = Record<'connected' | 'pending' | 'skipped', number>

const MAX_RELOADS = 60
const MAX_HOPS = 60
const TIMEOUT_MS = 30_000
const OFFICES = 40

/** A path without secrets and unique values. */
const patternOf = (url: string) =>
  new URL(url).pathname.replace(/(?<=^\/onboarding\/\w+\/|^\/auth\/datasource\/).*/, ':app')

const titleIn = (text: string) => /<title>([^<]*)/.exec(text)?.[1]?.trim() ?? text.slice(0, 60)

export class Tab {
  readonly #network: Network
  readonly #person: number
  readonly #jar: CookieJar
  url = 'about:blank'
  text = ''
  refresh: { seconds: number; path: string } | undefined

  /** @param jar shared by the tabs of one browser */
  constructor(network: Network, person: number, jar: CookieJar) {
    this.#network = network
    this.#person = person
    this.#jar = jar
  }

  /** Follows every redirect to a page. @param path on the page's own origin, or a whole URL @throws after 60 reloads */
  async open(path: string, first: Navigation): Promise<void> {
    const { publicUrl } = this.#network
    let url = new URL(path, this.url.startsWith(publicUrl) ? this.url : publicUrl).href
    let step = first
    let reloads = 0
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      const response = await this.#send(url, step)
      if (response === undefined || response.status >= 400) {
        if (++reloads > MAX_RELOADS) break
        await sleep(500 + Math.random() * 1_000)
        // A page that failed is loaded again; a refusal and a form are given up for the overview.
        const isRefused = response !== undefined && response.status < 500 && response.status !== 429
        const isLeft = step.method === 'POST' || isRefused
        if (isLeft) url = `${publicUrl}/onboarding`
        step = { site: isLeft ? 'none' : step.site }
        hop = 0
      } else if (response.location === '') {
        const [, seconds = '', next = ''] = /^(\d+); url=(.*)/.exec(response.refresh) ?? []
        this.refresh = next === '' ? undefined : { seconds: Number(seconds), path: next }
        this.url = url
        this.text = response.text
        return
      } else {
        const next = new URL(response.location, url)
        const isCrossSite = next.origin !== new URL(url).origin && step.site !== 'none'
        step = { site: isCrossSite ? 'cross-site' : step.site }
        url = next.href
      }
    }
    throw new Error(`person ${this.#person} does not get to a page: ${patternOf(url)}`)
  }

  /** @returns undefined without a response */
  async status(): Promise<StatusCounts | undefined> {
    const headers = { accept: 'application/json', 'sec-fetch-mode': 'cors' }
    const url = `${this.#network.publicUrl}/api/status`
    const response = await this.#send(url, { site: 'same-origin' }, headers)
    return response?.status === 200 ? (JSON.parse(response.text) as StatusCounts) : undefined
  }

  async #send(
    url: string,
    { site, method = 'GET' }: Navigation,
    more = {},
  ): Promise<BrowserResponse | undefined> {
    const { gateway, standIn, ledger, publicUrl } = this.#network
    const { pathname, search, origin, host } = new URL(url)
    const isOurs = origin === publicUrl
    const cookie = this.#jar.header
    const own = {
      host,
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0',
      'x-forwarded-for': `10.0.${this.#person % OFFICES}.1`,
      'sec-fetch-site': site,
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      ...(cookie !== '' && { cookie }),
      ...(method === 'POST' && { origin: publicUrl, 'content-length': '0' }),
      ...more,
    }
    const options = {
      path: pathname + search,
      method,
      headers: isOurs ? own : { cookie: `person=${this.#person}` },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    }
    const from = performance.now()
    try {
      const response = await (isOurs ? gateway.request(options) : standIn.request(options))
      const text = await response.body.text()
      const { statusCode: status, headers } = response
      if (status >= 400) ledger.addTrouble(`${status} ${method} ${patternOf(url)}: ${titleIn(text)}`)
      else if (isOurs)
        ledger.addHop({ whole: performance.now() - from, elsewhere: Number(headers['x-elsewhere-ms']) })
      if (isOurs) this.#jar.keep(headers['set-cookie'])
      return {
        status,
        location: String(headers['location'] ?? ''),
        refresh: String(headers['refresh'] ?? ''),
        text,
      }
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      ledger.addTrouble(`${code ?? message} ${method} ${patternOf(url)}`)
      return undefined
    }
  }
}
