// One HTTP server of the sandbox. It listens on loopback, keeps the journal, applies latency and replaced answers, and
// only then lets its own handler answer. The handler comes after listening: an issuer must know its port.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SwitchesControl } from './control/switches.ts'
import type { Journal, JournalEntry, ServerName } from './journal.ts'
import { giveAnswer } from './service/answers.ts'

/** One request being answered; `path` is the raw path, without the prefix that the server is mounted under. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  url: URL
  path: string
  operation: string
  entry: JournalEntry
}

export type Behaviour = {
  /**
   * The name of what is asked, as used by `answers`, `latencyMs` and `count`.
   * @param path below where the server is mounted; '' when the request is for something beside it
   */
  operation: (path: string, wholePath: string) => string
  handle: (exchange: Exchange) => Promise<void> | void
}

export type Listener = Awaited<ReturnType<typeof listen>>

type ListenerOptions = {
  name: ServerName
  host: string
  /** What it is called, where that is not where it listens. */
  address: string | undefined
  /** In a container: what it listens on instead of its host, which stays in its address. */
  bind: string | undefined
  port: number
  /** Prefix that every path has; the behaviour does not see it. */
  mount: string
  journal: Journal
  switches: SwitchesControl
}

/**
 * Opens a port. Until `serve` is called it answers 503.
 * @throws Error for a host that is not a loopback address, because the sandbox protects nothing; Error for a path like `a/`
 */
export async function listen(options: ListenerOptions) {
  const { host, bind = host, mount } = options
  if (!/^(localhost|::1|127(\.\d{1,3}){3})$/.test(host))
    throw new Error(`The sandbox listens on loopback addresses only, not on ${host}`)
  if (!/^(\/[\w.~-]+)*$/.test(mount))
    throw new Error(`A path begins with / and does not end with one: ${mount}`)
  let behaviour: Behaviour | undefined
  const server = createServer((req, res) => {
    if (behaviour) void answer(options, behaviour, { req, res })
    else res.writeHead(503).end()
  })
  server.listen(options.port, bind)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** Without a trailing slash, with the path that the server is mounted under. */
    url: `${options.address ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`}${mount}`,
    serve: (given: Behaviour) => void (behaviour = given),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

type Connection = Pick<Exchange, 'req' | 'res'>

async function answer(options: ListenerOptions, behaviour: Behaviour, connection: Connection): Promise<void> {
  const { res } = connection
  const exchange = begin(options, behaviour, connection)
  res.once('finish', () => (exchange.entry.status = res.statusCode))
  try {
    if (options.name !== 'control' && (await interfere(options, exchange))) return
    await behaviour.handle(exchange)
  } catch (error) {
    if (res.headersSent) res.destroy()
    else res.writeHead(500, { 'content-type': 'text/plain' }).end(`The sandbox failed: ${String(error)}`)
  }
}

function begin(options: ListenerOptions, behaviour: Behaviour, { req, res }: Connection): Exchange {
  const { name, mount, journal } = options
  const target = `http://sandbox${req.url}`
  const url = new URL(req.url?.startsWith('/') && URL.canParse(target) ? target : 'http://sandbox/')
  const path = `${url.pathname}/`.startsWith(`${mount}/`) ? url.pathname.slice(mount.length) || '/' : ''
  const operation = behaviour.operation(path, url.pathname)
  const entry: JournalEntry = {
    at: new Date().toISOString(),
    server: name,
    operation,
    method: req.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: req.headers,
    status: 0,
  }
  if (name !== 'control') journal.add(entry)
  return { req, res, url, path, operation, entry }
}

/** Does what the switches say of every server. @returns whether the request has been dealt with */
async function interfere({ name, switches }: ListenerOptions, { res, operation }: Exchange) {
  const { authorizationServerDown, serviceDown, latencyMs } = switches.get()
  const isIssuer = name === 'authorizationServer' || name === 'externalIdp'
  if (name === 'service' ? serviceDown : isIssuer && authorizationServerDown) {
    res.destroy()
    return true
  }
  const names = [`${name}.${operation}`, operation]
  const slow =
    typeof latencyMs === 'number' ? latencyMs : names.map((one) => latencyMs[one]).find(Number.isInteger)
  if (slow) await sleep(slow)
  const replaced = switches.takeAnswer(names)
  if (replaced) await giveAnswer(res, replaced)
  return replaced !== undefined
}

const MAX_BODY_BYTES = 1_000_000

/** The whole body of a request as text. @throws Error beyond one megabyte */
export async function readText(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAX_BODY_BYTES) throw new Error('The body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The fields of a form. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readText(req))
}
