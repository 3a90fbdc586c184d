// What an email is made of: nothing that a mail program which companies use cannot do without.
import { HtmlValidate } from 'html-validate'
import { afterAll, describe, expect, it } from 'vitest'
import { contrast } from '../../src/company/contrast.ts'
import { AT_RULES, CLIENTS, ELEMENTS, PROPERTIES, SELECTORS, type Row } from './client-support.ts'
import { ACME, createEmails, picture, png } from './emails.ts'

const emails = createEmails()
afterAll(() => emails.end())

const pictures = { light: picture('png', png(320, 64)), dark: picture('png', png(300, 64)) }
const { html } = await emails.write({
  file: { ...ACME, logo: { light: 'light', dark: 'dark' } },
  pictures,
  apps: Array.from({ length: 20 }, (_, index) => `App ${index}`),
})
const plain = await emails.write()
const ours = [html, plain.html]

/** Without what only Outlook for Windows reads. */
const shown = ours.join('\n').replaceAll(/<!--\[if mso\]>.*?<!\[endif\]-->/gs, '')
const sheets = [...shown.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css = '']) => css)
const markup = shown
  .replaceAll(/<style>.*?<\/style>/gs, '<style></style>')
  .replaceAll(/<!--.*?-->|<!DOCTYPE.*?>/gs, '')

const unique = (all: (string | undefined)[]) => [...new Set(all.map((one) => one?.trim() ?? ''))].sort()
const rulesOf = (css: string) => [...css.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
const propertiesIn = (declarations: string) =>
  declarations.split(';').map((one) => one.split(':', 1)[0] ?? '')
const kindsOf = (selector: string) =>
  selector
    .trim()
    .split(/\s+/)
    .map((part) => (part.startsWith('.') ? 'class' : part.startsWith('[') ? 'attribute' : part))
const atRulesIn = (css: string) => [...css.matchAll(/@[^{]+/g)].map(([rule]) => rule.trim())

const inline = [...markup.matchAll(/style="([^"]*)"/g)].flatMap(([, one = '']) => propertiesIn(one))
const inSheets = sheets.flatMap(rulesOf)

const used: [string, string[], Record<string, Row>][] = [
  [
    'property',
    unique([...inline, ...inSheets.flatMap(([, , declarations = '']) => propertiesIn(declarations))]).filter(
      Boolean,
    ),
    PROPERTIES,
  ],
  ['at-rule', unique(sheets.flatMap(atRulesIn)), AT_RULES],
  ['selector', unique(inSheets.flatMap(([, selector = '']) => kindsOf(selector))), SELECTORS],
  ['element', unique([...markup.matchAll(/<([a-z]\w*)/g)].map(([, name]) => name)), ELEMENTS],
]

describe('the table of client support', () => {
  it.each(used)('knows every %s of the emails, and no other', (_what, names, table) => {
    expect(names).toEqual(Object.keys(table).sort())
  })

  it.each(used)(
    'says of every %s what people see where a program does not read it',
    (_what, _names, table) => {
      const unsaid = Object.entries(table).filter(
        ([, row]) => CLIENTS.some((client) => row[client] !== 'yes') !== (row.otherwise !== undefined),
      )
      expect(unsaid).toEqual([])
    },
  )
})

describe('the HTML of an email', () => {
  it('keeps what Gmail does not read in style elements of their own, because it may drop a whole one', () => {
    const isUnread = (name: string) => (AT_RULES[name] ?? SELECTORS[name])?.gmail === 'no'
    for (const sheet of sheets.slice(1)) {
      const names = sheet.includes('@')
        ? atRulesIn(sheet)
        : rulesOf(sheet).map(([, one = '']) => kindsOf(one)[0] ?? '')
      expect(names.every(isUnread) || !names.some(isUnread), sheet).toBe(true)
    }
  })

  it('has a button that Outlook for Windows fills: a cell with the colour and the padding', () => {
    expect(html).toMatch(
      /<td align="center" bgcolor="#0b6e5f"[^>]*mso-padding-alt: 14px 28px;"><a class="start brand" href="https:\/\/search-setup\.acme\.example\/invite\/TOKEN"/,
    )
    expect(html).toMatch(/<!--\[if mso\]><table [^>]*width="560">/)
  })

  it('lays itself out with tables that screen readers read through', () => {
    expect(html.match(/<table(?! role="presentation")/g)).toBeNull()
  })

  it('loads nothing, runs nothing and stays far below the 102 kB at which Gmail cuts', () => {
    for (const one of ours) {
      expect(one).not.toMatch(/<script|<link|@import|url\(|@font-face|<img[^>]*src="(?!cid:)/)
      expect(Buffer.byteLength(one)).toBeLessThan(30_000)
    }
  })

  it('is valid, but for what mail programs need', async () => {
    const rules = {
      // Mail programs drop the style element, or half of it.
      'no-inline-style': 'off',
      // Outlook for Windows reads these attributes, and comments of its own.
      'no-deprecated-attr': 'off',
      'no-conditional-comment': 'off',
      // "none" is the younger name, which older screen readers do not know.
      'presentation-role-style': 'off',
    } as const
    const check = new HtmlValidate({ extends: ['html-validate:recommended'], rules })
    for (const one of ours) {
      const { results } = await check.validateString(one)
      expect(
        results.flatMap(({ messages }) => messages.map(({ message, line }) => `${line}: ${message}`)),
      ).toEqual([])
    }
  })

  it('can be read in both schemes: every text has its contrast where it is shown', () => {
    const dark = sheets[1] ?? ''
    const inDark = (name: string) => new RegExp(`\\.${name} \\{[^}]*?\\bcolor: (#\\w+)`).exec(dark)?.[1] ?? ''
    for (const name of ['ink', 'quiet']) expect(contrast(inDark(name), '#1a1e25'), name).toBeGreaterThan(4.5)
    for (const color of ['#13161c', '#525a68']) expect(contrast(color, '#ffffff')).toBeGreaterThan(4.5)
    expect(contrast('#eef0f4', '#30363f')).toBeGreaterThan(4.5)
  })
})
