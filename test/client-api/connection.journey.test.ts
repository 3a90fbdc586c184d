// Outbound connections: unrequested compression, HTTP/2 and dead keep-alive sockets.
import dns from 'node:dns'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createSecureServer } from 'node:http2'
import { connect } from 'node:net'
import type { Server, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ServiceClient } from '../../src/client-api/client.ts'
import { networkErrorOf } from '../../src/http/network-error.ts'
import { fetchOnce as askOnce } from '../../src/doctor/fetch-once.ts'
import { createFetch } from '../../src/sign-in/server/configuration.ts'
import { WebhookSender } from '../../src/webhooks/sender.ts'
import { useFolder } from '../helpers/folder.ts'
import { listen } from '../helpers/listen.ts'
import { spawnOne, until } from '../helpers/processes.ts'
import { freePort } from '../helpers/running.ts'
import { makeCertificates, pem, trustAuthority } from '../helpers/tls.ts'

function listening(server: Server): Promise<number> {
  onTestFinished(() => void server.close())
  return listen(server)
}

/** Calls checkdatasourceauth at this address. @returns the response, with any status */
function serviceAt(baseUrl: string, timeLimitMs = 5_000) {
  let response: { status: number; text: string } | undefined
  const client = new ServiceClient({
    baseUrl,
    timeLimitMs,
    onResponse: ({ status, response: text }) => (response = { status, text }),
  })
  onTestFinished(() => client.close())
  return async () => {
    await client.checkDatasourceAuth({ kind: 'user-token', token: 'token' }).catch((error: Error) => {
      if (error.cause !== undefined) throw error
    })
    return response ?? { status: 0, text: '' }
  }
}
const post = { method: 'POST', headers: {}, body: 'a=b', redirect: 'manual' } as const

/** One request for each of onramp's HTTP clients. @returns the body that was read, or the reason that none was */
const WAYS: Record<string, (url: string) => Promise<{ status: number; text: string }>> = {
  'the authorization server': async (url) => {
    const response = await createFetch(1)(url, post)
    return { status: response.status, text: await response.text() }
  },
  'the service': (url) => serviceAt(url, 1_000)(),
  'the doctor': async (url) => {
    const reply = await askOnce(url)
    return reply.kind === 'response' ? reply : Promise.reject(new Error(reply.why))
  },
}

/** The message of the doctor's error is the cause. */
const causeOf = (error: Error) =>
  ['too-large', 'cut-off'].includes(error.message) ? error.message : networkErrorOf(error)

