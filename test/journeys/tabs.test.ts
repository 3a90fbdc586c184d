// Tabs, back buttons, double clicks: what browsers and hands do.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { answerConsent, expectPage, openWorld, type World } from '../helpers/journey.ts'
import { stores } from '../helpers/stores.ts'
import type { Hop, TestBrowser } from '../helpers/test-browser.ts'

/** Goes to a page that another tab of the same browser shows. */
const switchTo = (browser: TestBrowser, tab: Hop) => {
  browser.page = tab
}
const callbackOf = (browser: TestBrowser) =>
  browser.hops.findLast((hop) => hop.url.includes('/onboarding/callback'))?.url ?? ''

describe.each(stores)('a browser, on %s', (_name, open) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(open)
  })
  beforeEach(() => world.sandbox.reset())
  afterAll(() => world.close())

  it('that goes back to a return’s address moves nothing', async () => {
    const { browser } = await world.begin(3)
    await browser.click('/onboarding/connect/slack_1')
    await answerConsent(browser, 'allow')
    const used = callbackOf(browser)
    const [departures, checks] = [world.departures(), world.checks()]
    for (let times = 0; times < 3; times++) {
      await browser.open(used)
      expectPage(browser.page)
      expect(new URL(browser.page.url).pathname).toBe('/onboarding')
    }
    expect(world.departures()).toBe(departures)
    expect(world.checks()).toBe(checks)
  })

  it('with two tabs on different datasources connects both', async () => {
    const { person, browser } = await world.begin(2)
    const list = browser.page
    await browser.click('/onboarding/connect/slack_1')
    const first = browser.page
    switchTo(browser, list)
    await browser.click('/onboarding/connect/github_1')
    const second = browser.page
    switchTo(browser, first)
    await answerConsent(browser, 'allow')
    // The other one is under way in the other tab: it is not started a second time.
    expectPage(browser.page)
    expect(world.departures()).toBe(2)
    switchTo(browser, second)
    await answerConsent(browser, 'allow')
    expect(browser.text).toContain(t('finished.title'))
    expect(world.sandbox.state(person)).toEqual({ slack_1: 'authorized', github_1: 'authorized' })
  })
})
