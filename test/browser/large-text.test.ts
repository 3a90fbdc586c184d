// Text at 200% on a phone, set in the browser: names stay whole words, and nothing overflows its card.
import { expect, it } from 'vitest'
import type { Person } from '../../packages/sandbox/src/people.ts'
import { useSite, type Visitor } from './visitor.ts'
import { connectNext, github, slack } from './ways.ts'

const named = (...names: string[]) =>
  names.map((displayName, index) => ({ instance: `app${index}_1`, displayName }))

const datasources = {
  twins: [slack, { ...slack, instance: 'slack_2' }, github, ...named('Google Drive', 'Jira')],
  wordy: named(
    'Quarterly planning, reporting and forecasting app',
    'Quarterly planning, reporting and forecasting for EMEA',
    '全社共有ナレッジベースおよび技術文書管理システム（東日本営業本部・関係会社向け）',
    'منصة إدارة المعرفة والمستندات الفنية المشتركة لفرق المبيعات',
    'Donaudampfschifffahrtsgesellschaftskapitaensregister',
  ),
  many: named(...Array.from({ length: 40 }, (_, index) => `Wiki ${index + 1}`)),
}

const states: Record<string, (visitor: Visitor) => Promise<void>> = {
  'an open row': (visitor) => visitor.page.locator('.entry summary').first().click(),
  'one skipped': async (visitor) => {
    await visitor.page.locator('.step form[action^="/onboarding/skip/"] button').click()
    await visitor.page.locator('.banner').waitFor()
  },
  'one being checked': async (visitor) => {
    visitor.running.sandbox.switches.set({ consentDelaySeconds: 600 })
    await connectNext(visitor)
    await visitor.page.locator('.banner button').first().waitFor()
    visitor.running.sandbox.switches.reset()
  },
}
const cases = [
  ...(['twins', 'wordy'] as const).flatMap((mix) => ['en', 'ar', 'ja'].map((tag) => ({ mix, tag }))),
  { mix: 'many' as const, tag: 'en' },
]
const people = cases.map(({ mix, tag }, index): Person => {
  const email = `ada${index}@acme.example`
  return { id: `${mix} ${tag}`, name: 'Ada Lovelace', email, datasources: datasources[mix] }
})

/** Elements that overflow their card or the header, or break a word of up to eleven letters. */
const FAULTS = `(() => {
  const faults = []
  const shown = [...document.querySelectorAll('header *, main *')].filter((one) => one.checkVisibility() && !one.closest('.unseen, .wide-only, svg'))
  for (const one of shown) {
    const around = one.parentElement.closest('.list, .banner, header')?.getBoundingClientRect()
    const box = one.getBoundingClientRect()
    if (around && box.width > 0 && (box.right > around.right + 1 || box.left < around.left - 1)) faults.push('leaves: ' + one.outerHTML.slice(0, 80))
  }
  const range = document.createRange()
  for (const name of document.querySelectorAll('.name bdi, .step h2, .step h2 bdi, .banner strong, .button, .brand')) {
    const text = name.firstChild
    if (text?.nodeType !== Node.TEXT_NODE || !name.checkVisibility()) continue
    for (const word of text.data.matchAll(/[\\p{Script=Latin}\\p{Script=Arabic}()0-9]{2,11}(?=$|[\\s,.])/gu)) {
      if (/\\p{L}/u.test(text.data[word.index - 1] ?? '')) continue
      range.setStart(text, word.index)
      range.setEnd(text, word.index + word[0].length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) faults.push('broken: ' + word[0])
    }
  }
  return faults
})()`

const site = useSite(() => ({ settings: { ADVANCE: 'confirm' }, sandbox: { people } }))

it.each(cases)('text twice as large keeps words whole, and stays in its card: $mix, $tag', async (one) => {
  const visitor = await site.arrive({ person: `${one.mix} ${one.tag}` })
  const { page } = visitor
  await visitor.open(`/onboarding?lang=${one.tag}`)
  const browserOf = await visitor.context.newCDPSession(page)
  for (const [state, reach] of Object.entries(states)) {
    await reach(visitor)
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 800 })
      // Chromium resets the text size with every change of the window's size.
      await browserOf.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
      expect(await page.evaluate('getComputedStyle(document.documentElement).fontSize')).toBe('32px')
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      expect(await page.evaluate(FAULTS), `${state}, ${width}`).toEqual([])
    }
  }
})
