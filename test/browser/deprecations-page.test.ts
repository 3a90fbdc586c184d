// The page of the schedule in real Chromium: on a phone and on a desk, in light and dark.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openChromium } from '../helpers/chromium.ts'
import { run, type Running } from '../helpers/running.ts'
import { axeFindings, htmlFindings, overflowAt, smallTargets } from './examine.ts'

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

/** Words that a line break goes through: where the text itself allows none, or `anywhere`. */
const brokenWords = (anywhere: boolean) =>
  page.evaluate(`(() => {
    const broken = []
    for (const element of document.querySelectorAll('main p, main h1, main h2, main h3, main th, main td')) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const nodes = []
      while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('option')) nodes.push(walker.currentNode)
      const all = nodes.map(({ data }) => data).join('')
      const placeOf = (offset, isStart) => {
        let rest = offset
        for (const node of nodes) {
          if (isStart ? rest < node.length : rest <= node.length) return [node, rest]
          rest -= node.length
        }
      }
      let start = 0
      const parts = ${anywhere} ? [all] : nodes.map(({ data }) => data)
      for (const part of parts) {
        for (const { 0: word, index } of part.matchAll(${anywhere} ? /\\S+/g : /[^\\s-]+/g)) {
          const range = document.createRange()
          range.setStart(...placeOf(start + index, true))
          range.setEnd(...placeOf(start + index + word.length))
          const boxes = [...range.getClientRects()].filter(({ width }) => width > 0)
          if (new Set(boxes.map(({ bottom }) => Math.round(bottom / 4))).size > 1) broken.push(word)
        }
        start += part.length
      }
    }
    return broken
  })()`)

test.each([320, 390, 1280])('at %i pixels no word is broken and nothing lies outside', async (width) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${running.url}/deprecations`)
    expect(await overflowAt(page, width)).toBeLessThanOrEqual(0)
    expect(await brokenWords(width === 1280)).toEqual([])
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
