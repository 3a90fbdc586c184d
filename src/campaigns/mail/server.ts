// Hands emails to the mail server over a few kept connections, and returns the outcome of each. nodemailer would send an
// email again when a connection breaks; that is off here, because it may have arrived.
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { timed } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import { refuseInjection, type Mail } from './mail.ts'
import { handOver, messageOf, type HandOver } from './message.ts'
import { blameOf, replyShown, type Blame } from './smtp-reply.ts'
import { LIMITS, serverOf, waitingAtMost } from './smtp-connection.ts'
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
type Attempt = Posted | { outcome: 'not-handed-over'; reply: string }

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

/** Before a connection that broke too early is tried again; milliseconds. */
const PAUSES_MS = [200, 1_000, 3_000]

type Given = ReturnType<typeof messageOf> & { handOver: HandOver }

/** Told of every email; `outcome` is `unusable` where no email can leave. Must not throw. */
export type OnEmail = (email: { outcome: Outcome | 'unusable'; seconds: number }) => void

export type MailServerParts = {
  connections?: number
  /** The run is to stop. */
  signal?: AbortSignal
  /** An email has waited for a reply for a while. */
  onSlow?: () => void
  onEmail?: OnEmail
  limits?: typeof LIMITS
}

/** @param smtpUrl SMTP_URL */
export function createMailServer(smtpUrl: string, parts: MailServerParts = {}): MailServer {
  const { connections = 1, signal, onSlow = () => {}, onEmail, limits = LIMITS } = parts
  const server = serverOf(smtpUrl)
  const probe = createTransport({ ...server, ...waitingAtMost(limits.check, limits.check) })
  const transport = createTransport({
    ...server,
    ...waitingAtMost(limits.greeting, limits.reply),
    pool: true,
    maxConnections: connections,
    maxMessages: 100,
    maxRequeues: 0,
  })
  const givenUp = new AbortController()
  signal?.addEventListener('abort', () => setTimeout(() => givenUp.abort(), limits.stop).unref())

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
      await probe.verify()
      isSuspect = false
    } catch (error) {
      throw unusable(name, error as SmtpError, limits.check)
    }
  }

  async function attempt(mail: Mail): Promise<Attempt> {
    const given: Given = { ...messageOf(mail), handOver: handOver() }
    const slow = setTimeout(onSlow, limits.slow)
    try {
      await transport.sendMail({ ...given, signal: givenUp.signal })
      return { outcome: 'sent' }
    } catch (error) {
      return attemptOf(asSmtpError(error), given.handOver.isOver)
    } finally {
      clearTimeout(slow)
    }
  }

  /** @throws {MailServerUnusable} */
  function attemptOf(error: SmtpError, isOver: boolean): Attempt {
    const { code, responseCode, response } = error
    if (code === 'EAUTH' || code === 'ETLS' || code === 'EDNS') throw unusable(name, error, limits.greeting)
    if (responseCode !== undefined && response !== undefined) return repliedOf(error, response, responseCode)
    const reply = silenceInWords(error, limits.reply)
    if (isOver) return { outcome: 'unknown', reply }
    // It would be the same once more.
    if (code === 'ETIMEDOUT' || code === 'EPROTOCOL') return { outcome: 'refused', reply, blame: 'closing' }
    return { outcome: 'not-handed-over', reply }
  }

  async function tryToPost(mail: Mail): Promise<Posted> {
    let reply = ''
    for (const pauseMs of PAUSES_MS) {
      if (isSuspect) await check()
      const posted = await attempt(mail)
      const { outcome } = posted
      isSuspect = outcome === 'unknown' || outcome === 'not-handed-over'
      if (outcome !== 'not-handed-over') return posted
      if (!reply.startsWith('421')) reply = posted.reply
      await sleep(pauseMs)
      signal?.throwIfAborted()
    }
    // It may close at this recipient alone: a run that ended here would never get past them.
    return { outcome: 'refused', reply, blame: 'closing' }
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
      return await timed(work, (posted, seconds) => {
        // What the end of the run cut off says nothing of the mail server.
        if (posted === undefined && signal?.aborted === true) return
        onEmail?.({ outcome: posted?.outcome ?? 'unusable', seconds })
      })
    },
    close: () => transport.close(),
  }
}

/** @throws any other error than one of the mail server's */
function asSmtpError(error: unknown): SmtpError {
  if (error instanceof Error && 'code' in error) return error as SmtpError
  throw error
}

function unusable(name: string, error: SmtpError, limitMs: number): MailServerUnusable {
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
