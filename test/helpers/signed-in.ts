// A running onramp without a limit of sign-ins, its log, and its signed-in people.
import { expect } from 'vitest'
import { run, type RunOptions, type Running } from './running.ts'
import { visibleText, type TestBrowser } from './test-browser.ts'

/** No limit of sign-ins, because all of them come from one address here. */
export const runUnlimited = ({ settings, ...options }: RunOptions = {}): Promise<Running> =>
  run({ ...options, settings: { SIGN_INS_PER_MINUTE: '10000', ...settings } })

type LogLine = { level: string | number; msg: string; code?: string; status?: number; reference?: string }

const parseLines = (lines: string[]) => lines.map((line) => JSON.parse(line) as LogLine)

/** The log lines of failures, one for each failed response. */
export const failuresOf = (running: Running): LogLine[] =>
  parseLines(running.log).filter((line) => line.reference !== undefined)

export const messagesOf = (running: Running): string =>
  Array.from(parseLines(running.log), ({ msg }) => msg).join('\n')

/** Signs ada in and stops before our callback. @returns its URL */
export async function signInUntilCallback(running: Running, browser: TestBrowser): Promise<string> {
  let hop = await browser.post(browser.page.url, { person: 'ada' }, { follow: false })
  while (hop.location !== undefined && !hop.location.startsWith(running.url))
    hop = await browser.open(new URL(hop.location, hop.url).href, { follow: false })
  return hop.location ?? ''
}

export async function expectSignedOut(running: Pick<Running, 'url'>, browser: TestBrowser): Promise<void> {
  const hop = await browser.open(`${running.url}/onboarding`, { follow: false })
  expect(hop.location ?? visibleText(hop.body)).toMatch(/^\/sign-in/)
}

export async function expectSignedIn(running: Pick<Running, 'url'>, browser: TestBrowser): Promise<void> {
  const hop = await browser.open(`${running.url}/onboarding`, { follow: false })
  expect(hop.location).toBeUndefined()
  expect(hop.status, visibleText(hop.body)).toBe(200)
}
