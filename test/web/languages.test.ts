// The catalogues, and the choice of a person's language.
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { LANGUAGES_FOLDER, languagesIn, readCatalogue } from '../../src/web/languages/catalogue.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { createLanguages } from '../../src/web/languages/languages.ts'
import { createTexts } from '../../src/web/languages/texts.ts'
import { useFolder } from '../helpers/folder.ts'
import { collectGarbage, heldBytes } from '../helpers/heap.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const english = readCatalogue(LANGUAGES_FOLDER, 'en')
const keys = Object.keys(english) as (keyof typeof english)[]
const tags = languagesIn(LANGUAGES_FOLDER)

/** The messages of one language, from its files. */
const own = (tag: string): Record<string, string> =>
  Object.assign(
    {},
    ...readdirSync(join(LANGUAGES_FOLDER, tag)).map(
      (file) => JSON.parse(readFileSync(join(LANGUAGES_FOLDER, tag, file), 'utf8')) as Record<string, string>,
    ),
  ) as Record<string, string>

function elementsOf(elements: MessageFormatElement[]): MessageFormatElement[] {
  return elements.flatMap((element) =>
    element.type === TYPE.plural || element.type === TYPE.select
      ? [element, ...Object.values(element.options).flatMap(({ value }) => elementsOf(value))]
      : [element],
  )
}

const namesIn = (text: string): string[] => [
  ...new Set(
    elementsOf(parse(text, { ignoreTag: true }))
      .filter(({ type }) => type !== TYPE.literal && type !== TYPE.pound)
      .map((element) => ('value' in element ? element.value : '')),
  ),
]

const englishNames = new Map(keys.map((key) => [key, namesIn(english[key]).toSorted()]))

const sourceFiles = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|eta|js)$/.test(file))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8'))

describe.each(tags)('the texts in %s', (tag) => {
  const texts = own(tag)

  it('a catalogue has exactly the messages of the reference', () => {
    expect(Object.keys(texts).sort()).toEqual([...keys].sort())
  })

  it('a catalogue keeps every value of every message', () => {
    for (const key of keys) {
      // A plural may use a word for one, but no other value is lost or invented.
      const names = namesIn(texts[key] ?? '')
      expect(names.toSorted(), key).toEqual(englishNames.get(key))
    }
  })

  it('a catalogue has every plural form of its language', () => {
    const categories = new Intl.PluralRules(tag).resolvedOptions().pluralCategories
    const lacking = keys.flatMap((key) =>
      elementsOf(parse(texts[key] ?? '', { ignoreTag: true }))
        .filter((element) => element.type === TYPE.plural)
        .flatMap(({ options }) => categories.filter((category) => options[category] === undefined))
        .map((category) => `${key} lacks ${category}`),
    )
    expect(lacking).toEqual([])
  })
})

it('the texts in ja keep a particle on the line of the name before it', () => {
  // Emails have no such mark, because some mail programs display it.
  const loose = Object.entries(own('ja')).filter(
    ([key, text]) => !key.startsWith('email.') && /\{apps?\}\p{Script=Hiragana}/u.test(text),
  )
  expect(loose).toEqual([])
})

