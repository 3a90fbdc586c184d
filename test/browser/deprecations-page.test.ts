// The page of the schedule in real Chromium: on a phone and on a desk, in light and dark.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium } from '../helpers/chromium.ts'
import { run, type Running } from '../helpers/running.ts'
import { axeFindings, brokenWords, htmlFindings, overflowAt, smallTargets } from './examine.ts'

let running: Running
let browser: Browser
let page: Page
beforeAll(async () => {
  running = await run()
  browser = await openChromium()
  page = await (await browser.newContext({ bypassCSP: true })).newPage()
})
afterAll(async () => {
  await browser.close()
  await running.close()
})

test.each([320, 390, 1280])('at %i pixels no word is broken and nothing lies outside', async (width) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${running.url}/deprecations`)
    expect(await overflowAt(page, width)).toBeLessThanOrEqual(0)
    expect(await brokenWords(page, 'main :is(p, h1, h2, h3, th, td)')).toEqual([])
    expect(await smallTargets(page)).toEqual([])
  }
})

test('its ids are valid and each is there once, and it can be read with assistance', async () => {
  const response = await page.goto(`${running.url}/deprecations`)
  expect(await htmlFindings((await response?.text()) ?? '')).toEqual([])
  const ids = await page.evaluate<string[]>(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`)
  expect(ids.filter((id) => id.startsWith('item-'))).toHaveLength(28)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z][\w-]*$/i.test(id))).toEqual([])
  expect(await axeFindings(page)).toEqual([])
})
