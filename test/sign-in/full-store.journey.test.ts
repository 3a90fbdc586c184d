// A store that takes no writes and still reads and forgets, as Redis without memory left does: whatever could not be
// written down, what was to end has ended.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectSignedIn, expectSignedOut, messagesOf, runUnlimited, setFaults } from '../helpers/faulty.ts'
import { until } from '../helpers/processes.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'
import { refreshesOf } from './two-processes.ts'

let running: Running
beforeAll(async () => {
  running = await runUnlimited()
})
afterEach(() => {
  fill(false)
  running.sandbox.reset()
})
afterAll(() => running.close())

function fill(isFull: boolean): void {
  const database = new DatabaseSync(join(running.env['DATA_DIR'] ?? '', 'onramp.sqlite'))
  for (const write of ['INSERT', 'UPDATE'])
    database.exec(
      isFull
        ? `CREATE TRIGGER full_${write} BEFORE ${write} ON records BEGIN SELECT RAISE(ABORT, 'full'); END`
        : `DROP TRIGGER IF EXISTS full_${write}`,
    )
  database.close()
}

describe('while the store is full', () => {
  it('signing out ends the sign-in and takes its tokens back', async () => {
    const browser = await signIn(running, 'ada')
    const copy = new TestBrowser()
    copy.setCookie(running.url, 'onramp', browser.cookieHeader(running.url).split('onramp=')[1] ?? '')
    running.sandbox.clearRequests()
    fill(true)
    await browser.submit('/sign-out')
    expect(browser.page.url).toBe(`${running.url}/signed-out`)
    expect(browser.text).toContain('may still remember you in this browser')
    expect(running.sandbox.count('revocation')).toBe(2)
    expect(running.log.join('')).toContain('"audit":"sign_out"')
    expect(messagesOf(running)).not.toContain('cannot be reached')
    fill(false)
    await expectSignedOut(running, copy)
  })

  it('a session that is ended from another one is over', async () => {
    const [phone, laptop] = [await signIn(running, 'carol'), await signIn(running, 'carol')]
    await laptop.open(`${running.url}/sessions`)
    fill(true)
    await laptop.submit('/sessions/end/')
    expect(laptop.page.status).toBe(200)
    fill(false)
    await expectSignedOut(running, phone)
  })

  it('a logout by the authorization server ends its sign-ins, and is to be sent again', async () => {
    const browser = await signIn(running, 'bob')
    fill(true)
    await running.sandbox.endSessions('bob')
    expect(running.sandbox.logouts().at(-1)?.status).toBe(503)
    fill(false)
    await expectSignedOut(running, browser)
  })
})

describe('a refresh', () => {
  async function refreshing(person: string) {
    setFaults(running, { token: { expiresIn: 0 } })
    const browser = await signIn(running, person)
    setFaults(running, { token: { grant: 'refresh_token', delayMs: 300 } })
    running.sandbox.clearRequests()
    const page = browser.open(`${running.url}/onboarding`, { follow: false })
    await until(() => running.sandbox.count('token') === 1, 'the refresh')
    return { browser, page }
  }

  it('whose tokens could not be written down is not made again', async () => {
    const { browser, page } = await refreshing('dan')
    fill(true)
    expect((await page).status).toBe(503)
    fill(false)
    await expectSignedIn(running, browser)
    expect(refreshesOf(running.sandbox)).toBe(1)
  })

  it('during which the person signs out takes its tokens back too', async () => {
    const { browser, page } = await refreshing('eve')
    await browser.post(`${running.url}/sign-out`, {}, { follow: false })
    expect(running.sandbox.count('revocation')).toBe(2)
    await page
    await until(() => running.sandbox.count('revocation') === 4, 'the new tokens to be taken back')
  })
})