it('every message of the reference is used', () => {
  const sources = [...sourceFiles('src'), ...sourceFiles('views')].join('\n')
  const used = new Set([...sources.matchAll(/['"`]([a-z][\w]*(?:\.[\w]+)+)['"`]/gi)].map(([, key]) => key))
  const patterns = [...sources.matchAll(/`([a-z][\w]*\.[^`\s]*\$\{[^`\s]*)`/gi)].map(
    ([, key = '']) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll(/\$\{[^}]*\}/g, '[\\w]+')}$`),
  )
  const unused = keys.filter((key) => !used.has(key) && !patterns.some((pattern) => pattern.test(key)))
  expect(unused).toEqual([])
})

const message = (text: string, values: Record<string, string | number>, tag = 'en') =>
  createTexts(tag, { ...english, 'next.title': text })('next.title', values)

it('a message uses the plural rules of its language', () => {
  const apps = '{count, plural, one {# aplikacja} few {# aplikacje} many {# aplikacji} other {# aplikacji}}'
  expect([1, 3, 5, 1000].map((count) => message(apps, { count }, 'pl'))).toEqual([
    '1 aplikacja',
    '3 aplikacje',
    '5 aplikacji',
    '1000 aplikacji',
  ])
})

it('a message prefers an exact number to its plural category, and selects by a word', () => {
  const text = '{n, plural, =0 {none} one {one} other {# of {who, select, me {mine} other {{who}}}}}'
  expect(message(text, { n: 0, who: 'me' })).toBe('none')
  expect(message(text, { n: 2, who: 'me' })).toBe('2 of mine')
  expect(message(text, { n: 1234, who: 'Ada' })).toBe('1,234 of Ada')
})

it('a message without one of its values is an error', () => {
  expect(() => message('Connect {app}', {})).toThrow('"app"')
  expect(() => message('{at, date}', { at: 0 })).toThrow('dates')
})

it('a message isolates names that run in the other direction', () => {
  const texts = (tag: string) => createTexts(tag, { ...english, 'next.title': 'Connect {app}' })
  expect(texts('en')('next.title', { app: 'נושן' })).toBe('Connect \u2068נושן\u2069')
  expect(texts('en')('next.title', { app: 'Slack' })).toBe('Connect Slack')
  expect(texts('ar')('next.title', { app: 'Slack' })).toBe('Connect \u2068Slack\u2069')
  expect(texts('ar').dir).toBe('rtl')
  const chooses = createTexts('ar', {
    ...english,
    'next.title': '{has, select, yes {Connect {app}} other {Connect}}',
  })
  expect(chooses('next.title', { has: 'yes', app: 'Slack' })).toBe('Connect \u2068Slack\u2069')
  expect(createTexts('ar', english, { product: 'Acme' })('overview.title')).toContain('\u2068Acme\u2069')
  expect(createTexts('ar', english).list(['Jira', 'نوشن'])).toBe('\u2068Jira\u2069 ونوشن')
  for (const tag of ['zh-CN', 'ja'])
    expect(createTexts(tag, english).list(['Jira', 'Slack', 'GitHub'])).toBe('Jira、Slack、GitHub')
})

it('a message keeps a name on one line in languages without spaces', () => {
  const texts = (tag: string) => createTexts(tag, { ...english, 'next.title': '{app}を接続' })
  expect(texts('ja')('next.title', { app: 'Google Drive' })).toBe('Google\u00a0Driveを接続')
  expect(texts('de')('next.title', { app: 'Google Drive' })).toBe('Google Driveを接続')
})

it('a message shows a relative time', () => {
  const ago = (tag: string) => [59, 125].map((minutes) => createTexts(tag, english).ago(minutes * 60_000))
  expect(ago('en')).toEqual(['59 minutes ago', '2 hours ago'])
  expect(ago('ar')[1]).toBe('قبل ساعتين')
})

describe('the language of a person', () => {
  const offered = ['en', 'de', 'pt-BR', 'zh-CN', 'ar']
  const folder = useFolder()
  for (const tag of offered) cpSync(join(LANGUAGES_FOLDER, 'en'), join(folder, tag), { recursive: true })
  const languages = createLanguages(
    { ...neutralCompany, languages: offered },
    folder,
    'https://onramp.example',
  )
  const app = express()
  app.use(languages.remember)
  app.get('/', (req, res) => void res.send(languages.ofRequest(req).lang))
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await request(app).get(path).set(headers)).text

  it.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['sv, en;q=0.2, de;q=0.5', 'de'],
    ['zh-Hans-SG', 'zh-CN'],
    ['zh-TW', 'zh-CN'],
    ['pt-PT', 'pt-BR'],
    ['gsw', 'de'],
    ['lb', 'de'],
    // A requested language wins over one that the person may understand.
    ['gsw, ar;q=0.1', 'ar'],
    ['ar-u-nu-latn', 'ar'],
    ['fr', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [';;;q=,,\u00e4', 'en'],
    ['de;q=0, ar;q=0.1', 'ar'],
    // Matching invented tags takes time, so only five are tried.
    ['xa,xb,xc,xd,xe,de', 'en'],
    ['xa,xb,xc,xd,de', 'de'],
  ])('Accept-Language %j gives %s', async (header, tag) => {
    expect(await get('/', { 'accept-language': header })).toBe(tag)
  })

  it.each(['ca', 'gl', 'eu-ES'])('someone with the language %s gets Spanish', (tag) => {
    expect(createLanguages(neutralCompany, LANGUAGES_FOLDER, '').nearest(tag).lang).toBe('es')
  })

  it('invented language tags and long searches leave nothing in memory', async () => {
    const letters = (n: number) =>
      n
        .toString(26)
        .padStart(6, '0')
        .replaceAll(/\d/g, (d) => 'qrstuvwxyz'[+d] ?? '')
    const askFor = (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        const t = languages.nearest(`${letters(n)}-DE-x-${letters(n)}-${letters(n)}-${letters(n)}`)
        if (n % 5 === 0) t('search.results', { count: 1, query: `${n}中`.padEnd(500) })
      }
    }
    askFor(0, 500)
    // What other tests leave behind shows once; a leak shows each time.
    let growth = Infinity
    for (let from = 500; from < 6_500 && growth >= 125_000; from += 2_000) {
      await collectGarbage()
      const before = heldBytes()
      askFor(from, from + 2_000)
      await collectGarbage()
      growth = heldBytes() - before
    }
    expect(growth).toBeLessThan(125_000)
  })

  it('a chosen language is kept', async () => {
    const chosen = await request(app).get('/?lang=ar').set('accept-language', 'de')
    expect(chosen.text).toBe('ar')
    const [cookie = ''] = chosen.get('set-cookie') ?? []
    expect(cookie).toMatch(/^onramp-lang=ar; Max-Age=31536000; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
    expect(await get('/', { cookie: 'a=b; onramp-lang=ar', 'accept-language': 'de' })).toBe('ar')
    expect(await get('/?lang=de', { cookie: 'onramp-lang=ar' })).toBe('de')
  })

  it.each([
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['de_AT', 'en'],
    ['pt', 'pt-BR'],
    ['hu', 'en'],
    ['*', 'en'],
    ['', 'en'],
  ])('?lang=%s chooses the nearest offered language, if any: %s', async (chosen, shown) => {
    expect(await get(`/?lang=${chosen}`)).toBe(shown)
  })

  it.each([
    ['sec-fetch-site', 'cross-site'],
    ['referer', 'https://elsewhere.example/'],
  ])('another site’s link replaces no chosen language: %s', async (name, value) => {
    const link = () => request(app).get('/?lang=ar').set(name, value)
    expect((await link()).get('set-cookie')?.[0]).toMatch(/^onramp-lang=ar; Path=/)
    const linked = await link().set('cookie', 'onramp-lang=de')
    expect([linked.text, linked.get('set-cookie')]).toEqual(['ar', undefined])
  })

  it('only an offered language can be chosen', async () => {
    const refused = await request(app).get('/?lang=xx%0d%0aSet-Cookie:a=b')
    expect(refused.text).toBe('en')
    expect(refused.get('set-cookie')).toBeUndefined()
    expect(await get('/?lang=fr', { cookie: 'onramp-lang=fr', 'accept-language': 'de' })).toBe('de')
    expect(await get('/?lang=de&lang=ar')).toBe('en')
  })
})

it('the first day of a month is an ordinal in French alone', () => {
  const at = Date.parse('2027-04-01T08:00:00Z')
  const french = createTexts('fr', english)
  expect([french.day(at), french.date(at), french.moment(at)].map((text) => text.split(' ')[0])).toEqual([
    '1er',
    '1er',
    '1er',
  ])
  expect(french.day(at + 10 * 86_400_000)).toBe('11 avril 2027')
  expect(createTexts('es', english).day(at)).toBe('1 de abril de 2027')
})
