// Access that ends after everything was connected: the page and its date.
import { expect, it } from 'vitest'
import { openPeople, withStore } from '../../src/cli/store.ts'
import { withCheck } from '../../src/people/person.ts'
import { loadSettings } from '../../src/settings/settings.ts'
import { answerConsent, openJourney, signInIfPrompted } from '../helpers/journey.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { shared } from '../helpers/shared.ts'
import { t } from '../helpers/texts.ts'

const DAY = 24 * 3_600_000

let ahead = 0
const now = () => Date.now() + ahead
const journey = shared(() => openJourney({ now }))

/** Records a check like a run of `onramp keep`. */
const recordCheck = async (person: string, ...apps: { instance: string; name: string }[]) => {
  const settings = loadSettings(journey.env)
  await withStore(settings, async (records) => {
    const unconnected = apps.map((app) => ({ ...app, status: 'awaiting' as const }))
    await openPeople({ records, settings, now }).change(`${person}@acme.example`, (before) =>
      withCheck(before, { checkedAt: now(), unconnected }, now()),
    )
  })
}

const github = { instance: 'github_1', name: 'GitHub' }
const openOverview = async (person: string, browser: TestBrowser) => {
  await browser.open(`${journey.url}/onboarding`)
  await signInIfPrompted(journey, browser, person)
}

it('a person who had finished sees the lapsed app and its date', async () => {
  const { person, browser } = await journey.begin(3)
  await browser.click('/onboarding/connect/slack_1')
  for (const _app of ['Slack', 'GitHub', 'Google Drive']) await answerConsent(browser, 'allow')
  expect(browser.text).toContain('You’re all set')

  ahead = 2 * DAY
  journey.sandbox.unauthorize(person, 'github_1')
  await recordCheck(person, github)
  const first = t.day(now())
  ahead = 4 * DAY
  await openOverview(person, browser)

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
  await openOverview(person, browser)

  expect(browser.text).toContain('Search lost access to 2 apps')
  expect(browser.text).toContain(`Noticed on ${first}`)
  expect(browser.text).toContain(`On ${t.day(now())}, we noticed`)

  await browser.click('/onboarding/connect/slack_1')
  for (const _app of ['Slack', 'GitHub']) await answerConsent(browser, 'allow')
  expect(browser.text).toContain('You’re all set')
})

it('a skipped app that was connected elsewhere is offered again once access ends', async () => {
  const { person, browser } = await journey.begin(2)
  await browser.submit('/onboarding/skip/github_1')
  await browser.click('/onboarding/connect/slack_1')
  await answerConsent(browser, 'allow')
  expect(browser.text).toContain('You skipped one app.')

  for (const unconnected of [[], [github]]) {
    ahead += DAY
    await recordCheck(person, ...unconnected)
  }
  ahead += DAY
  await openOverview(person, browser)
  expect(browser.text).toContain('Search lost access to GitHub')

  await browser.click('/onboarding/connect')
  await answerConsent(browser, 'allow')
  expect(browser.text).toContain('You’re all set')
})
