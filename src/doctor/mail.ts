// SMTP_URL: can mails leave? The server's own code connects, greets and signs in; nothing is sent.
import { getSystemErrorName } from 'node:util'
import { createMailServer } from '../campaigns/mail/server.ts'
import { certificateWords } from '../campaigns/mail/smtp-trouble.ts'
import { silenceInWords, silenceOf } from '../client-api/silence.ts'
import type { Check } from './check.ts'
import { fail, ok, skip, warn, type Finding } from './finding.ts'

const LIMIT_MS = 10_000
const settings = ['SMTP_URL']

const errorsOf = (error: unknown): Error[] =>
  error instanceof Error ? [error, ...errorsOf(error.cause)] : []

/** The mail library puts codes of its own (ESOCKET, EDNS) over those of the system. */
function systemCode(errors: readonly Error[]): string {
  for (const error of errors) {
    if ('errno' in error && typeof error.errno === 'number' && error.errno < 0)
      return getSystemErrorName(error.errno).replace(/^EAI_NO(NAME|DATA)$/, 'ENOTFOUND')
    if (/certificate/i.test(error.message)) return 'CERT_UNTRUSTED'
    const code = 'code' in error ? String(error.code) : ''
    if (code === 'EDNS') return 'ENOTFOUND'
    if (code === 'ETLS' || /wrong version number|ssl3?_|STARTTLS/i.test(error.message)) return 'EPROTO'
    if (code === 'ETIMEDOUT') return code
  }
  return ''
}

function findingOf(error: unknown): Finding {
  const codes = errorsOf(error).map((one) => ('code' in one ? String(one.code) : ''))
  if (codes.includes('EAUTH'))
    return fail('The mail server refuses the name and password of SMTP_URL.', {
      settings,
      mend: 'correct them; characters such as @ : / % are percent-encoded in an address',
    })
  const replied = errorsOf(error).find((one) => 'responseCode' in one && typeof one.responseCode === 'number')
  if (replied !== undefined && 'responseCode' in replied)
    return fail(`The mail server refuses to talk to this machine (${String(replied.responseCode)}).`, {
      settings,
      mend: 'allow this machine there, or use another port (587 with smtp://, 465 with smtps://)',
    })
  const certificate = errorsOf(error)
    .map((one) => ('originalCode' in one ? certificateWords(String(one.originalCode)) : undefined))
    .find((words) => words !== undefined)
  if (certificate !== undefined) {
    const [says, mend = ''] = certificate.split(/: (.*)/)
    return fail(`The mail server of SMTP_URL cannot be used: ${says}.`, { settings, mend })
  }
  const why = silenceOf(Object.assign(new Error('mail'), { code: systemCode(errorsOf(error)) }))
  return fail(`The mail server of SMTP_URL cannot be reached, or not used: ${silenceInWords[why]}.`, {
    settings,
    mend: 'check name, port and smtp:// or smtps://; smtp:// needs STARTTLS',
  })
}

async function tryIt(url: string): Promise<Finding> {
  const server = createMailServer(url, 1)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('late'), { code: 'ETIMEDOUT' })), LIMIT_MS)
  })
  try {
    await Promise.race([server.check(), late])
    return ok('The mail server of SMTP_URL answers, and takes what SMTP_URL signs in with.')
  } catch (error) {
    return findingOf(error)
  } finally {
    clearTimeout(timer)
    server.close()
  }
}

export const mail: Check = {
  id: 'settings.mail',
  about: 'The mail server',
  group: 'Settings',
  network: true,
  async look({ settings: { SMTP_URL: url, MAIL_FROM: from } }) {
    if (url === undefined) return [skip('SMTP_URL is not set; invitations are sent with it only.')]
    const finding = await tryIt(url)
    if (from !== undefined) return [finding]
    return [
      finding,
      warn('SMTP_URL is set, but MAIL_FROM is not, so no invitation can be sent.', {
        settings: ['MAIL_FROM'],
        mend: 'set it like Search team <search@acme.example>',
      }),
    ]
  },
}
