// What the widget's script is given: a plural as the browser needs it, the company's colours, and nothing that acts.
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { neutralCompany } from '../../src/company/company.ts'
import { LANGUAGES_FOLDER, readCatalogue } from '../../src/web/languages/catalogue.ts'
import type { Languages } from '../../src/web/languages/languages.ts'
import { createTexts } from '../../src/web/languages/texts.ts'
import { widgetOf } from '../../src/web/intranet.ts'
import { languages } from '../helpers/texts.ts'

const VIEWS = fileURLToPath(new URL('../../views', import.meta.url))
const english = readCatalogue(LANGUAGES_FOLDER, 'en')

type Given = {
  texts: Record<string, { dir: string; left: Record<string, string>; progress: Record<string, string> }>
}

function givenIn(
  tag: string,
  left = english['widget.left'],
  company = neutralCompany,
): Given & { script: string } {
  const t = createTexts(tag, { ...english, 'widget.left': left }, { product: 'search' })
  const one: Languages = {
    offered: [{ tag, name: tag }],
    in: () => t,
    nearest: () => t,
    of: () => t,
    remember: (_req, _res, next) => next(),
  }
  const script = widgetOf(VIEWS, one, company).toString()
  const [, given = '{}'] = /= (\{"texts".*\})$/m.exec(script) ?? []
  return { ...(JSON.parse(given) as Given), script }
}

describe('the script of the widget', () => {
  it('has every form of a plural, and the texts of exact numbers', () => {
    const left =
      '{count, plural, =0 {żadnej} one {# aplikacja} few {# aplikacje} many {# aplikacji} other {# aplikacji}}'
    expect(givenIn('pl', left).texts['pl']?.left).toEqual({
      0: 'żadnej',
      1: '1 aplikacja',
      2: '2 aplikacje',
      few: '{n} aplikacje',
      many: '{n} aplikacji',
    })
    const arabic = '{count, plural, zero {z} one {o} two {t} few {f} many {m} other {r}}'
    expect(givenIn('ar', arabic).texts['ar']).toMatchObject({
      dir: 'rtl',
      left: { 0: 'z', 1: 'o', 2: 't', few: 'f', many: 'm', other: 'r' },
    })
  })

  it('has the places of the numbers, which the browser writes', () => {
    const { texts } = givenIn('en')
    expect(texts['en']).toMatchObject({
      progress: { 0: '0 of {total} connected', other: '{n} of {total} connected' },
      left: { 0: 'All apps connected', 1: '{n} app left to connect', other: '{n} apps left to connect' },
    })
  })

  it('has every language that onramp has, and is small all the same', () => {
    const script = widgetOf(VIEWS, languages, neutralCompany)
    expect(languages.offered.length).toBeGreaterThan(1)
    for (const { tag } of languages.offered) expect(script.toString()).toContain(`"${tag}":{"dir"`)
    expect(gzipSync(script).length).toBeLessThan(8 * 1024)
  })

  it('uses logical properties only, so that it follows the direction of its language', () => {
    const [, css = ''] = /const CSS = `([^`]*)`/.exec(givenIn('en').script) ?? []
    expect(css.match(/(?:^|[\s;{])(?:[a-z]+-)?(?:left|right|top|bottom|width|height)\s*:/g)).toBeNull()
  })
})
