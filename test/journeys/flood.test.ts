// One person, or a program with their cookie, asks again and again: the service is asked no more often than is good for
// everyone, and the person can go on a moment later.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { answerConsent, expectPage, openWorld, type World } from '../helpers/journey.ts'
import { signIn } from '../helpers/running.ts'
import { stores } from '../helpers/stores.ts'
import type { Hop, TestBrowser } from '../helpers/test-browser.ts'

const worlds: World[] = []
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close()
})

const asJson = { headers: { accept: 'application/json' } }

describe.each(stores)('one person, on %s', (_name, open) => {
  async function world(): Promise<World> {
    const opened = await openWorld(open)
    worlds.push(opened)
    return opened
  }

  const many = (browser: TestBrowser, url: string, count: number, headers = {}): Promise<Hop[]> =>
    Promise.all(Array.from({ length: count }, () => browser.open(url, { follow: false, headers, from: url })))

  it.each([
    '/onboarding',
    '/Onboarding/',
    '/onboarding/connect',
    '/Onboarding/Connect/slack_1',
    '/onboarding/callback?step=x',
    '/search?q=a',
    '/SEARCH/?q=a',
    '/api/status',
    '/API/Status/',
  ])('who opens %s without end is told to wait, and reaches the service seldom', async (path) => {
    const here = await world()
    const { browser } = await here.begin(1)
    const answers = await many(browser, here.url + path, 260)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(59)
    for (const { headers } of refused) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(10)
    }
    expect(here.sandbox.requests.length).toBeLessThanOrEqual(201)
  })

  it.each(['/sessions', '/SESSIONS/'])(
    'who opens %s without end is told to wait a little later',
    async (path) => {
      const here = await world()
      const { browser } = await here.begin(1)
      const answers = await many(browser, here.url + path, 660)
      const taken = answers.filter(({ status }) => status === 200)
      expect(taken.length).toBeGreaterThan(200)
      expect(taken.length).toBeLessThanOrEqual(601)
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(660 - taken.length)
      expect((await browser.open(`${here.url}/onboarding`)).status).toBe(200)
    },
  )

  it('is told so by a page for people and a problem for programs', async () => {
    const here = await world()
    const { browser } = await here.begin(1)
    await many(browser, `${here.url}/onboarding`, 210)
    const page = await browser.open(`${here.url}/onboarding?datasource=slack`)
    expect(page.status).toBe(429)
    expectPage(page)
    expect(browser.text).toContain('Too many requests')
    expect(page.body).toContain('href="/onboarding?datasource=slack"')
    const json = await browser.open(`${here.url}/api/status`, asJson)
    expect(JSON.parse(json.body)).toMatchObject({ status: 429, code: 'too_many_requests' })
  })

  it('holds nobody else up', async () => {
    const here = await world()
    const { browser } = await here.begin(1)
    const { browser: other } = await here.begin(1)
    await many(browser, `${here.url}/onboarding`, 210)
    expect((await other.open(`${here.url}/onboarding`)).status).toBe(200)
  })

  it('is counted over all their browsers', async () => {
    const here = await world()
    const { person, browser } = await here.begin(1)
    const phone = await signIn(here, person)
    await many(browser, `${here.url}/onboarding`, 205)
    expect((await phone.open(`${here.url}/onboarding`)).status).toBe(429)
  })

  it('who is stopped on the way back from a datasource goes on where they were', async () => {
    const here = await world()
    const { browser } = await here.begin(2)
    await browser.click('/onboarding/connect/slack_1')
    await many(browser, `${here.url}/search?q=`, 205)
    await answerConsent(browser, 'allow')
    expect(browser.page.status).toBe(429)
    expect(new URL(browser.page.url).pathname).toBe('/onboarding/callback')
    await sleep(Number(browser.page.headers['retry-after']) * 1000)
    await browser.click('/onboarding/callback')
    expect(browser.text).toContain('Allow access?')
    expect(here.departures()).toBe(2)
  }, 30_000)

  it('with thirty tabs and the intranet’s element in each is never stopped', async () => {
    const here = await world()
    const { browser } = await here.begin(3)
    const paths = ['/onboarding', '/api/status', '/onboarding', '/search?q=plan', '/api/status']
    const statuses = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        browser.open(here.url + (paths[index % paths.length] ?? ''), { follow: false }),
      ),
    )
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe.each(stores)('the counts for the intranet, on %s', (_name, open) => {
  async function begin(apps = 2) {
    const world = await openWorld(open)
    worlds.push(world)
    return { world, ...(await world.begin(apps)) }
  }
  const counts = async (world: World, browser: TestBrowser) =>
    JSON.parse((await browser.open(`${world.url}/api/status`, asJson)).body) as unknown

  it('ask the service once in a few seconds, however often they are asked for', async () => {
    const { world, browser } = await begin()
    const answers = await Promise.all(Array.from({ length: 150 }, () => counts(world, browser)))
    for (const answer of answers)
      expect(answer).toEqual({ signedIn: true, connected: 0, pending: 2, skipped: 0 })
    expect(world.checks()).toBe(1)
  })

  it('see what the service says a few seconds later', async () => {
    const { world, person, browser } = await begin()
    await counts(world, browser)
    world.sandbox.authorize(person, 'slack_1')
    await expect
      .poll(() => counts(world, browser), { timeout: 8_000, interval: 500 })
      .toMatchObject({
        connected: 1,
        pending: 1,
      })
  })

  it('keep no failure of the service', async () => {
    const { world, browser } = await begin()
    world.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 503 } } })
    expect(await counts(world, browser)).toMatchObject({ status: 503 })
    world.sandbox.reset()
    expect(await counts(world, browser)).toMatchObject({ signedIn: true, pending: 2 })
  })

  it('mix nobody up with anybody else', async () => {
    const { world, browser } = await begin(2)
    const other = await world.begin(3)
    const [mine, theirs] = await Promise.all([counts(world, browser), counts(world, other.browser)])
    expect([mine, theirs]).toMatchObject([{ pending: 2 }, { pending: 3 }])
  })
})
