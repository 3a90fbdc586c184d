// Minutes, hours and days later, on another clock than the machine's.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { answerConsent, expectPage, openWorld, signInIfPrompted, type World } from '../helpers/journey.ts'
import { stores } from '../helpers/stores.ts'
import { linksOf } from '../helpers/test-browser.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

describe.each(stores)('someone who comes back later, on %s', (_name, open) => {
  let world: World
  let ahead = 0
  beforeAll(async () => {
    world = await openWorld(open, { now: () => Date.now() + ahead })
  })
  beforeEach(() => {
    world.sandbox.reset()
    ahead = 0
  })
  afterAll(() => world.close())

  it('than a departure takes is shown what the service says', async () => {
    const { person, browser } = await world.begin(2)
    world.sandbox.switches.set({ neverReturn: true })
    await browser.click('/onboarding/connect/slack_1')
    await answerConsent(browser, 'allow')
    await browser.open(`${world.url}/onboarding`)
    expect(browser.text).toContain(t('overview.progress', { connected: 0, total: 2 }))
    ahead += 16 * SECOND
    await browser.open(`${world.url}/onboarding`)
    expect(browser.text).toContain(t('overview.progress', { connected: 1, total: 2 }))
    expect(world.sandbox.state(person)).toMatchObject({ slack_1: 'authorized' })
  })

  it('than the session lives signs in and finds the walk as it was', async () => {
    const { person, browser } = await world.begin(3)
    await browser.submit('/onboarding/skip/gdrive_1')
    await browser.click('/onboarding/connect/slack_1')
    await answerConsent(browser, 'allow')
    ahead += 13 * HOUR
    await browser.open(`${world.url}/onboarding`)
    await signInIfPrompted(world, browser, person)
    expect(world.sandbox.count('authorizationServer.authorization')).toBe(1)
    expect(browser.text).toContain(t('overview.progress', { connected: 1, total: 3 }))
    expect(browser.text).toContain(t('status.skipped'))
  })

  it('from a consent page goes on at that step, also days later', async () => {
    const { person, browser } = await world.begin(2)
    await browser.click('/onboarding/connect/slack_1')
    ahead += 25 * HOUR
    await answerConsent(browser, 'allow')
    await signInIfPrompted(world, browser, person)
    expect(world.departures()).toBe(2)
    expect(browser.page.status).toBe(200)
  })

  it('whose token the service no longer takes is led through the sign-in once, and back', async () => {
    const { person, browser } = await world.begin(2)
    ahead += 5 * MINUTE
    world.sandbox.expireTokens()
    await browser.open(`${world.url}/onboarding?datasource=slack`)
    await signInIfPrompted(world, browser, person)
    expect(browser.page.status).toBe(200)
    expect(browser.page.url).toBe(`${world.url}/onboarding?datasource=slack`)
  })

  it('whose token the service never takes ends on a page, after one sign-in', async () => {
    const { person, browser } = await world.begin(2)
    ahead += 5 * MINUTE
    world.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 401 } } })
    await browser.open(`${world.url}/onboarding`)
    await signInIfPrompted(world, browser, person)
    expect(browser.page.status).toBe(403)
    expectPage(browser.page)
    expect(browser.text).toContain(t('problem.service_refused_sign_in.title'))
    expect(browser.text).toContain(t('signedOut.action'))
    expect(linksOf(browser.page.body)).toContain('/sign-in?return_to=%2Fonboarding')
    expect(world.sandbox.count('authorizationServer.authorization')).toBe(1)
    expect(world.checks()).toBeLessThanOrEqual(4)
  })
})
