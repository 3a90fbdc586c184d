// Entries that are odd in themselves: addresses that lead elsewhere, statuses nobody knows, names that bite.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { expectPage, openWorld, type World } from '../helpers/journey.ts'
import { signIn } from '../helpers/running.ts'
import { linksOf } from '../helpers/test-browser.ts'

const hostile = [
  undefined,
  '//evil.example/auth/datasource/slack_1',
  'javascript:alert(1)',
  '/auth/datasource/slack_1?token=a\r\nSet-Cookie: x=1',
]

describe('a datasource', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  beforeEach(() => world.sandbox.reset())
  afterAll(() => world.close())

  const listing = (entries: object[]) =>
    world.sandbox.switches.set({
      answers: { checkdatasourceauth: { body: { unauthorizedDatasourceInstances: entries } } },
    })
  const entry = (authUrlRelativePath: unknown, instance = 'slack_1') => ({
    datasourceInstance: instance,
    displayName: instance,
    authStatus: 'AWAITING_AUTH',
    authUrlRelativePath,
  })

  it('whose name fills most of an answer is shown short, told once, and never called connected', async () => {
    const { browser } = await world.begin(1)
    const before = world.log.length
    listing([{ ...entry('/auth/datasource/x?token=t', 'a'.repeat(900_000)), displayName: undefined }])
    for (let times = 0; times < 2; times++) {
      const page = await browser.open(`${world.url}/onboarding`)
      expectPage(page)
      expect(page.body.length).toBeLessThan(20_000)
      expect(browser.text).not.toContain(t('finished.title'))
      const counts = await browser.open(`${world.url}/api/status`)
      expect(JSON.parse(counts.body)).toMatchObject({ pending: 1 })
      const connect = await browser.open(`${world.url}/onboarding/connect/${'a'.repeat(5_000)}`)
      expect(connect.status).not.toBe(500)
      await browser.open(`${world.url}/onboarding`)
    }
    const lines = world.log.slice(before)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2_000)
    expect(lines.filter((line) => line.includes('characters in its name'))).toHaveLength(1)
  })

  it('among more than a thousand others is not taken for connected when the list is refused', async () => {
    const { browser } = await world.begin(1)
    listing(Array.from({ length: 5_000 }, (_, index) => entry(`/auth/datasource/a_${index}`, `a_${index}`)))
    const page = await browser.open(`${world.url}/onboarding`)
    expect(page.status).toBe(503)
    expectPage(page)
    world.sandbox.reset()
    const counts = await browser.open(`${world.url}/api/status`)
    expect(JSON.parse(counts.body)).toMatchObject({ connected: 0, pending: 1 })
  })

  it.each(hostile)('with the address %j is not started, and the others are not held up', async (path) => {
    const { browser } = await world.begin(2)
    listing([entry(path), entry('/auth/datasource/github_1?token=t', 'github_1')])
    const hop = await browser.open('/onboarding/connect/slack_1', { from: browser.page.url })
    expect(hop.status).toBe(502)
    expectPage(hop)
    expect(hop.headers).not.toHaveProperty('location')
    await browser.open(`${world.url}/onboarding`)
    expect(browser.page.status).toBe(200)
    const other = await browser.click('/onboarding/connect/github_1', { follow: false })
    expect(other.location).toBe(`${world.sandbox.urls.service}/auth/datasource/github_1?token=t`)
  })

  it('with a status that is open in the contract is walked: only one is switched off, one has no address', async () => {
    const browser = await signIn(world, 'frank')
    expectPage(browser.page)
    expect(browser.text).toContain(t('next.titleStale', { app: 'Slack' }))
    expect(browser.text).toContain(t('status.disabled'))
    expect(browser.text).toContain(t('status.attention'))
    world.sandbox.switches.set({ autoConsent: true })
    await browser.click('/onboarding/connect/slack_1')
    expectPage(browser.page)
    expect(world.sandbox.state('frank')).toMatchObject({
      slack_1: 'authorized',
      gdrive_1: 'authorized',
      jira_1: 'authorized',
      salesforce_1: 'authorized',
    })
    expect(browser.text).toContain(t('note.attention'))
    expect(linksOf(browser.page.body)).not.toContain('/onboarding/connect/box_1')
    const box = await browser.open(`${world.url}/onboarding/connect/box_1`, { from: world.url })
    expect(box.status).toBe(502)
    expectPage(box)
  })
})
