// Sends emails over a few pooled connections. nodemailer retries an email only if none of it was read, because an
// email that failed later may have arrived.
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { createTransport, type Transporter } from 'nodemailer'
import type { PluginFunction } from 'nodemailer/lib/mailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import XOAuth2 from 'nodemailer/lib/xoauth2'
import { isLoopback } from '../../http/loopback.ts'
import type { Settings } from '../../settings/settings.ts'
import { inSpan } from '../../trace/spans.ts'
import { MAX_CONCURRENT } from '../throttle.ts'
import { createTokenProvider } from './access-token.ts'
import { messageOf, refuseInjection, type Email } from './email.ts'
import { isTemporary, sendResultOf, unusableMailServer } from './send-result.ts'
import type { SendResult, SmtpError } from './send-result.ts'

/**
 * Milliseconds. RFC 5321 4.5.3.2 requires five minutes for a greeting and ten after the final dot: a server may accept
 * an email although we no longer wait for its reply.
 */
const LIMITS = {
  check: 60_000,
  greeting: 300_000,
  reply: 600_000,
  /** The time to finish emails in progress when the run is stopped. */
  stop: 30_000,
}

/** The name for EHLO, because strict relays refuse a container's own. Undefined: the library's choice. */
const domainOf = (publicUrl: string) => /\.[a-z][^.]*$/.exec(new URL(publicUrl).hostname)?.input

/** Requires TLS from the start (smtps) or by STARTTLS, except on this machine. */
function serverOf(settings: Partial<Settings>) {
  const { SMTP_URL = '', PUBLIC_URL = 'http://localhost', SMTP_OAUTH_CLIENT_ID: client } = settings
  const url = new URL(SMTP_URL)
  const secure = url.protocol === 'smtps:'
  const user = decodeURIComponent(url.username)
  const auth =
    client === undefined
      ? { user, pass: decodeURIComponent(url.password) }
      : { type: 'OAUTH2' as const, user, provisionCallback: createTokenProvider(settings) }
  return {
    name: domainOf(PUBLIC_URL),
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !isLoopback(url.hostname),
    // A relay on this machine often has a self-signed certificate or none. No one can listen in on the connection.
    ...(isLoopback(url.hostname) &&
      user === '' && { opportunisticTLS: true, tls: { rejectUnauthorized: secure } }),
    disableFileAccess: true,
    disableUrlAccess: true,
    // Without forceAuth, a server that offers no sign-in would get the emails and refuse them one by one.
    ...(user !== '' && { auth, forceAuth: true }),
  }
}

/** @param start the time limit for connecting and the greeting together */
const timeouts = (start: number, reply: number) => ({
  connectionTimeout: start,
  greetingTimeout: start,
  socketTimeout: reply,
})

const isSmtpError = (error: unknown): error is SmtpError => error instanceof Error && 'code' in error

const UNUSABLE = ['EAUTH', 'ETLS', 'EDNS']

/** Names a sender but no recipient, so no email is sent. @returns a refusal of the sender @throws without a reply */
export async function senderRefusal(
  settings: Partial<Settings>,
  address: string,
  limitMs: number,
): Promise<string | undefined> {
  const { auth, ...server } = serverOf(settings)
  let refusal: string | undefined
  const connection = new SMTPConnection({
    ...server,
    ...timeouts(limitMs, limitMs),
    customAuth: {
      // The library sends a custom command only as a sign-in method.
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

export class SmtpClient {
  readonly #limits: typeof LIMITS
  readonly #host: string
  readonly #port: number
  readonly #probe: Transporter
  readonly #transport: Transporter
  readonly #abandon = new AbortController()

  constructor(
    settings: Partial<Settings>,
    { signal, limits = LIMITS }: { signal?: AbortSignal; limits?: typeof LIMITS } = {},
  ) {
    const server = serverOf(settings)
    this.#limits = limits
    this.#host = server.host
    this.#port = server.port
    this.#probe = createTransport({ ...server, ...timeouts(limits.check, limits.check) })
    const pool = { pool: true, maxConnections: MAX_CONCURRENT, maxMessages: 100, maxRequeues: 2 } as const
    const transport = createTransport({ ...server, ...timeouts(limits.greeting, limits.reply), ...pool })
    transport.use('stream', keepStream)
    this.#transport = transport
    signal?.addEventListener('abort', () => setTimeout(() => this.#abandon.abort(), limits.stop).unref())
  }

  /** Connects and signs in without sending anything. @throws {MailServerUnusable} */
  async check(): Promise<void> {
    try {
      await this.#probe.verify()
    } catch (error) {
      throw unusableMailServer(this.#name, error as SmtpError, this.#limits.check)
    }
  }

  /** @throws {MailServerUnusable}: the email was not sent; {RangeError}: a header is forbidden */
  async send(email: Email): Promise<SendResult> {
    refuseInjection(email)
    const attributes = {
      'network.protocol.name': 'smtp',
      'server.address': this.#host,
      'server.port': this.#port,
    }
    return await inSpan('send email', attributes, async (span) => {
      const result = await this.#deliver(email)
      span.setAttribute('onramp.email.outcome', result.outcome)
      return result
    })
  }

  close(): void {
    this.#transport.close()
  }

  get #name(): string {
    return `${this.#host}:${this.#port}`
  }

  async #deliver(email: Email): Promise<SendResult> {
    /** Shows whether the whole email was transmitted. */
    const source: { stream?: Readable } = {}
    try {
      await this.#transport.sendMail({ ...messageOf(email), source, signal: this.#abandon.signal } as object)
      return { outcome: 'sent' }
    } catch (error) {
      if (!isSmtpError(error)) throw error
      if (UNUSABLE.includes(error.code ?? '') && !isTemporary(error))
        throw unusableMailServer(this.#name, error, this.#limits.greeting)
      // A server must not deliver an email before its end (RFC 5321 4.1.1.4).
      return sendResultOf(error, source.stream?.readableEnded === true, this.#limits.reply)
    }
  }
}

const keepStream: PluginFunction = ({ message, data }, done) => {
  const create = message.createReadStream.bind(message)
  const { source } = data as { source?: { stream?: Readable } }
  message.createReadStream = (options) => {
    const stream = create(options)
    if (source !== undefined) source.stream = stream
    return stream
  }
  done()
}
