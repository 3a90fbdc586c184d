// Hands emails to the mail server over a few kept connections, and returns the outcome of each. nodemailer sends an email
// again only while not a byte of it was read; what broke later may have arrived.
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import XOAuth2 from 'nodemailer/lib/xoauth2'
import { isLoopback } from '../../http/loopback.ts'
import type { Settings } from '../../settings/settings.ts'
import { inSpan } from '../../trace/spans.ts'
import { AT_ONCE } from '../throttle.ts'
import { createAccessTokens, type OAuthSettings } from './access-token.ts'
import { messageOf, refuseInjection, type Email } from './email.ts'
import { isTemporary, sendResultOf, unusableMailServer, type SendResult } from './send-result.ts'
import type { SmtpError } from './smtp-error.ts'

export type MailServer = {
  /** Connects and signs in, and sends nothing. @throws {MailServerUnusable} */
  check(): Promise<void>
  /** @throws {MailServerUnusable} and then the email was not sent; {RangeError} for a header that must not go out */
  send: (mail: Email) => Promise<SendResult>
  close(): void
}

/**
 * How long the mail server is waited for; milliseconds. An email whose reply isn't waited for may have been taken, so a reply
 * has as long as RFC 5321 asks for (4.5.3.2: ten minutes after the final dot, five for a greeting).
 */
const LIMITS = {
  check: 60_000,
  greeting: 300_000,
  reply: 600_000,
  /** When onSlow is called. */
  slow: 30_000,
  /** For the emails under way when the run is to stop. */
  stop: 30_000,
}

type MailServerParts = {
  /** The run is to stop. */
  signal?: AbortSignal
  /** An email has waited for a reply for a while. */
  onSlow?: () => void
  limits?: typeof LIMITS
}

type MailSettings = Partial<Pick<Settings, 'SMTP_URL' | 'PUBLIC_URL'>> & OAuthSettings

/** For EHLO: a container has no domain name of its own, and strict relays refuse it. Undefined: the library's choice. */
const domainOf = (publicUrl: string) => /\.[a-z][^.]*$/.exec(new URL(publicUrl).hostname)?.input

/** TLS, from the start (smtps) or by STARTTLS, except for a mail server on this machine. */
function serverOf(settings: MailSettings) {
  const { SMTP_URL = '', PUBLIC_URL = 'http://localhost', SMTP_OAUTH_CLIENT_ID: client } = settings
  const url = new URL(SMTP_URL)
  const secure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  const auth =
    client === undefined
      ? { user, pass: decodeURIComponent(url.password) }
      : { type: 'OAUTH2' as const, user, provisionCallback: createAccessTokens(settings) }
  return {
    name: domainOf(PUBLIC_URL),
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLoopback(url.hostname),
    // A relay on this machine often offers TLS without a certificate, or with one of its own making. No one listens there,
    // and no password goes to it.
    ...(isLoopback(url.hostname) &&
      user === '' && { opportunisticTLS: true, tls: { rejectUnauthorized: secure } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    // Without forceAuth a server that offers no sign-in would get the emails, and refuse them one by one.
    ...(user !== '' && { auth, forceAuth: true }),
  }
}

/** @param start the time to connect, which includes that for the greeting */
const waiting = (start: number, reply: number) => ({
  connectionTimeout: start,
  greetingTimeout: start,
  socketTimeout: reply,
})

const isSmtpError = (error: unknown): error is SmtpError => error instanceof Error && 'code' in error

/** No email would leave. */
const UNUSABLE = ['EAUTH', 'ETLS', 'EDNS']

/**
 * Names a sender to the mail server, and no recipient: no email leaves.
 * @returns the reply, where it refuses the sender @throws where it can't be asked
 */
export async function checkSender(settings: MailSettings, address: string, limitMs: number) {
  const { auth, ...server } = serverOf(settings)
  let refusal: string | undefined
  const connection = new SMTPConnection({
    ...server,
    ...waiting(limitMs, limitMs),
    customAuth: {
      // The library sends a command of ours only where it takes it for a way to sign in.
      SENDER: async (dialogue) => {
        const { status, response } = await dialogue.sendCommand(`MAIL FROM:<${address}>`)
        if (status >= 500) refusal = response
      },
    },
  })
  const login = promisify(connection.login.bind(connection))
  try {
    await new Promise<unknown>((resolve, reject) => connection.on('error', reject).connect(resolve))
    if (auth) await login(auth.type ? { oauth2: new XOAuth2(auth) } : auth)
    await login({ method: 'SENDER', user: '', pass: '' })
    return refusal
  } finally {
    connection.close()
  }
}

/** What the connection reads an email from. */
type Source = { stream?: Readable }

/** The mail server of SMTP_URL. */
export function createMailServer(settings: MailSettings, parts: MailServerParts = {}): MailServer {
  const { signal, onSlow = () => {}, limits = LIMITS } = parts
  const server = serverOf(settings)
  const name = `${server.host}:${server.port}`
  const probe = createTransport({ ...server, ...waiting(limits.check, limits.check) })
  const transport = createTransport({
    ...server,
    ...waiting(limits.greeting, limits.reply),
    pool: true,
    maxConnections: AT_ONCE,
    maxMessages: 100,
    maxRequeues: 2,
  })
  const givenUp = new AbortController()
  signal?.addEventListener('abort', () => setTimeout(() => givenUp.abort(), limits.stop).unref())

  transport.use('stream', ({ message, data }, done) => {
    const create = message.createReadStream.bind(message)
    const { source } = data as { source?: Source }
    message.createReadStream = (options) => {
      const stream = create(options)
      if (source !== undefined) source.stream = stream
      return stream
    }
    done()
  })

  async function deliver(mail: Email): Promise<SendResult> {
    const source: Source = {}
    const slow = setTimeout(onSlow, limits.slow)
    try {
      await transport.sendMail({ ...messageOf(mail), source, signal: givenUp.signal } as object)
      return { outcome: 'sent' }
    } catch (error) {
      if (!isSmtpError(error)) throw error
      if (UNUSABLE.includes(error.code ?? '') && !isTemporary(error))
        throw unusableMailServer(name, error, limits.greeting)
      // Before its end no server may deliver an email (RFC 5321 4.1.1.4).
      return sendResultOf(error, source.stream?.readableEnded === true, limits.reply)
    } finally {
      clearTimeout(slow)
    }
  }

  const attributes = {
    'network.protocol.name': 'smtp',
    'server.address': server.host,
    'server.port': server.port,
  }

  return {
    async check() {
      try {
        await probe.verify()
      } catch (error) {
        throw unusableMailServer(name, error as SmtpError, limits.check)
      }
    },
    async send(mail) {
      refuseInjection(mail)
      return await inSpan('send email', attributes, async (span) => {
        const posted = await deliver(mail)
        span.setAttribute('onramp.email.outcome', posted.outcome)
        return posted
      })
    },
    close: () => transport.close(),
  }
}
