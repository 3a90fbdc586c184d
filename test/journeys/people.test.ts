// The same person elsewhere, another person in the same browser, and returns that are not what they should be.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { answerConsent, expectPage, openWorld, type World } from '../helpers/journey.ts'
import { chooseAccount, signIn } from '../helpers/running.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
beforeEach(() => world.sandbox.reset())
afterAll(() => world.close())

it('a person goes on from another device where the first one stopped', async () => {
  const { person, browser } = await world.begin(3)
  await browser.submit('/onboarding/skip/gdrive_1')
  await browser.click('/onboarding/connect/slack_1')
  await answerConsent(browser, 'allow')
  const phone = await signIn(world, person)
  expect(phone.text).toContain(t('overview.progress', { connected: 1, total: 3 }))
  expect(phone.text).toContain(t('status.skipped'))
  await phone.click('/onboarding/connect/github_1')
  await answerConsent(phone, 'allow')
  expect(phone.text).toContain(t('finished.titleSome'))
})

it('a person is not taken for the one who left from the same browser', async () => {
  const ada = world.newcomer(2)
  const bob = world.newcomer(2)
  const browser = await signIn(world, ada)
  await browser.click('/onboarding/connect/slack_1')
  const consent = browser.page
  await browser.open(`${world.url}/sign-in?prompt=select_account`)
  await chooseAccount(world, browser, bob)
  expect(browser.text).toContain(`${bob}@acme.example`)
  world.sandbox.clearRequests()
  browser.page = consent
  await answerConsent(browser, 'allow')
  expectPage(browser.page)
  expect(browser.text).toContain(`${bob}@acme.example`)
  expect(browser.text).toContain(t('overview.progress', { connected: 0, total: 2 }))
  expect(world.departures()).toBe(0)
  expect(world.sandbox.state(bob)).toEqual({ slack_1: 'waiting', github_1: 'waiting' })
  const { url } = browser.hops.findLast((hop) => hop.url.includes('/onboarding/callback')) ?? { url: '' }
  const again = await signIn(world, ada, new URL(url).pathname + new URL(url).search)
  expect(again.text).toContain('Allow access?')
  expect(again.text).toContain('GitHub')
})

it('a person who switches accounts sees nothing of the other’s walk', async () => {
  const ada = world.newcomer([{ instance: 'secret_1', displayName: 'Secret project' }])
  const bob = world.newcomer(1)
  const browser = await signIn(world, ada)
  expect(browser.text).toContain('Secret project')
  await browser.open(`${world.url}/sign-in?prompt=select_account`)
  await chooseAccount(world, browser, bob)
  expect(browser.text).not.toContain('Secret project')
  const other = await browser.open(`${world.url}/onboarding/connect/secret_1`, { from: browser.page.url })
  expect(other.status).toBe(404)
  expectPage(other)
})
