// The page of the schedule in real Chromium: on a phone and on a desk, in light and dark.
import { expect, it } from 'vitest'
import { brokenWords, findingsOf, overflowAt } from './examine.ts'
import { useSite } from './visitor.ts'

const site = useSite()

it('has nothing that any page must not have, no broken word at any width, and ids that are valid and there once', async () => {
  const visitor = await site.arrive({ person: 'ada' })
  const { page } = visitor
  const response = await page.goto(`${site.running.url}/deprecations`)
  expect(await findingsOf(page, (await response?.text()) ?? '')).toEqual([])
  for (const width of [320, 390, 1280]) {
    expect(await overflowAt(page, width)).toBeLessThanOrEqual(0)
    expect(await brokenWords(page, 'main :is(p, h1, h2, h3, th, td)')).toEqual([])
  }
  const ids = await page.evaluate<string[]>(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`)
  expect(ids.filter((id) => id.startsWith('item-'))).toHaveLength(28)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z][\w-]*$/i.test(id))).toEqual([])
})
