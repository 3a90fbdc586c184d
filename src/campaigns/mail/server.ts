// Hands emails to the mail server over a few kept connections, and returns the outcome of each. nodemailer would send an
// email again when a connection breaks; that is off here, because it may have arrived.
import { createTransport } from 'nodemailer'
import { timed } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import { refuseInjection, type Mail } from './mail.ts'
import { handOver, messageOf, type HandOver } from './message.ts'
import { attemptOf, unusable, type Attempt, type BeforeAgain, type Outcome, type Posted } from './outcome.ts'
import { LIMITS, serverOf, waitingAtMost } from './smtp-connection.ts'
import type { SmtpError } from './smtp-trouble.ts'
import { createTries } from './tries.ts'

export type MailServer = {
  /** Connects and signs in, and sends nothing. @throws {MailServerUnusable} */
  check(): Promise<void>
  /**
   * @throws {MailServerUnusable} or what `beforeAgain` throws, and then the email was not sent; {RangeError} for a header that
   * must not go out
   */
  post: (mail: Mail, beforeAgain?: BeforeAgain) => Promise<Posted>
  close(): void
}

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

  async function check(): Promise<void> {
    try {
      await probe.verify()
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
      return attemptOf(error, { name, isOver: given.handOver.isOver, limits })
    } finally {
      clearTimeout(slow)
    }
  }

  const tryToPost = createTries({ attempt, check, pausesMs: limits.again, signal })

  const attributes = {
    'network.protocol.name': 'smtp',
    'server.address': server.host,
    'server.port': server.port,
  }

  return {
    check,
    async post(mail, beforeAgain) {
      refuseInjection(mail)
      let isCutOff = false
      const ask = async () => {
        isCutOff = true
        await beforeAgain?.()
        isCutOff = false
      }
      const work = () =>
        inSpan('send email', attributes, async (span) => {
          const posted = await tryToPost(mail, ask)
          span.setAttribute('onramp.email.outcome', posted.outcome)
          return posted
        })
      return await timed(work, (posted, seconds) => {
        // What the end of the run cut off says nothing of the mail server.
        if (posted === undefined && (isCutOff || signal?.aborted === true)) return
        onEmail?.({ outcome: posted?.outcome ?? 'unusable', seconds })
      })
    },
    close: () => transport.close(),
  }
}
