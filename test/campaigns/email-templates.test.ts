// Custom email templates: their values, and errors that are reported before anything is sent.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { useFolder } from '../helpers/folder.ts'
import { createEmailTemplates } from '../../src/campaigns/mail/templates.ts'
import { t } from '../helpers/texts.ts'

const root = useFolder()

let folders = 0
function folderWith(text: string | undefined, html: string | undefined = '<p>Hello</p>'): string {
  const folder = join(root, `${++folders}`)
  mkdirSync(folder)
  if (text !== undefined) writeFileSync(join(folder, 'invitation-text.eta'), text)
  if (html !== '') writeFileSync(join(folder, 'invitation-html.eta'), html)
  return folder
}

/** The values of these templates. */
const words = { t, name: 'Bob & <b>' } as Parameters<ReturnType<typeof createEmailTemplates>>[0]

const renderWith = (text: string, html?: string) => createEmailTemplates(folderWith(text, html))(words)

it('a template prints its values unchanged in plain text and escaped in HTML', () => {
  const body = '<%= it.name %> <%= it.letterOf(it.name) %>'
  expect(renderWith(`Subject: Hi <%= it.name %>\n\n\n${body}\n`, `<p>${body}</p>`)).toEqual({
    subject: 'Hi Bob & <b>',
    text: 'Bob & <b> B\n',
    html: '<p>Bob &amp; &lt;b&gt; B</p>',
  })
})

it.each([
  ['Subject:Hi\n\n\nHello\n', 'Hi', 'Hello\n'],
  ['Subject: \t Hi  \n\n\n\n  Hello\nyou  \n\n', 'Hi', 'Hello\nyou\n'],
  ['Subject: Hi\r\n\r\n\r\nHello', 'Hi', 'Hello\n'],
  [`Subject: ${'☃🎉'.repeat(75)}!\n\n\nHello`, '☃🎉'.repeat(75), 'Hello\n'],
  ['Subject: Hi: Subject: you\n\n\nHello', 'Hi: Subject: you', 'Hello\n'],
])('the first line of a template is its subject: %j', (template, subject, text) => {
  expect(renderWith(template)).toMatchObject({ subject, text })
})

it('a copy of a built-in template is accepted', () => {
  const folder = join(root, 'copy')
  cpSync(fileURLToPath(new URL('../../views/mail', import.meta.url)), folder, { recursive: true })
  expect(() => createEmailTemplates(folder)).not.toThrow()
})

it('a template is rendered with every possible value before any email is sent', () => {
  const requireValues =
    '<% for (const [key, value] of Object.entries(it)) if (value === "" || value.length === 0) throw new Error(`no ${key}`) %>'
  const some = '<% if (it.isReminder || it.count !== it.apps.length || it.apps.includes("")) throw it.apps %>'
  expect(() =>
    createEmailTemplates(folderWith(`${requireValues}${some}Subject: Hi\n\n\nHello`)),
  ).not.toThrow()
  expect(() =>
    createEmailTemplates(folderWith('Subject: <%= it.t.lang + it.t("brand.setup") %>\n\n\nx')),
  ).not.toThrow()
})

const MUST = 'invitation-text.eta must start with "Subject: …" followed by an empty line'

// prettier-ignore
it.each<[string, string | undefined, string | undefined, string | RegExp]>([
  ['without its text', undefined, undefined, /\d has no invitation-text\.eta$/],
  ['without its HTML', 'Subject: Hi\n\n\nHello', '', /\d has no invitation-html\.eta$/],
  ['without a subject', 'Hello\n\n\nyou', undefined, MUST],
  ['with a subject elsewhere', 'Hello\nSubject: Hi\n\n\nyou', undefined, MUST],
  ['with an empty subject', 'Subject: \n\n\nHello', undefined, MUST],
  ['with a subject of spaces', 'Subject: \u00a0\n\n\nHello', undefined, MUST],
  ['with no empty line behind the subject', 'Subject: Hi\nHello\n\n\n', undefined, MUST],
  ['without words', 'Subject: Hi\n\n\n \n', undefined, MUST],
  ['with a control character in its subject', 'Subject: H\u0007i\n\n\nHello', undefined, /text\.eta: the subject contains a control/],
  ['that fails', 'Subject: <%= it.none.such %>\n\n\nHello', undefined, /^invitation-text\.eta: [^\n]+$/],
  ['whose HTML fails', 'Subject: Hi\n\n\nHello', '<%= it.none.such %>', /^invitation-html\.eta: [^\n]+$/],
  ['failing in two lines', 'Subject: <% throw new Error("oh\\nand") %>\n\n\nx', undefined, /text\.eta: oh$/],
  ['that throws 7', 'Subject: <% throw 7 %>\n\n\nHello', undefined, 'invitation-text.eta: unknown error'],
])('a template %s is refused at once, by its name', (_title, text, html, message) => {
  const folder = folderWith(text, html)
  expect(() => createEmailTemplates(folder)).toThrow(
    expect.objectContaining({
      name: 'FaultyTemplate',
      message: expect.stringMatching(message) as string,
    }) as Error,
  )
})
