// How a walk is entered and left: narrowed to some datasources, and with somewhere to go afterwards.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { answerConsent, expectPage, openWorld, type World } from '../helpers/journey.ts'
import { sqlite } from '../helpers/stores.ts'
import { linksOf, type TestBrowser } from '../helpers/test-browser.ts'

const INTRANET = 'https://intranet.example'
const connectLinks = (browser: TestBrowser) => [
  ...new Set(linksOf(browser.page.body).filter((link) => link.startsWith('/onboarding/connect/'))),
]

let world: World
beforeAll(async () => {
  world = await openWorld(sqlite, { settings: { RETURN_TO_ORIGINS: INTRANET } })
})
beforeEach(() => world.sandbox.reset())
afterAll(() => world.close())

it('a link from the intranet that names a datasource shows that one, connects that one, and ends there', async () => {
  const { person, browser } = await world.begin(3, '/onboarding?datasource=github_1')
  expect(connectLinks(browser)).toEqual(['/onboarding/connect/github_1'])
  await browser.click('/onboarding/connect/github_1')
  await answerConsent(browser, 'allow')
  expect(new URL(browser.page.url).origin).toBe(world.url)
  expect(browser.text).toContain(t('finished.titleThese', { count: 1 }))
  expect(world.sandbox.state(person)['slack_1']).toBe('waiting')
  await browser.click('/onboarding')
  await browser.open(`${world.url}/onboarding`)
  expect(connectLinks(browser)).toEqual(['/onboarding/connect/slack_1', '/onboarding/connect/gdrive_1'])
})

it.each(['nothing_9', '__proto__', '<script>alert(1)</script>'])(
  'a link from the intranet that names what does not wait (%.25s) says so, and shows the way to the rest',
  async (name) => {
    const { browser } = await world.begin(1, `/onboarding?datasource=${encodeURIComponent(name)}`)
    expect(browser.page.status).toBe(200)
    expectPage(browser.page)
    expect(browser.page.body).not.toMatch(/<script(?! src="\/assets\/walk\.)/)
    await browser.open('/onboarding')
    expect(connectLinks(browser)).toEqual(['/onboarding/connect/slack_1'])
  },
)

it('a link from the intranet that says where to go afterwards is gone back to, over sign-in and every consent', async () => {
  const target = `${INTRANET}/tools?a=1&b=2#top`
  const { browser } = await world.begin(2, `/onboarding?return_to=${encodeURIComponent(target)}`)
  expect(linksOf(browser.page.body)).toContain(target)
  world.sandbox.switches.set({ autoConsent: true })
  await browser.click('/onboarding/connect/')
  expect(browser.text).toContain(t('finished.title'))
  expect(linksOf(browser.page.body)).toContain(target)
})

it.each(['/\\evil.example', 'javascript://evil.example/alert(1)', 'https://intranet.example@evil.example/'])(
  'a link from the intranet that would lead to %j leads nowhere else, at sign-in and in every page',
  async (hostile) => {
    const { host } = new URL(hostile, world.url)
    const value = encodeURIComponent(hostile)
    const { browser } = await world.begin(1, `/onboarding?return_to=${value}`)
    await browser.open(`${world.url}/sign-in?return_to=${value}`)
    expect(browser.page.url).toBe(`${world.url}/onboarding`)
    await browser.open(`${world.url}/onboarding?return_to=${value}&datasource=slack_1`)
    for (const link of linksOf(browser.page.body)) expect(new URL(link, world.url).host).not.toBe(host)
    for (const hop of browser.hops) expect(new URL(hop.location ?? '/', hop.url).host).not.toBe(host)
    expect(browser.page.body).not.toContain('alert(1)')
  },
)
