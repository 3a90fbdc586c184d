// The HTML of emails uses only features of common mail programs.
import { HtmlValidate } from 'html-validate'
import { expect, it } from 'vitest'
import { ACME, useEmails, EMAIL_RULES, picture, png } from './emails.ts'

const write = useEmails()

const pictures = { light: picture('png', png(320, 64)), dark: picture('png', png(300, 64)) }
const { html } = write({
  file: { ...ACME, logo: { light: 'light', dark: 'dark' } },
  pictures,
  apps: Array.from({ length: 20 }, (_, index) => `App ${index}`),
})
const plainEmail = write()
const ourHtml = [html, plainEmail.html]

/** The HTML without the parts that only Outlook for Windows reads. */
const shownHtml = ourHtml.join('\n').replaceAll(/<!--\[if mso\]>.*?<!\[endif\]-->/gs, '')
const sheets = [...shownHtml.matchAll(/<style>(.*?)<\/style>/gs)].map(([, css = '']) => css)
const markup = shownHtml
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

const inline = [...markup.matchAll(/style="([^"]*)"/g)].flatMap(([, one = '']) => propertiesIn(one))
const inSheets = sheets.flatMap(rulesOf)

/** From caniemail.com, for Gmail, Outlook for Windows, Outlook.com and Apple Mail. Ignored features do no harm. */
const KNOWN = {
  properties:
    'background-color border border-color border-radius border-top color color-scheme display font-family font-size font-weight height line-height margin max-height max-width mso-hide mso-padding-alt overflow padding padding-left padding-right supported-color-schemes text-align text-decoration width word-break',
  elements: 'a article bdi body div h1 head html img meta p style table tbody td title tr',
  selectors: ':root attribute class',
}

it('the HTML of an email uses only features of common mail programs', () => {
  const properties = [...inline, ...inSheets.flatMap(([, , declarations = '']) => propertiesIn(declarations))]
  expect(unique(properties).filter(Boolean).join(' ')).toBe(KNOWN.properties)
  expect(unique([...markup.matchAll(/<([a-z]\w*)/g)].map(([, name]) => name)).join(' ')).toBe(KNOWN.elements)
  expect(unique(inSheets.flatMap(([, selector = '']) => kindsOf(selector))).join(' ')).toBe(KNOWN.selectors)
})

it('an HTML email’s button is a table cell, which Outlook for Windows renders', () => {
  expect(html).toMatch(
    /<td align="center" bgcolor="#0b6e5f"[^>]*mso-padding-alt: 14px 28px;"><a class="start brand" href="https:\/\/search-setup\.acme\.example\/invite\/TOKEN"/,
  )
  expect(html).toMatch(/<!--\[if mso\]><table [^>]*width="560">/)
})

it('the HTML of an email is laid out by tables that screen readers ignore', () => {
  expect(html.match(/<table(?! role="presentation")/g)).toBeNull()
})

it('an HTML email loads nothing, runs nothing and stays below Gmail’s limit of 102 kB', () => {
  for (const email of ourHtml) {
    expect(email).not.toMatch(/<script|<link|@import|url\(|@font-face|<img[^>]*src="(?!cid:)/)
    expect(Buffer.byteLength(email)).toBeLessThan(30_000)
  }
})

it('the HTML of an email is valid, except for what mail programs need', async () => {
  const check = new HtmlValidate(EMAIL_RULES)
  for (const email of ourHtml) {
    const { results } = await check.validateString(email)
    expect(
      results.flatMap(({ messages }) => messages.map(({ message, line }) => `${line}: ${message}`)),
    ).toEqual([])
  }
})
