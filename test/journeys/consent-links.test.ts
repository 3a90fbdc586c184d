// No link leads to an app's consent without a click on our own page. This protects people who open links of others, and
// avoids bounce-tracking protection, which deletes cookies of sites without interaction.
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { openJourney } from '../helpers/journey.ts'
import { routesFor } from '../helpers/routes.ts'
import { chooseAccount, invite } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

/** Omits a header. */
const absent = undefined as unknown as string

const INTRANET = 'https://intranet.example/'
const LINKS: [string, Record<string, string>][] = [
  ['on another site', { 'sec-fetch-site': 'cross-site', referer: INTRANET }],
  ['on the intranet, a neighbor', { 'sec-fetch-site': 'same-site', referer: INTRANET }],
  ['in an email', { 'sec-fetch-site': 'none' }],
  ['on another site, in an older browser', { 'sec-fetch-site': absent, referer: INTRANET }],
]

const settings = { SIGN_INS_PER_MINUTE: '100000', RETURN_TO_ORIGINS: new URL(INTRANET).origin }
const journey = shared(() => openJourney({ settings }))
let paths: string[]
let invitation: string

beforeAll(async () => {
  paths = await routesFor('get', journey.env)
  invitation = invite(journey)
})
beforeEach(() => journey.sandbox.reset())

const addressOf = (path: string) =>
  journey.url + path.replace(':instance', 'slack_1').replace(':token', invitation).replaceAll(/[{}*]/g, '')
const addresses = () => [
  ...paths.map(addressOf),
  `${journey.url}/onboarding/callback?step=guessed`,
  `${journey.url}/onboarding?datasource=slack&return_to=${INTRANET}`,
  `${journey.url}/sign-in?return_to=/onboarding/connect/slack_1`,
  `${journey.url}/sign-in?return_to=/onboarding/connect`,
]

it('the list of tested addresses has every GET route', () => {
  expect(paths).toEqual(expect.arrayContaining(['/onboarding/connect/:instance', '/invite/:token/start']))
})

it.each(LINKS)('no link to our addresses leads to a consent without a click: %s', async (_title, headers) => {
  const { browser } = await journey.begin(3)
  for (const address of addresses()) {
    await browser.open(address, { headers })
    expect(journey.consentsOpened(), address).toBe(0)
  }
  const person = journey.newcomer(3)
  for (const address of addresses()) {
    const stranger = new TestBrowser()
    await stranger.open(address, { headers })
    if (stranger.page.url.includes('/sign-in/')) await chooseAccount(journey, stranger, person)
    expect(journey.consentsOpened(), address).toBe(0)
  }
})
