// The pages in every language pass the checks of every page, and an invented language shows untranslated texts and
// texts without room for longer words.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { printAST } from '@formatjs/icu-messageformat-parser/printer.js'
import { describe, expect, it } from 'vitest'
import { LANGUAGES_FOLDER, languagesIn } from '../../src/web/languages/catalogue.ts'
import { useFolder } from '../helpers/folder.ts'
import { languages } from '../helpers/texts.ts'
import { axeFindings, htmlFindings, overflowAt, smallTargets, weightOf } from './examine.ts'
import { useSite } from './visitor.ts'

const site = useSite(() => ({ settings: { ADVANCE: 'confirm', ADMIN_EMAILS: 'carol@acme.example' } }))

/** The pages that are checked in every language, by person. */
// prettier-ignore
const PAGES = [
  ['frank', ['/onboarding', '/nowhere', '/search?q=zebra', '/sessions', '/signed-out', '/invite/a.b.c', '/invite/a.b.c/opt-out']],
  ['carol', ['/admin', '/admin/people', '/admin/departments', '/admin/apps', '/approvals/slack_1', '/deprecations']],
] as const

describe.each(languagesIn(LANGUAGES_FOLDER))('the pages in %s', (tag) => {
  it.each(PAGES)('the pages of a language are accessible and valid for %s', async (person, paths) => {
    const visitor = await site.arrive({ person })
    await visitor.open(`/onboarding?lang=${tag}`)
    const { page } = visitor
    const { dir } = languages.byTag(tag)

    for (const path of paths) {
      const response = await page.goto(site.running.url + path)
      const html = (await response?.text()) ?? ''
      expect(html, path).toContain(`<html lang="${tag}" dir="${dir}">`)
      expect(await htmlFindings(html), path).toEqual([])
      expect(weightOf(html), path).toBeLessThanOrEqual(8_192)
      // pages.test.ts checks the colors, which are the same in every language.
      expect(path === paths[0] ? await axeFindings(page, ['light']) : [], path).toEqual([])
      expect(await smallTargets(page), path).toEqual([])
      for (const width of [320, 1280]) expect(await overflowAt(page, width), path).toBeLessThanOrEqual(0)
    }
    expect(visitor.complaints.filter((one) => !one.includes('404'))).toEqual([])
  })
})

const ACCENTS = new Map(Array.from('aeiouAEIOU', (letter, at) => [letter, 'áéîöûÅÉÎÖÛ'.charAt(at)]))

/** ⟦Çönñéçt ~~~~⟧: marked at both ends, a third longer, and still readable. */
const pseudo = (text: string): string => {
  const marked = (elements: MessageFormatElement[]): MessageFormatElement[] =>
    elements.map((element) => {
      if (element.type === TYPE.literal)
        return {
          ...element,
          value: element.value.replaceAll(/[aeiou]/gi, (letter) => ACCENTS.get(letter) ?? letter),
        }
      if (element.type !== TYPE.plural && element.type !== TYPE.select) return element
      const options = Object.entries(element.options).map(([name, option]) => [
        name,
        { ...option, value: marked(option.value) },
      ])
      return { ...element, options: Object.fromEntries(options) as typeof element.options }
    })
  const words = printAST(marked(parse(text, { ignoreTag: true })))
  return `⟦${words}${' ~~~'.repeat(Math.ceil(text.length / 12))}⟧`
}

/** Texts of the page that don't come from a message. Data is in bdi, code or time, or has no letters. */
const UNMARKED = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    const words = text.data.trim()
    if (!/\\p{L}{3}/u.test(words)) continue
    if (text.parentElement.closest('bdi, code, time, pre, textarea, script, style, .face, .app-icon, .removals, .words, option')) continue
    if (!/[⟦⟧~]/.test(words)) found.push(words.slice(0, 60))
  }
  return found
})()`

describe('a language that is a third longer', () => {
  const folder = useFolder()
  const longer = useSite(() => {
    cpSync(join(LANGUAGES_FOLDER, 'en'), join(folder, 'languages'), { recursive: true })
    const texts = readdirSync(join(LANGUAGES_FOLDER, 'en')).flatMap((file) =>
      Object.entries(
        JSON.parse(readFileSync(join(LANGUAGES_FOLDER, 'en', file), 'utf8')) as Record<string, string>,
      ),
    )
    const lines = texts.map(([key, text]) => `    ${JSON.stringify(key)}: ${JSON.stringify(pseudo(text))}\n`)
    const file = join(folder, 'company.yaml')
    writeFileSync(file, `languages: [en]\ntexts:\n  en:\n${lines.join('')}`)
    return { settings: { ADVANCE: 'confirm', ADMIN_EMAILS: 'carol@acme.example', COMPANY_FILE: file } }
  })

  it.each(PAGES)(
    'a language that is a third longer is translated, and fits 320 pixels: %s',
    async (person, paths) => {
      const visitor = await longer.arrive({ person })
      await visitor.open()
      for (const path of paths) {
        await visitor.page.goto(longer.running.url + path)
        expect(await overflowAt(visitor.page, 320), path).toBeLessThanOrEqual(0)
        const plain = await visitor.page.evaluate(UNMARKED)
        expect(plain, path).toEqual([])
      }
    },
  )
})
