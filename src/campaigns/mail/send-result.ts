// Derives an email's outcome from the mail server's reply. Pure.
import { printableReply, explainSmtpError, type SmtpError } from './smtp-error.ts'
import { OperatorError } from '../../problem.ts'

/** failed: the recipient is rejected for good. unknown: the connection broke after the last byte. */
type EmailOutcome = 'sent' | 'deferred' | 'failed' | 'unknown'

/** recipient: about this mailbox. throttled: about the rate. other: such as a refused sender or a broken connection. */
type FailureReason = 'recipient' | 'throttled' | 'other'

/** `reply`, one bounded line without links, is the server's, or the reason for its absence. */
export type SendResult =
  { outcome: 'sent' } | { outcome: Exclude<EmailOutcome, 'sent'>; reply: string; reason: FailureReason }

/** No email can be sent: no such server, no TLS, or sign-in refused. The message names the setting. */
export class MailServerUnusable extends OperatorError {
  override name = 'MailServerUnusable'
}

export const isTemporary = ({ responseCode = 500 }: SmtpError): boolean => responseCode < 500

/** Gmail requires an app password, Exchange Online (with one exception) another kind of sign-in. */
const OTHER_KIND = /^535[ -]5\.7\.(9\b|139\b(?!.*credentials were incorrect))/is

/** True if the name or password was refused (RFC 4954 6), and not the kind of sign-in. */
const isWrongPassword = ({ responseCode, response = '' }: SmtpError): boolean =>
  responseCode === undefined || (responseCode === 535 && !OTHER_KIND.test(response))

/** @param name host and port @param limitMs how long we waited */
export function unusableMailServer(name: string, error: SmtpError, limitMs: number): MailServerUnusable {
  if (error instanceof MailServerUnusable) return error
  const isToken = error.command === 'AUTH XOAUTH2'
  const wrong = isToken ? 'rejects the access token' : 'rejects the username and password'
  const refused = isWrongPassword(error) ? wrong : "doesn't take this sign-in"
  const signIn = isTemporary(error) ? 'takes no sign-in for now' : refused
  const fault = error.code === 'EAUTH' ? signIn : 'cannot be reached, or not used'
  return new MailServerUnusable(
    `the mail server ${name} ${fault} (${explainSmtpError(error, limitMs)}): see SMTP_URL`,
    { cause: error },
  )
}

const ENHANCED = /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})(?![.\d])/m
/** Earlier replies are never about a recipient. */
const RECIPIENT = ['RCPT TO', 'DATA']
const TOO_FAST = /\brate\b|\brate-?limit|throttl|slow down|too (many|much|fast|quickly)/i

/** `code` matches the reply code, `enhanced` the status code of RFC 3463 ('' without one). */
type ReplyRule = {
  stages?: readonly string[]
  code: RegExp
  enhanced?: RegExp
  text?: RegExp
  means: { outcome: 'deferred' | 'failed'; reason: FailureReason }
}

const REJECTED = { outcome: 'failed', reason: 'recipient' } as const
const LATER = { outcome: 'deferred', reason: 'recipient' } as const
const THROTTLED = { outcome: 'deferred', reason: 'throttled' } as const
const OTHER = { outcome: 'deferred', reason: 'other' } as const

/** The first matching rule wins. */
const REPLY_RULES: readonly ReplyRule[] = [
  // The mailbox doesn't exist, or takes no email from anyone.
  { stages: RECIPIENT, code: /^5/, enhanced: /^5\.(1\.([1-36]|10)|2\.1)$/, means: REJECTED },
  // Exchange Online's reply for unknown recipients.
  { stages: RECIPIENT, code: /^550/, text: /^550[ -]5\.4\.1 recipient address rejected/i, means: REJECTED },
  // The server closes the connection, whatever the command was (RFC 5321 3.8).
  { code: /^421/, means: THROTTLED },
  // Postfix reports faults of the sender at RCPT.
  { code: /^4/, text: /\b(client host|helo command) rejected\b/i, means: THROTTLED },
  // The mailbox is full, busy or greylisted: X.2 is about the mailbox (RFC 3463 3.3).
  { stages: RECIPIENT, code: /^[45]/, enhanced: /^(4\.2\.\d+|5\.2\.2)$/, means: LATER },
  // Many servers refuse a sender only at RCPT: X.1.7 and X.1.8 (its address), X.3 and X.5 (the mail system).
  { stages: ['RCPT TO'], code: /^4/, enhanced: /^4\.(1\.[78]|3\.\d+|5\.\d+)$/, means: THROTTLED },
  { code: /^4/, text: TOO_FAST, means: THROTTLED },
  { code: /^4/, enhanced: /^4\.7\./, text: /\b(limit|quota)\b/i, means: THROTTLED },
  { code: /^5/, enhanced: /^(5\.7\.\d+)?$/, text: TOO_FAST, means: THROTTLED },
  { stages: ['RCPT TO'], code: /^55[013]/, enhanced: /^$/, means: REJECTED },
  { stages: ['RCPT TO'], code: /^4/, means: LATER },
  { code: /^4/, means: THROTTLED },
]

function meaningOf(response: string, command = ''): ReplyRule['means'] {
  const status = ENHANCED.exec(response)?.[1] ?? ''
  const fits = ({ stages, code, enhanced = /^/, text = /^/ }: ReplyRule) =>
    stages?.includes(command) !== false && code.test(response) && enhanced.test(status) && text.test(response)
  return REPLY_RULES.find(fits)?.means ?? OTHER
}

/** @param hasLeft the whole email was transmitted @param limitMs how long we waited for a reply */
export function sendResultOf(error: SmtpError, hasLeft: boolean, limitMs: number): SendResult {
  const { response, responseCode, command } = error
  if (response !== undefined && responseCode !== undefined)
    return { ...meaningOf(response, command), reply: printableReply(response) }
  return {
    outcome: hasLeft ? 'unknown' : 'deferred',
    reply: explainSmtpError(error, limitMs),
    reason: 'other',
  }
}
