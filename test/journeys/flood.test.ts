// Endless requests of one person, or of a program with their cookie: few reach the service, and the person can continue a moment
// later.
import { afterEach, expect, it } from 'vitest'
import { answerConsent, expectPage, openJourney, type Journey } from '../helpers/journey.ts'
import { signIn } from '../helpers/running.ts'
import type { Hop, TestBrowser } from '../helpers/test-browser.ts'

const journeys: Journey[] = []
afterEach(async () => {
  for (const journey of journeys.splice(0)) await journey.close()
})

const asJson = { headers: { accept: 'application/json' } }

/** With a stopped clock, because the limit recovers with time. */
async function openStoppedWorld() {
  const clock = { now: Date.now() }
  const opened = await openJourney({
    now: () => clock.now,
    settings: { ADMIN_EMAILS: 'newcomer1@acme.example' },
  })
  journeys.push(opened)
  return { ...opened, clock }
}

const openRepeatedly = (browser: TestBrowser, url: string, count: number, headers = {}): Promise<Hop[]> =>
  Promise.all(Array.from({ length: count }, () => browser.open(url, { follow: false, headers, from: url })))

it.each([
  '/onboarding',
  '/Onboarding/Connect/slack_1',
  '/onboarding/callback?step=x',
  '/SEARCH/?q=a',
  '/API/Status/',
  '/admin/people?q=',
])('one person who keeps opening %s gets 429, and seldom reaches the service', async (path) => {
  const journey = await openStoppedWorld()
  const { browser } = await journey.begin(1)
  const responses = await openRepeatedly(browser, journey.url + path, 260)
  const refused = responses.filter(({ status }) => status === 429)
  // The page after the sign-in came from another site, which has a limit of its own.
  expect(refused).toHaveLength(60)
  for (const { headers } of refused) expect(headers['retry-after']).toBe('1')
  expect(journey.sandbox.requests.length).toBeLessThanOrEqual(201)
})

it('one person who keeps opening /SESSIONS/ has to wait for a moment', async () => {
  const journey = await openStoppedWorld()
  const { browser } = await journey.begin(1)
  const responses = await openRepeatedly(browser, `${journey.url}/SESSIONS/`, 260)
  const taken = responses.filter(({ status }) => status === 200)
  expect(taken).toHaveLength(200)
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(60)
  expect((await browser.open(`${journey.url}/onboarding`)).status).toBe(200)
})

it('a refusal by the limit is a page for people, and a problem for programs', async () => {
  const journey = await openStoppedWorld()
  const { browser } = await journey.begin(1)
  await openRepeatedly(browser, `${journey.url}/onboarding`, 210)
  const page = await browser.open(`${journey.url}/onboarding?datasource=slack`)
  expect(page.status).toBe(429)
  expectPage(page)
  expect(browser.text).toContain('Too many requests')
  expect(page.body).toContain('href="/onboarding?datasource=slack"')
  const json = await browser.open(`${journey.url}/api/status`, asJson)
  expect(JSON.parse(json.body)).toMatchObject({ status: 429, code: 'too_many_requests' })
})

it('the limit counts a person across browsers and affects no one else', async () => {
  const journey = await openStoppedWorld()
  const { person, browser } = await journey.begin(1)
  const { browser: other } = await journey.begin(1)
  const phone = await signIn(journey, person)
  await openRepeatedly(browser, `${journey.url}/onboarding`, 205)
  expect((await phone.open(`${journey.url}/onboarding`)).status).toBe(429)
  expect((await other.open(`${journey.url}/onboarding`)).status).toBe(200)
})

it('a person who reaches the limit on a return continues at the same app later', async () => {
  const journey = await openStoppedWorld()
  const { browser } = await journey.begin(2)
  await browser.click('/onboarding/connect/slack_1')
  // As the return does, these come from another site.
  await openRepeatedly(browser, `${journey.url}/search?q=`, 205, { 'sec-fetch-site': 'cross-site' })
  await answerConsent(browser, 'allow')
  expect(browser.page.status).toBe(429)
  expect(new URL(browser.page.url).pathname).toBe('/onboarding/callback')
  journey.clock.now += Number(browser.page.headers['retry-after']) * 1000
  await browser.click('/onboarding/callback')
  expect(browser.text).toContain('Allow access?')
  expect(journey.consentsOpened()).toBe(2)
}, 30_000)

it('a person with thirty tabs of the intranet’s widget never reaches the limit', async () => {
  const journey = await openStoppedWorld()
  const { browser } = await journey.begin(3)
  const paths = ['/onboarding', '/api/status', '/onboarding', '/search?q=plan', '/api/status']
  const statuses = await Promise.all(
    Array.from({ length: 150 }, (_, index) =>
      browser.open(journey.url + (paths[index % paths.length] ?? ''), { follow: false }),
    ),
  )
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
})
