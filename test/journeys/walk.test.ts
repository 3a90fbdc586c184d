// The walk from the link to the last connected app.
import { beforeEach, describe, expect, it } from 'vitest'
import { expectPage, openWorld } from '../helpers/journey.ts'
import { shared } from '../helpers/shared.ts'
import { stores } from '../helpers/stores.ts'
import { t } from '../helpers/texts.ts'

describe.each(stores)('someone who walks, on %s', (_name, open) => {
  const world = shared(() => openWorld({ open }))
  beforeEach(() => world.sandbox.reset())

  it.each([1, 4])('%i apps take one click and one check more than apps', async (count) => {
    const { person, browser } = await world.begin(count)
    expect(browser.text).toContain(t('overview.progress', { connected: 0, total: count }))
    world.sandbox.switches.set({ autoConsent: true })
    await browser.click('/onboarding/connect/')
    expect(world.departures()).toBe(count)
    expect(browser.text).toContain(t('finished.title'))
    expect(browser.text).toContain(t('finished.lead', { count }))
    expectPage(browser.page)
    // The last page uses the check of the last return.
    expect(world.checks()).toBe(count + 1)
    expect(new Set(Object.values(world.sandbox.state(person)))).toEqual(new Set(['authorized']))
  })
})
