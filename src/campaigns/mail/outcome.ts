// What came of one try to hand over an email: its outcome, or that no email can leave at all. Pure.
import { isWrongPassword, replyShown, troubleOf, type SmtpError } from './smtp-trouble.ts'
import { Explained } from '../../problem.ts'

/**
 * failed: rejected for good because of the recipient. deferred: not accepted for any other reason. unknown: the whole email
 * had left when the connection broke, and the server's answer is missing.
 */
export type Outcome = 'sent' | 'deferred' | 'failed' | 'unknown'

/** The outcome of an email. `reply` is for people: the server's, or why there is none; bounded, in one line, without links. */
export type Posted =
  { outcome: 'sent' } | { outcome: Exclude<Outcome, 'sent'>; reply: string; isAboutRecipient: boolean }

/** No email can leave at all: no such server, no TLS, sign-in refused. The message says where to look. */
export class MailServerUnusable extends Explained {
  override name = 'MailServerUnusable'
}

/** @param name host and port @param limitMs how long it was waited for */
export function unusable(name: string, error: SmtpError, limitMs: number): MailServerUnusable {
  const isPassing = error.responseCode !== undefined && error.responseCode < 500
  const refused = isWrongPassword(error) ? 'rejects the username and password' : "doesn't take this sign-in"
  const signIn = isPassing ? 'takes no sign-in for now' : refused
  const what = error.code === 'EAUTH' ? signIn : 'cannot be reached, or not used'
  return new MailServerUnusable(
    `the mail server ${name} ${what} (${troubleOf(error, limitMs)}): see SMTP_URL`,
    { cause: error },
  )
}

/** Enhanced status codes (RFC 3463) that say that there is no such mailbox, or that it takes no email from anyone. */
const NO_SUCH_MAILBOX = /^5\.(1\.([1-36]|10)|2\.1)$/
/** Exchange Online says no more than this of people whom it doesn't know. */
const UNKNOWN_TO_EXCHANGE = /^550[ -]5\.4\.1 recipient address rejected/i
const STATUS = /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})(?![.\d])/m

/** Does a permanent reply speak of the recipient, and of nothing else? What it doesn't say in these words, we don't know. */
function isRejection(response: string, command: string | undefined): boolean {
  const status = STATUS.exec(response)?.[1]
  if (status === undefined) return command === 'RCPT TO' && /^55[013]/.test(response)
  return command !== 'MAIL FROM' && (NO_SUCH_MAILBOX.test(status) || UNKNOWN_TO_EXCHANGE.test(response))
}

/** Greylisting, or a full mailbox. With 421 it closes, whatever the command was (RFC 5321 3.8). */
const isForNow = (response: string, code: number, command: string | undefined): boolean =>
  (command === 'RCPT TO' && code < 500 && code !== 421) ||
  STATUS.exec(response)?.[1]?.endsWith('.2.2') === true

/** @param hasLeft the whole email has left @param limitMs how long a reply was waited for */
export function outcomeOf(error: SmtpError, hasLeft: boolean, limitMs: number): Posted {
  const { response, responseCode, command } = error
  if (response === undefined || responseCode === undefined)
    return {
      outcome: hasLeft ? 'unknown' : 'deferred',
      reply: troubleOf(error, limitMs),
      isAboutRecipient: false,
    }
  const reply = replyShown(response)
  if (responseCode >= 500 && isRejection(response, command))
    return { outcome: 'failed', reply, isAboutRecipient: true }
  return { outcome: 'deferred', reply, isAboutRecipient: isForNow(response, responseCode, command) }
}
