// Hands emails to the mail server over a few kept connections, and returns the outcome of each. nodemailer would send an
// email again when a connection breaks; that is off here, because it may have arrived.
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { isLoopback } from '../../loopback.ts'
import { timed } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import { refuseInjection, type Mail } from './mail.ts'
import { handOver, messageOf, type HandOver } from './message.ts'
import { blameOf, replyShown, type Blame } from './smtp-reply.ts'
import { troubleOf, type SmtpError } from './smtp-trouble.ts'

/**
 * failed: refused because of the recipient, or for an unclear reason. refused: refused because of us (sender, relaying,
 * blocklist). unknown: the connection broke after the end of the email had left and before the server's answer.
 */
export type Outcome = 'sent' | 'deferred' | 'failed' | 'refused' | 'unknown'

/** The outcome of an email. `reply` is for people: bounded, in one line, without links. */
export type Posted =
  | { outcome: 'sent' | 'unknown' }
  | { outcome: 'deferred'; reply: string }
  | { outcome: 'failed' | 'refused'; reply: string; blame: Blame | 'closing' }

/** Not an outcome: the connection broke before the server had the email, so it may go out again at once. */
type Attempt = Posted | { outcome: 'not-handed-over'; reply: string | undefined }

/** No email can leave at all: no such server, no TLS, sign-in refused. The message says where to look. */
export class MailServerUnusable extends Error {
  override name = 'MailServerUnusable'
}

export type MailServer = {
  /** Connects and signs in, and sends nothing. @throws {MailServerUnusable} */
  check(): Promise<void>
  /** @throws {MailServerUnusable} and then the email was not sent; {RangeError} for a header that must not go out */
  post: (mail: Mail) => Promise<Posted>
  close(): void
}

const TIME_LIMIT_MS = 30_000
/** Before a connection that broke too early is tried again; milliseconds. */
const PAUSES_MS = [200, 1_000, 3_000]

/** TLS, from the start (smtps) or by STARTTLS, except for a mail server on this machine. */
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

type Given = ReturnType<typeof messageOf> & { handOver: HandOver }

/** Told of every email; `outcome` is `unusable` where no email can leave. Must not throw. */
export type OnEmail = (email: { outcome: Outcome | 'unusable'; seconds: number }) => void

/** @param smtpUrl SMTP_URL */
export function createMailServer(smtpUrl: string, connections: number, onEmail?: OnEmail): MailServer {
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
    // Without forceAuth a server that offers no sign-in would get the emails, and refuse them one by one.
    ...(user !== '' && { auth: { user, pass: password }, forceAuth: true }),
  })

  transport.use('stream', ({ message, data }, done) => {
    const { handOver: over } = data as Given
    const create = message.createReadStream.bind(message)
    message.createReadStream = (options) => over.stream(create(options))
    done()
  })

  const name = `${server.host}:${server.port}`
  /** A connection broke: before anything else is handed over, is the server there at all? */
  let isSuspect = false

  async function check(): Promise<void> {
    try {
      await transport.verify()
      isSuspect = false
    } catch (error) {
      throw unusable(name, error as SmtpError)
    }
  }

  async function attempt(mail: Mail): Promise<Attempt> {
    const given: Given = { ...messageOf(mail), handOver: handOver() }
    try {
      await transport.sendMail(given)
      return { outcome: 'sent' }
    } catch (error) {
      return attemptOf(asSmtpError(error), given.handOver.isOver, name)
    }
  }

  async function tryToPost(mail: Mail): Promise<Posted> {
    let last: string | undefined
    for (const pauseMs of PAUSES_MS) {
      if (isSuspect) await check()
      const posted = await attempt(mail)
      const { outcome } = posted
      isSuspect = outcome === 'unknown' || outcome === 'not-handed-over'
      if (outcome !== 'not-handed-over') return posted
      last = posted.reply ?? last
      await sleep(pauseMs)
    }
    // It may close at this recipient alone: a run that ended here would never get past them.
    return { outcome: 'refused', reply: last ?? 'the connection broke each time', blame: 'closing' }
  }

  const attributes = {
    'network.protocol.name': 'smtp',
    'server.address': server.host,
    'server.port': server.port,
  }

  return {
    check,
    async post(mail) {
      refuseInjection(mail)
      const work = () =>
        inSpan('send email', attributes, async (span) => {
          const posted = await tryToPost(mail)
          span.setAttribute('onramp.email.outcome', posted.outcome)
          return posted
        })
      return await timed(work, (posted, seconds) =>
        onEmail?.({ outcome: posted?.outcome ?? 'unusable', seconds }),
      )
    },
    close: () => transport.close(),
  }
}

/** @throws any other error than one of the mail server's */
function asSmtpError(error: unknown): SmtpError {
  if (error instanceof Error && 'code' in error) return error as SmtpError
  throw error
}

function unusable(name: string, error: SmtpError): MailServerUnusable {
  const isPassing = error.responseCode !== undefined && error.responseCode < 500
  const signIn = isPassing ? 'takes no sign-in for now' : 'rejects the username and password'
  const what = error.code === 'EAUTH' ? signIn : 'cannot be reached, or not used'
  return new MailServerUnusable(`the mail server ${name} ${what} (${troubleOf(error)}): see SMTP_URL`, {
    cause: error,
  })
}

/** @throws {MailServerUnusable} */
function attemptOf(error: SmtpError, isOver: boolean, name: string): Attempt {
  const { code, command, responseCode, response } = error
  if (code === 'EAUTH' || code === 'ETLS' || code === 'EDNS') throw unusable(name, error)
  if (responseCode === undefined || response === undefined)
    return isOver ? { outcome: 'unknown' } : { outcome: 'not-handed-over', reply: undefined }
  const reply = replyShown(response)
  // RFC 5321 3.8: it is closing, whatever the command was.
  if (responseCode === 421) return { outcome: 'not-handed-over', reply }
  const isForGood = responseCode >= 500
  const said = blameOf(response)
  const blame = isForGood && command === 'MAIL FROM' && said !== 'system' ? 'sender' : said
  if (blame === 'sender' || blame === 'system') return { outcome: 'refused', reply, blame }
  return isForGood ? { outcome: 'failed', reply, blame } : { outcome: 'deferred', reply }
}
