// Derives an email's outcome from the mail server's reply, and explains why it rejected something, didn't reply, or
// can't be used. Pure.
import { getSystemErrorName } from 'node:util'
import { printable } from '@onramp/terminal/printable'
import { certificateError } from '../../http/network-error.ts'
import { OperatorError } from '../../problem.ts'

/** An error of nodemailer. `originalCode` is Node's, which the library replaces by its own code. */
export type SmtpError = Error & {
  code?: string
  originalCode?: string
  command?: string
  response?: string
  responseCode?: number
  syscall?: string
  errno?: number
  reason?: string
  cert?: { subjectaltname?: string; subject?: { CN?: string | string[] } }
}

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
  const refused = isWrongPassword(error) ? wrong : 'rejects this kind of sign-in'
  const signIn = isTemporary(error) ? 'rejects sign-ins for now' : refused
  const fault = error.code === 'EAUTH' ? signIn : 'cannot be reached or used'
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

/** @param wasTransmitted the whole email was transmitted @param limitMs how long we waited for a reply */
export function sendResultOf(error: SmtpError, wasTransmitted: boolean, limitMs: number): SendResult {
  const { response, responseCode, command } = error
  if (response !== undefined && responseCode !== undefined)
    return { ...meaningOf(response, command), reply: printableReply(response) }
  return {
    outcome: wasTransmitted ? 'unknown' : 'deferred',
    reply: explainSmtpError(error, limitMs),
    reason: 'other',
  }
}

const MAX_SHOWN = 300

/**
 * Formats a reply as one line of at most 300 characters. Filters may quote an invitation's personal link, so only the
 * host of a URL is shown, and nothing as long as a token.
 */
function printableReply(reply: string): string {
  const line = reply
    .slice(0, 4 * MAX_SHOWN)
    .replaceAll(/\s*\r?\n(\d{3}[ -])?/g, ' ')
    .replaceAll(/(https?:\/\/[^\s/]+)\/\S*/gi, '$1/…')
    .replaceAll(/(\/invite\/|[\w-]{40})[\w.-]*/g, '…')
  const printableLine = printable(line).replaceAll(/ {2,}/g, ' ').trim()
  return printableLine.length > MAX_SHOWN ? `${printableLine.slice(0, MAX_SHOWN)}…` : printableLine
}

export const quoteReply = (reply: string, prefix = 'reply: ', happened = ''): string =>
  (/^\d{3}/.test(reply) ? prefix : happened) + reply

const SYSTEM: Record<string, string> = {
  ECONNREFUSED: 'connection refused (ECONNREFUSED)',
  ENOTFOUND: 'host not found (ENOTFOUND)',
  EAI_NONAME: 'host not found (ENOTFOUND)',
  EAI_NODATA: 'host not found (ENOTFOUND)',
  EAI_AGAIN: "the DNS server didn't respond (EAI_AGAIN)",
  ECONNRESET: 'the connection broke (ECONNRESET)',
  EPIPE: 'the connection broke (EPIPE)',
  ETIMEDOUT: 'timed out (ETIMEDOUT)',
}

function withoutTls({ response, responseCode = 0, message }: SmtpError): string {
  if (!message.includes('STARTTLS')) return `TLS failed (${printableReply(message)})`
  const reply = response === undefined ? '' : ` (reply: ${printableReply(response)})`
  // Postfix replies this while its filter doesn't respond; TLS isn't the cause.
  if (/^454[ -]4\.3\./.test(response ?? ''))
    return `it accepts no email for now${reply}: if it persists, its filter (milter, such as OpenDKIM) is down`
  // The server has TLS, but TLS does not work (RFC 3207 4).
  if (responseCode === 454) return `its encryption (STARTTLS) is broken${reply}: have it fixed`
  return `it offers no encryption (STARTTLS)${reply}, which onramp requires for another machine: have it turned on, use smtps://, or run a relay beside onramp (docs/invitations.md, "A relay without TLS")`
}

const WITHOUT_PASSWORDS = /^550[ -]5\.7\.30\b/
const NO_PASSWORDS =
  '; it accepts no passwords: set SMTP_OAUTH_ISSUER and the settings it needs (docs/invitations.md, "Without a password"), or have an admin of Microsoft 365 turn on Basic authentication for SMTP, where the tenant still can'

const formatLimit = (ms: number) => (ms < 120_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`)

/** Cause and advice. No error contains the password. @param limitMs how long we waited */
function explainSmtpError(error: SmtpError, limitMs: number): string {
  const { errno, reason, response, code, originalCode } = error
  const certificate = certificateError(error)
  if (certificate !== undefined) return certificate
  const system = errno === undefined ? (originalCode ?? '') : getSystemErrorName(errno)
  if (SYSTEM[system] !== undefined || errno !== undefined) return SYSTEM[system] ?? system
  if (response !== undefined && code !== 'ETLS') {
    const hint = WITHOUT_PASSWORDS.test(response) ? NO_PASSWORDS : ''
    return `reply: ${printableReply(response)}${hint}`
  }
  if (reason !== undefined && /wrong version number/i.test(reason))
    return 'this port does not use implicit TLS: use smtp://, or the port for smtps:// (465)'
  if (reason !== undefined) return `TLS: ${printableReply(reason)}`
  if (code === 'ETLS' || error.command === 'EHLO') return withoutTls(error)
  if (code === 'ETIMEDOUT') return `no response within ${formatLimit(limitMs)}`
  if (code === 'EPROTOCOL') return 'its reply is too long'
  if (code === 'EABORT') return 'no response before the run was stopped'
  if (code === 'ECONNECTION' || code === undefined) return 'the connection broke'
  return originalCode ?? code
}
