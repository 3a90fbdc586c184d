// What is signed in is listed, and what is not listed is not signed in: however many sign-ins a person has, whatever
// fails in between, and whatever ends them meanwhile.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectSignedIn, expectSignedOut, keptSignIns, runUnlimited, setFaults } from '../helpers/faulty.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { stores, type StoreUnderTest } from '../helpers/stores.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { ask } from './two-processes.ts'

const databaseOf = ({ env }: Running) => new DatabaseSync(join(env['DATA_DIR'] ?? '', 'onramp.sqlite'))

const rowsOf = (running: Running, like: string) => {
  const database = databaseOf(running)
  const rows = database.prepare('SELECT key, value FROM records WHERE key LIKE ?').all(like)
  database.close()
  return rows.map(({ key, value }) => ({ key: String(key), value: String(value) }))
}

async function signedInOf(running: Running, browsers: TestBrowser[]): Promise<TestBrowser[]> {
  const asked = await Promise.all(
    browsers.map(async (browser) => ({
      browser,
      status: (await ask(running.url, browser, '/sessions')).status,
    })),
  )
  return asked.filter(({ status }) => status === 200).map(({ browser }) => browser)
}

describe.each(stores)('someone who signs in 110 times at once, with %s', (_name, open) => {
  let store: StoreUnderTest
  let running: Running
  beforeAll(async () => {
    store = await open()
    running = await runUnlimited({ settings: store.settings })
  })
  afterAll(async () => {
    await running.close()
    await store.close()
  })

  it('sees every sign-in that still works, and a logout of theirs ends all of them', async () => {
    const browsers = await Promise.all(Array.from({ length: 110 }, () => signIn(running, 'ada')))
    const alive = await signedInOf(running, browsers)
    expect(alive.length).toBeGreaterThan(0)
    expect(alive.length).toBeLessThanOrEqual(100)
    const [one] = alive
    if (one === undefined) throw new Error('no one is signed in')
    await one.open(`${running.url}/sessions`)
    expect(one.page.body.match(/\/sessions\/end\//g)).toHaveLength(alive.length - 1)

    setFaults(running, { logoutToken: 'subOnly' })
    await running.sandbox.endSessions('ada')
    expect(await signedInOf(running, browsers)).toEqual([])
  }, 60_000)
})

describe('a sign-in', () => {
  let running: Running
  beforeAll(async () => {
    running = await runUnlimited()
  })
  afterEach(() => running.sandbox.reset())
  afterAll(() => running.close())

  it.each(['subOnly', 'sidOnly', undefined] as const)(
    'that was under way when the authorization server ended it (%s) does not come to be',
    async (logoutToken) => {
      setFaults(running, { token: { delayMs: 600 }, ...(logoutToken === undefined ? {} : { logoutToken }) })
      const browser = new TestBrowser()
      await browser.open(`${running.url}/onboarding`)
      const onTheWay = browser.post(browser.page.url, { person: 'dan' })
      await sleep(300)
      await running.sandbox.endSessions('dan')
      expect(running.sandbox.logouts().at(-1)?.status).toBe(200)
      await onTheWay
      expect(keptSignIns(running)).toEqual([])
      await expectSignedOut(running, browser)
      expect(browser.page.url).toContain(running.sandbox.urls.authorizationServer)
      setFaults(running, {})
      await browser.post(browser.page.url, { person: 'dan' })
      await expectSignedIn(running, browser)
    },
  )

  it('that cannot be put on the list leaves nothing that works', async () => {
    const before = keptSignIns(running)
    const database = databaseOf(running)
    const refusal = `CREATE TRIGGER full BEFORE INSERT ON records
      WHEN new.key LIKE 'sign-ins:%' OR new.key LIKE 'sessions-of:%' BEGIN SELECT RAISE(FAIL, 'full'); END`
    database.exec(refusal)
    const browser = await signIn(running, 'grace')
    database.exec('DROP TRIGGER full')
    database.close()
    expect(browser.page.status).toBe(503)
    expect(keptSignIns(running)).toEqual(before)
    await expectSignedOut(running, browser)
  })

  it('is kept without a word about who it is, or on which device', async () => {
    const browser = new TestBrowser()
    await browser.open(`${running.url}/onboarding`)
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    await browser.post(browser.page.url, { person: 'carol' }, { headers })
    await browser.open(`${running.url}/sessions`)
    expect(browser.text).toContain('Firefox on Linux')
    expect(browser.text).toContain('Signed in just now')
    await browser.open(`${browser.page.url}?lang=de`)
    expect(browser.text).toContain('Firefox auf Linux')
    const records = rowsOf(running, 's%').filter(({ key }) => /^(sid|sign-ins|sessions-of):/.test(key))
    expect(records.length).toBeGreaterThan(1)
    for (const { key, value } of records)
      expect(value, key).not.toMatch(/carol|localhost|127\.0\.0\.1|Firefox|[{"]/)
  })
})
