// While one app is being confirmed: the others go on, and a return that says it failed is not waited for.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { answerConsent, openWorld, refreshOf, type World } from '../helpers/journey.ts'
import { linksOf } from '../helpers/test-browser.ts'

describe('somebody', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  beforeEach(() => world.sandbox.reset())
  afterAll(() => world.close())

  it('whose app is being confirmed can go on with the next, and both are judged at the return', async () => {
    const { browser, person } = await world.begin(3)
    world.sandbox.switches.set({ consentDelaySeconds: 3_600 })
    await browser.click('/onboarding/connect/slack_1')
    await answerConsent(browser, 'allow')
    expect(browser.text).toContain(t('wait.title', { app: 'Slack' }))
    expect(browser.text).toContain(t('next.action', { app: 'GitHub' }))
    world.sandbox.switches.set({ consentDelaySeconds: 0 })
    const before = world.checks()

    await browser.open('/onboarding/connect', { from: browser.page.url })
    expect(browser.text).toContain('GitHub')
    world.sandbox.authorize(person, 'slack_1')
    await answerConsent(browser, 'allow')

    expect(browser.text).toContain('Google Drive')
    expect(world.checks() - before).toBe(2)
    await browser.open(`${world.url}/onboarding`)
    expect(browser.text).toContain(t('overview.progress', { connected: 2, total: 3 }))
  })

  it.each(['access_denied', 'made up'])(
    'who comes back with error=%s does not wait, and is believed only by the list',
    async (error) => {
      const { browser, person } = await world.begin(2)
      world.sandbox.switches.set({ returnParams: { error, error_description: '<b>no</b>' } })
      await browser.click('/onboarding/connect/slack_1')
      await answerConsent(browser, 'deny')
      expect(refreshOf(browser.page)).toBeUndefined()
      expect(browser.text).toContain(t('attend.title', { app: 'Slack' }))
      expect(linksOf(browser.page.body)).toContain('/onboarding/connect/slack_1')
      expect(browser.page.body).toContain('action="/onboarding/skip/slack_1"')

      await browser.click('/onboarding/connect/slack_1')
      await answerConsent(browser, 'allow')
      expect(world.sandbox.state(person)['slack_1']).toBe('authorized')
      expect(browser.text).not.toContain(t('attend.title', { app: 'Slack' }))
    },
  )
})
