// Somebody at a browser: what they do on our pages and on the others', and what their browser complained about.
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import type { Running } from '../helpers/running.ts'

export type VisitorOptions = BrowserContextOptions & { person: string }

export class Visitor {
  readonly context: BrowserContext
  /** The tab that they look at. */
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
      if (message.type() === 'error' || message.type() === 'warning')
        this.complaints.push(`${message.location().url}: ${message.text()}`)
    })
  }

  static async arrive(browser: Browser, running: Running, options: VisitorOptions): Promise<Visitor> {
    const { person, ...contextOptions } = options
    const context = await browser.newContext({ locale: 'en-GB', ...contextOptions })
    context.setDefaultTimeout(10_000)
    return new Visitor(context, await context.newPage(), running, person)
  }

  /** Opens a path of ours, signs in where that is asked for, and is on our page. */
  async open(path = '/onboarding'): Promise<void> {
    await this.page.goto(this.running.url + path)
    if (this.isAt('authorizationServer')) await this.chooseAccount()
  }

  async chooseAccount(person = this.person): Promise<void> {
    await this.page.locator(`button[name=person][value="${person}"]`).click()
  }

  isAt(server: 'authorizationServer' | 'datasource' | 'service'): boolean {
    return this.page.url().startsWith(this.running.sandbox.urls[server])
  }

  /** The first thing that the page offers. */
  async goOn(): Promise<void> {
    await this.page.locator('.step .button[href^="/onboarding/connect/"]').click()
  }

  /** The link of the list to this instance. */
  async connect(instance: string): Promise<void> {
    await this.page.locator(`.list a[href="/onboarding/connect/${encodeURIComponent(instance)}"]`).click()
  }

  /** Answers the datasource's consent page. */
  async answer(what: 'Allow' | 'Deny'): Promise<void> {
    await this.page.getByRole('button', { name: what, exact: true }).click()
  }

  async skip(instance: string): Promise<void> {
    await this.page
      .locator(`form[action="/onboarding/skip/${encodeURIComponent(instance)}"] button`)
      .first()
      .click()
  }

  async heading(): Promise<string> {
    return (await this.page.locator('h1').innerText()).trim()
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
