// Emails to admins: the same content in HTML and plain text, and the headers.
import { HtmlValidate } from 'html-validate'
import { expect, it } from 'vitest'
import { createNoticeComposer, type Notice } from '../../src/campaigns/mail/email.ts'
import { resolveCompany } from '../../src/company/company.ts'
import type { CompanyFile } from '../../src/company/schema.ts'
import { ACME, EMAIL_RULES } from './emails.ts'

const notice: Notice = {
  subject: 'Slack: 412 people lost access',
  heading: 'Many people lost access to <Slack>',
  paragraphs: ['412 of 450 people lost it since 9:00.', 'Emails to them wait.'],
  figures: [{ label: 'Ready', value: '812', change: '−412', href: 'https://search-setup.acme.example/1' }],
  needs: [
    { title: 'Slack: 9 of 9 lost access', detail: 'Find the cause.', command: 'onramp keep --release' },
    { title: 'Fix 2 bounced emails', detail: 'Check the addresses.', command: undefined },
  ],
  commands: [`onramp keep PEOPLE.csv --release slack_1 ${'--and-so-on '.repeat(8)}`.trim()],
  link: { href: 'https://search-setup.acme.example/admin', label: 'Open the figures' },
}
const from = { name: 'the Acme search team', address: 'search@acme.example' }
const write = (to = 'admin@acme.example', id = 'break', file: CompanyFile = ACME) =>
  createNoticeComposer(from, resolveCompany(file, new Map()))(to, notice, id)

it('the plain text of a notice is complete, with each command on one line', () => {
  expect(write().text).toBe(`Many people lost access to <Slack>

412 of 450 people lost it since 9:00.

Emails to them wait.

  Ready: 812 (−412)

What needs you

Slack: 9 of 9 lost access
Find the cause.

  onramp keep --release

Fix 2 bounced emails
Check the addresses.

  ${notice.commands.join('')}

Open the figures
https://search-setup.acme.example/admin

--
From the Acme search team, sent to admin@acme.example because you’re a
rollout admin at Acme.
`)
})

it('the HTML of a notice has the same content, and is valid', async () => {
  const { html } = write()
  const { figures, needs, commands, paragraphs, link } = notice
  const [count] = figures
  const fitted = needs.flatMap(({ title, detail, command }) => [title, detail, command ?? ''])
  const output = [
    count?.value,
    count?.change,
    count?.href,
    ...fitted,
    ...commands,
    ...paragraphs,
    link.href,
    link.label,
  ]
  const withoutSpans = html.replaceAll(/<\/?span[^>]*>/g, '')
  for (const one of output) expect(withoutSpans).toContain(one)
  expect(html).toContain('lost access to &lt;Slack&gt;</h1>')
  const { results } = await new HtmlValidate(EMAIL_RULES).validateString(html)
  expect(results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([])
})

it('a word of a command in an email breaks only if it exceeds 30 characters', () => {
  const [fits, tooLong] = [`--${'x'.repeat(28)}`, `--${'x'.repeat(29)}`]
  const { html } = createNoticeComposer(from, resolveCompany(ACME, new Map()))(
    'admin@acme.example',
    { ...notice, commands: [`onramp ${fits} ${tooLong}`] },
    'break',
  )

  expect(html).toContain(`<span style="white-space: nowrap;">${fits}</span> ${tooLong}</div>`)
})

it('a notice is in the first language of the company', () => {
  const { html } = write(undefined, undefined, { ...ACME, languages: ['ar', 'en'] })
  expect(html).toContain('<html lang="ar" dir="rtl">')
  expect(html).toContain('لأنك من مسؤولي الإطلاق')
  expect(html).not.toContain('sent to')
})

it('a notice has headers against auto-replies alone, and none to unsubscribe', () => {
  expect(write().headers).toEqual({
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'OOF, AutoReply',
  })
})

it('a notice has a Message-ID for each recipient and kind', () => {
  const { messageId } = write()
  expect(write().messageId).toBe(messageId)
  const others = [write('other@acme.example'), write(undefined, 'digest')].map((mail) => mail.messageId)
  expect(new Set([messageId, ...others]).size).toBe(3)
})
