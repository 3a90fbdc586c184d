// What a mail server's replies come to: replies that providers document, or that people reported.
import { describe, expect, it } from 'vitest'
import { outcomeOf } from '../../src/campaigns/mail/outcome.ts'
import { replyShown, saysOf, type SmtpError } from '../../src/campaigns/mail/smtp-trouble.ts'

type Given = Omit<Partial<SmtpError>, 'name'>
const came = (given: Given, hasLeft = false) =>
  outcomeOf(Object.assign(new Error('Failed'), given), hasLeft, 5_000)

const replied = (response: string, command = 'RCPT TO') =>
  came({ code: 'EENVELOPE', response, responseCode: Number(response.slice(0, 3)), command }, true)

const later = { outcome: 'deferred', isAboutRecipient: false }

describe('a permanent reply about the recipient', () => {
  it.each([
    '550-5.1.1 The email account that you tried to reach does not exist. Please try\r\n550 5.1.1 double-checking',
    '550 5.1.1 <ada@acme.example>: Recipient address rejected: User unknown in virtual mailbox table',
    '550 5.1.2 no such host',
    '553 5.1.3 that is no address',
    '551 5.1.6 has moved',
    '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
    '550 5.2.1 The email account that you tried to reach is disabled.',
    '550 #5.1.1 unknown',
    '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)',
    '550 No such user here (was: 450 4.2.0 greylisted)',
    '551 User not local',
    '553 sorry, no such mailbox',
    '550-Requested action not taken: mailbox unavailable\r\n550 No such user here',
  ])('is a rejection: %s', (reply) => {
    expect(replied(reply)).toMatchObject({ outcome: 'failed', isAboutRecipient: true })
  })

  it('is one also at the end of an email, where it has a status code', () => {
    expect(replied('550 5.1.1 no', 'DATA')).toMatchObject({ outcome: 'failed' })
    expect(replied('550 5.1.1 no', 'MAIL FROM')).toMatchObject(later)
    for (const command of ['DATA', 'MAIL FROM', 'CONN'])
      expect(replied('550 no such user', command)).toMatchObject(later)
  })
})

describe('a reply that is not', () => {
  it.each([
    '553 5.7.1 <search@acme.example>: Sender address rejected: not owned by user search',
    '550 5.1.8 <search@acme.example>: Sender address rejected: Domain not found',
    '550 5.1.7 <search@acme.example>: Sender address rejected: undeliverable address',
    '550 5.1.11 <ada@acme.example>: a code that no one has registered',
    "550 5.1.90 Your message can't be sent because you've reached your daily limit for recipients",
    '550 5.7.60 SMTP; Client does not have permissions to send as this sender',
    '550 5.7.23 <ada@acme.example>: Recipient address rejected: Message rejected due to: SPF fail',
    '550-5.7.26 Unauthenticated email from acme.example is not accepted\r\n550 5.7.26 due to domain policy',
    '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication for the group',
    '530 5.7.57 Client not authenticated to send mail',
    '554 5.7.1 <ada@acme.example>: Relay access denied',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
    '550 5.4.5 Daily user sending quota exceeded. o65sm25351206pga.71 - gsmtp',
    '550 5.4.1 All recipient addresses rejected : Access denied',
    '550-5.7.1 The server behind this one says:\r\n550 5.1.1 unknown',
    '550-5.7.1 The server behind this one says:\r\n550 5.4.1 Recipient address rejected',
    '554 No such user',
    '552 Message size exceeds maximum permitted',
    '500 unrecognized command',
  ])('means later, and counts as a failure: %s', (reply) => {
    expect(replied(reply)).toMatchObject(later)
  })

  it.each([
    '450 4.2.0 <ada@acme.example>: Recipient address rejected: Greylisted',
    '451 4.3.0 <ada@acme.example>: Temporary lookup failure',
    '452 4.2.2 mailbox full',
    '552 5.2.2 mailbox full',
    '552-5.2.2 The email account that you tried to reach is over quota.',
  ])('means later, and is about this mailbox: %s', (reply) => {
    expect(replied(reply)).toMatchObject({ outcome: 'deferred', isAboutRecipient: true })
  })

  it('counts as a failure behind RCPT, also where it passes', () => {
    expect(replied('421 4.3.2 closing')).toMatchObject(later)
    for (const command of ['MAIL FROM', 'DATA', 'CONN'])
      expect(replied('451 4.3.2 later', command)).toMatchObject(later)
  })
})

it('a reply that is missing leaves an email unknown only where all of it has left', () => {
  const reply = 'the connection broke (ECONNRESET)'
  const given = { code: 'ESOCKET', errno: -104 }
  expect(came(given, true)).toEqual({ outcome: 'unknown', reply, isAboutRecipient: false })
  expect(came(given, false)).toEqual({ ...later, reply })
})

describe('what is shown of a reply', () => {
  it.each([
    ['550-5.1.1 No one \r\n550 5.1.1 of this name', '550-5.1.1 No one 5.1.1 of this name'],
    ['550   too \u0007 much room  ', '550 too ? much room'],
    ['see https://a.example/one?two and http://b.example', 'see https://a.example/… and http://b.example'],
    ['dislikes /invite/eyJ.a-b_c in it', 'dislikes … in it'],
    [`dislikes ${'x-'.repeat(20)}.more-of_it! in it`, 'dislikes …! in it'],
    ['a b '.repeat(75) + 'c', `${'a b '.repeat(75)}…`],
  ])('is one line, short, and without what is personal: %j', (reply, shown) => {
    expect(replyShown(reply)).toBe(shown)
  })

  it('is the mail server’s only where it is', () => {
    expect(saysOf('550 no')).toBe('it says: 550 no')
    expect(saysOf('the connection broke')).toBe('the connection broke')
    expect(saysOf('the connection broke', 'It says: ', 'So: ')).toBe('So: the connection broke')
  })
})
