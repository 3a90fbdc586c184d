// Hands mails to the mail server over a few kept connections, and says of each what became of it. What surprises:
// nodemailer would send a mail again by itself when a connection breaks; here that is off, because it may have arrived.
import { setTimeout as sleep } from 'node:timers/promises'
import { getSystemErrorName } from 'node:util'
import { createTransport } from 'nodemailer'
import { refuseInjection, type Mail } from './mail.ts'
import { messageOf } from './mail-message.ts'

/** unknown: the connection broke after the mail was handed over and before the server said what it did with it. */
export type Outcome = 'sent' | 'deferred' | 'failed' | 'unknown'

/** Not an outcome: the connection broke before the server had the mail, so it may go out again at once. */
type Attempt = Outcome | 'not-handed-over'

/** No mail can leave at all: no such server, no TLS, sign-in refused. The message says what to look at. */
export class MailServerUnusable extends Error {
  override name = 'MailServerUnusable'
}

export type MailServer = {
  /** Connects and signs in, and sends nothing. @throws {MailServerUnusable} */
  check(): Promise<void>
  /** @throws {MailServerUnusable} and then the mail was not sent; {RangeError} for a header that must not go out */
  post(mail: Mail): Promise<Outcome>
  close(): void
}

const TIME_LIMIT_MS = 30_000
/** Before a connection that broke too early is tried again; milliseconds. */
const PAUSES_MS = [200, 1_000, 3_000]

const isLoopback = (host: string) => host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** TLS, from the start (smtps) or by STARTTLS, but for a mail server on this machine. */
function serverOf(smtpUrl: string) {
  const url = new URL(smtpUrl)
  const secure = url.protocol === 'smtps:'
  return {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLoopback(url.hostname),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  }
}

/** @param smtpUrl SMTP_URL */
export function createMailServer(smtpUrl: string, connections: number): MailServer {
  const { user, password, ...server } = serverOf(smtpUrl)
  const transport = createTransport({
    ...server,
    pool: true,
    maxConnections: connections,
    maxMessages: 100,
    maxRequeues: 0,
    connectionTimeout: TIME_LIMIT_MS,
    greetingTimeout: TIME_LIMIT_MS,
    socketTimeout: TIME_LIMIT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === '' ? {} : { auth: { user, pass: password } }),
  })

  const name = `${server.host}:${server.port}`
  /** A connection broke: before anything else is handed over, is the server there at all? */
  let isSuspect = false

  async function check(): Promise<void> {
    try {
      await transport.verify()
      isSuspect = false
    } catch (error) {
      const problem = error as SmtpError
      if (problem.code === 'EAUTH') throw unusable(REFUSED, error)
      throw unusable(`the mail server ${name} cannot be reached, or not used (${reasonOf(problem)})`, error)
    }
  }

  async function attempt(mail: Mail): Promise<Attempt> {
    try {
      await transport.sendMail(messageOf(mail))
      return 'sent'
    } catch (error) {
      return outcomeOf(error)
    }
  }

  return {
    check,
    async post(mail) {
      refuseInjection(mail)
      for (const pauseMs of PAUSES_MS) {
        if (isSuspect) await check()
        const outcome = await attempt(mail)
        isSuspect = outcome === 'unknown' || outcome === 'not-handed-over'
        if (outcome !== 'not-handed-over') return outcome
        await sleep(pauseMs)
      }
      throw unusable(`the mail server ${name} ends every connection`)
    },
    close: () => transport.close(),
  }
}

type SmtpError = Error & {
  code?: string
  command?: string
  responseCode?: number
  syscall?: string
  errno?: number
  reason?: string
}

const REFUSED = 'the mail server refuses the name and password'

const unusable = (what: string, cause?: unknown): MailServerUnusable =>
  new MailServerUnusable(`${what}: see SMTP_URL`, { cause })

/** What the operating system (ECONNREFUSED) or TLS (wrong version number) says; the mail library's own code hides it. */
function reasonOf({ errno, reason, responseCode, code }: SmtpError): string {
  if (errno !== undefined) return getSystemErrorName(errno)
  if (reason !== undefined) return `TLS: ${reason}`
  if (responseCode !== undefined) return `it answers ${responseCode}`
  return code === 'ETIMEDOUT' ? 'no answer in time' : (code ?? 'no reason given')
}

/** @throws {MailServerUnusable} */
function outcomeOf(error: unknown): Attempt {
  if (!(error instanceof Error)) throw error
  const { code, command, responseCode, syscall } = error as SmtpError
  if (code === 'EAUTH') throw unusable(REFUSED, error)
  if (code === 'ETLS' || code === 'EDNS' || code === 'ENOTFOUND')
    throw unusable(`the mail server cannot be used (${code})`, error)
  if (responseCode !== undefined && responseCode >= 500 && command === 'MAIL FROM')
    throw unusable(`the mail server refuses the sender (${responseCode}), MAIL_FROM`, error)
  // RFC 5321 3.8: it is closing, whatever it was told.
  if (responseCode === 421) return 'not-handed-over'
  if (responseCode !== undefined) return responseCode >= 500 ? 'failed' : 'deferred'
  const wasNotHandedOver = syscall === 'connect' || (command !== undefined && BEFORE_THE_MAIL.test(command))
  return wasNotHandedOver ? 'not-handed-over' : 'unknown'
}

/** Up to here the server has not got the mail. CONN is not among them: nodemailer says it of any lost connection. */
const BEFORE_THE_MAIL = /^(EHLO|HELO|LHLO|STARTTLS|MAIL FROM|RCPT TO)$/
