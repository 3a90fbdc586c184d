// What an email is made of: the words its templates get, its headers, and the bytes that leave.
import { describe, expect, it } from 'vitest'
import { looksOf } from '../../src/campaigns/mail/look.ts'
import {
  bytesOf,
  createMail,
  refuseInjection,
  type Mail,
  type MailParts,
} from '../../src/campaigns/mail/mail.ts'
import { createMailServer } from '../../src/campaigns/mail/server.ts'
import type { MailWords } from '../../src/campaigns/mail/templates.ts'
import type { Invitee } from '../../src/campaigns/people-file.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { languages, t } from '../helpers/texts.ts'
import { mail } from './sample-mail.ts'

const now = Date.UTC(2026, 10, 21, 12)
const ada: Invitee = { email: 'ada@acme.example', name: 'Ada' }
type Given = { person?: Invitee; apps?: string[]; reminder?: number } & Partial<MailParts>

async function composed({ person = ada, apps = ['Slack'], reminder = 0, ...parts }: Given) {
  const words: MailWords[] = []
  const issued: unknown[] = []
  const compose = createMail({
    invitations: { issue: (...all) => (issued.push(...all), Promise.resolve('TOKEN')) },
    render: (all) => (words.push(all), { subject: 'Connect', text: 'Text', html: '<p>HTML</p>' }),
    languages,
    looks: looksOf(neutralCompany),
    nameOf: ({ name }, lang) => `${name}:${lang}`,
    from: { name: 'Search team', address: 'search@acme.example' },
    publicUrl: 'https://onramp.acme.example:8443',
    campaign: 'c',
    datasources: ['slack'],
    days: 30,
    now: () => now,
    ...parts,
  })
  const left = apps.map((name, n) => ({ instance: `app_${n}`, name }))
  return { mail: await compose(person, left, reminder), issued, words: words[0] as MailWords }
}

describe('the words that a template gets', () => {
  it('are about the person, the apps, the link and its end', async () => {
    const { words, issued, mail } = await composed({})
    const link = 'https://onramp.acme.example:8443/invite/TOKEN'
    expect(issued).toEqual([{ email: 'ada@acme.example', datasources: ['slack'] }, 30])
    expect(words).toMatchObject({
      email: 'ada@acme.example',
      name: 'Ada',
      count: 1,
      apps: ['Slack:en'],
      more: 0,
      isReminder: false,
      link,
      optOut: `${link}/opt-out`,
      address: 'https://onramp.acme.example:8443',
      host: 'onramp.acme.example:8443',
      days: 30,
      expires: t.day(Date.UTC(2026, 11, 21, 12)),
      from: 'Search team',
    })
    expect(mail).toMatchObject({
      to: 'ada@acme.example',
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'OOF, AutoReply',
        'List-Unsubscribe': `<${link}/opt-out>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    })
  })

  it('know a reminder, someone without a name, a sender without one, and the person’s language', async () => {
    const from = { name: '', address: 'search@acme.example' }
    const person = { email: 'ada@acme.example', language: 'de' }
    const { words } = await composed({ reminder: 1, from, person })
    const without = { isReminder: true, name: '', from: 'search@acme.example', apps: ['Slack:de'] }
    expect(words).toMatchObject(without)
  })

  it('name ten apps, or of more the first five and how many more; those of one name with their numbers', async () => {
    const some = (count: number) => Array.from({ length: count }, (_, n) => `App ${n}`)
    const named = (count: number) => some(count).map((name) => `${name}:en`)
    expect((await composed({ apps: some(10) })).words).toMatchObject({ apps: named(10), more: 0, count: 10 })
    expect((await composed({ apps: some(11) })).words).toMatchObject({ apps: named(5), more: 6, count: 11 })
    const twins = await composed({ apps: ['Slack', 'Jira', 'Slack'] })
    expect(twins.words.apps).toEqual(['Slack:en\u00a0(0)', 'Jira:en', 'Slack:en\u00a0(2)'])
  })
})

it('the Message-ID is the same for the same email, and another for another', async () => {
  const id = async (given: Given) => (await composed(given)).mail.messageId
  const first = await id({})
  expect(first).toMatch(/^<[0-9a-f]{32}@acme\.example>$/)
  expect(await id({ apps: ['Jira'], days: 7 })).toBe(first)
  const others = [{ reminder: 1 }, { campaign: 'd' }, { person: { email: 'bob@acme.example' } }]
  expect(new Set([first, ...(await Promise.all(others.map(id)))]).size).toBe(4)
})

it.each<Partial<Mail>>([
  { subject: 'Hi\r\nBcc: eve@evil.example' },
  { subject: 'a\u2028b' },
  { from: { name: 'Search\nBcc: x', address: 'search@acme.example' } },
  { from: { name: '', address: 'a@b.c <x@y.z>' } },
  { to: 'ada@acme.example\u2028x' },
  { to: 'ada@acme.example,eve@evil.example' },
  { to: 'ada@acme.example;' },
  { headers: { 'X-One': 'a\nX-Two: b' } },
  { headers: { 'X\r\nBcc': 'a' } },
  { messageId: '<1\n@acme.example>' },
])('no email leaves whose headers begin another one, or name another recipient: %j', async (part) => {
  const injected: Mail = { ...mail, ...part }
  expect(() => refuseInjection(mail)).not.toThrow()
  expect(() => refuseInjection(injected)).toThrow(RangeError)
  const server = createMailServer('smtp://127.0.0.1:1')
  await expect(server.post(injected)).rejects.toThrow(RangeError)
  server.close()
})

it('an email has its headers on one line each, however long', async () => {
  const headers = { 'List-Unsubscribe': `<https://onramp.acme.example/${'x'.repeat(300)}>` }
  const bytes = (await bytesOf({ ...mail, headers })).toString()
  expect(bytes).toMatch(/^List-Unsubscribe: <https:\/\/onramp\.acme\.example\/x{300}>\r$/m)
  expect(bytes.split('\n').filter((line) => !line.endsWith('\r')).length).toBeLessThanOrEqual(1)
})
