// Access that ends after everything was connected: the page and its date.
import { expect, it } from 'vitest'
import { openPeople, withStore } from '../../src/cli/store.ts'
import { withCheck } from '../../src/people/person.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { answerConsent, openJourney, signInIfPrompted } from '../helpers/journey.ts'
import { shared } from '../helpers/shared.ts'
import { t } from '../helpers/texts.ts'

const DAY = 24 * 3_600_000

let ahead = 0
const now = () => Date.now() + ahead
const journey = shared(() => openJourney({ now }))

/** Records a check like a run of `onramp keep`. */
const noticed = async (person: string, instance: string, name: string) => {
  const settings = loadSettings(journey.env)
  await withStore(settings, async (records) => {
    const unconnected = [{ instance, name, status: 'awaiting' as const }]
    await openPeople({ records, settings, now }).change(`${person}@acme.example`, (before) =>
      withCheck(before, { checkedAt: now(), unconnected }, now()),
    )
  })
}

it('a person who had finished sees the lapsed app and its date', async () => {
  const { person, browser } = await journey.begin(3)
  await browser.click('/onboarding/connect/slack_1')
  for (const _app of ['Slack', 'GitHub', 'Google Drive']) await answerConsent(browser, 'allow')
  expect(browser.text).toContain('You’re all set')
  const openOverview = async () => {
    await browser.open(`${journey.url}/onboarding`)
    await signInIfPrompted(journey, browser, person)
  }

  ahead = 2 * DAY
  journey.sandbox.unauthorize(person, 'github_1')
  await noticed(person, 'github_1', 'GitHub')
  const first = t.day(now())
  ahead = 4 * DAY
  await openOverview()

  for (const words of [
    'Search lost access to GitHub',
    'Everything else is still connected.',
    'Connect GitHub again',
    `On ${first}, we noticed that access had ended. Connect again so search can find your work there.`,
  ])
    expect(browser.text).toContain(words)
  expect(browser.text).not.toContain('Connect your apps')

  ahead = 5 * DAY
  journey.sandbox.unauthorize(person, 'slack_1')
  await openOverview()

  expect(browser.text).toContain('Search lost access to 2 apps')
  expect(browser.text).toContain(`Noticed on ${first}`)
  expect(browser.text).toContain(`On ${t.day(now())}, we noticed`)

  await browser.click('/onboarding/connect/slack_1')
  for (const _app of ['Slack', 'GitHub']) await answerConsent(browser, 'allow')
  expect(browser.text).toContain('You’re all set')
})
