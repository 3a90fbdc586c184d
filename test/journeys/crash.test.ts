// A process that is killed between a consent and the return.
import { describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { answerConsent, openJourney } from '../helpers/journey.ts'
import { signIn, startAlone } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { stores } from '../helpers/stores.ts'

describe.each(stores)('killed processes on %s', (_title, open) => {
  const journey = shared(() => openJourney({ open }))

  it('a return after a process was killed redirects to the next app', async () => {
    const killed = await startAlone(journey)
    const browser = await signIn(journey, journey.newcomer(3))
    await browser.submit('/onboarding/skip/gdrive_1')
    await browser.click('/onboarding/connect/slack_1')
    const path = new URL(browser.page.url).pathname
    await browser.submit(`${path}/allow`, { follow: false })
    const returned = await browser.open(browser.hops.at(-1)?.location ?? '', { follow: false })
    await killed.close()
    await expect(browser.open(returned.location ?? '')).rejects.toThrow('ECONNREFUSED')

    const next = await startAlone(journey)
    await browser.open(returned.location ?? '')
    expect(browser.text).toContain('GitHub')
    await answerConsent(browser, 'allow')
    expect(browser.text).toContain(t('finished.titleSome'))
    expect(journey.sandbox.count('token')).toBe(1)
    await next.close()
  })
})
