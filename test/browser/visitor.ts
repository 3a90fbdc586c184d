// Fixture: a person with a browser, their actions on our pages and others', and the console errors.
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import type { RunOptions, Running } from '../helpers/running.ts'

type VisitorOptions = BrowserContextOptions & { person: string }

export class Visitor {
  readonly context: BrowserContext
  /** The current tab. */
  page: Page
  readonly running: Running
  readonly person: string
  /** Console errors of our own pages (CSP violations are among them) and dialogs that opened. */
  readonly complaints: string[] = []
  readonly requests: Request[] = []

  private constructor(context: BrowserContext, page: Page, running: Running, person: string) {
    this.context = context
    this.page = page
    this.running = running
    this.person = person
    context.on('request', (request) => this.requests.push(request))
    context.on('weberror', (error) => this.complaints.push(`script: ${error.error().message}`))
    context.on('dialog', (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    context.on('console', (message) => {
      const isComplaint = message.type() === 'error' || message.type() === 'warning'
      // An error page is a page, too.
      if (isComplaint && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(`${message.location().url}: ${message.text()}`)
    })
  }

  static async arrive(browser: Browser, running: Running, options: VisitorOptions): Promise<Visitor> {
    const { person, ...contextOptions } = options
    const context = await browser.newContext({ locale: 'en-GB', ...contextOptions })
    context.setDefaultTimeout(150_000)
    return new Visitor(context, await context.newPage(), running, person)
  }

  /** Opens a path of ours, signs in where required, and is on our page. */
  async open(path = '/onboarding'): Promise<void> {
    await this.page.goto(this.running.url + path)
    if (this.isAt('authorizationServer')) await this.chooseAccount()
  }

  async chooseAccount(person = this.person): Promise<void> {
    await this.page.locator(`button[name=person][value="${person}"]`).click()
    await this.page.waitForURL((url) => url.origin === this.running.url)
  }

  isAt(server: 'authorizationServer' | 'datasource' | 'service'): boolean {
    return this.page.url().startsWith(this.running.sandbox.urls[server])
  }

  /** The first main action of the page. */
  async goOn(): Promise<void> {
    await this.page.locator('.step .button[href^="/onboarding/connect/"]').click()
  }

  /** Clicks an element after opening the disclosures around it. */
  async press(target: Locator): Promise<void> {
    const folded = target.locator('xpath=ancestor::details[not(@open)]')
    for (let count = await folded.count(); count > 0; count--)
      await folded.first().locator('> summary').click()
    await target.click()
  }

  /** The button or link with this text, also in the account menu or in a row. */
  async choose(role: 'link' | 'button', name: string): Promise<void> {
    await this.press(this.page.getByRole(role, { name, exact: true, includeHidden: true }).first())
  }

  /** The link to this instance, in the step or on the list. */
  async connect(instance: string): Promise<void> {
    const href = `/onboarding/connect/${encodeURIComponent(instance)}`
    await this.press(this.page.locator(`a[href="${href}"]`).first())
  }

  /** Decides on the datasource's consent page. */
  async answer(what: 'Allow' | 'Deny'): Promise<void> {
    await this.page.getByRole('button', { name: what, exact: true }).click()
  }

  /** Searches with the form of the page, because links from other sites don't search. */
  async search(query: string): Promise<void> {
    await this.page.locator('#q').fill(query)
    await this.page.getByRole('button', { name: 'Search', exact: true }).click()
    await this.page.locator('#results').waitFor()
  }

  async skip(instance: string): Promise<void> {
    const action = `/onboarding/skip/${encodeURIComponent(instance)}`
    await this.press(this.page.locator(`form[action="${action}"] button`).first())
  }

  async goOnAndAllow(): Promise<void> {
    await this.goOn()
    await this.answer('Allow')
  }

  /** Waits for this text on the page. */
  async reads(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor()
  }

  async text(): Promise<string> {
    return (await this.page.locator('body').innerText()).replaceAll(/\s+/g, ' ')
  }

  /** The text of the focused element. */
  async focused(): Promise<string> {
    return (await this.page.locator(':focus').innerText()).replaceAll(/\s+/g, ' ').trim()
  }

  /** A further tab of the same browser. */
  async tab(): Promise<Visitor> {
    const other: Visitor = Object.create(this) as Visitor
    other.page = await this.context.newPage()
    return other
  }

  async leave(): Promise<void> {
    await this.context.close()
  }
}

/**
 * Chromium and a running onramp for all the tests of a file. Who arrives in a test leaves at its end.
 * @param options read when they start
 */
export function useSite(options: () => RunOptions | Promise<RunOptions> = () => ({})) {
  let browser: Browser
  let running: Running
  let visitors: Visitor[] = []
  beforeAll(async () => {
    ;[browser, running] = await Promise.all([openChromium(), runOnThreeSites(await options())])
  })
  beforeEach(() => void (visitors = []))
  afterEach(async () => {
    for (const visitor of visitors) await visitor.context.close()
  })
  afterAll(async () => {
    await browser.close()
    await running.close()
  })
  return {
    get running() {
      return running
    },
    async arrive(visitorOptions: VisitorOptions) {
      const visitor = await Visitor.arrive(browser, running, visitorOptions)
      visitors.push(visitor)
      return visitor
    },
  }
}
