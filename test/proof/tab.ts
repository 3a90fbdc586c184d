// A tab of a browser and its person, who at any moment follows links, decides on consents, goes back, or signs out.
import { ISSUER } from './authorization-server.ts'
import type { CookieJar } from '../helpers/cookie-jar.ts'
import { locationOf, PUBLIC_URL, type PageRequest, type PageResponse } from './processes.ts'
import type { Rules } from './rules.ts'
import { SERVICE, type Person } from './service.ts'
import { pathOf, type Outcome, type World } from './world.ts'

export type Browser = {
  person: Person
  cookies: CookieJar
  /** True if the authorization server has a session of the person. */
  isKnownThere: boolean
  /** The Cookie headers that were signed out. */
  ended: Set<string>
}

type Page =
  | { kind: 'none' }
  | { kind: 'ours'; path: string; body: string; status: number }
  | { kind: 'sign-in'; url: string }
  | { kind: 'consent'; app: Person['apps'][number]; back: string }

type Site = 'none' | 'same-origin' | 'cross-site'

const links = (body: string, pattern: RegExp) =>
  [...body.matchAll(pattern)].map(([, path = '']) => unescaped(path))
const unescaped = (path: string) => path.replaceAll('&amp;', '&')
const CONNECT = /<a [^>]*href="(\/onboarding\/connect[^"]*)"/g
const FORM = /<form method="post" action="(\/onboarding\/[^"]*)"/g
const REFRESH = /<meta http-equiv="refresh" content="\d+; *url=([^"]*)"/gi

export class Tab {
  page: Page = { kind: 'none' }
  readonly name: string
  readonly browser: Browser
  readonly #world: World
  readonly #rules: Rules
  #navigation = 0
  #onRest: () => void = () => {}

  constructor(name: string, browser: Browser, { world, rules }: { world: World; rules: Rules }) {
    this.name = name
    this.browser = browser
    this.#world = world
    this.#rules = rules
  }

  /** @param rested called when the tab has loaded a page */
  act(rested: () => void): void {
    this.#onRest = rested
    const { random } = this.#world.machine
    const { page } = this
    switch (page.kind) {
      case 'none':
        return this.open('/onboarding')
      case 'sign-in':
        return random.chance(0.1) ? this.open('/onboarding') : this.approve()
      case 'consent':
        return this.#decide(page)
      case 'ours':
        return this.#use(page)
    }
  }

  approve(): void {
    if (this.page.kind !== 'sign-in') return
    this.browser.isKnownThere = true
    this.go(this.#world.server.approve(this.page.url, this.browser.person), 'cross-site')
  }

  #decide({ app, back }: Extract<Page, { kind: 'consent' }>): void {
    const { random } = this.#world.machine
    const choice = random.pick(['allow', 'allow', 'allow', 'late', 'deny', 'close'])
    this.#note(`answers ${choice} to ${app.instance}`)
    if (choice === 'close') return this.open('/onboarding')
    if (choice === 'allow') this.#world.service.consent(app, 0)
    if (choice === 'late') this.#world.service.consent(app, random.below(60_000))
    this.go(choice === 'deny' ? `${back}&error=access_denied` : back, 'cross-site')
  }

  #use({ body, status }: Extract<Page, { kind: 'ours' }>): void {
    const { random } = this.#world.machine
    if (status >= 400) return this.open('/onboarding')
    const [connect, forms, again] = [links(body, CONNECT), links(body, FORM), links(body, REFRESH)]
    const choice = random.next()
    if (random.chance(this.#world.leaving)) return this.#send('POST', '/sign-out', 'same-origin')
    if (choice < 0.06) return this.#send('GET', '/api/status', 'same-origin')
    if (choice < 0.15 || connect.length === 0) return this.open('/onboarding')
    if (choice < 0.3 && again.length > 0) return this.go(PUBLIC_URL + random.pick(again), 'same-origin')
    if (choice < 0.4 && forms.length > 0) return this.#send('POST', random.pick(forms), 'same-origin')
    const path = random.pick(connect)
    // A double click: the browser gives up the first request, which is on its way already.
    if (random.chance(0.15)) this.#send('GET', path, 'same-origin')
    this.#send('GET', path, 'same-origin')
  }

  open(path: string, rested = this.#onRest): void {
    this.#onRest = rested
    this.#send('GET', path, 'none')
  }

  go(address: string, site: Site): void {
    const url = new URL(address, PUBLIC_URL)
    if (url.origin === ISSUER) return this.#atServer(url)
    if (url.origin === SERVICE) return this.#atService(url)
    this.#send('GET', url.pathname + url.search, site)
  }

  #atServer(url: URL): void {
    if (url.pathname === '/logout') {
      this.browser.isKnownThere = false
      const returnUrl = url.searchParams.get('post_logout_redirect_uri') ?? PUBLIC_URL
      return this.go(`${returnUrl}?state=${url.searchParams.get('state') ?? ''}`, 'cross-site')
    }
    if (this.browser.isKnownThere && !url.searchParams.has('prompt'))
      return this.go(this.#world.server.approve(url.href, this.browser.person), 'cross-site')
    this.#rest({ kind: 'sign-in', url: url.href })
  }

  #atService(url: URL): void {
    const path = this.#world.service.follow(url.href)
    if (path === undefined) return this.#rest({ kind: 'none' })
    const { app, back } = path
    if (!app.isSilent) return this.#rest({ kind: 'consent', app, back })
    this.#world.service.consent(app, 0)
    this.go(back, 'cross-site')
  }

  #send(method: PageRequest['method'], path: string, site: Site): void {
    const navigation = ++this.#navigation
    const cookie = this.browser.cookies.header
    const headers: Record<string, string> = {
      host: 'onramp.example',
      accept: 'text/html',
      'user-agent': 'Mozilla/5.0',
      'sec-fetch-site': site,
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      ...(cookie !== '' && { cookie }),
      ...(method === 'POST' && { origin: PUBLIC_URL }),
    }
    const request: PageRequest = { method, path, headers, address: this.#world.address }
    const isEnded = this.browser.ended.has(cookie)
    this.#world.request(this.name, request, (outcome, process) => {
      this.#note(`gets ${describe(outcome)} from ${process.name}`)
      if (outcome === 'cut off')
        return navigation === this.#navigation ? this.#rest({ kind: 'none' }) : undefined
      const { person } = this.browser
      this.#rules.check({ person, request, response: outcome, isEnded })
      this.#keepCookies(outcome, request, cookie)
      if (navigation === this.#navigation) this.#show(path, site, outcome)
    })
  }

  #keepCookies({ headers, status }: PageResponse, { method, path }: PageRequest, cookie: string): void {
    const set = [headers['set-cookie'] ?? []].flat().map(String)
    const isSignOut = method === 'POST' && pathOf(path) === '/sign-out'
    if (isSignOut && status === 303 && set.length === 0 && cookie !== '') this.browser.ended.add(cookie)
    this.browser.cookies.keep(set, this.#world.machine.now)
  }

  #show(path: string, site: Site, response: PageResponse): void {
    const { status, body } = response
    const location = locationOf(response)
    if (location === '') return this.#rest({ kind: 'ours', path, body, status })
    this.go(location, site === 'same-origin' && location.startsWith('/') ? site : 'cross-site')
  }

  #rest(page: Page): void {
    this.page = page
    this.#onRest()
  }

  #note(what: string): void {
    this.#world.machine.note(`${this.name} ${what}`)
  }
}

const describe = (outcome: Outcome) =>
  outcome === 'cut off' ? outcome : `${outcome.status} ${pathOf(locationOf(outcome))}`.trim()
