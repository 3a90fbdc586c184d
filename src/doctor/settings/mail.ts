// SMTP_URL: can emails leave? The server's own code connects, greets and signs in; nothing is sent.
import { getSystemErrorName } from 'node:util'
import { createMailServer } from '../../campaigns/mail/server.ts'
import { replyShown } from '../../campaigns/mail/smtp-reply.ts'
import { certificateWords, isWrongPassword, type SmtpError } from '../../campaigns/mail/smtp-trouble.ts'
import { silenceInWords, silenceOf } from '../../client-api/silence.ts'
import { within } from '../ask.ts'
import type { Subject } from '../check.ts'
import { fail, ok, skip, warn, type Finding, type Findings } from '../finding.ts'

const LIMIT_MS = 10_000
const settings = ['SMTP_URL']

/** The error and its causes: the mail library says what happened in one, Node in another. */
const errorsOf = (error: unknown): SmtpError[] =>
  error instanceof Error ? [error, ...errorsOf(error.cause)] : []

/** Node's code for what happened: the mail library puts codes of its own (ESOCKET, EDNS) over these. Pure. */
export function systemCode({ errno = 0, code, message }: SmtpError): string | undefined {
  if (errno < 0) return getSystemErrorName(errno).replace(/^EAI_NO(NAME|DATA)$/, 'ENOTFOUND')
  if (/certificate/i.test(message)) return 'CERT_UNTRUSTED'
  if (code === 'EDNS') return 'ENOTFOUND'
  if (code === 'ETLS' || /wrong version number|ssl3?_|STARTTLS/i.test(message)) return 'EPROTO'
  return code === 'ETIMEDOUT' ? code : undefined
}

function findingOf(errors: readonly SmtpError[]): Finding {
  const passing = errors.find(({ responseCode = 0 }) => responseCode >= 400 && responseCode < 500)
  if (passing !== undefined)
    return fail(
      `The mail server is temporarily rejecting ${passing.code === 'EAUTH' ? 'sign-ins' : 'connections'} (${passing.responseCode}).`,
      {
        settings,
        fix: 'try again later; if it persists, check the mail server for a limit or an exhausted quota',
      },
    )
  const signIn = errors.find(({ code }) => code === 'EAUTH')
  if (signIn !== undefined && !isWrongPassword(signIn))
    return fail(
      `The mail server doesn't take this kind of sign-in. It says: ${replyShown(signIn.response ?? '')}`,
      {
        settings,
        fix: 'have SMTP sign-in with a username and password turned on there, use an app password, or use another mail server',
      },
    )
  if (signIn !== undefined)
    return fail('The mail server rejected the username and password in SMTP_URL.', {
      settings,
      fix: 'fix them; percent-encode characters such as @ : / %',
    })
  const replied = errors.find(({ responseCode }) => responseCode !== undefined)
  if (replied !== undefined)
    return fail(`The mail server rejected this machine (${replied.responseCode}).`, {
      settings,
      fix: 'allow this machine there, or use another port (587 with smtp://, 465 with smtps://)',
    })
  const certificate = errors.flatMap(({ originalCode = '' }) => certificateWords(originalCode) ?? [])[0]
  if (certificate !== undefined) {
    const [says, fix = ''] = certificate.split(/: (.*)/)
    return fail(`The mail server in SMTP_URL can't be used: ${says}.`, { settings, fix })
  }
  const code = errors.map(systemCode).find((found) => found !== undefined)
  const why = silenceOf(Object.assign(new Error('mail'), { code }))
  return fail(`The mail server in SMTP_URL can't be reached or used: ${silenceInWords(why)}.`, {
    settings,
    fix: 'check the host name, port and smtp:// or smtps://; smtp:// requires STARTTLS',
  })
}

async function serverFinding(url: string): Promise<Finding> {
  const server = createMailServer(url)
  try {
    await within(LIMIT_MS, server.check())
    return ok(
      new URL(url).username === ''
        ? "The mail server in SMTP_URL is reachable. SMTP_URL has no username, so sign-in wasn't tested. To test delivery, run: onramp invite preview --to EMAIL"
        : 'The mail server in SMTP_URL is reachable and accepts the username and password.',
    )
  } catch (error) {
    return findingOf(errorsOf(error))
  } finally {
    server.close()
  }
}

export async function mail({ settings: { SMTP_URL: url, MAIL_FROM: from } }: Subject): Promise<Findings> {
  if (url === undefined) return skip("SMTP_URL is not set, so onramp can't send invitations.")
  const noSender = warn("SMTP_URL is set, but MAIL_FROM isn't, so onramp can't send invitations.", {
    settings: ['MAIL_FROM'],
    fix: 'use the form Search team <search@acme.example>',
  })
  return [await serverFinding(url), from === undefined ? noSender : undefined]
}
