// Fixture: an email for tests of the mail server.
import type { Email } from '../../src/campaigns/mail/email.ts'

export const mail: Email = {
  from: { name: '', address: 'search@acme.example' },
  to: 'ada@acme.example',
  subject: 'Connect',
  text: 'Connect',
  html: '<p>Connect</p>',
  messageId: '<1@acme.example>',
  headers: {},
}
