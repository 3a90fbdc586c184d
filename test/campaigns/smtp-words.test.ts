// Whose fault a refusal is, by each code and each turn of phrase; and what people get to see of a reply.
import { describe, expect, it } from 'vitest'
import { blameOf, replyShown, saysOf, type Blame } from '../../src/campaigns/mail/smtp-reply.ts'

const CODES: Record<'sender' | 'person', string> = {
  sender:
    '1.7 1.8 1.20 2.252 7.8 7.9 7.11 7.13 7.20 7.21 7.22 7.23 7.24 7.26 7.27 7.29 7.57 7.60 7.509 7.515',
  person: '1.1 1.2 1.3 1.4 1.5 1.6 1.10 2.1 2.2 2.4 2.14 4.4 4.310 7.2 7.17 7.18 7.133 7.134 7.135 7.136',
}
const SYSTEM_CODES = new Set(
  '1.90 2.3 4.5 4.6 7.10 7.25 7.28 7.30 7.31 7.32 7.33 7.34 7.35 7.36 7.37 7.38 7.39 7.54 7.64'.split(' '),
)

function byCode(subject: number, detail: number): Blame {
  const code = `${subject}.${detail}`
  for (const blame of ['sender', 'person'] as const) if (CODES[blame].split(' ').includes(code)) return blame
  const isOfSystem = [3, 5, 6].includes(subject) || (subject === 7 && detail >= 500)
  return isOfSystem || SYSTEM_CODES.has(code) ? 'system' : 'unclear'
}

it('a refusal that says nothing more is judged by its status code alone', () => {
  const wrong: string[] = []
  for (const subject of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13])
    for (let detail = 0; detail < 800; detail++) {
      const reply = `550 5.${subject}.${detail} no`
      if (blameOf(reply) !== byCode(subject, detail)) wrong.push(reply)
    }
  expect(wrong).toEqual([])
})

describe.each<[Blame, string]>([
  // How much was sent.
  ['system', 'Daily amount for this customer: quota'],
  ['system', 'rate limited'],
  ['system', 'rate-limited'],
  ['system', 'too many mails'],
  ['system', 'too many emails'],
  // The sender.
  ['sender', 'Your account is closed'],
  ['sender', 'Your email account is closed'],
  ['sender', 'Your e-mail account is closed'],
  ['sender', 'this is a sandbox subdomain'],
  ['sender', 'Sender rejected'],
  ['sender', 'Sender email address is denied'],
  ['sender', 'Sender e-mail was refused'],
  ['sender', 'unauthorised sender'],
  ['sender', 'unauthorized sender'],
  ['sender', 'From does not match the sign-in'],
  ['sender', 'sender address does not match the sign-in'],
  ['sender', 'SendAs denied'],
  ['sender', 'no right to send as another'],
  ['sender', 'not authorised to send from here'],
  ['sender', 'not authorized to send email from here'],
  ['sender', 'not authorized to send mails from here'],
  ['sender', 'not permitted to use mail with this'],
  ['sender', 'Authentication required'],
  ['sender', 'Authentication is required'],
  ['sender', 'You must authenticate'],
  ['sender', 'You must first log in'],
  ['sender', 'You must login'],
  ['sender', 'Please login first'],
  ['sender', 'Log in first'],
  // This machine, or the message.
  ['system', 'relay denied'],
  ['system', 'Relaying denied'],
  ['system', 'Relay access denied'],
  ['system', 'relaying is not permitted'],
  ['system', 'not authorised to relay'],
  ['system', 'not authorized to relay'],
  ['system', 'this host refuses to relay'],
  ['system', 'we refuse relay'],
  ['system', 'cannot relay'],
  ['system', 'Client host [192.0.2.1] refused'],
  ['system', '192.0.2.1: block using our own list'],
  ['system', '192.0.2.1 is on a blocklist'],
  ['system', '192.0.2.1 is on a black list'],
  ['system', '192.0.2.1 is deny-listed'],
  ['system', 'issue STARTTLS first'],
  ['system', 'issue a STARTTLS command first'],
  ['system', 'a policy violation'],
  ['system', 'policy violations'],
  // The person.
  ['person', 'user ada@acme.example is not found'],
  ['person', 'account ada@acme.example is not found'],
  ['person', 'ada is overquota'],
  ['person', 'ada is over quota'],
  // A preface says nothing of whom it is about.
  ['unclear', 'Recipient rejected: the road is disabled'],
  ['unclear', 'Recipient rejected, the road is disabled'],
  ['unclear', 'Recipient address rejected: the road is disabled'],
  ['unclear', 'Requested mail action not taken: mailbox unavailable\n550 Error 17'],
])('%s is at fault', (blame, words) => {
  it(`where a server says: ${words}`, () => {
    expect(blameOf(`550 ${words}`)).toBe(blame)
  })
})

describe('a reply', () => {
  it.each<[Blame, string]>([
    ['sender', '530 no'],
    ['sender', '535 no'],
    ['sender', '538 no'],
    ['unclear', '534 no'],
    ['unclear', '550 no (530)'],
    ['system', '500 no'],
    ['system', '504 no'],
    ['unclear', '505 no'],
    ['unclear', '550 no (500)'],
    // What another server said counts only where a line begins with it.
    ['unclear', '550 5.7.1 the next one said: 550 5.1.1 no'],
    ['sender', '550 5.1.8 Access denied, sending limit exceeded'],
    ['sender', '450 4.1.8 no'],
    ['system', '452 4.3.1 daily quota'],
    ['unclear', '450 4.1.1 no'],
    ['person', '550 5.7.2 authentication required'],
    ['person', '530 5.2.1 no'],
    ['unclear', '550 5.7.1 the next one said: 550 5.4.1 Recipient address rejected: Access denied'],
  ])('means %s: %s', (blame, reply) => {
    expect(blameOf(reply)).toBe(blame)
  })

  it.each([
    ['550-5.1.1 No one \r\n550 5.1.1 of this name', '550-5.1.1 No one 5.1.1 of this name'],
    ['550-No one\n550-of this\nname', '550-No one of this name'],
    ['550   too \u0007 much room  ', '550 too ? much room'],
    [
      'see https://a.example/one/two?three and http://b.example/x',
      'see https://a.example/… and http://b.example/…',
    ],
    ['see https://a.example', 'see https://a.example'],
    ['dislikes /invite/eyJ.a-b_c in it', 'dislikes … in it'],
    [`dislikes ${'x-'.repeat(20)}.more-of_it! in it`, 'dislikes …! in it'],
    [`dislikes ${'x'.repeat(39)} in it`, `dislikes ${'x'.repeat(39)} in it`],
    ['a b '.repeat(75).trim() + 'c', 'a b '.repeat(75).trim() + 'c'],
    ['a b '.repeat(75) + 'c', `${'a b '.repeat(75)}…`],
    [`${' '.repeat(1_199)}x`, 'x'],
    [`${' '.repeat(1_200)}x`, ''],
  ])('is shown on one line, short, and without what is personal: %j', (reply, shown) => {
    expect(replyShown(reply)).toBe(shown)
  })

  it.each([
    ['550 no', 'it says: 550 no'],
    ['the connection broke', 'the connection broke'],
    ['closed by 550 others', 'closed by 550 others'],
    ['5 seconds went by', '5 seconds went by'],
  ])('is introduced as the mail server’s only where it is: %s', (reply, said) => {
    expect(saysOf(reply)).toBe(said)
    expect(saysOf(reply, 'S: ', 'H: ')).toBe((said === reply ? 'H: ' : 'S: ') + reply)
  })
})
