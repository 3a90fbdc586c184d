// What every page has to pass, whatever it shows: axe in light and dark, its HTML, its weight, its width, its words.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import { HtmlValidate } from 'html-validate'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const htmlRules = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: { 'doctype-style': ['error', { style: 'lowercase' }] },
})

/** In dark, what depends on colours is looked at again. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

/** What is folded into a page is a part of it: axe leaves out what does not show. */
const UNFOLD = `document.querySelectorAll('main details, footer details').forEach((one) => { one.open = true })`

/** Every finding of axe, in words; the policy of the page does not stop what the protocol evaluates. */
export async function axeFindings(
  page: Page,
  schemes: readonly (keyof typeof RULES)[] = ['light', 'dark'],
): Promise<string[]> {
  const findings: string[] = []
  await page.evaluate(UNFOLD)
  await page.evaluate(axe)
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme })
    const options = JSON.stringify({
      runOnly: RULES[colorScheme],
      resultTypes: ['violations'],
      preload: false,
    })
    const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`)
    for (const { id, nodes } of violations)
      findings.push(`${colorScheme}: ${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
  }
  return findings
}

export async function htmlFindings(html: string): Promise<string[]> {
  // It counts an entity in a title as if its letters were shown.
  const report = await htmlRules.validateString(html.replaceAll('&hellip;', '…').replaceAll('&rsquo;', '’'))
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${ruleId} in line ${line}: ${message}`),
  )
}

/** Bytes over the wire. */
export const weightOf = (text: string): number => gzipSync(text).length

/** How many pixels of the page a window of this width does not show. */
export async function overflowAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 640 })
  return Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
}

/** Links and buttons that are smaller than 24 pixels in a direction and stand in no sentence (WCAG 2.5.8). */
export const smallTargets = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll('a, button, input:not([type=hidden])')]
    .filter((target) => !target.closest('p:not(.actions, .name)') && !target.matches('.skip-link'))
    .map((target) => [target.textContent.trim(), target.getBoundingClientRect()])
    .filter(([, box]) => box.width < 24 || box.height < 24)
    .map(([text, box]) => text + ' ' + box.width + ' x ' + box.height)`)
