// Actions of people in a journey, and counts of its requests.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Datasource } from '../../packages/sandbox/src/people.ts'
import { chooseAccount, run, signIn, type Running, type RunOptions } from './running.ts'
import { sqlite, type StoreUnderTest } from './stores.ts'
import { linksOf, visibleText, type Hop, type TestBrowser } from './test-browser.ts'

const APPS: Datasource[] = [
  { instance: 'slack_1', displayName: 'Slack' },
  { instance: 'github_1', displayName: 'GitHub' },
  { instance: 'gdrive_1', displayName: 'Google Drive' },
  { instance: 'jira_1', displayName: 'Jira' },
]

export type Journey = Awaited<ReturnType<typeof openJourney>>

/** @param options `open`: the store */
export async function openJourney({
  open = sqlite,
  settings,
  ...options
}: RunOptions & { open?: () => Promise<StoreUnderTest> } = {}) {
  const store = await open()
  const running = await run({ ...options, settings: { ...store.settings, ...settings } })
  const { sandbox } = running
  let number = 0
  /** A new person with these datasources, or with a number of them. */
  const newcomer = (apps: number | Datasource[] = 3) => {
    const id = `newcomer${++number}`
    const datasources = typeof apps === 'number' ? APPS.slice(0, apps) : apps
    sandbox.people.push({ id, name: `Newcomer ${number}`, email: `${id}@acme.example`, datasources })
    return id
  }
  return {
    ...running,
    newcomer,
    /** Signs a newcomer in, up to the list of apps, and resets the counts. */
    async begin(apps?: number | Datasource[], path?: string) {
      const person = newcomer(apps)
      const browser = await signIn(running, person, path)
      sandbox.clearRequests()
      return { person, browser }
    },
    checks: () => sandbox.count('checkdatasourceauth'),
    consentsOpened: () => sandbox.count('authDatasource'),
    async close() {
      await running.close()
      await store.close()
    },
  }
}

/** Presses a button of the datasource's consent page. */
export async function answerConsent(browser: TestBrowser, answer: 'allow' | 'deny'): Promise<Hop> {
  expect(browser.text).toContain('Allow access?')
  return await browser.submit(`${new URL(browser.page.url).pathname}/${answer}`)
}

/** Waits for the page's own refresh, from its header or its head. */
export async function letRefresh(browser: TestBrowser): Promise<Hop> {
  const { url, headers, body } = browser.page
  const refresh = headers['refresh'] ?? /<meta http-equiv="refresh" content="([^"]*)"/.exec(body)?.[1] ?? ''
  const [, seconds, path] = /^(\d+); *url=(.*)$/.exec(refresh) ?? []
  if (path === undefined) throw new Error(`no refresh on ${url}: ${browser.text}`)
  await sleep(Number(seconds) * 1_000)
  return await browser.open(path.replaceAll('&amp;', '&'), { from: url })
}

/** Expects a page with one heading, and a link or a form in its content. */
export function expectPage(hop: Hop): void {
  expect(hop.status, visibleText(hop.body)).not.toBe(500)
  expect(hop.headers['content-type'], hop.url).toMatch(/^text\/html/)
  expect(hop.body.match(/<h1[\s>]/g), visibleText(hop.body)).toHaveLength(1)
  expect(hop.headers['cache-control']).toBe('no-store, no-transform')
  const main = /<main[\s\S]*<\/main>/.exec(hop.body)?.[0] ?? ''
  const ways = [...linksOf(main), ...main.matchAll(/<form/g)]
  expect(ways.length, visibleText(hop.body)).toBeGreaterThan(0)
}

export async function signInIfPrompted(
  journey: Running,
  browser: TestBrowser,
  person: string,
): Promise<void> {
  if (browser.page.url.startsWith(journey.sandbox.urls.authorizationServer))
    await chooseAccount(journey, browser, person)
}
