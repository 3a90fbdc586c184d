// Many sign-ins in one browser: each tab ends at its own page, in any order, while the cookie stays one small id.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nameOf } from '../../src/records/seal.ts'
import { endSignIns, expectSignedIn, expectSignedOut, keptSignIns, runUnlimited } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const TABS = 50
const MOST_COOKIE_CHARACTERS = 300

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterAll(() => running.close())

const numbers = Array.from({ length: TABS }, (_, index) => index)
const pathOf = (tab: number) => `/search?q=tab${tab}`

/** Another order each time, the same for a seed. */
const shuffled = (seed: number) =>
  numbers
    .map((number) => ({ number, rank: (number * 7_919 + seed * 104_729) % 1_009 }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ number }) => number)

/** At the authorization server's own page; its cookies there belong to that page's path. */
type Tab = { number: number; page: string; cookies: [string, string][] }

async function openTab(browser: TestBrowser, number: number): Promise<Tab> {
  const { url: page } = await browser.open(running.url + pathOf(number))
  const before = browser.hops.find(({ location, url }) => new URL(location ?? '', url).href === page)
  const set = before?.headers['set-cookie'] ?? ''
  const cookies = [...set.matchAll(/(sandbox_\d+_(?:interaction|resume)[\w.]*)=([^;]+)/g)]
  return {
    number,
    page,
    cookies: cookies.map(([, name = '', value = '']): [string, string] => [name, value]),
  }
}

/** Opens the page of every tab and leaves each at the authorization server's own page. */
async function openTabs(browser: TestBrowser, how: 'one by one' | 'at once'): Promise<Tab[]> {
  if (how === 'at once') return await Promise.all(numbers.map((number) => openTab(browser, number)))
  const tabs: Tab[] = []
  for (const number of numbers) tabs.push(await openTab(browser, number))
  return tabs
}

async function finish(browser: TestBrowser, { number, page, cookies }: Tab): Promise<void> {
  for (const [name, value] of cookies) browser.setCookie(page, name, value)
  const hop = await browser.open(page, { method: 'POST', body: 'person=ada', from: page })
  expect(`${hop.status} ${hop.url}`).toBe(`200 ${running.url}${pathOf(number)}`)
  expect(browser.cookieHeader(running.url).length).toBeLessThan(MOST_COOKIE_CHARACTERS)
}

describe.each(['one by one', 'at once'] as const)('50 sign-ins that are started %s', (how) => {
  it('end well when they are finished one after another, in any order', async () => {
    const browser = new TestBrowser()
    const tabs = await openTabs(browser, how)
    for (const number of shuffled(1)) await finish(browser, tabs[number] as Tab)
    expect(running.sandbox.count('token')).toBeGreaterThan(0)
    await expectSignedIn(running, browser)
  })
})

describe('50 tabs that are restored at once', () => {
  const open = async (browser: TestBrowser) => {
    const pages = await Promise.all(numbers.map((number) => browser.open(running.url + pathOf(number))))
    return pages.map(({ status, url }) => `${status} ${url}`)
  }
  const expected = () => numbers.map((number) => `200 ${running.url}${pathOf(number)}`)

  it('all come back to their pages when the authorization server still knows the person', async () => {
    const browser = await signIn(running, 'ada')
    browser.clearCookies(running.url)
    expect(await open(browser)).toEqual(expected())
    expect(browser.cookieHeader(running.url).length).toBeLessThan(MOST_COOKIE_CHARACTERS)
    await expectSignedIn(running, browser)
  })

  it('all come back to their pages when their session is over', async () => {
    const browser = await signIn(running, 'bob')
    endSignIns(running)
    await expectSignedOut(running, browser)
    expect(await open(browser)).toEqual(expected())
    expect(browser.cookieHeader(running.url).length).toBeLessThan(MOST_COOKIE_CHARACTERS)
    await expectSignedIn(running, browser)
  })
})

describe('a session id', () => {
  const sessionOf = (cookie: string) => decodeURIComponent(cookie).slice(2).split('.')[0] ?? ''
  const idOf = (browser: TestBrowser) => /onramp=([^;]*)/.exec(browser.cookieHeader(running.url))?.[1] ?? ''

  it('stays when another tab that was open before is finished: what is under way is not cut off', async () => {
    const browser = new TestBrowser()
    const tabs = [await openTab(browser, 1), await openTab(browser, 2)] as const
    await finish(browser, tabs[0])
    const first = idOf(browser)
    await finish(browser, tabs[1])
    expect(idOf(browser)).toBe(first)
    await browser.open(`${running.url}/sign-in?prompt=login`)
    await browser.post(browser.page.url, { person: 'ada' })
    expect(idOf(browser)).not.toBe(first)
    expect(keptSignIns(running).filter((key) => key.endsWith(nameOf(sessionOf(first))))).toEqual([])
  })
})
