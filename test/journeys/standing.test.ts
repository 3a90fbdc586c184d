// What is on the service's list is not connected, whatever is said of it; and every surface says the same of one app.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { t } from '../helpers/texts.ts'
import { openWorld, type World } from '../helpers/journey.ts'
import { signIn } from '../helpers/running.ts'
import { sqlite } from '../helpers/stores.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'

type Entry = Record<string, unknown>

const pathOf = (instance: string) => `/auth/datasource/${instance}?token=t-${instance}`
const entry = (instance: string, more: Entry = {}): Entry => ({
  datasourceInstance: instance,
  displayName: instance,
  authStatus: 'AWAITING_AUTH',
  authUrlRelativePath: pathOf(instance),
  ...more,
})

const STATUSES = ['AUTHORIZED', 'stale_oauth', 'disabled ', undefined, ['DISABLED']]

/** The exports of ten seconds share one pass over everyone. */
const SOON = { timeout: 18_000, interval: 1_000 }

describe('somebody', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(sqlite, { settings: { ADMIN_EMAILS: 'carol@acme.example' } })
  })
  beforeEach(() => world.sandbox.reset())
  afterAll(() => world.close())

  const listing = (...entries: Entry[]) =>
    world.sandbox.switches.set({
      answers: { checkdatasourceauth: { body: { unauthorizedDatasourceInstances: entries } } },
    })
  const status = async (browser: TestBrowser) =>
    JSON.parse((await browser.open(`${world.url}/api/status`)).body) as Record<string, number>
  const onList = async (browser: TestBrowser) => browser.open(`${world.url}/onboarding`)

  it.each(STATUSES)('is offered an app on the list with the status %j like any other', async (authStatus) => {
    const { browser } = await world.begin(1)
    listing(entry('gdrive_1', { authStatus }))

    const list = await onList(browser)

    expect(list.body).not.toContain(t('finished.title'))
    expect(browser.text).toContain(t('next.title', { app: 'Gdrive 1' }))
    expect(await status(browser)).toMatchObject({ pending: 1, skipped: 0 })
    for (const path of ['/onboarding/connect', '/onboarding/connect/gdrive_1']) {
      const hop = await browser.open(world.url + path, { from: `${world.url}/onboarding`, follow: false })
      expect(hop.location).toBe(`${world.sandbox.urls.service}${pathOf('gdrive_1')}`)
    }
  })

  it('sees an app that was skipped and then switched off as switched off, and everyone else sees the same', async () => {
    const { browser, person } = await world.begin(2)
    await browser.post('/onboarding/skip/slack_1')
    const report = async () => {
      const carol = await signIn(world, 'carol', '/admin/people.csv')
      const [header = [], ...rows] = carol.page.body.split('\n').map((line) => line.trim().split('","'))
      const row = rows.find((cells) => cells[0]?.includes(person)) ?? []
      const of = (column: string) => row[header.indexOf(column)]
      return { skipped: of('not_now'), off: of('switched_off') }
    }
    const isSkipped = { skipped: 'Slack [slack_1]', off: '' }
    const isOff = { skipped: '', off: 'Slack [slack_1]' }
    expect(await status(browser)).toMatchObject({ pending: 1, skipped: 1 })
    await expect.poll(report, SOON).toEqual(isSkipped)

    listing(entry('slack_1', { displayName: 'Slack', authStatus: 'DISABLED' }), entry('github_1'))
    await onList(browser)

    expect(browser.text).toContain(t('status.disabled'))
    expect(browser.page.body).not.toContain('tag skipped')
    expect(await status(browser)).toMatchObject({ connected: 0, pending: 1, skipped: 0 })
    await expect.poll(report, SOON).toEqual(isOff)

    listing(entry('slack_1', { displayName: 'Slack' }), entry('github_1'))
    await onList(browser)
    expect(await status(browser)).toMatchObject({ pending: 1, skipped: 1 })
    await expect.poll(report, SOON).toEqual(isSkipped)
  }, 60_000)
})
