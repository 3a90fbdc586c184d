// Sign-outs while other tabs of the browser are open.
import { afterEach, expect, it } from 'vitest'
import { runUnlimited } from '../helpers/signed-in.ts'
import { chooseAccount, signIn } from '../helpers/running.ts'
import type { TestBrowser } from '../helpers/test-browser.ts'
import { t } from '../helpers/texts.ts'
import { shared } from '../helpers/shared.ts'

const running = shared(() => runUnlimited())
afterEach(() => running.sandbox.reset())

/** Ada has returned from an app that isn't confirmed yet. @returns the URL of the page's refresh */
async function waiting(): Promise<{ browser: TestBrowser; again: string }> {
  const browser = await signIn(running, 'ada')
  await browser.click('/onboarding/connect')
  await browser.submit(`${new URL(browser.page.url).pathname}/deny`)
  return { browser, again: /url=(.*)/.exec(browser.page.headers['refresh'] ?? '')?.[1] ?? '' }
}

/** The authorization request of each sign-in that started. */
const prompts = () =>
  running.sandbox.requests
    .filter(({ operation }) => operation === 'authorization')
    .map(({ query }) => query['prompt'])
const loadsItself = (browser: TestBrowser, path: string) =>
  browser.open(running.url + path, { from: `${running.url}/onboarding/callback` })

it('a waiting page signs no one in after another tab’s sign-out', async () => {
  const { browser, again } = await waiting()
  // The script of the page opens this URL.
  expect(browser.page.body).toMatch(/data-url="[^"]*unattended=yes"/)
  await browser.submit('/sign-out')
  expect(browser.text).toContain('You’re signed out here either way')
  await browser.open(`${running.url}/signed-out`)
  expect(browser.text).toContain('sign out of your company account too')
  running.sandbox.clearRequests()

  await loadsItself(browser, again)

  expect(prompts()).toEqual([])
  expect(browser.page.status).toBe(401)
  expect(browser.page.headers['refresh']).toBeUndefined()
  expect(browser.text).toContain(t('problem.signed_out.title'))
  await loadsItself(browser, '/sign-out/continue')
  expect(running.sandbox.count('endSession')).toBe(1)
  expect(browser.text).toContain('You’re signed out The apps you’ve')
  await loadsItself(browser, again)
  await browser.click('/sign-in?')
  await chooseAccount(running, browser, 'ada')
  expect(browser.page.url).toContain('/onboarding/callback?step=')
  expect(browser.page.status).toBe(200)
})

it('a person who returns from an app after a sign-out is signed in at once', async () => {
  const { browser, again } = await waiting()
  browser.clearCookies(running.url)
  await signIn(running, 'ada', '/onboarding', browser)
  const [callbackPath = ''] = again.split('&')
  browser.setCookie(running.url, 'onramp', 'gone')
  await browser.open(running.url + callbackPath)
  expect(browser.page.url).not.toContain('/sign-in')
  expect(browser.page.status).toBe(200)
})
