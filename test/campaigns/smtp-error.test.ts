// Errors of the mail library, explained with the step to take.
import { expect, it } from 'vitest'
import { unusableMailServer, type SmtpError } from '../../src/campaigns/mail/send-result.ts'

type Input = Omit<Partial<SmtpError>, 'name'>
const errorOf = ({ message = 'Failed', ...rest }: Input): SmtpError => Object.assign(new Error(message), rest)

const UNTRUSTED = "comes from an authority that this machine doesn't trust: set NODE_EXTRA_CA_CERTS"
const NO_TLS =
  'onramp requires for another machine: have it turned on, use smtps://, or run a relay beside onramp (docs/invitations.md, "A relay without TLS")'
const upgrading = (response?: string): Input => ({
  code: 'ETLS',
  message: 'Error upgrading connection with STARTTLS',
  ...(response !== undefined && { response, responseCode: Number(response.slice(0, 3)) }),
})
const otherName = (cert?: SmtpError['cert']): Input => ({
  originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID',
  code: 'ESOCKET',
  ...(cert && { cert }),
})

it.each<[Input, string]>([
  [{ originalCode: 'DEPTH_ZERO_SELF_SIGNED_CERT', code: 'ESOCKET', errno: -111 }, UNTRUSTED],
  [{ originalCode: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }, UNTRUSTED],
  [{ originalCode: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'have it send the certificates in between'],
  [{ originalCode: 'CERT_HAS_EXPIRED' }, "certificate has expired: have it renewed (or set this machine's"],
  [{ originalCode: 'CERT_NOT_YET_VALID' }, "is not valid yet: check this machine's clock"],
  [otherName({ subjectaltname: 'DNS:a.example, IP Address:192.0.2.1' }), 'for a.example, 192.0.2.1, not for'],
  [otherName({ subject: { CN: 'b\u0007.example' } }), 'is for b .example, not for this name'],
  [otherName({ subjectaltname: 'ab.example '.repeat(20) }), `${'ab.example '.repeat(15).slice(0, 160)}, not`],
  [otherName({}), 'is for another name, not for this name'],
  [otherName(), "is for another name, not for this name: use the certificate's name in the address"],
  [{ errno: -111, code: 'ESOCKET' }, 'connection refused (ECONNREFUSED)'],
  [{ errno: -104, code: 'ESOCKET' }, 'the connection broke (ECONNRESET)'],
  [{ errno: -3008, code: 'EDNS' }, 'host not found (ENOTFOUND)'],
  [{ originalCode: 'EAI_NONAME', code: 'EDNS' }, 'host not found (ENOTFOUND)'],
  [{ errno: -3001, code: 'EDNS' }, "the DNS server didn't respond (EAI_AGAIN)"],
  [{ errno: -113, code: 'ESOCKET' }, 'EHOSTUNREACH'],
  [{ response: '535 5.7.8 no', code: 'EAUTH', responseCode: 535 }, 'reply: 535 5.7.8 no'],
  [{ code: 'ESOCKET', reason: 'wrong version number' }, 'use smtp://, or the port for smtps:// (465)'],
  [{ code: 'ESOCKET', reason: 'no \u0007 protocols available' }, 'TLS: no ? protocols available'],
  [{ code: 'ETLS', message: 'Something \u0007 else' }, 'TLS failed (Something ? else)'],
  [upgrading(), `it offers no encryption (STARTTLS), which ${NO_TLS}`],
  [upgrading('502 no such command'), `(reply: 502 no such command), which ${NO_TLS}`],
  [upgrading('454 4.7.0 not now'), 'its encryption (STARTTLS) is broken (reply: 454 4.7.0 not now)'],
  [upgrading('454 4.3.0 Try again later'), 'if it persists, its filter (milter, such as OpenDKIM)'],
  [{ code: 'ETIMEDOUT' }, 'no response within 1.5 seconds'],
  [{ code: 'EPROTOCOL' }, 'its reply is too long'],
  [{ code: 'EABORT' }, 'no response before the run was stopped'],
  [{}, 'the connection broke'],
  [{ code: 'ESOCKET', originalCode: 'ERR_SSL_ODD' }, 'ERR_SSL_ODD'],
])('the error %j is explained: %s', (given, words) => {
  expect(unusableMailServer('mail', errorOf(given), 1_500).message).toContain(words)
})

it('a long timeout is printed in minutes', () => {
  const { message } = unusableMailServer('mail', errorOf({ code: 'ETIMEDOUT' }), 600_000)
  expect(message).toContain('(no response within 10 minutes)')
})

const ODD = '535 5.7.139 Authentication unsuccessful'
const WRONG = 'rejects the username and password'
it.each([
  [undefined, WRONG],
  ['535 5.7.8 no', WRONG],
  ['535-5.7.9 app password', 'rejects this kind of sign-in'],
  [`${ODD}, basic authentication is off`, 'rejects this kind of sign-in'],
  [`${ODD}, the user\ncredentials were incorrect`, WRONG],
  ['534 5.7.8 no', 'rejects this kind of sign-in'],
  ['454 4.7.0 no', 'rejects sign-ins for now'],
])('the sign-in error %j is explained: the mail server %s', (response, words) => {
  const reply = response === undefined ? {} : { response, responseCode: Number(response.slice(0, 3)) }
  const { message } = unusableMailServer('mail.acme.example:587', errorOf({ ...reply, code: 'EAUTH' }), 1)
  expect(message).toContain(`mail.acme.example:587 ${words} (`)
})
