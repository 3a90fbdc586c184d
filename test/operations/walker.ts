// Fixture: a person who signs in, connects everything, and returns later.
import assert from 'node:assert/strict'
import { TestBrowser, type BrowserConnect } from '../helpers/test-browser.ts'
import { t } from '../helpers/texts.ts'

/** Signs in as the person and connects every app; the sandbox's switch `autoConsent` is on. */
export async function walk(url: string, person: string, connect?: BrowserConnect) {
  const browser = new TestBrowser(connect)
  await browser.open(`${url}/onboarding`)
  await browser.post(browser.page.url, { person })
  assert.equal(browser.page.url, `${url}/onboarding`, browser.text)
  await browser.click('/onboarding/connect/')
  // The company file may have help for an app, which is shown before the redirect.
  if (!browser.text.includes(t('finished.title'))) await browser.click('/onboarding/connect/')
  assert.ok(browser.text.includes(t('finished.title')), `${browser.page.url}: ${browser.text}`)
  return browser
}

/** Expects that the browser is still signed in: its page opens without a redirect. */
export async function expectSignedIn(url: string, browser: TestBrowser): Promise<void> {
  const before = browser.hops.length
  await browser.open(`${url}/onboarding`)
  assert.equal(browser.page.status, 200, browser.text)
  assert.equal(browser.hops.length, before + 1, 'someone who was signed in has to sign in again')
}

export function print(what: string): void {
  process.stdout.write(`  ${what}\n`)
}
