// A browser for tests, without a window: cookies per host (not per port, as in browsers), every hop of a redirect kept,
// Fetch Metadata as Chromium sends it.
import { Agent, request } from 'undici'
import { CookieJar } from './cookie-jar.ts'

export type Hop = {
  method: string
  url: string
  status: number
  location?: string
  body: string
  headers: Record<string, string>
}

type Step = {
  method?: string
  body?: string | undefined
  headers?: Record<string, string>
  from?: string
  follow?: boolean
}

/** Connection options, such as trusted certificate authorities. */
export type BrowserConnect = NonNullable<ConstructorParameters<typeof Agent>[0]>['connect']

export class TestBrowser {
  readonly hops: Hop[] = []
  /** Sent with each request. Without a User-Agent, onramp doesn't take it for a browser. */
  headers: Record<string, string> = {}
  readonly #jars = new Map<string, CookieJar>()
  readonly #agent: Agent
  page: Hop = { method: 'GET', url: 'about:blank', status: 0, body: '', headers: {} }

  constructor(connect: BrowserConnect = {}) {
    this.#agent = new Agent({ keepAliveTimeout: 1_000, connect })
  }

  #jarOf(url: string): CookieJar {
    const { hostname } = new URL(url)
    const jar = this.#jars.get(hostname) ?? new CookieJar()
    this.#jars.set(hostname, jar)
    return jar
  }

  cookieHeader = (url: string): string => this.#jarOf(url).header

  setCookie(url: string, name: string, value: string): void {
    this.#jarOf(url).keep(`${name}=${value}`)
  }

  clearCookies(url?: string): void {
    if (url === undefined) this.#jars.clear()
    else this.#jars.delete(new URL(url).hostname)
  }

  /** Types an address, or follows a link of the page that is shown. */
  async open(url: string, step: Step = {}): Promise<Hop> {
    let target = this.page.url === 'about:blank' ? url : new URL(url, this.page.url).href
    let method = step.method ?? 'GET'
    let body = step.body
    let initiator = step.from
    for (let count = 0; count < 60; count++) {
      const hop = await this.#send(target, { ...step, method, body }, initiator)
      this.hops.push(hop)
      if (hop.location === undefined || step.follow === false) {
        if (step.follow !== false) this.page = hop
        return hop
      }
      const next = new URL(hop.location, target).href
      // A redirect through another origin makes the rest of the chain cross-site.
      if (initiator !== undefined && new URL(next).origin !== new URL(initiator).origin)
        initiator = 'https://elsewhere.example'
      if (hop.status === 303 || (method === 'POST' && hop.status < 307)) {
        method = 'GET'
        body = undefined
      }
      target = next
    }
    const last = this.hops.slice(-6).map((hop) => hop.url)
    throw new Error(`redirected without end: ${last.join(' -> ')}`)
  }

  async click(start: string, step: Step = {}): Promise<Hop> {
    const href = linksOf(this.page.body).find((link) => link.startsWith(start))
    if (href === undefined)
      throw new Error(`no link to ${start} on ${this.page.url}:\n${visibleText(this.page.body)}`)
    return await this.open(href, { from: this.page.url, ...step })
  }

  /** Submits the first form whose action has this start. */
  async submit(start: string, step: Step = {}): Promise<Hop> {
    const forms = this.page.body.matchAll(/<form[^>]*method="post"[^>]*action="([^"]*)"/g)
    const actions = [...forms].map(([, action = '']) => unescape(action))
    const action = actions.find((candidate) => candidate.startsWith(start))
    if (action === undefined) throw new Error(`no form to ${start} on ${this.page.url}:\n${this.text}`)
    return await this.post(action, {}, step)
  }

  /** Sends fields as a form of this page. */
  async post(url: string, fields: Record<string, string> = {}, step: Step = {}): Promise<Hop> {
    const body = new URLSearchParams(fields).toString()
    return await this.open(url, { method: 'POST', body, from: this.page.url, ...step })
  }

  get text(): string {
    return visibleText(this.page.body)
  }

  async #send(url: string, step: Step, initiator: string | undefined): Promise<Hop> {
    const cookies = this.cookieHeader(url)
    const method = step.method ?? 'GET'
    const response = await request(url, {
      dispatcher: this.#agent,
      method: method as 'GET',
      headers: {
        accept: 'text/html,application/xhtml+xml',
        ...this.headers,
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        'sec-fetch-site': siteOf(url, initiator),
        ...refererOf(url, initiator, this.page.headers['referrer-policy']),
        ...(cookies !== '' && { cookie: cookies }),
        ...(method === 'POST' && {
          'content-type': 'application/x-www-form-urlencoded',
          origin: initiator === undefined ? 'null' : new URL(initiator).origin,
        }),
        ...step.headers,
      },
      body: step.body ?? null,
    })
    const body = await response.body.text()
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    )
    this.#jarOf(url).keep(response.headers['set-cookie'])
    const { location } = headers
    const hop = { method, url, status: response.statusCode, body, headers }
    return location === undefined ? hop : { ...hop, location }
  }
}

function siteOf(url: string, initiator: string | undefined): string {
  if (initiator === undefined || initiator === 'about:blank') return 'none'
  const [to, from] = [new URL(url), new URL(initiator)]
  if (to.origin === from.origin) return 'same-origin'
  return to.hostname === from.hostname ? 'same-site' : 'cross-site'
}

/** Referrer Policy, W3C: the policies that pages here have. */
function refererOf(url: string, initiator = 'about:blank', policy = 'strict-origin-when-cross-origin') {
  if (initiator === 'about:blank') return {}
  const [{ origin }, isSame] = [new URL(initiator), siteOf(url, initiator) === 'same-origin']
  if (policy === 'strict-origin') return { referer: `${origin}/` }
  if (isSame) return { referer: initiator.split('#', 1)[0] }
  return policy === 'same-origin' ? {} : { referer: `${origin}/` }
}

const ESCAPED: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' }
const unescape = (html: string) =>
  html.replaceAll(/&(lt|gt|quot|#39|#x27|amp);/g, (_entity, name: string) => ESCAPED[name] ?? '')

export const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a\s[^>]*href="([^"]*)"/g)].map((match) => unescape(match[1] ?? ''))

export const visibleText = (html: string): string =>
  unescape(
    html
      .replaceAll(/<(style|head)[\s\S]*?<\/\1>/g, ' ')
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' '),
  ).trim()
