// Accessibility beyond axe: keyboard, text spacing, forced colors and reduced motion.
import { expect, it } from 'vitest'
import type { BrowserContextOptions } from 'playwright-core'
import { overflowAt, styleOf } from './examine.ts'
import { useSite, type Visitor } from './visitor.ts'

const site = useSite(() => ({ settings: { ADVANCE: 'confirm' } }))

async function arrive(person: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  const visitor = await site.arrive({ person, ...options })
  await visitor.open()
  return visitor
}

/** Like a user style sheet, which our Content-Security-Policy doesn't block. */
const arriveWithStyle = async (person: string, css: string) => {
  const visitor = await arrive(person, { bypassCSP: true })
  await visitor.page.addStyleTag({ content: css })
  return visitor
}

/** The open row has the full name. */
const TRUNCATED = `[...document.querySelectorAll('main :not(.unseen, .brief)')]
  .filter((element) => element.scrollHeight > element.clientHeight + 4 && getComputedStyle(element).overflow === 'hidden')
  .map((element) => element.outerHTML.slice(0, 120))`

it('the overview works with the keyboard alone, and shows the focus', async () => {
  const ada = await arrive('ada')
  const focused: string[] = []
  for (let presses = 0; presses < 10; presses++) {
    await ada.page.keyboard.press('Tab')
    focused.push(await ada.focused())
    const outline = await ada.page.evaluate(
      `parseFloat(getComputedStyle(document.activeElement).outlineWidth) *
          (getComputedStyle(document.activeElement).outlineStyle === 'none' ? 0 : 1)`,
    )
    expect(outline).toBeGreaterThanOrEqual(2)
  }
  expect(focused).toEqual([
    'Skip to main content',
    'Search setup',
    'ada@acme.example AL Your account',
    'Continue to Slack',
    'Skip for now',
    'What search can see',
    'GitHub Next',
    'Google Drive',
    'Jira',
    'Confluence',
  ])

  await ada.page.reload()
  await ada.page.keyboard.press('Tab')
  await ada.page.keyboard.press('Enter')
  await ada.page.keyboard.press('Tab')
  expect(await ada.focused()).toBe('Continue to Slack')
  for (const key of ['Tab', 'Tab', 'Tab', 'Enter', 'Tab']) await ada.page.keyboard.press(key)
  expect(await ada.focused()).toBe('Connect GitHub')
  for (const key of ['Tab', 'Shift+Tab', 'Enter']) await ada.page.keyboard.press(key)
  await ada.reads('Acme Search wants to read')
})

it('the overview fits the text spacing of a user style sheet', async () => {
  const visitor = await arriveWithStyle(
    'frank',
    '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important }',
  )
  expect(await overflowAt(visitor.page, 320)).toBeLessThanOrEqual(0)
  expect(await visitor.page.evaluate(TRUNCATED)).toEqual([])
})

it('the overview keeps its edges in forced colours', async () => {
  const visitor = await arrive('dan', { forcedColors: 'active' })
  for (const part of ['.button', '.list', '.app-icon', '.face', '.segments .open']) {
    const edge = visitor.page.locator(part)
    expect(await styleOf(edge, 'borderTopStyle'), part).toBe('solid')
    expect(await styleOf(edge, 'borderTopColor'), part).toMatch(/^rgb\(/)
  }
})

it('the overview has no motion for people who prefer reduced motion', async () => {
  const visitor = await arrive('dan', { reducedMotion: 'reduce' })
  expect(await visitor.page.evaluate('document.getAnimations().length')).toBe(0)
})
