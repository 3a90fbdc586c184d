// The page that waits for the confirmation of a consent, in real Chromium: it never blocks the person or moves the
// focus.
import { beforeEach, expect, it } from 'vitest'
import type { BrowserContextOptions } from 'playwright-core'
import { useSite, type Visitor } from './visitor.ts'
import { newcomers } from './ways.ts'

const people = newcomers(11)
const site = useSite(() => ({ sandbox: { people } }))
let arrivals = 0

beforeEach(() => site.running.sandbox.switches.reset())

const arrive = (options: BrowserContextOptions = {}) =>
  site.arrive({ person: people[arrivals++]?.id ?? '', ...options })

const waits = async (options: BrowserContextOptions = {}) => {
  const ada = await arrive(options)
  site.running.sandbox.switches.set({ consentDelaySeconds: 600 })
  await ada.open()
  await ada.goOnAndAllow()
  await ada.page.locator('.list').waitFor()
  await ada.reads('Checking Slack…')
  // The text can be read before the load event, so a later load event is a poll.
  await ada.page.waitForLoadState()
  return ada
}

const ourPages = ({ requests }: Visitor) =>
  requests.filter((request) => request.isNavigationRequest() && request.url().startsWith(site.running.url))
    .length

const active = ({ page }: Visitor) => page.evaluate<string>('document.activeElement.tagName')

it('the waiting page moves the focus once, and a reload never does, also without scripts', async () => {
  const ada = await waits({ javaScriptEnabled: false })
  expect(await ada.focused()).toMatch(/^Checking Slack…/)

  const focused: string[] = []
  for (let load = 0; load < 2; load++) {
    await ada.page.waitForEvent('load', { timeout: 15_000 })
    focused.push(await active(ada))
  }
  expect(focused).toEqual(['BODY', 'BODY'])
})

it('the waiting page doesn’t reload while its stop button has the focus', async () => {
  const ada = await waits()
  expect(await ada.focused()).toMatch(/^Checking Slack…/)
  await ada.page.keyboard.press('Tab')
  expect(await ada.focused()).toBe('I didn’t allow it')
  const before = ourPages(ada)

  // Longer than the first interval: without the script the page would have been reloaded.
  await ada.page.waitForTimeout(5_000)
  expect(ourPages(ada)).toBe(before)
  expect(await ada.focused()).toBe('I didn’t allow it')

  await ada.page.getByRole('link', { name: 'Stop checking' }).focus()
  await ada.page.keyboard.press('Enter')
  await ada.reads('Automatic checks are off.')
  expect(await ada.page.locator('script').count()).toBe(0)

  await ada.page.getByRole('link', { name: 'Continue to GitHub' }).focus()
  await ada.page.keyboard.press('Enter')
  await ada.reads('Acme Search wants to read content you can access in GitHub.')
  expect(ada.complaints).toEqual([])
})

it('the waiting page announces an update while in use, and shows it on request', async () => {
  const ada = await waits()
  await ada.page.getByRole('link', { name: 'Stop checking' }).focus()
  const before = ourPages(ada)
  site.running.sandbox.authorize(ada.person, 'slack_1')

  await ada.page.getByText('We have an update.').waitFor({ timeout: 20_000 })
  expect(ourPages(ada)).toBe(before)
  expect(await ada.focused()).toBe('Check again')
  await ada.page.keyboard.press('Enter')
  await ada.reads('Slack connected')
  expect(await ada.focused()).toBe('Continue to GitHub')
  expect(ada.complaints).toEqual([])
})

it('the waiting page never leaves for an app without a click', async () => {
  site.running.sandbox.clearRequests()
  const ada = await waits()
  // One for the click, one for the return.
  expect(site.running.sandbox.count('checkdatasourceauth')).toBe(3)
  const before = ourPages(ada)
  await ada.page.waitForTimeout(6_000)
  expect(ourPages(ada)).toBe(before)
  site.running.sandbox.authorize(ada.person, 'slack_1')

  await ada.page.getByText('Slack connected').waitFor({ timeout: 15_000 })
  expect(await ada.focused()).toBe('Continue to GitHub')
  await ada.page.waitForTimeout(6_000)
  expect(ada.isAt('datasource')).toBe(false)
  // Two polls of the script, and the reload that shows the banner.
  expect(site.running.sandbox.count('checkdatasourceauth')).toBe(6)
  expect(ada.complaints).toEqual([])
  // It waits for seventeen seconds by design.
})

it('the waiting page allows only our own scripts, and a stopped page allows none', async () => {
  const ada = await arrive()
  const policies: string[] = []
  ada.context.on('response', (response) => {
    const policy = response.headers()['content-security-policy']
    if (response.request().isNavigationRequest() && response.url().startsWith(site.running.url) && policy)
      policies.push(policy)
  })
  site.running.sandbox.switches.set({ consentDelaySeconds: 600 })
  await ada.open()
  await ada.goOnAndAllow()

  await ada.page.locator('.list').waitFor()
  expect(policies.at(-1)).toContain("script-src 'self';connect-src 'self'")
  expect(policies.at(-1)).toContain("default-src 'none'")

  await ada.page.goto(`${site.running.url}/onboarding?still=yes`)
  expect(policies.at(-1)).not.toContain('script-src')
})

// The driver waits for a pending navigation, so the page itself reports its content in the meantime.
const read = `const press = (selector) => document.querySelector(selector).click()
    const busy = () => [...document.querySelectorAll('[aria-busy]')].map((one) => one.textContent.trim())`

it('a slow press counts once, and shows that it is under way', async () => {
  const ada = await arrive()
  await ada.open()
  await ada.page.waitForLoadState()
  site.running.sandbox.clearRequests()
  site.running.sandbox.switches.set({ latencyMs: { checkdatasourceauth: 6_000 } })

  const shown = await ada.page.evaluate(`(() => { ${read}
      setTimeout(() => sessionStorage.setItem('line', document.querySelector('.slow').textContent), 5_000)
      const before = busy()
      press('.step a.button')
      press('.step a.button')
      return [before, busy()]
    })()`)

  expect(shown).toEqual([[], ['Continue to Slack']])
  await ada.reads('Acme Search wants to read content you can access in Slack.')
  expect(site.running.sandbox.count('checkdatasourceauth')).toBe(1)

  site.running.sandbox.switches.reset()
  await ada.open()
  expect(await ada.page.evaluate("sessionStorage.getItem('line')")).toBe(
    'Still working on it. You don’t need to click again.',
  )
  expect(ada.complaints).toEqual([])
})

it('a slow press can be repeated once the person stops it, also a skip', async () => {
  const ada = await arrive()
  await ada.open()
  await ada.page.waitForLoadState()
  const shown = await ada.page.evaluate(`(() => { ${read}
      press('.step a.button')
      dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
      const stopped = busy()
      press('.step .ways button')
      return [stopped, busy()]
    })()`)
  expect(shown).toEqual([[], ['Skip for now']])
})

it('the waiting page doesn’t poll while a press is on its way', async () => {
  const ada = await waits()
  const polls = () => ada.requests.filter((request) => request.url().endsWith('/api/status')).length
  const before = polls()
  site.running.sandbox.switches.set({ latencyMs: { checkdatasourceauth: 8_000 } })

  await ada.page.evaluate("document.querySelector('.step a.button').click()")
  await ada.reads('Acme Search wants to read content you can access in GitHub.')

  expect(polls()).toBe(before)
})
