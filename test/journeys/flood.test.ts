// The limit of a person's requests leaves room for usual ones, and lets the person continue a moment later. Its
// counting is in web/rate-limit.test.ts, its routes are in compose.test.ts.
import { expect, it } from 'vitest'
import { answerConsent, openJourney } from '../helpers/journey.ts'
import { shared } from '../helpers/shared.ts'

/** Stopped, because the limit recovers with time. */
const clock = { now: Date.now() }
const journey = shared(() => openJourney({ now: () => clock.now }))

it('a person who reaches the limit on a return continues at the same app later', async () => {
  const { browser } = await journey.begin(2)
  await browser.click('/onboarding/connect/slack_1')
  // As the return does, these come from another site.
  const sent = { follow: false, headers: { 'sec-fetch-site': 'cross-site' }, from: journey.url }
  await Promise.all(Array.from({ length: 205 }, () => browser.open(`${journey.url}/search?q=`, sent)))
  await answerConsent(browser, 'allow')
  expect(browser.page.status).toBe(429)
  expect(new URL(browser.page.url).pathname).toBe('/onboarding/callback')
  clock.now += Number(browser.page.headers['retry-after']) * 1000
  await browser.click('/onboarding/callback')
  expect(browser.text).toContain('Allow access?')
  expect(journey.consentsOpened()).toBe(2)
}, 30_000)

it('a person with thirty tabs of the intranet’s widget never reaches the limit', async () => {
  const { browser } = await journey.begin(3)
  const paths = ['/onboarding', '/api/status', '/onboarding', '/search?q=plan', '/api/status']
  const statuses = await Promise.all(
    Array.from({ length: 150 }, (_, index) =>
      browser.open(journey.url + (paths[index % paths.length] ?? ''), { follow: false }),
    ),
  )
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
})
