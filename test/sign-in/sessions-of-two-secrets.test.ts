// Sign-ins beside an installation with a secret of its own on the same store, and while the secret rotates: a logout
// finds all that it is about.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runUnlimited, setFaults } from '../helpers/faulty.ts'
import { sendRaw } from '../helpers/raw-request.ts'
import { signIn, type Running } from '../helpers/running.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

const OTHER = randomBytes(32).toString('base64url')

let running: Running
let own: string
beforeEach(async () => {
  running = await runUnlimited()
  own = running.env['SESSION_SECRET'] ?? ''
})
afterEach(() => running.close())

/** Signs in, with the authorization server's session that the browser has, if any. @returns the cookie */
async function cookieOf(browser: TestBrowser): Promise<string> {
  const { origin } = new URL(running.sandbox.urls.authorizationServer)
  await browser.open(`${running.url}/onboarding`)
  if (browser.page.url.startsWith(origin)) await browser.post(browser.page.url, { person: 'ada' })
  expect(browser.page.status).toBe(200)
  return browser.cookieHeader(running.url)
}

const statusOf = async (cookie: string) =>
  (await sendRaw(running.url, '/api/status', { headers: { cookie } })).status

describe.each(['subOnly', 'sidOnly'] as const)('a logout (%s)', (logoutToken) => {
  it('ends a sign-in although another installation wrote of the same person since', async () => {
    const browser = new TestBrowser()
    const cookie = await cookieOf(browser)
    await running.restart({ SESSION_SECRET: OTHER })
    const there = await cookieOf(browser)
    await running.restart()
    expect(await statusOf(cookie)).toBe(200)

    setFaults(running, { logoutToken })
    await running.sandbox.endSessions('ada')
    expect(await statusOf(cookie)).toBe(401)
    await running.restart({ SESSION_SECRET: OTHER })
    expect(await statusOf(there)).toBe(200)
  })

  it.each([
    ['before', `${OTHER},`],
    ['behind', `,${OTHER}`],
  ])('ends what was signed in before a secret came %s the one in use', async (_where, added) => {
    const [before, after] = [new TestBrowser(), new TestBrowser()]
    const cookies = [await cookieOf(before)]
    await running.restart({ SESSION_SECRET: added.startsWith(',') ? own + added : added + own })
    cookies.push(await cookieOf(after))
    expect(await Promise.all(cookies.map(statusOf))).toEqual([200, 200])

    setFaults(running, { logoutToken })
    await running.sandbox.endSessions('ada')
    expect(await Promise.all(cookies.map(statusOf))).toEqual([401, 401])
  })

  it('ends what was signed in under the new secret, at a process that still seals with the old one', async () => {
    await running.restart({ SESSION_SECRET: `${OTHER},${own}` })
    const cookie = await cookieOf(new TestBrowser())
    await running.restart({ SESSION_SECRET: `${own},${OTHER}` })
    expect(await statusOf(cookie)).toBe(200)

    setFaults(running, { logoutToken })
    await running.sandbox.endSessions('ada')
    expect(await statusOf(cookie)).toBe(401)
  })
})

describe('where a person is signed in', () => {
  it('is listed whole while the secret rotates', async () => {
    await signIn(running, 'ada')
    await running.restart({ SESSION_SECRET: `${OTHER},${own}` })
    const browser = await signIn(running, 'ada')
    await browser.open(`${running.url}/sessions`)
    expect(browser.page.body.match(/\/sessions\/end\//g)).toHaveLength(1)
  })
})
