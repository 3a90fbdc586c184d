// The outcome of an email for each SMTP reply; the replies are from documentation and reports.
import { expect, it } from 'vitest'
import { quoteReply, sendResultOf, type SmtpError } from '../../src/campaigns/mail/send-result.ts'

type Input = Omit<Partial<SmtpError>, 'name'>
const resultOfError = (given: Input, wasTransmitted = false) =>
  sendResultOf(Object.assign(new Error('Failed'), given), wasTransmitted, 5_000)

const resultOfReply = (response: string, command: string) =>
  resultOfError({ code: 'EENVELOPE', response, responseCode: Number(response.slice(0, 3)), command }, true)

const REJECTED = { outcome: 'failed', reason: 'recipient' }
const LATER = { outcome: 'deferred', reason: 'recipient' }
const THROTTLED = { outcome: 'deferred', reason: 'throttled' }
const OTHER = { outcome: 'deferred', reason: 'other' }

const NAMES = new Map<object, string>([
  [REJECTED, 'rejects this recipient'],
  [LATER, 'puts this recipient off'],
  [THROTTLED, 'takes nothing from us for now'],
  [OTHER, 'is about neither'],
])

/** Stage, reply and outcome. Neighboring rows lie on the two sides of a boundary. */
const REPLIES: readonly (readonly [command: string, reply: string, means: object])[] = [
  // 5xx with a code of RFC 3463 about a mailbox
  [
    'RCPT TO',
    '550-5.1.1 The account that you tried to reach does not exist. Try\r\n550 5.1.1 again',
    REJECTED,
  ],
  ['RCPT TO', '550 5.1.1 <ada@acme.example>: Recipient address rejected: User unknown in table', REJECTED],
  ['DATA', '550 5.1.1 no', REJECTED],
  ['MAIL FROM', '550 5.1.1 no', OTHER],
  ['CONN', '550 5.1.1 no', OTHER],
  ['RCPT TO', '550 5.1.0 Address rejected', OTHER],
  ['RCPT TO', '550 5.1.2 no such host', REJECTED],
  ['RCPT TO', '553 5.1.3 that is no address', REJECTED],
  ['RCPT TO', '553 5.1.4 ambiguous', OTHER],
  ['RCPT TO', '551 5.1.6 has moved', REJECTED],
  ['RCPT TO', '550 5.1.7 <search@acme.example>: Sender address rejected: undeliverable', OTHER],
  ['RCPT TO', '550 5.1.8 <search@acme.example>: Sender address rejected: Domain not found', OTHER],
  ['RCPT TO', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by lookup', REJECTED],
  ['RCPT TO', '550 5.1.11 <ada@acme.example>: a code that no one has registered', OTHER],
  ['DATA', "550 5.1.90 Your message can't be sent because you've reached your daily limit", OTHER],
  ['RCPT TO', '550 5.2.1 The email account that you tried to reach is disabled.', REJECTED],
  ['RCPT TO', '552 5.2.2 mailbox full', LATER],
  ['DATA', '552-5.2.2 The email account that you tried to reach is over quota.', LATER],
  ['MAIL FROM', '552 5.2.2 mailbox full', OTHER],
  ['DATA', '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException', OTHER],
  ['RCPT TO', '550 #5.1.1 unknown', REJECTED],
  ['RCPT TO', '550-5.7.1 The server behind this one says:\r\n550 5.1.1 unknown', OTHER],
  ['RCPT TO', '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)', REJECTED],
  ['RCPT TO', '550 5.4.1 All recipient addresses rejected : Access denied', OTHER],
  ['RCPT TO', '550-5.7.1 The server behind this one says:\r\n550 5.4.1 Recipient address rejected', OTHER],
  // 5xx without a code of RFC 3463
  ['RCPT TO', '550 No such user here (was: 450 4.2.0 greylisted)', REJECTED],
  ['RCPT TO', '550-Requested action not taken: mailbox unavailable\r\n550 No such user here', REJECTED],
  ['RCPT TO', '551 User not local', REJECTED],
  ['RCPT TO', '552 Message size exceeds maximum permitted', OTHER],
  ['RCPT TO', '553 sorry, no such mailbox', REJECTED],
  ['RCPT TO', '554 No such user', OTHER],
  ['DATA', '550 no such user', OTHER],
  ['RCPT TO', '500 unrecognized command', OTHER],
  // 5xx about the sender or its permissions
  ['RCPT TO', '553 5.7.1 <search@acme.example>: Sender address rejected: not owned by user', OTHER],
  ['DATA', '550 5.7.60 SMTP; Client does not have permissions to send as this sender', OTHER],
  ['RCPT TO', '550 5.7.23 <ada@acme.example>: Recipient address rejected: rejected due to: SPF fail', OTHER],
  ['DATA', '550-5.7.26 Unauthenticated email from acme.example is\r\n550 5.7.26 not accepted', OTHER],
  ['RCPT TO', '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup', OTHER],
  ['MAIL FROM', '530 5.7.57 Client not authenticated to send mail', OTHER],
  ['RCPT TO', '554 5.7.1 <ada@acme.example>: Relay access denied', OTHER],
  ['CONN', '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using a list', OTHER],
  // 5xx: a rate is temporary, a daily quota isn't
  ['DATA', '550 5.7.1 Message rejected: sending rate exceeded', THROTTLED],
  ['RCPT TO', '550 5.7.1 Too many messages from you', THROTTLED],
  ['RCPT TO', '550 Sender rate overlimit - 12.3 / 1h', THROTTLED],
  ['RCPT TO', '550 5.1.1 Too many wrong ones: no such user', REJECTED],
  ['DATA', '550 5.7.1 This was rated as spam by a corporate filter', OTHER],
  ['DATA', '554 5.4.6 Too many hops', OTHER],
  ['DATA', '552 5.3.4 Message size exceeds fixed limit', OTHER],
  ['DATA', '550 5.4.5 Daily user sending quota exceeded. o65sm25351206pga.71 - gsmtp', OTHER],
  // 4xx before a recipient is named, and at the end: about no recipient
  ['CONN', '421 4.7.0 mail.acme.example Error: too many connections from 192.0.2.1', THROTTLED],
  ['EHLO', '421 4.7.0 Try again later, closing connection.', THROTTLED],
  ['AUTH PLAIN', '454 4.7.0 Too many login attempts, please try again later.', THROTTLED],
  ['AUTH LOGIN', '432 4.3.2 Concurrent connections limit exceeded', THROTTLED],
  ['MAIL FROM', '450 4.7.1 Error: too much mail from 192.0.2.1', THROTTLED],
  ['MAIL FROM', '452 4.3.1 Insufficient system storage', THROTTLED],
  ['DATA', '454 Throttling failure: Maximum sending rate exceeded.', THROTTLED],
  ['DATA', '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded', THROTTLED],
  ['DATA', '451 later', THROTTLED],
  ['DATA', '452 4.2.2 mailbox full', LATER],
  // 4xx to RCPT TO: about the mailbox, the sender's address, or the mail system
  ['RCPT TO', '450 4.2.0 <ada@acme.example>: Recipient address rejected: Greylisted', LATER],
  ['RCPT TO', '450 4.2.1 The user you are trying to contact is receiving mail too quickly', LATER],
  ['RCPT TO', '452 4.2.2 mailbox full', LATER],
  ['MAIL FROM', '452 4.2.2 mailbox full', THROTTLED],
  ['RCPT TO', '450 4.1.1 <ada@acme.example>: unverified address: verification in progress', LATER],
  ['RCPT TO', '450 4.1.7 <search@acme.example>: Sender address rejected: unverified', THROTTLED],
  ['RCPT TO', '450 4.1.8 <search@acme.example>: Sender address rejected: Domain not found', THROTTLED],
  ['RCPT TO', '450 4.7.1 <search>: Helo command rejected: Host not found', THROTTLED],
  ['RCPT TO', '450 4.7.1 Client host rejected: cannot find your hostname, [192.0.2.1]', THROTTLED],
  ['RCPT TO', '451 4.3.0 <ada@acme.example>: Temporary lookup failure', THROTTLED],
  ['RCPT TO', '451 4.4.1 no answer from the host of acme.example', LATER],
  ['RCPT TO', '452 4.5.3 Error: too many recipients', THROTTLED],
  ['RCPT TO', '451 4.7.1 Greylisting in action, please come back later', LATER],
  ['RCPT TO', '450 4.7.1 <ada@acme.example>: Recipient address rejected: too much mail', THROTTLED],
  ['RCPT TO', '450 Too many recipient attempts', THROTTLED],
  ['RCPT TO', '451 4.7.1 Hourly limit exceeded', THROTTLED],
  [
    'RCPT TO',
    '450 4.7.1 <ada@acme.example>: Recipient address rejected: Policy Rejection- Quota Exceeded.',
    THROTTLED,
  ],
  ['RCPT TO', '452 mailbox limit exceeded', LATER],
  ['RCPT TO', '422 4.2.2 Greylisted, please try again in a few moments.', LATER],
  ['RCPT TO', '451 mailbox busy', LATER],
  ['RCPT TO', '451 rate-limited, slow down', THROTTLED],
  ['RCPT TO', '421 4.3.2 closing', THROTTLED],
]

it.each(REPLIES.map(([command, reply, means]) => [command, reply, NAMES.get(means), means] as const))(
  'the reply to %s of a mail server, %s, is classified: %s',
  (command, reply, _title, means) => {
    expect(resultOfReply(reply, command)).toMatchObject(means)
  },
)

it('a missing reply leaves the outcome unknown only if the whole email was sent', () => {
  const reply = 'the connection broke (ECONNRESET)'
  const given = { code: 'ESOCKET', errno: -104 }
  expect(resultOfError(given, true)).toEqual({ outcome: 'unknown', reply, reason: 'other' })
  expect(resultOfError(given, false)).toEqual({ ...OTHER, reply })
})

it.each([
  ['550-5.1.1 No one \r\n550 5.1.1 of this name', '550-5.1.1 No one 5.1.1 of this name'],
  ['550   too \u0007 much room  ', '550 too ? much room'],
  ['see https://a.example/one?two and http://b.example', 'see https://a.example/… and http://b.example'],
  ['dislikes /invite/eyJ.a-b_c in it', 'dislikes … in it'],
  [`dislikes ${'x-'.repeat(20)}.more-of_it! in it`, 'dislikes …! in it'],
  ['a b '.repeat(75) + 'c', `${'a b '.repeat(75)}…`],
])('a quoted reply is one short line without personal data: %j', (reply, shown) => {
  expect(resultOfError({ response: reply, responseCode: 550 })).toMatchObject({ reply: shown })
})

it('a quoted reply is attributed to the mail server only if it is one', () => {
  expect(quoteReply('550 no')).toBe('reply: 550 no')
  expect(quoteReply('the connection broke')).toBe('the connection broke')
  expect(quoteReply('the connection broke', 'It says: ', 'So: ')).toBe('So: the connection broke')
})
