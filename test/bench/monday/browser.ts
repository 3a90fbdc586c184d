// A person's browser, as light as can be, because it shares the machine with what is measured: cookies of onramp, Fetch
// Metadata, redirects. Where something goes wrong it does what people do: it loads the page again.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'undici'
import type { Gateway } from './gateway.ts'
import type { Ledger } from './ledger.ts'

export type World = {
  /** Of onramp, as people know it. */
  publicUrl: string
  gateway: Gateway
  /** Of the stand-in. */
  standIn: string
  standInPool: Pool
  ledger: Ledger
}

type Site = 'none' | 'same-origin' | 'cross-site'
type Step = { site: Site; method?: 'GET' | 'POST' }
type Answer = { status: number; location: string | undefined; refresh: string | undefined; text: string }

export type Page = { url: string; text: string; refresh: { seconds: number; path: string } | undefined }

const MAX_RELOADS = 60
const MAX_HOPS = 60
const TIMEOUT_MS = 30_000
const OFFICES = 40

const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value)

/** An address without what is secret or different each time. */
const patternOf = (url: string) =>
  new URL(url).pathname.replace(/(?<=^\/onboarding\/\w+\/|^\/auth\/datasource\/).*/, ':app')

const titleIn = (text: string) => /<title>([^<]*)/.exec(text)?.[1]?.trim() ?? text.slice(0, 60)

export class Tab {
  readonly #world: World
  readonly #person: number
  readonly #jar: Map<string, string>
  page: Page = { url: 'about:blank', text: '', refresh: undefined }

  /** @param jar shared by the tabs of one browser */
  constructor(world: World, person: number, jar: Map<string, string>) {
    this.#world = world
    this.#person = person
    this.#jar = jar
  }

  get isAtOnramp(): boolean {
    return this.page.url.startsWith(this.#world.publicUrl)
  }

  /** Follows every redirect to a page. @param path on the page's own origin, or a whole address @throws when it is stuck */
  async open(path: string, { site, method = 'GET' }: Step): Promise<void> {
    const { publicUrl } = this.#world
    let url = new URL(path, this.isAtOnramp ? this.page.url : publicUrl).href
    let step: Required<Step> = { site, method }
    let reloads = 0
    for (let hop = 0; hop < MAX_HOPS; hop++) {
      const answer = await this.#ask(url, step)
      if (answer === undefined || answer.status >= 400) {
        if (++reloads > MAX_RELOADS) break
        await sleep(500 + Math.random() * 1_000)
        // A page that failed is loaded again; one that says no is left for the first one, and so is a form.
        const isLeft =
          step.method === 'POST' || (answer !== undefined && answer.status < 500 && answer.status !== 429)
        if (isLeft) url = `${publicUrl}/onboarding`
        step = { site: isLeft ? 'none' : step.site, method: 'GET' }
        hop = 0
        continue
      }
      if (answer.location === undefined) {
        const [, seconds = '', next = ''] = /^(\d+); url=(.*)/.exec(answer.refresh ?? '') ?? []
        const refresh = next === '' ? undefined : { seconds: Number(seconds), path: next }
        this.page = { url, text: answer.text, refresh }
        return
      }
      const to = new URL(answer.location, url).href
      const isOther = new URL(to).origin !== new URL(url).origin
      step = { site: isOther && step.site !== 'none' ? 'cross-site' : step.site, method: 'GET' }
      url = to
    }
    throw new Error(`person ${this.#person} does not get to a page: ${patternOf(url)}`)
  }

  /** @returns undefined where there is no answer yet */
  async status(): Promise<Record<'connected' | 'pending' | 'skipped', number> | undefined> {
    const url = `${this.#world.publicUrl}/api/status`
    const answer = await this.#ask(
      url,
      { site: 'same-origin' },
      { accept: 'application/json', 'sec-fetch-mode': 'cors' },
    )
    return answer?.status === 200
      ? (JSON.parse(answer.text) as Awaited<ReturnType<Tab['status']>>)
      : undefined
  }

  async #ask(url: string, { site, method = 'GET' }: Step, more = {}): Promise<Answer | undefined> {
    const { gateway, standInPool, ledger, publicUrl } = this.#world
    const { pathname, search, origin, host } = new URL(url)
    const isOurs = origin === publicUrl
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ')
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
    const headers = isOurs ? own : { cookie: `person=${this.#person}` }
    const options = {
      path: pathname + search,
      method,
      headers,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    }
    const from = performance.now()
    try {
      const response = await (isOurs ? gateway.request(options) : standInPool.request(options))
      const text = await response.body.text()
      const { statusCode: status, headers: said } = response
      if (status >= 400) ledger.trouble(`${status} ${method} ${patternOf(url)}: ${titleIn(text)}`)
      else if (isOurs) {
        const [inside, elsewhere] = [Number(said['x-inside-ms']), Number(said['x-elsewhere-ms'])]
        ledger.hop({ whole: performance.now() - from, inside, elsewhere })
      }
      if (isOurs) this.#keep([said['set-cookie'] ?? []].flat())
      return { status, location: first(said.location), refresh: first(said['refresh']), text }
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      ledger.trouble(`${code ?? message} ${method} ${patternOf(url)}`)
      return undefined
    }
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.#jar.delete(name)
      else this.#jar.set(name, value)
    }
  }
}
