// The checks of every page: axe in light and dark, HTML, weight, width and words.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import { HtmlValidate, StaticConfigLoader } from 'html-validate'
import type { Locator, Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const htmlRules = new StaticConfigLoader({
  extends: ['html-validate:recommended'],
  rules: { 'doctype-style': ['error', { style: 'lowercase' }] },
})
const resolvedRules = htmlRules.getConfigFor('')
// To resolve them again for each page takes longer than the page.
htmlRules.getConfigFor = () => resolvedRules
const htmlValidate = new HtmlValidate(htmlRules)

/** The rules about colors, which are checked again in dark mode. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] },
  dark: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

/** Opens all disclosures, because axe ignores hidden content. */
const UNFOLD = `document.querySelectorAll('main details, footer details').forEach((one) => { one.open = true })`

/** Controls whose border and background contrast less than 3:1 with their surroundings (WCAG 1.4.11). */
const faintControls = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const brush = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    const paint = (color) => {
      brush.clearRect(0, 0, 1, 1)
      brush.fillStyle = color
      brush.fillRect(0, 0, 1, 1)
      return [...brush.getImageData(0, 0, 1, 1).data]
    }
    const groundOf = (element) => {
      const color = paint(element === null ? 'Canvas' : getComputedStyle(element).backgroundColor)
      return color[3] === 255 ? color : groundOf(element.parentElement)
    }
    const light = (color) =>
      color.slice(0, 3).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0.05)
    const contrast = (one, other) => Math.max(light(one) / light(other), light(other) / light(one))
    return [...document.querySelectorAll('.button, button:not(.plain), select, textarea, input:not([type=hidden]), .chips a, progress')]
      .filter((control) => control.checkVisibility())
      .map((control) => {
        const around = groundOf(control.parentElement)
        const edge = contrast(paint(getComputedStyle(control).borderTopColor), around)
        return [control.outerHTML.slice(0, 80), Math.max(edge, contrast(groundOf(control), around))]
      })
      .filter(([, ratio]) => ratio < 3)
  })()`)

/**
 * Every finding of axe, in words, and every control that is hard to see, which axe doesn't look for. The policy of the
 * page does not stop what the protocol evaluates.
 */
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
    findings.push(...(await faintControls(page)).map((control) => `${colorScheme}: faint: ${control}`))
  }
  return findings
}

export async function htmlFindings(html: string): Promise<string[]> {
  const report = await htmlValidate.validateString(html)
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${ruleId} in line ${line}: ${message}`),
  )
}

/** The computed style of the first match. */
export const styleOf = (found: Locator, property: string): Promise<string> =>
  found
    .first()
    .evaluate(
      (element, name) =>
        (globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }).getComputedStyle(
          element,
        )[name] ?? '',
      property,
    )

/** Bytes over the wire. */
export const weightOf = (text: string): number => gzipSync(text).length

/** Number of pixels by which the page is wider than the window. */
export async function overflowAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 640 })
  return Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
}

/** Targets below 44 pixels in either direction, except links within a sentence (WCAG 2.5.8). */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('a, button, summary, select, textarea, input:not([type=hidden])')]
    .filter((target) => target.checkVisibility() && !target.matches('.skip-link'))
    .filter((target) => getComputedStyle(target).display !== 'inline' || target.parentElement.innerText === target.innerText)
    .map((target) => [target.textContent.trim(), target.getBoundingClientRect()])
    .filter(([, box]) => box.width < 43.5 || box.height < 43.5)
    .map(([text, box]) => text + ' ' + box.width + ' x ' + box.height)`)

/** Words of up to thirty letters with a line break inside, in matches of the selector. */
export const brokenWords = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('${selector}')].flatMap((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const broken = []
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      for (const found of text.data.matchAll(/[^\\s-]{2,30}(?=[\\s-]|$)/g)) {
        if (/\\S{31,}/.test(text.data) || text.parentElement.closest('option')) continue
        const range = document.createRange()
        range.setStart(text, found.index)
        range.setEnd(text, found.index + found[0].length)
        if (range.getClientRects().length > 1) broken.push(found[0])
      }
    return broken
  })`)

type Windows = {
  /** Checks the page in a wide window, too, not only on a phone. */
  isWide?: boolean
}

/** All faults of a page as sentences: HTML, weight, width, targets and findings of axe. */
export async function findingsOf(
  page: Page,
  html: string,
  { isWide = true }: Windows = {},
): Promise<string[]> {
  const findings = await htmlFindings(html)
  // The token of an invitation, or of one person's page, may contain these letters.
  const words = html.replaceAll(/\/[\w.-]{40,}/g, '')
  if (!html.includes('</html>') || /undefined|\[object|NaN/.test(words))
    findings.push('its HTML is not whole')
  if (weightOf(html) > 8_192) findings.push(`it weighs ${weightOf(html)} bytes`)
  if ((await page.locator('h1').count()) !== 1) findings.push('it has not one heading')
  for (const width of isWide ? [320, 1280] : [320]) {
    if ((await overflowAt(page, width)) > 0) findings.push(`it is wider than ${width} pixels`)
    findings.push(...(await axeFindings(page, width === 320 ? ['light', 'dark'] : ['light'])))
    findings.push(...(await smallTargets(page)).map((target) => `small: ${target}`))
  }
  return findings
}
