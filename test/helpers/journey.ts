// What people do on a walk, and what a journey counts.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Datasource } from '../../packages/sandbox/src/people.ts'
import { chooseAccount, run, signIn, type Running, type RunOptions } from './running.ts'
import { sqlite, type StoreUnderTest } from './stores.ts'
import { linksOf, textOf, type Hop, type TestBrowser } from './test-browser.ts'

const APPS: Datasource[] = [
  { instance: 'slack_1', displayName: 'Slack' },
  { instance: 'github_1', displayName: 'GitHub' },
  { instance: 'gdrive_1', displayName: 'Google Drive' },
  { instance: 'jira_1', displayName: 'Jira' },
]

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld(
  open: () => Promise<StoreUnderTest> = sqlite,
  { settings, ...options }: RunOptions = {},
) {
  const store = await open()
  const running = await run({ ...options, settings: { ...store.settings, ...settings } })
  const { sandbox } = running
  let number = 0
  /** Somebody whom no other test knows, with so many datasources, or these. */
  const newcomer = (apps: number | Datasource[] = 3) => {
    const id = `newcomer${++number}`
    const datasources = typeof apps === 'number' ? APPS.slice(0, apps) : apps
    sandbox.people.push({ id, name: `Newcomer ${number}`, email: `${id}@acme.example`, datasources })
    return id
  }
  return {
    ...running,
    newcomer,
    /** A newcomer who is signed in and looks at the list; nothing is counted yet. */
    async begin(apps?: number | Datasource[], path?: string) {
      const person = newcomer(apps)
      const browser = await signIn(running, person, path)
      sandbox.clearRequests()
      return { person, browser }
    },
    /** Checks that the service was asked for since the counts were cleared. */
    checks: () => sandbox.count('checkdatasourceauth'),
    /** Departures that reached the service. */
    departures: () => sandbox.count('authDatasource'),
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

/** What the page itself will open after so many seconds, if anything: said in its header or in its head. */
export function refreshOf(hop: Hop): { seconds: number; url: string } | undefined {
  const said =
    hop.headers['refresh'] ?? /<meta http-equiv="refresh" content="([^"]*)"/.exec(hop.body)?.[1] ?? ''
  const parts = /^(\d+); *url=(.*)$/.exec(said)
  return parts === null
    ? undefined
    : { seconds: Number(parts[1]), url: (parts[2] ?? '').replaceAll('&amp;', '&') }
}

/** Waits as the page asks for and lets it look again. */
export async function letRefresh(browser: TestBrowser): Promise<Hop> {
  const refresh = refreshOf(browser.page)
  if (refresh === undefined) throw new Error(`no refresh on ${browser.page.url}: ${browser.text}`)
  await sleep(refresh.seconds * 1_000)
  return await browser.open(refresh.url, { from: browser.page.url })
}

/** A page for people: one heading, words, and somewhere to go on that is not only the way to the content. */
export function expectPage(hop: Hop): void {
  expect(hop.status, textOf(hop.body)).not.toBe(500)
  expect(hop.headers['content-type'], hop.url).toMatch(/^text\/html/)
  expect(hop.body.match(/<h1[\s>]/g), textOf(hop.body)).toHaveLength(1)
  expect(hop.headers['cache-control']).toBe('no-store, no-transform')
  const main = /<main[\s\S]*<\/main>/.exec(hop.body)?.[0] ?? ''
  const ways = [...linksOf(main), ...main.matchAll(/<form/g)]
  expect(ways.length, textOf(hop.body)).toBeGreaterThan(0)
}

/** Signs in where a sign-in page stands; a browser that the authorization server knows may already be through. */
export async function signInIfAsked(world: Running, browser: TestBrowser, person: string): Promise<void> {
  if (browser.page.url.startsWith(world.sandbox.urls.authorizationServer))
    await chooseAccount(world, browser, person)
}
