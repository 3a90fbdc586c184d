// Why a mail server cannot be used: each error of the mail library in words that say what to do.
import { describe, expect, it } from 'vitest'
import { unusable } from '../../src/campaigns/mail/outcome.ts'
import {
  certificateWords,
  isWrongPassword,
  troubleOf,
  type SmtpError,
} from '../../src/campaigns/mail/smtp-trouble.ts'

type Given = Omit<Partial<SmtpError>, 'name'>
const errorOf = ({ message = 'Failed', ...rest }: Given): SmtpError => Object.assign(new Error(message), rest)

const AUTHORITY = "set NODE_EXTRA_CA_CERTS to its authority's certificate"
const UNKNOWN = 'its certificate comes from an unknown authority'

describe.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', `its certificate is self-signed, so it could be anyone's: ${AUTHORITY}`],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    `its certificate comes from a private authority that this machine does not trust: ${AUTHORITY}`,
  ],
  ['UNABLE_TO_GET_ISSUER_CERT', `${UNKNOWN}: ${AUTHORITY}`],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', `${UNKNOWN}: ${AUTHORITY}`],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    `${UNKNOWN}, or it leaves out the certificates in between: have it send them, or ${AUTHORITY}`,
  ],
  ['CERT_HAS_EXPIRED', "its certificate has expired: have it renewed (or set this machine's clock)"],
  ['CERT_NOT_YET_VALID', "its certificate is not valid yet: check this machine's clock"],
  ['CERT_REVOKED', 'its certificate was revoked: have it replaced'],
  ['CERT_SIGNATURE_FAILURE', 'its certificate does not match its authority: have it replaced'],
  ['INVALID_CA', `its certificate was issued by something that is not an authority: ${AUTHORITY}`],
  ['INVALID_PURPOSE', 'its certificate is not for servers: have it replaced'],
  ['HOSTNAME_MISMATCH', 'its certificate is for another name: use that name in SMTP_URL'],
])('a certificate with the fault %s', (originalCode, words) => {
  it('is named for it, with what to do, by the command and by the doctor', () => {
    expect(troubleOf(errorOf({ originalCode, code: 'ESOCKET', errno: -111 }), 1)).toBe(words)
    expect(certificateWords(originalCode)).toBe(words)
  })
})

describe('a certificate for another name', () => {
  const said = (cert: SmtpError['cert']) =>
    troubleOf(
      errorOf({ originalCode: 'ERR_TLS_CERT_ALTNAME_INVALID', code: 'ESOCKET', ...(cert && { cert }) }),
      1,
    )
  const wordsFor = (names: string) =>
    `its certificate is for ${names}, not for this name: use the certificate's name in SMTP_URL`

  it.each<[SmtpError['cert'], string]>([
    [{ subjectaltname: 'DNS:a.example, IP Address:192.0.2.1' }, 'a.example, 192.0.2.1'],
    [{ subjectaltname: 'DNS:a.example', subject: { CN: 'b.example' } }, 'a.example'],
    [{ subject: { CN: 'b.example' } }, 'b.example'],
    [{ subject: {} }, 'another name'],
    [{}, 'another name'],
    [undefined, 'another name'],
    [{ subjectaltname: 'a\u0007.example' }, 'a?.example'],
    [{ subjectaltname: 'ab.example '.repeat(20) }, 'ab.example '.repeat(15).slice(0, 160)],
  ])('shows the names in it, as far as there is room: %j', (cert, names) => {
    expect(said(cert)).toBe(wordsFor(names))
  })

  it('is another name to the doctor, which shows nothing that a server chose', () => {
    expect(certificateWords('ERR_TLS_CERT_ALTNAME_INVALID')).toContain('is for another name')
    expect(certificateWords('ECONNREFUSED')).toBeUndefined()
  })
})

const STARTTLS = 'Error upgrading connection with STARTTLS'
const NO_TLS =
  ', and onramp sends emails to another machine only encrypted: have it turned on, or use smtps://'

