// An authorization server with faults, and what has to be true of a sign-in that was refused.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import type { Faults } from '../../packages/sandbox/src/switches.ts'
import { expectPage } from './journey.ts'
import { run, type RunOptions, type Running } from './running.ts'
import { TestBrowser, textOf, type Hop } from './test-browser.ts'

/** Without the limit of sign-ins, which all come from one address here. */
export const runUnlimited = ({ settings, ...options }: RunOptions = {}): Promise<Running> =>
  run({ ...options, settings: { SIGN_INS_PER_MINUTE: '10000', ...settings } })

export const setFaults = (running: Running, faults: Faults) => running.sandbox.switches.set({ faults })

type LogLine = { level: string | number; msg: string; code?: string; status?: number; reference?: string }

const parsed = (lines: string[]) => lines.map((line) => JSON.parse(line) as LogLine)

/** The log lines of failures, one for each failed response. */
export const failuresOf = (running: Running): LogLine[] =>
  parsed(running.log).filter((line) => line.reference !== undefined)

export const messagesOf = (running: Running): string =>
  Array.from(parsed(running.log), ({ msg }) => msg).join('\n')

/** Opens a page of ours, up to the sign-in page of the authorization server. */
export async function beginSignIn(running: Running, path = '/onboarding'): Promise<TestBrowser> {
  const browser = new TestBrowser()
  await browser.open(running.url + path)
  expect(browser.page.url).toContain(running.sandbox.urls.authorizationServer)
  return browser
}

/** Signs ada in and stops before our callback. @returns its URL */
export async function answerOf(running: Running, browser: TestBrowser): Promise<string> {
  let hop = await browser.post(browser.page.url, { person: 'ada' }, { follow: false })
  while (hop.location !== undefined && !hop.location.startsWith(running.url))
    hop = await browser.open(new URL(hop.location, hop.url).href, { follow: false })
  return hop.location ?? ''
}

function secretsOf(running: Running, browser: TestBrowser): string[] {
  const { env, sandbox, url } = running
  const visited = browser.hops.flatMap((hop) => [...new URL(hop.url).searchParams])
  const sent = sandbox.requests.flatMap(({ body }) => Object.entries((body ?? {}) as Record<string, string>))
  const names = ['code', 'state', 'nonce', 'code_verifier', 'refresh_token', 'access_token', 'id_token']
  const found = [...visited, ...sent].filter(([name]) => names.includes(name)).map(([, value]) => value)
  const settings = [env['SESSION_SECRET'], env['OIDC_CLIENT_SECRET']]
  const cookies = browser.cookieHeader(url).split('; ')
  const values = cookies.map((cookie) => cookie.slice(cookie.indexOf('=') + 1))
  return [...found, ...settings, ...values]
    .filter((value) => value !== undefined)
    .filter(({ length }) => length > 8)
}

/** Chooses the person at the sign-in page. The callback must refuse them, without a secret on the page or in the log. */
export async function expectRefused(running: Running, browser: TestBrowser, person = 'ada'): Promise<Hop> {
  const cookie = browser.cookieHeader(running.url)
  const failures = failuresOf(running).length
  await browser.post(browser.page.url, { person })
  expectPage(browser.page)
  expect(browser.page.url).toContain(running.url)
  expect(browser.page.url).toContain('/sign-in/callback')
  expect(browser.page.status).toBeGreaterThanOrEqual(400)
  expect(browser.page.status).not.toBe(500)
  const ours = browser
    .cookieHeader(running.url)
    .split('; ')
    .filter((one) => one.startsWith('onramp='))
  expect(cookie.split('; ')).toEqual(expect.arrayContaining(ours))
  expect(failuresOf(running).slice(failures)).toHaveLength(1)
  expectNothingSecret(running, browser, browser.page)
  await expectSignedOut(running, browser)
  return browser.page
}

export function expectNothingSecret(running: Running, browser: TestBrowser, page: Hop): void {
  const read = `${page.body}\n${JSON.stringify(page.headers)}\n${running.log.join('\n')}`
  for (const secret of secretsOf(running, browser))
    expect(read.includes(secret), secret.slice(0, 6)).toBe(false)
}

export async function expectSignedOut(running: Pick<Running, 'url'>, browser: TestBrowser): Promise<void> {
  const hop = await browser.open(`${running.url}/onboarding`, { follow: false })
  expect(hop.location ?? textOf(hop.body)).toMatch(/^\/sign-in/)
}

export async function expectSignedIn(running: Pick<Running, 'url'>, browser: TestBrowser): Promise<void> {
  const hop = await browser.open(`${running.url}/onboarding`, { follow: false })
  expect(hop.location).toBeUndefined()
  expect(hop.status, textOf(hop.body)).toBe(200)
}

/** The keys of session records in the SQLite file of a folder below DATA_DIR. */
export function keptSignIns({ env }: Running, folder = ''): string[] {
  const database = new DatabaseSync(join(env['DATA_DIR'] ?? '', folder, 'onramp.sqlite'), { readOnly: true })
  const rows = database.prepare("SELECT key FROM records WHERE key LIKE 'session:%'").all()
  database.close()
  return rows.map((row) => String(row['key']))
}
