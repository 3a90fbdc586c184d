// Explains why a mail server rejected something, didn't reply, or can't be used. Pure.
import { getSystemErrorName } from 'node:util'
import { certificateError } from '../../http/network-error.ts'
import { printable } from '@onramp/terminal/printable'

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

const MAX_SHOWN = 300

/**
 * Formats a reply as one line of at most 300 characters. Filters may quote an invitation's personal link, so only the
 * host of a URL is shown, and nothing as long as a token.
 */
export function printableReply(reply: string): string {
  const line = reply
    .slice(0, 4 * MAX_SHOWN)
    .replaceAll(/\s*\r?\n(\d{3}[ -])?/g, ' ')
    .replaceAll(/(https?:\/\/[^\s/]+)\/\S*/gi, '$1/…')
    .replaceAll(/(\/invite\/|[\w-]{40})[\w.-]*/g, '…')
  const shown = printable(line).replaceAll(/ {2,}/g, ' ').trim()
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown
}

export const quoteReply = (reply: string, prefix = 'it says: ', happened = ''): string =>
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
  const reply = response === undefined ? '' : ` (it says: ${printableReply(response)})`
  // Postfix replies this while its filter doesn't respond; TLS isn't the cause.
  if (/^454[ -]4\.3\./.test(response ?? ''))
    return `it takes no email for now${reply}: if it stays so, a filter of its own (milter, such as OpenDKIM) is down`
  // The server has TLS, but TLS does not work (RFC 3207 4).
  if (responseCode === 454) return `its encryption (STARTTLS) does not work${reply}: have it fixed`
  return `it offers no encryption (STARTTLS)${reply}, and onramp sends emails to another machine only encrypted: have it turned on, use smtps://, or run a relay beside onramp (docs/invitations.md, "A relay without TLS")`
}

const WITHOUT_PASSWORDS = /^550[ -]5\.7\.30\b/
const NO_PASSWORDS =
  '; it takes no passwords: set SMTP_OAUTH_ISSUER and what belongs to it (docs/invitations.md, "Without a password"), or have an admin of Microsoft 365 turn on Basic authentication for SMTP, where the tenant still can'

const formatLimit = (ms: number) => (ms < 120_000 ? `${ms / 1_000} seconds` : `${ms / 60_000} minutes`)

/** Cause and advice. No error contains the password. @param limitMs how long we waited */
export function explainSmtpError(error: SmtpError, limitMs: number): string {
  const { errno, reason, response, code, originalCode } = error
  const certificate = certificateError(error)
  if (certificate !== undefined) return certificate
  const system = errno === undefined ? (originalCode ?? '') : getSystemErrorName(errno)
  if (SYSTEM[system] !== undefined || errno !== undefined) return SYSTEM[system] ?? system
  if (response !== undefined && code !== 'ETLS') {
    const hint = WITHOUT_PASSWORDS.test(response) ? NO_PASSWORDS : ''
    return `it says: ${printableReply(response)}${hint}`
  }
  if (reason !== undefined && /wrong version number/i.test(reason))
    return 'this port does not start with TLS: use smtp:// for it, or the port for smtps:// (465)'
  if (reason !== undefined) return `TLS: ${printableReply(reason)}`
  if (code === 'ETLS' || error.command === 'EHLO') return withoutTls(error)
  if (code === 'ETIMEDOUT') return `no answer within ${formatLimit(limitMs)}`
  if (code === 'EPROTOCOL') return 'its reply is too long'
  if (code === 'EABORT') return 'no answer before the run was stopped'
  if (code === 'ECONNECTION' || code === undefined) return 'the connection broke'
  return originalCode ?? code
}