it.each<[Given, string]>([
  [{ errno: -111, code: 'ESOCKET' }, 'connection refused (ECONNREFUSED)'],
  [{ errno: -104, code: 'ESOCKET' }, 'the connection broke (ECONNRESET)'],
  [{ errno: -110, code: 'ESOCKET' }, 'timed out (ETIMEDOUT)'],
  [{ errno: -3008, code: 'EDNS' }, 'host not found (ENOTFOUND)'],
  [{ errno: -3007, code: 'EDNS' }, 'host not found (ENOTFOUND)'],
  [{ errno: -3001, code: 'EDNS' }, "the DNS server didn't respond (EAI_AGAIN)"],
  [{ originalCode: 'ENOTFOUND', code: 'EDNS' }, 'host not found (ENOTFOUND)'],
  [{ originalCode: 'EAI_NONAME', code: 'EDNS' }, 'host not found (ENOTFOUND)'],
  [{ errno: -113, code: 'ESOCKET' }, 'EHOSTUNREACH'],
  [{ errno: -32, code: 'ESOCKET' }, 'the connection broke (EPIPE)'],
  [{ response: '535 5.7.8 no', code: 'EAUTH', responseCode: 535 }, 'it says: 535 5.7.8 no'],
  [{ response: '554 no', code: 'EPROTOCOL' }, 'it says: 554 no'],
  [
    { code: 'ESOCKET', reason: 'wrong version number' },
    'this port does not start with TLS: use smtp:// for it, or the port for smtps:// (465)',
  ],
  [{ code: 'ESOCKET', reason: 'no \u0007 protocols available' }, 'TLS: no ? protocols available'],
  [{ code: 'ETLS', message: 'Something \u0007 else' }, 'TLS failed (Something ? else)'],
  [{ command: 'EHLO', code: 'EENVELOPE', message: 'Odd' }, 'TLS failed (Odd)'],
  [{ code: 'ETLS', message: STARTTLS }, `it offers no encryption (STARTTLS)${NO_TLS}`],
  [
    { code: 'ETLS', message: STARTTLS, response: '502 no such command', responseCode: 502 },
    `it offers no encryption (STARTTLS) (it says: 502 no such command)${NO_TLS}`,
  ],
  [
    { code: 'ETLS', message: STARTTLS, response: '454 4.7.0 not now', responseCode: 454 },
    'its encryption (STARTTLS) does not work (it says: 454 4.7.0 not now): have it fixed',
  ],
  [
    { code: 'ETLS', message: STARTTLS, response: '454 4.3.0 Try again later', responseCode: 454 },
    'it takes no email for now (it says: 454 4.3.0 Try again later): if it stays so, a filter of its own (milter, such as OpenDKIM) is down',
  ],
  [
    { code: 'ETLS', message: STARTTLS, response: '502 like 454 4.3.0', responseCode: 502 },
    `it offers no encryption (STARTTLS) (it says: 502 like 454 4.3.0)${NO_TLS}`,
  ],
  [{ code: 'ETIMEDOUT' }, 'no answer within 1.5 seconds'],
  [{ code: 'EPROTOCOL' }, 'its reply is too long'],
  [{ code: 'EABORT' }, 'no answer before the run was stopped'],
  [{ code: 'ECONNECTION' }, 'the connection broke'],
  [{}, 'the connection broke'],
  [{ code: 'ECONFIG' }, 'ECONFIG'],
  [{ code: 'ESOCKET', originalCode: 'ERR_SSL_ODD' }, 'ERR_SSL_ODD'],
])('%j is told as %j', (given, words) => {
  expect(troubleOf(errorOf(given), 1_500)).toBe(words)
})

describe('a sign-in that is refused', () => {
  const ODD = '535 5.7.139 Authentication unsuccessful'
  it.each<[Given, boolean, string]>([
    [{}, true, 'rejects the username and password'],
    [{ responseCode: 535, response: '535 5.7.8 no' }, true, 'rejects the username and password'],
    [{ responseCode: 535 }, true, 'rejects the username and password'],
    [{ responseCode: 535, response: '535-5.7.9 app password' }, false, "doesn't take this sign-in"],
    [{ responseCode: 535, response: '535 5.7.90 no' }, true, 'rejects the username and password'],
    [{ responseCode: 535, response: '550 535 5.7.9 no' }, true, 'rejects the username and password'],
    [
      { responseCode: 535, response: `${ODD}, basic authentication is off` },
      false,
      "doesn't take this sign-in",
    ],
    [
      { responseCode: 535, response: `${ODD}, the user\ncredentials were incorrect` },
      true,
      'rejects the username and password',
    ],
    [{ responseCode: 534, response: '534 5.7.8 no' }, false, "doesn't take this sign-in"],
    [{ responseCode: 500, response: '500 no' }, false, "doesn't take this sign-in"],
    [{ responseCode: 454, response: '454 4.7.0 no' }, false, 'takes no sign-in for now'],
  ])('for %j: is the password wrong? %j', (given, isWrong, words) => {
    const error = errorOf({ ...given, code: 'EAUTH' })
    expect(isWrongPassword(error)).toBe(isWrong)
    const says = given.response === undefined ? 'EAUTH' : `it says: ${given.response.replace('\n', ' ')}`
    const { message } = unusable('mail.acme.example:587', error, 1)
    expect(message).toBe(`the mail server mail.acme.example:587 ${words} (${says}): see SMTP_URL`)
  })
})
