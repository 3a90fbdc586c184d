// The widget's script: its languages, the company's colors, and nothing that acts.
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { neutralCompany } from '../../src/company/company.ts'
import { languages } from '../helpers/texts.ts'
import { widgetOf } from '../helpers/widget.ts'

const script = await widgetOf(neutralCompany)

it('the widget has a title in every language, and is small all the same', () => {
  expect(languages.offered.length).toBeGreaterThan(1)
  for (const { tag } of languages.offered) expect(script).toContain(`"${tag}":{"title"`)
  expect(gzipSync(script).length).toBeLessThan(4 * 1024)
})

it('the widget follows the direction of its language: its properties are logical', () => {
  const [, css = ''] = /const CSS = `([^`]*)`/.exec(script) ?? []
  expect(css.match(/(?:^|[\s;{])(?:[a-z]+-)?(?:left|right|top|bottom|width|height)\s*:/g)).toBeNull()
})
