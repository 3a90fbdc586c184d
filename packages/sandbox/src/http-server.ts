// One HTTP server of the sandbox: loopback only, writes the journal, applies latency and replaced answers,
// and only then lets the server's own handler answer. The handler comes after listening: an issuer needs its port.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { giveAnswer } from './service/answers.ts'
import type { Journal, JournalEntry, ServerName } from './journal.ts'
import type { SwitchesControl } from './control/switches.ts'

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

export type Listener = {
  origin: string
  serve: (behaviour: Behaviour) => void
  close: () => Promise<void>
}

export type ListenerOptions = {
  name: ServerName
  host: string
  /** What it listens on instead of its host, which it is still known by: for a container. */
  bind?: string | undefined
  port: number
  /** Prefix that every path has; stripped before the behaviour sees it. */
  mount?: string
  journal?: Journal
  switches: SwitchesControl
}

/**
 * Opens a port. Until `serve` is called it answers 503.
 * @throws Error for an address that is not a loopback one: the sandbox has no secrets worth the name
 */
export async function listen(options: ListenerOptions): Promise<Listener> {
  refuseOtherThanLoopback(options.host)
  let behaviour: Behaviour | undefined
  const server = createServer((req, res) => {
    if (behaviour) void answer(options, behaviour, req, res)
    else res.writeHead(503).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.bind ?? options.host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    origin: `http://${host}:${port}`,
    serve: (given) => (behaviour = given),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

function refuseOtherThanLoopback(host: string): void {
  if (host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)) return
  throw new Error(`The sandbox listens on loopback addresses only, not on ${host}`)
}

async function answer(
  options: ListenerOptions,
  behaviour: Behaviour,
  req: IncomingMessage,
  res: ServerResponse,
) {
  const exchange = begin(options, behaviour, req, res)
  res.once('finish', () => (exchange.entry.status = res.statusCode))
  try {
    if (isDown(options)) {
      res.destroy()
      return
    }
    await latency(options, exchange.operation)
    const names = [`${options.name}.${exchange.operation}`, exchange.operation]
    const replaced = options.name === 'control' ? undefined : options.switches.takeAnswer(names)
    if (replaced) await giveAnswer(res, replaced)
    else await behaviour.handle(exchange)
  } catch (error) {
    if (res.headersSent) res.destroy()
    else res.writeHead(500, { 'content-type': 'text/plain' }).end(`The sandbox failed: ${String(error)}`)
  }
}

function begin(
  options: ListenerOptions,
  behaviour: Behaviour,
  req: IncomingMessage,
  res: ServerResponse,
): Exchange {
  const url = urlOf(req)
  const mount = options.mount ?? ''
  const path = `${url.pathname}/`.startsWith(`${mount}/`) ? url.pathname.slice(mount.length) || '/' : ''
  const operation = behaviour.operation(path, url.pathname)
  const query = Object.fromEntries(url.searchParams)
  const entry: JournalEntry = {
    at: new Date().toISOString(),
    server: options.name,
    operation,
    method: req.method ?? 'GET',
    path: url.pathname,
    query,
    headers: req.headers,
    status: 0,
  }
  options.journal?.add(entry)
  return { req, res, url, path, operation, entry }
}

function urlOf(req: IncomingMessage): URL {
  const target = req.url?.startsWith('/') ? req.url : '/'
  return URL.canParse(`http://sandbox${target}`)
    ? new URL(`http://sandbox${target}`)
    : new URL('http://sandbox/')
}

function isDown({ name, switches }: ListenerOptions): boolean {
  const { authorizationServerDown, serviceDown } = switches.get()
  if (name === 'service') return serviceDown
  return authorizationServerDown && (name === 'authorizationServer' || name === 'externalIdp')
}

async function latency({ name, switches }: ListenerOptions, operation: string): Promise<void> {
  if (name === 'control') return
  const { latencyMs } = switches.get()
  const wait =
    typeof latencyMs === 'number'
      ? latencyMs
      : (latencyMs[`${name}.${operation}`] ?? latencyMs[operation] ?? 0)
  if (wait > 0) await sleep(wait)
}
