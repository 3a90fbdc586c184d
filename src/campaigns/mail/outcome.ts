// What came of one try to hand over an email: its outcome, or that no email can leave at all. Pure.
import { blameOf, replyShown, type Blame } from './smtp-reply.ts'
import { isWrongPassword, silenceInWords, troubleOf, type SmtpError } from './smtp-trouble.ts'

/**
 * failed: refused because of the recipient, or for an unclear reason. refused: refused because of us (sender, relaying,
 * blocklist). unknown: the connection broke after the end of the email had left and before the server's answer.
 */
export type Outcome = 'sent' | 'deferred' | 'failed' | 'refused' | 'unknown'

/** The outcome of an email. `reply` is for people: the server's, or why there is none; bounded, in one line, without links. */
export type Posted =
  | { outcome: 'sent' }
  | { outcome: 'deferred' | 'unknown'; reply: string }
  | { outcome: 'failed' | 'refused'; reply: string; blame: Blame | 'closing' }

/** Not an outcome: the connection broke before the server had the email, so it may go out again at once. */
export type Attempt = Posted | { outcome: 'not-handed-over'; reply: string }

/**
 * Asked before an email goes out again; what it throws ends the tries. Another run may have gone on with the email, or the
 * person may have opted out.
 */
export type BeforeAgain = () => Promise<void>

/** No email can leave at all: no such server, no TLS, sign-in refused. The message says where to look. */
export class MailServerUnusable extends Error {
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
    {
      cause: error,
    },
  )
}

export type Tried = {
  /** Host and port of the mail server. */
  name: string
  /** Has the end of the email left? */
  isOver: boolean
  /** How long it was waited for; milliseconds. */
  limits: { greeting: number; reply: number }
}

/** @throws {MailServerUnusable}, and any error that is not about the mail server */
export function attemptOf(error: unknown, { name, isOver, limits }: Tried): Attempt {
  if (!isSmtpError(error)) throw error
  const { code, responseCode, response } = error
  if (code === 'EAUTH' || code === 'ETLS' || code === 'EDNS') throw unusable(name, error, limits.greeting)
  if (responseCode !== undefined && response !== undefined) return repliedOf(error, response, responseCode)
  const reply = silenceInWords(error, limits.reply)
  if (isOver) return { outcome: 'unknown', reply }
  // It would be the same once more.
  if (code === 'ETIMEDOUT' || code === 'EPROTOCOL') return { outcome: 'refused', reply, blame: 'closing' }
  return { outcome: 'not-handed-over', reply }
}

const isSmtpError = (error: unknown): error is SmtpError => error instanceof Error && 'code' in error

function repliedOf({ command }: SmtpError, response: string, responseCode: number): Attempt {
  const reply = replyShown(response)
  // RFC 5321 3.8: it is closing, whatever the command was.
  if (responseCode === 421) return { outcome: 'not-handed-over', reply }
  const isForGood = responseCode >= 500
  const said = blameOf(response)
  const blame = isForGood && command === 'MAIL FROM' && said !== 'system' ? 'sender' : said
  if (blame === 'sender' || blame === 'system') return { outcome: 'refused', reply, blame }
  return isForGood ? { outcome: 'failed', reply, blame } : { outcome: 'deferred', reply }
}
