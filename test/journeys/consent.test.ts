// Consents that are refused, slow, never show, or never come back; and "not now".
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import {
  answerConsent,
  expectPage,
  letRefresh,
  openWorld,
  refreshOf,
  type World,
} from '../helpers/journey.ts'
import { sqlite } from '../helpers/stores.ts'

describe('a consent', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(sqlite, { settings: { CONFIRM_SECONDS: '1' } })
  })
  beforeEach(() => world.sandbox.reset())
  afterAll(() => world.close())

  it('that is denied is told, started again by nobody but the person, and can be tried again', async () => {
    const { person, browser } = await world.begin(2)
    await browser.click('/onboarding/connect/slack_1')
    await answerConsent(browser, 'deny')
    expect(browser.page.status).toBe(200)
    expectPage(browser.page)
    expect(browser.text).toContain(t('wait.title', { app: 'Slack' }))
    expect(browser.text).toContain(t('wait.declined'))
    while (refreshOf(browser.page) !== undefined) await letRefresh(browser)
    expectPage(browser.page)
    await browser.open('/onboarding')
    expect(browser.text).toContain(t('attend.title', { app: 'Slack' }))
    for (const fix of [t('attend.fix1', { app: 'Slack' }), t('attend.fix2')])
      expect(browser.text).toContain(fix)
    expect(world.departures()).toBe(1)
    await browser.click('/onboarding/connect/slack_1')
    await answerConsent(browser, 'allow')
    expect(world.sandbox.state(person)['slack_1']).toBe('authorized')
    expect(browser.text).toContain('GitHub')
  })
})