describe.each(Object.entries(WAYS))('responses to %s', (_title, ask) => {
  const read = async (url: string) => (await ask(url)).text
  const start = async (listener: RequestListener) => {
    const server = createServer(listener)
    onTestFinished(() => server.closeAllConnections())
    return `http://127.0.0.1:${await listening(server)}`
  }
  const answering = (coding: string, body: Buffer, status = 200) =>
    start((_req, res) => res.writeHead(status, { 'content-encoding': coding }).end(body))
  const plain = JSON.stringify({ name: 'Zoë', pad: 'x'.repeat(2_000) })

  it.each([
    ['gzip', gzipSync(plain)],
    ['x-gzip', gzipSync(plain)],
    ['deflate', deflateSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['zstd', zstdCompressSync(plain)],
    ['identity', Buffer.from(plain)],
    ['__proto__', Buffer.from(plain)],
  ])('a compressed response (%s) is read, also an error', async (coding, body) => {
    expect(await read(await answering(coding, body))).toBe(plain)
    expect(await read(await answering(coding, body, 400))).toBe(plain)
  })

  it('a response that exceeds 1 MiB, or doesn’t match its encoding, is rejected', async () => {
    const whyNot = async (body: Buffer) => read(await answering('gzip', body)).then(String, causeOf)
    expect(await whyNot(gzipSync('x'.repeat(2 ** 20 + 1)))).toBe('too-large')
    expect(await whyNot(Buffer.from(plain))).toBe('cut-off')
    expect(await read(await answering('gzip', Buffer.alloc(0)))).toBe('')
  })

  it.each([
    ['gzip', Buffer.from(plain)],
    ['gzip', gzipSync(plain).subarray(0, 20)],
    ['identity', Buffer.alloc(2 ** 20 + 1)],
  ])('an error response with Content-Encoding %s is classified by its status', async (coding, body) => {
    for (const status of [302, 401, 429, 503])
      expect(await ask(await answering(coding, body, status))).toMatchObject({ status, text: '' })
  })
})

const folder = useFolder()
beforeAll(() => {
  makeCertificates(folder, { server: ['localhost'] })
  trustAuthority(folder)
})
afterAll(() => trustAuthority())

describe.each(['http', 'https'])('stale connections over %s', (scheme) => {
  type Raw = Socket & { answered?: number }
  /** @param onUsed handles requests on a reused connection @param onNew handles requests on a new one */
  async function start(onUsed: 'reset' | 'half' | 'answer', onNew: 'reset' | 'answer' = 'answer') {
    const methods: (string | undefined)[] = []
    const raws = new Map<number | undefined, Raw>()
    const listener: RequestListener = (req, res) => {
      methods.push(req.method)
      req.resume().on('end', () => {
        const raw = raws.get(req.socket.remotePort)
        const now = (raw?.answered ?? 0) > 0 ? onUsed : onNew
        if (now === 'half') res.writeHead(200, { 'content-length': 9 }).write('{')
        if (now === 'answer') res.end('{}', () => Object.assign(raw ?? {}, { answered: 1 }))
        else setTimeout(() => raw?.resetAndDestroy(), now === 'half' ? 50 : 0)
      })
    }
    const server =
      scheme === 'http' ? createServer(listener) : createTlsServer(pem(folder, 'server'), listener)
    server.on('connection', (raw: Raw) => raws.set(raw.remotePort, raw))
    onTestFinished(() => server.closeAllConnections())
    return { url: `${scheme}://localhost:${await listening(server)}`, methods }
  }

  const statusOf = (call: Promise<{ status: number }>) => call.then(({ status }) => status, networkErrorOf)
  /** Until the connection is free for the next request. */
  const isFree = () => pause(50)

  it('a read of the service on a stale connection is retried on a new one', async () => {
    const { url, methods } = await start('reset')
    const send = serviceAt(url)
    await Promise.all([send(), send(), send()])
    await isFree()
    expect(await Promise.all([send(), send(), send()].map(statusOf))).toEqual([200, 200, 200])
    expect(methods).toHaveLength(9)
  })

  it('a request fails if the response had begun, or the connection was new', async () => {
    const half = await start('half')
    const send = serviceAt(half.url)
    await send()
    await isFree()
    expect(await statusOf(send())).toBe('cut-off')
    expect(half.methods).toHaveLength(2)
    const dead = await start('reset', 'reset')
    expect(await statusOf(serviceAt(dead.url)())).toBe('cut-off')
    expect(dead.methods).toHaveLength(1)
  })

  it('a GET to the authorization server is retried, and a POST never', async () => {
    const { url, methods } = await start('reset')
    const ask = createFetch(5)
    const get = { method: 'GET', headers: {}, body: null, redirect: 'manual' } as const
    await ask(url, get)
    await isFree()
    expect(await statusOf(ask(url, get))).toBe(200)
    await ask(url, post)
    await isFree()
    expect(await statusOf(ask(url, post))).toBe('cut-off')
    expect(methods).toEqual(['GET', 'GET', 'GET', 'POST', 'POST'])
  })

  it('an event is never sent to the webhook receiver twice', async () => {
    const { url, methods } = await start('reset')
    const receiver = new WebhookSender(url, [])
    onTestFinished(() => receiver.close())
    expect(await receiver.send('1', '{}', 0)).toEqual({ kind: 'delivered' })
    await isFree()
    expect(await receiver.send('2', '{}', 0)).toEqual({ kind: 'unreachable', why: 'cut-off' })
    expect(methods).toHaveLength(2)
  })
})

it('a host is reached although its first address is slow and its second is dead', async () => {
  const port = await freePort()
  const slow = spawnOne(process.execPath, [
    '-e',
    `require('http').createServer((_, res) => res.end('{}')).listen({ port: ${port}, host: '127.0.0.2', backlog: 1 }, () => console.log('ready'))`,
  ])
  onTestFinished(async () => void (await slow.end('SIGKILL')))
  await until(() => slow.output().includes('ready'), 'the server')
  slow.signal('SIGSTOP')
  // Fills the accept queue, so that a connection takes until the first packet is retransmitted.
  const full = Array.from({ length: 4 }, () => connect(port, '127.0.0.2').on('error', () => {}))
  onTestFinished(() => full.forEach((socket) => socket.destroy()))
  await pause(100)
  const both = ['127.0.0.2', '127.0.0.3'].map((address) => ({ address, family: 4 }))
  const lookup = vi
    .spyOn(dns, 'lookup')
    .mockImplementation(((_name: string, _options: object, done: Function) => done(null, both)) as never)
  onTestFinished(() => lookup.mockRestore())
  const sent = serviceAt(`http://service.test:${port}`, 8_000)()
  await pause(400)
  slow.signal('SIGCONT')

  expect(await sent).toMatchObject({ status: 200 })
})

it('a server that speaks HTTP/2 is called over HTTP/1.1', async () => {
  const versions: string[] = []
  const answer: RequestListener = (req, res) => void res.end(String(versions.push(req.httpVersion)))
  const server = createSecureServer({ ...pem(folder, 'server'), allowHTTP1: true }, answer as never)
  const url = `https://localhost:${await listening(server)}`
  await serviceAt(url)()
  await createFetch(1)(url, post)
  expect(versions).toEqual(['1.1', '1.1'])
})
