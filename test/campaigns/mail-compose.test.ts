// What an email is made of: the words its templates get, its headers, and the bytes that leave.
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { looksOf } from '../../src/campaigns/mail/look.ts'
import { createMail, refuseInjection, type Mail, type MailParts } from '../../src/campaigns/mail/mail.ts'
import { handOver, messageOf } from '../../src/campaigns/mail/message.ts'
import type { MailWords } from '../../src/campaigns/mail/templates.ts'
import type { Invitee } from '../../src/campaigns/invitee.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { languages, t } from '../helpers/texts.ts'

const now = Date.UTC(2026, 10, 21, 12)
const ada: Invitee = { email: 'ada@acme.example', name: 'Ada' }

async function composed(
  given: { person?: Invitee; apps?: string[]; reminder?: number } & Partial<MailParts>,
) {
  const { person = ada, apps = ['Slack'], reminder = 0, ...parts } = given
  const words: MailWords[] = []
  const issued: unknown[] = []
  const compose = createMail({
    invitations: {
      issue(...all) {
        issued.push(...all)
        return Promise.resolve('TOKEN')
      },
    },
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
  const mail = await compose(
    person,
    apps.map((name, n) => ({ instance: `app_${n}`, name })),
    reminder,
  )
  return { mail, issued, words: words[0] as MailWords }
}

describe('the words that a template gets', () => {
  it('are about the person, the apps, the link and its end', async () => {
    const { words, issued, mail } = await composed({})
    const link = 'https://onramp.acme.example:8443/invite/TOKEN'
    expect(issued).toEqual([{ email: 'ada@acme.example', datasources: ['slack'] }, 30])
    const { t: texts, look, ...rest } = words
    expect(texts.lang).toBe('en')
    expect(look.name).toBe('Search setup')
    expect(rest).toEqual({
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
      subject: 'Connect',
      text: 'Text',
      html: '<p>HTML</p>',
      to: 'ada@acme.example',
      from: { name: 'Search team', address: 'search@acme.example' },
      inlines: [],
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
    expect(words).toMatchObject({
      isReminder: true,
      name: '',
      from: 'search@acme.example',
      apps: ['Slack:de'],
    })
  })

  it('name thirteen apps, or twelve and how many more; those of one name with their numbers', async () => {
    const some = (count: number) => Array.from({ length: count }, (_, n) => `App ${n}`)
    const named = (count: number) => some(count).map((name) => `${name}:en`)
    expect((await composed({ apps: some(13) })).words).toMatchObject({ apps: named(13), more: 0, count: 13 })
    expect((await composed({ apps: some(14) })).words).toMatchObject({ apps: named(12), more: 2, count: 14 })
    const twins = await composed({ apps: ['Slack', 'Jira', 'Slack'] })
    const told = ['Slack:en\u00a0(0)', 'Jira:en', 'Slack:en\u00a0(2)']
    expect(twins.words).toMatchObject({ apps: told, more: 0, count: 3 })
  })
})

it('the Message-ID is the same for the same email, and another for another', async () => {
  const id = async (given: Parameters<typeof composed>[0]) => (await composed(given)).mail.messageId
  const first = await id({})
  expect(first).toMatch(/^<[0-9a-f]{32}@acme\.example>$/)
  expect(await id({ apps: ['Jira'], days: 7 })).toBe(first)
  const others = [{ reminder: 1 }, { campaign: 'd' }, { person: { email: 'bob@acme.example' } }]
  const ids = await Promise.all(others.map(id))
  expect(new Set([first, ...ids]).size).toBe(4)
})

const mail: Mail = {
  from: { name: 'Search, "team"', address: 'search@acme.example' },
  to: 'ada@acme.example',
  subject: 'Connect',
  text: 'Text',
  html: '<p>HTML</p>',
  messageId: '<1@acme.example>',
  headers: { 'X-One': 'a b, c' },
}

it.each<Partial<Mail>>([
  { messageId: '<1\n@acme.example>' },
  { to: 'ada @acme.example' },
  { to: 'ada@acme.example;' },
  { subject: 'a\u2028b' },
  { subject: 'a\u2029b' },
])('an email leaves only where no header of it begins another, or names another: %j', (part) => {
  expect(() => refuseInjection(mail)).not.toThrow()
  expect(() => refuseInjection({ ...mail, ...part })).toThrow(RangeError)
})

it('the mail library gets an email with its headers as they are, and its pictures inside', () => {
  const logo = { cid: 'logo@onramp', filename: 'logo.png', contentType: 'image/png', content: Buffer.of(1) }
  const { headers, ...rest } = mail
  expect(messageOf(mail)).toEqual({
    ...rest,
    envelope: { from: 'search@acme.example', to: 'ada@acme.example' },
    headers: Object.entries(headers).map(([key, value]) => ({ key, value: { prepared: true, value } })),
    attachments: [],
  })
  expect(messageOf({ ...mail, inlines: [logo] }).attachments).toEqual([
    { ...logo, contentDisposition: 'inline' },
  ])
})

describe('the end of an email', () => {
  it('leaves behind all of it, after a moment in which a break is noticed', async () => {
    const over = handOver()
    const chunks: unknown[] = []
    let last = 0
    for await (const chunk of over.stream(Readable.from([Buffer.from('one'), Buffer.from('two')]))) {
      chunks.push(String(chunk))
      last = performance.now()
      expect(over.isOver).toBe(false)
    }
    expect(chunks).toEqual(['one', 'two'])
    expect(over.isOver).toBe(true)
    expect(performance.now() - last).toBeGreaterThanOrEqual(25)
  })

  it('is not read ahead: the server may ask for it much later', async () => {
    const over = handOver()
    const pieces = over.stream(Readable.from([Buffer.from('one')]))[Symbol.asyncIterator]()
    expect(String((await pieces.next()).value)).toBe('one')
    await sleep(60)
    expect(over.isOver).toBe(false)
    expect(await pieces.next()).toEqual({ done: true, value: undefined })
    expect(over.isOver).toBe(true)
  })
})
