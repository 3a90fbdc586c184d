// What the mail library is asked for, and what comes of its answers. The library is a fake here; slow-server.test.ts and
// connection-broken.test.ts have real connections.
import { Readable } from 'node:stream'
import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createMailServer, type MailServerParts, type OnEmail } from '../../src/campaigns/mail/server.ts'
import { LIMITS } from '../../src/campaigns/mail/smtp-connection.ts'
import { mail } from './sample-mail.ts'

type Given = Record<string, unknown> & { signal: AbortSignal }
type Message = { createReadStream: (options?: object) => Readable }
type Plugin = (email: { message: Message; data: object }, done: () => void) => void

const fake = vi.hoisted(() => ({
  made: [] as unknown[],
  closed: 0,
  plugins: {} as Record<string, unknown>,
  verify: () => Promise.resolve(),
  send: (_given: unknown): Promise<void> => Promise.resolve(),
}))

vi.mock('nodemailer', () => ({
  createTransport: (options: unknown) => {
    fake.made.push(options)
    return {
      use: (step: string, plugin: unknown) => (fake.plugins[step] = plugin),
      verify: () => fake.verify(),
      sendMail: (given: unknown) => fake.send(given),
      close: () => void fake.closed++,
    }
  },
}))

beforeEach(() => {
  fake.send = fake.verify = () => Promise.resolve()
  Object.assign(fake, { made: [], closed: 0 })
})

const SMTP = 'smtps://mail.acme.example'
const SERVER = {
  host: 'mail.acme.example',
  port: 465,
  secure: true,
  requireTLS: false,
  disableFileAccess: true,
  disableUrlAccess: true,
}
const limits = { ...LIMITS, stop: 20, again: [1, 1] }
const open = (parts: MailServerParts = {}) => createMailServer(SMTP, { limits, ...parts })
const trouble = (code: string, more = {}) =>
  Object.assign(new Error('told to programmers'), { code, ...more })

/** Every email that the library is given, and what becomes of it. */
function handedOver(become: (given: Given) => Promise<void>) {
  const all: Given[] = []
  fake.send = (given) => {
    all.push(given as Given)
    return become(given as Given)
  }
  return all
}

/** The connection reads the email as the library does: with what the room has put in its way. */
async function read(given: Given, chunks: string[]): Promise<string> {
  const asked: unknown[] = []
  const message = {
    chunks,
    createReadStream(options?: object) {
      asked.push(options)
      return Readable.from(this.chunks)
    },
  }
  let isDone = false
  const plugin = fake.plugins['stream'] as Plugin
  plugin({ message, data: given }, () => (isDone = true))
  expect(isDone).toBe(true)
  const options = { highWaterMark: 7 }
  let text = ''
  for await (const chunk of message.createReadStream(options)) text += String(chunk)
  expect(asked).toEqual([options])
  return text
}

describe('the mail library', () => {
  it('keeps as many connections as it is told, and sends nothing a second time by itself', () => {
    open({ connections: 3 }).close()
    const [probe, pool] = fake.made
    expect(probe).toEqual({
      ...SERVER,
      connectionTimeout: 60_000,
      greetingTimeout: 60_000,
      socketTimeout: 60_000,
    })
    expect(pool).toEqual({
      ...SERVER,
      connectionTimeout: 300_000,
      greetingTimeout: 300_000,
      socketTimeout: 600_000,
      pool: true,
      maxConnections: 3,
      maxMessages: 100,
      maxRequeues: 0,
    })
    expect(fake.closed).toBe(1)
    createMailServer(SMTP)
    expect(fake.made[3]).toEqual({ ...(pool as object), maxConnections: 1 })
  })

  it('is asked whether the server is there, and how long that was waited for is told', async () => {
    await expect(open().check()).resolves.toBeUndefined()
    fake.verify = () => Promise.reject(trouble('ETIMEDOUT'))
    await expect(open().check()).rejects.toMatchObject({
      name: 'MailServerUnusable',
      message:
        'the mail server mail.acme.example:465 cannot be reached, or not used (no answer within 60 seconds): see SMTP_URL',
    })
  })

  it('is given the email, and gives it to the connection whole', async () => {
    let text = ''
    const all = handedOver(async (given) => {
      text = await read(given, ['one\r\n', 'two\r\n'])
    })
    const told: Parameters<OnEmail>[0][] = []
    expect(await open({ onEmail: (email) => told.push(email) }).post(mail)).toEqual({ outcome: 'sent' })
    expect(all).toMatchObject([{ to: mail.to, subject: mail.subject, text: mail.text, html: mail.html }])
    expect(text).toBe('one\r\ntwo\r\n')
    expect(told).toEqual([{ outcome: 'sent', seconds: expect.any(Number) as number }])
  })
})

