// An email as tests of the mail server hand it over.
import type { Mail } from '../../src/campaigns/mail/mail.ts'

export const mail: Mail = {
  from: { name: '', address: 'search@acme.example' },
  to: 'ada@acme.example',
  subject: 'Connect',
  text: 'Connect',
  html: '<p>Connect</p>',
  messageId: '<1@acme.example>',
  headers: {},
}
