// The walk in real Chromium, over three sites: a person clicks through the consent pages of a stand-in for the service.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { defaultPeople, type Person } from '../../packages/sandbox/src/people.ts'
import { openChromium, runOnThreeSites } from '../helpers/chromium.ts'
import type { Running } from '../helpers/running.ts'
import { Visitor } from './visitor.ts'

/** Somebody new for each test, with Ada's five datasources. */
const people: Person[] = Array.from({ length: 12 }, (_, index) => {
  const datasources = defaultPeople.find(({ id }) => id === 'ada')?.datasources ?? []
  return { id: `ada${index}`, name: 'Ada Lovelace', email: `ada${index}@acme.example`, datasources }
})

let browser: Browser
/** Goes straight on after a return; waits as long as it takes. */
let auto: Running
/** Shows a page in between; gives up waiting after a second. */
let stepwise: Running
const visitors: Visitor[] = []

beforeAll(async () => {
  ;[browser, auto, stepwise] = await Promise.all([
    openChromium(),
    runOnThreeSites({ sandbox: { people } }),
    runOnThreeSites({ settings: { ADVANCE: 'confirm', CONFIRM_SECONDS: '1' }, sandbox: { people } }),
  ])
})

beforeEach(() => {
  auto.sandbox.switches.reset()
  auto.sandbox.clearRequests()
  stepwise.sandbox.clearRequests()
})

afterAll(async () => {
  await browser.close()
  await Promise.all([auto.close(), stepwise.close()])
})

let arrivals = 0

async function arrive(running: Running, options: BrowserContextOptions = {}): Promise<Visitor> {
  const person = people[arrivals++ % people.length]?.id ?? ''
  const visitor = await Visitor.arrive(browser, running, { person, ...options })
  visitors.push(visitor)
  return visitor
}

async function walkToTheEnd(visitor: Visitor): Promise<void> {
  await visitor.open()
  await visitor.goOn()
  for (const name of ['Slack', 'GitHub', 'Google Drive', 'Jira', 'Confluence']) {
    await visitor.reads(`Acme Search wants to read content you can access in ${name}.`)
    await visitor.answer('Allow')
  }
  await visitor.reads('You’re all set')
}

describe('the walk in Chromium', () => {
  it('needs no script anywhere', async () => {
    const ada = await arrive(auto, { javaScriptEnabled: false })

    await walkToTheEnd(ada)

    await ada.page.getByLabel('Try your first search').fill('roadmap')
    await ada.page.getByRole('button', { name: 'Search' }).click()
    await ada.reads('5 results for “roadmap”')
    expect(ada.complaints).toEqual([])
  })

  it('tells no other site where the person comes from', async () => {
    const ada = await arrive(stepwise)
    await ada.open()
    await ada.goOnAndAllow()
    await ada.reads('Slack connected')

    const elsewhere = stepwise.sandbox.requests
    expect(elsewhere.some(({ operation }) => operation === 'authDatasource')).toBe(true)
    const ours = elsewhere
      .map(({ headers }) => headers.referer ?? '')
      .filter((from) => from.startsWith(stepwise.url))
    expect(ours).toEqual([])
  })

  it('starts nothing for a browser that only prefetches the link', async () => {
    // Our policy allows no prefetching at all; it is lifted to see what the server says.
    const ada = await arrive(stepwise, { bypassCSP: true })
    await ada.open()
    const checks = stepwise.sandbox.count('checkdatasourceauth')
    const answer = ada.page.waitForResponse(/\/onboarding\/connect\/slack_1/)

    await ada.page.evaluate(`document.head.append(
      Object.assign(document.createElement('link'), { rel: 'prefetch', href: '/onboarding/connect/slack_1' }))`)

    const response = await answer
    expect(await response.request().headerValue('sec-purpose')).toContain('prefetch')
    expect(response.status()).toBe(503)
    expect(stepwise.sandbox.count('checkdatasourceauth')).toBe(checks)
    expect(stepwise.sandbox.count('authDatasource')).toBe(0)
  })
})