describe('a connection that breaks', () => {
  it('behind the end of an email leaves it uncertain, and it is not tried again', async () => {
    const all = handedOver(async (given) => {
      await read(given, ['one'])
      throw trouble('ECONNRESET')
    })
    expect(await open().post(mail)).toMatchObject({ outcome: 'unknown' })
    expect(all).toHaveLength(1)
  })

  it('before the end has it tried again, each time as one that has not left', async () => {
    let verified = 0
    fake.verify = async () => void verified++
    const all = handedOver(async (given) => {
      if (all.length === 1) throw trouble('ECONNRESET')
      await read(given, ['one'])
    })
    expect(await open().post(mail)).toEqual({ outcome: 'sent' })
    expect([all.length, verified]).toEqual([2, 1])
  })

  it('because no email can leave ends the run, and says so of the email', async () => {
    handedOver(() => Promise.reject(trouble('EAUTH', { responseCode: 535, response: '535 no' })))
    const told: Parameters<OnEmail>[0][] = []
    const posted = open({ onEmail: (email) => told.push(email) }).post(mail)
    await expect(posted).rejects.toThrow('mail.acme.example:465 rejects the username and password')
    expect(told).toMatchObject([{ outcome: 'unusable' }])
    await expect(open().post(mail)).rejects.toMatchObject({ name: 'MailServerUnusable' })
  })
})

describe('an email without a reply', () => {
  const silent = (given: Given) =>
    new Promise<void>((_resolve, reject) => {
      given.signal.addEventListener('abort', () => reject(given.signal.reason as Error))
    })

  it('is told of once, while it is waited for, and only then', async () => {
    const onSlow = vi.fn<() => void>()
    const replied = Promise.withResolvers<void>()
    handedOver(() => replied.promise)
    const posted = open({ onSlow, limits: { ...limits, slow: 5 } }).post(mail)
    await vi.waitFor(() => expect(onSlow).toHaveBeenCalledOnce())
    replied.resolve()
    await posted
    await open({ onSlow, limits: { ...limits, slow: 5 } }).post(mail)
    await new Promise((resolve) => setTimeout(resolve, 15))
    expect(onSlow).toHaveBeenCalledOnce()
  })

  it('is given up a while after the run is to stop, and no one is told how long it took', async () => {
    const stop = new AbortController()
    const told: unknown[] = []
    const all = handedOver(silent)
    const posted = open({ signal: stop.signal, onEmail: (email) => told.push(email) }).post(mail)
    stop.abort()
    expect(all[0]?.signal.aborted).toBe(false)
    await expect(posted).rejects.toMatchObject({ name: 'AbortError' })
    expect(all[0]?.signal.aborted).toBe(true)
    expect(told).toEqual([])
  })

  it('that gets one while the run stops is told of as usual', async () => {
    const stop = new AbortController()
    const told: unknown[] = []
    handedOver(async () => stop.abort())
    const posted = await open({ signal: stop.signal, onEmail: (email) => told.push(email) }).post(mail)
    expect(posted).toEqual({ outcome: 'sent' })
    expect(told).toMatchObject([{ outcome: 'sent' }])
  })
})

it('an email is a span of its own, which names the server, and no one whom it is for', async () => {
  const exporter = new InMemorySpanExporter()
  const processor = new SimpleSpanProcessor({ exporter })
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }))
  onTestFinished(() => trace.disable())
  await open().post(mail)
  expect(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes])).toEqual([
    [
      'send email',
      {
        'network.protocol.name': 'smtp',
        'server.address': 'mail.acme.example',
        'server.port': 465,
        'onramp.email.outcome': 'sent',
      },
    ],
  ])
})
