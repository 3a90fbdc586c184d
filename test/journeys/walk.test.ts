// The walk from the link to the last connected app.
import { beforeEach, describe, expect, it } from 'vitest'
import { expectPage, openJourney } from '../helpers/journey.ts'
import { shared } from '../helpers/shared.ts'
import { stores } from '../helpers/stores.ts'
import { t } from '../helpers/texts.ts'

describe.each(stores)('a walk on %s', (_title, open) => {
  const journey = shared(() => openJourney({ open }))
  beforeEach(() => journey.sandbox.reset())

  it.each([1, 4])('%i apps take one click and one check more than apps', async (count) => {
    const { person, browser } = await journey.begin(count)
    expect(browser.text).toContain(t('overview.progress', { connected: 0, total: count }))
    journey.sandbox.switches.set({ autoConsent: true })
    await browser.click('/onboarding/connect/')
    expect(journey.consentsOpened()).toBe(count)
    expect(browser.text).toContain(t('finished.title'))
    expect(browser.text).toContain(t('finished.lead', { count }))
    expectPage(browser.page)
    // The last page uses the check of the last return.
    expect(journey.checks()).toBe(count + 1)
    expect(new Set(Object.values(journey.sandbox.state(person)))).toEqual(new Set(['authorized']))
  })
})
