import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMailTemplates, FaultyTemplate } from '../../src/campaigns/mail/templates.ts'
import { refuseInjection, type Mail } from '../../src/campaigns/mail/mail.ts'
import { createMailServer } from '../../src/campaigns/mail/server.ts'
import { looksOf } from '../../src/campaigns/mail/look.ts'
import { bytesOf } from '../../src/campaigns/mail/message.ts'
import { neutralCompany } from '../../src/company/company.ts'
import { t } from '../helpers/texts.ts'

const mail: Mail = {
  from: { name: 'Search team', address: 'search@acme.example' },
  to: 'ada@acme.example',
  subject: 'Two apps wait',
  text: 'Hello\n',
  html: '<p>Hello</p>',
  messageId: '<1@acme.example>',
  headers: { 'List-Unsubscribe': `<https://onramp.acme.example/${'x'.repeat(300)}>` },
}

describe('a mail', () => {
  it.each([
    ['subject', { subject: 'Hi\r\nBcc: eve@evil.example' }],
    ['name of its sender', { from: { name: 'Search\nBcc: x', address: 'search@acme.example' } }],
    ['address', { to: 'ada@acme.example\u2028x' }],
    ['second address', { to: 'ada@acme.example,eve@evil.example' }],
    ['address of its sender', { from: { name: '', address: 'a@b.c <x@y.z>' } }],
    ['header', { headers: { 'X-One': 'a\nX-Two: b' } }],
    ['name of a header', { headers: { 'X\r\nBcc': 'a' } }],
  ])(
    'does not leave with a %s that begins another header, or names another recipient',
    async (_what, part) => {
      const injected: Mail = { ...mail, ...part }
      expect(() => refuseInjection(injected)).toThrow(RangeError)
      const server = createMailServer('smtp://127.0.0.1:1')
      await expect(server.post(injected)).rejects.toThrow(RangeError)
      server.close()
    },
  )

  it('has its headers on one line each, however long', async () => {
    const bytes = (await bytesOf(mail)).toString()
    expect(bytes).toMatch(/^List-Unsubscribe: <https:\/\/onramp\.acme\.example\/x{300}>\r$/m)
    expect(bytes.split('\n').filter((line) => !line.endsWith('\r')).length).toBeLessThanOrEqual(1)
  })

  it('has no subject that rings, whatever a template makes of it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'onramp-template-'))
    writeFileSync(join(folder, 'invitation-text.eta'), 'Subject: Hi\u0007\n\n\nHello\n')
    writeFileSync(join(folder, 'invitation-html.eta'), '<p>Hello</p>')
    const words = { name: '', count: 1, apps: [], more: 0, isReminder: false, days: 1 }
    const addresses = { email: '', link: '', optOut: '', address: '', host: '', from: '', expires: '' }
    const shown = { t, look: looksOf(neutralCompany).in(t) }
    expect(() => createMailTemplates(folder)({ ...words, ...addresses, ...shown })).toThrow(FaultyTemplate)
    rmSync(folder, { recursive: true })
  })
})
