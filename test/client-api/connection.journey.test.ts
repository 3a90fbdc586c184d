// What a connection to either server bears: answers that are compressed although no one asked for it, and connections
// that carry HTTP/2 or die in silence.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import { connect, createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkCall, createConnection } from '../../src/client-api/connection.ts'
import { silenceInWords, silenceOf, type Silence } from '../../src/client-api/silence.ts'
import { ask as askOnce } from '../../src/doctor/ask.ts'
import { createFetch } from '../../src/sign-in/server/configuration.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => server.close())
  return (server.address() as AddressInfo).port
}

const credentials = { kind: 'oauth', accessToken: 'token', externalIdp: false } as const
const post = { method: 'POST', headers: {}, body: 'a=b', redirect: 'manual' } as const

/** The same question on each of the ways that onramp asks other servers. @returns what was read, or why nothing was */
const WAYS: Record<string, (url: string) => Promise<{ status: number; text: string }>> = {
  'the authorization server': async (url) => {
    const answer = await createFetch(1)(url, post)
    return { status: answer.status, text: await answer.text() }
  },
  'the service': async (url) => {
    const connection = createConnection({ baseUrl: url, timeLimitMs: 1_000, connections: 2 })
    closers.push(() => connection.close())
    return await connection.send(checkCall(), credentials)
  },
  'the doctor': async (url) => {
    const asked = await askOnce(url)
    return asked.kind === 'answer' ? asked : Promise.reject(new Error(asked.why))
  },
}

const silenceOfCause = (error: Error) => (isSilence(error.message) ? error.message : silenceOf(error))
const isSilence = (text: string) => silenceInWords(text as Silence) !== undefined

describe.each(Object.entries(WAYS))('an answer to %s', (_name, ask) => {
  const read = async (url: string) => (await ask(url)).text
  const start = async (listener: RequestListener) => {
    const server = createServer(listener)
    closers.push(() => server.closeAllConnections())
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
  ])('that is compressed (%s) is read, a refusal too', async (coding, body) => {
    expect(await read(await answering(coding, body))).toBe(plain)
    expect(await read(await answering(coding, body, 400))).toBe(plain)
  })

  it('that grows beyond 1 MiB, or is not what it says, is none', async () => {
    const whyNot = async (body: Buffer) => read(await answering('gzip', body)).then(String, silenceOfCause)
    expect(await whyNot(gzipSync('x'.repeat(2 ** 20 + 1)))).toBe('too-large')
    expect(await whyNot(Buffer.from(plain))).toBe('cut-off')
    expect(await read(await answering('gzip', Buffer.alloc(0)))).toBe('')
  })

  it.each([
    ['gzip', Buffer.from(plain)],
    ['gzip', gzipSync(plain).subarray(0, 20)],
    ['identity', Buffer.alloc(2 ** 20 + 1)],
  ])('that refuses says so by its status, whatever its body is coded as (%s)', async (coding, body) => {
    for (const status of [302, 401, 429, 503])
      expect(await ask(await answering(coding, body, status))).toMatchObject({ status, text: '' })
  })
})

describe('a server that speaks HTTP/2', () => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-http2-'))
  const trusted = getCACertificates('default')
  const file = (name: string) => readFileSync(join(folder, name), 'utf8')
  beforeAll(() => {
    const made = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert'
    const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...made.split(' '), ...named], { cwd: folder, stdio: 'ignore' })
    setDefaultCACertificates([...trusted, file('cert')])
  })
  afterAll(() => {
    setDefaultCACertificates(trusted)
    rmSync(folder, { recursive: true })
  })

  async function start(listener: RequestListener): Promise<number> {
    const options = { key: file('key'), cert: file('cert'), allowHTTP1: true }
    const server: Http2SecureServer = createSecureServer(options, listener as never)
    server.on('session', (session) => closers.push(() => session.destroy()))
    return await listening(server)
  }

  it('is sent no more at once than connections are allowed', async () => {
    let [now, most] = [0, 0]
    const port = await start((_req, res) => {
      most = Math.max(most, ++now)
      setTimeout(() => res.end('{}', () => now--), 50)
    })
    const options = { baseUrl: `https://localhost:${port}`, timeLimitMs: 5_000, connections: 3 }
    const connection = createConnection(options)
    closers.push(() => connection.close())
    await Promise.all(Array.from({ length: 12 }, () => connection.send(checkCall(), credentials)))
    expect(most).toBe(3)
  })

  it('and whose connection died in silence is reached by a new one after one request', async () => {
    const port = await start((req, res) => void req.resume().on('end', () => res.end('{}')))
    let [connections, dead] = [0, 0]
    // As a firewall that forgot a connection: nothing passes, and neither side hears of it.
    const firewall = createTcpServer((near) => {
      const mine = ++connections
      const far = connect(port, '127.0.0.1')
      near.on('data', (chunk) => mine > dead && far.write(chunk)).on('error', () => {})
      far.on('data', (chunk) => mine > dead && near.write(chunk)).on('error', () => {})
      near.on('close', () => far.destroy())
      closers.push(() => near.destroy())
    })
    const url = `https://localhost:${await listening(firewall)}`
    const fetch = createFetch(1)
    expect((await fetch(url, post)).status).toBe(200)
    // Until the connection is free for the next request.
    await pause(50)
    dead = connections
    await expect(fetch(url, post)).rejects.toThrow(/timeout/i)
    expect((await fetch(url, post)).status).toBe(200)
  })
})
