// The widget's script: languages, the company's colors, and no actions.
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { neutralCompany } from '../../src/company/company.ts'
import { languages } from '../helpers/texts.ts'
import { widgetOf } from '../helpers/widget.ts'

const script = await widgetOf(neutralCompany)

it('the widget has a title in every language, and stays small', () => {
  expect(languages.offered.length).toBeGreaterThan(1)
  for (const { tag } of languages.offered) expect(script).toContain(`"${tag}":{"title"`)
  expect(gzipSync(script).length).toBeLessThan(4 * 1024)
})

it('the widget has logical properties only, so it follows the direction of its language', () => {
  const [, css = ''] = /const CSS = `([^`]*)`/.exec(script) ?? []
  expect(css.match(/(?:^|[\s;{])(?:[a-z]+-)?(?:left|right|top|bottom|width|height)\s*:/g)).toBeNull()
})
