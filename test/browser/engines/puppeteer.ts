// Chromium, and Firefox over WebDriver BiDi.
import { launch, type BrowserContext, type Page } from 'puppeteer-core'
import type { Engine, Tab } from './engine.ts'

type Preferences = Record<string, boolean | number | string>

const PATHS = {
  chrome: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  firefox: process.env['FIREFOX'] ?? '/usr/bin/firefox-esr',
}

export const chromiumNeeds = { [PATHS.chrome]: 'chromium' }
export const firefoxNeeds = { [PATHS.firefox]: 'firefox-esr' }

/** Starts it with a profile of its own, which is deleted at the end. */
async function open(browser: 'chrome' | 'firefox', preferences: Preferences = {}): Promise<Engine> {
  const running = await launch({
    browser,
    executablePath: PATHS[browser],
    headless: true,
    args: browser === 'chrome' ? ['--no-sandbox', '--disable-gpu'] : [],
    extraPrefsFirefox: preferences,
  })
  return {
    async arrive() {
      const context = await running.createBrowserContext()
      return { tab: tabOf(context, await context.newPage()), leave: () => context.close() }
    },
    close: () => running.close(),
  }
}

export const openChromium = () => open('chrome')
export const openFirefox = (preferences?: Preferences) => open('firefox', preferences)

function tabOf(context: BrowserContext, page: Page): Tab {
  return {
    open: async (url) => void (await page.goto(url)),
    back: async () => void (await page.goBack()),
    ask: async <Value>(expression: string) => (await page.evaluate(expression)) as Value,
    async click(selector) {
      await page.bringToFront()
      await page.click(selector)
    },
    another: async () => tabOf(context, await context.newPage()),
  }
}
