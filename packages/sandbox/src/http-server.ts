// One HTTP server of the sandbox. It listens on loopback, keeps the journal, applies latency and replaced answers, and
// only then lets its own handler answer. The handler comes after listening: an issuer must know its port.
import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { createJournal, JournalEntry, ServerName } from './journal.ts'
import type { SwitchesControl } from './switches.ts'

/** One request being answered; `path` is the raw path, without the prefix that the server is mounted under; '' beside it. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  url: URL
  path: string
  operation: string
  entry: JournalEntry
  /** Reads the body as the fields of a form. */
  form: () => Promise<URLSearchParams>
}

export type RequestHandler = {
  /** The name of what is asked for below where the server is mounted, as used by `answers`, `latencyMs` and `count`. */
  operation: (path: string) => string
  handle: (exchange: Exchange) => Promise<void> | void
}

/** Where servers are; absent: at 127.0.0.1, any free port. */
export type ServerAddresses = {
  /** In a container: what every server listens on instead of its host, for example 0.0.0.0. */
  bind?: string | undefined
  hosts?: Partial<Record<ServerName, string>>
  ports?: Partial<Record<ServerName, number>>
  /** What servers are called where something in front of them ends TLS, for example `https://login.example`. */
  addresses?: Partial<Record<ServerName, string>>
  /** Prefixes that every path of a server has, for example `/tenant/a`; its behaviour does not see them. */
  paths?: Partial<Record<ServerName, string>>
}

const METADATA = '/.well-known/oauth-authorization-server'

/**
 * Opens a port. Until `serve` is called it answers 503.
 * @throws Error for a host that is not a loopback address, because the sandbox protects nothing; Error for a path like `a/`
 */
export async function listen(name: ServerName, places: ServerAddresses) {
  const [host, mount] = [places.hosts?.[name] ?? '127.0.0.1', places.paths?.[name] ?? '']
  if (!/^(localhost|::1|127(\.\d{1,3}){3})$/.test(host))
    throw new Error(`The sandbox listens on loopback addresses only, not on ${host}`)
  if (!/^(\/[\w.~-]+)*$/.test(mount))
    throw new Error(`A path begins with / and does not end with one: ${mount}`)
  let answer = async (_req: IncomingMessage, res: ServerResponse) => void res.writeHead(503).end()
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      if (res.headersSent) res.destroy()
      else res.writeHead(500, { 'content-type': 'text/plain' }).end(`The sandbox failed: ${String(error)}`)
    })
  })

  function createExchange(
    { operation: nameOf }: RequestHandler,
    req: IncomingMessage,
    res: ServerResponse,
  ): Exchange {
    const target = `http://sandbox${req.url}`
    const url = new URL(req.url?.startsWith('/') && URL.canParse(target) ? target : 'http://sandbox/')
    const isBelow = `${url.pathname}/`.startsWith(`${mount}/`)
    // RFC 8414 3.1 inserts the well-known part before the issuer's path.
    const inserted = url.pathname === METADATA + mount ? METADATA : ''
    const path = isBelow ? url.pathname.slice(mount.length) || '/' : inserted
    const entry: JournalEntry = {
      at: new Date().toISOString(),
      server: name,
      operation: nameOf(path),
      method: req.method ?? 'GET',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: req.headers,
      status: 0,
    }
    res.once('finish', () => (entry.status = res.statusCode))
    const form = async () => new URLSearchParams(await text(req))
    return { req, res, url, path, operation: entry.operation, entry, form }
  }

  server.listen(places.ports?.[name] ?? 0, places.bind ?? host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** Without a trailing slash, with the path that the server is mounted under. */
    url: `${places.addresses?.[name] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`}${mount}`,
    serve(
      behaviour: RequestHandler,
      journal: ReturnType<typeof createJournal>,
      switches: SwitchesControl,
    ): void {
      answer = async (req, res) => {
        const exchange = createExchange(behaviour, req, res)
        if (name !== 'control') journal.add(exchange.entry)
        if (exchange.path === '') res.writeHead(404).end()
        else if (name === 'control' || !(await applySwitches(exchange, switches)))
          await behaviour.handle(exchange)
      }
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Does what the switches say of every server. @returns whether the request has been dealt with */
async function applySwitches(
  { res, operation, entry }: Exchange,
  switches: SwitchesControl,
): Promise<boolean> {
  const { latencyMs } = switches.get()
  const names = [`${entry.server}.${operation}`, operation, entry.server]
  const slow =
    typeof latencyMs === 'number' ? latencyMs : names.map((one) => latencyMs[one]).find(Number.isInteger)
  if (slow) await sleep(slow)
  const replaced = switches.takeOverride(names)
  if (replaced) await sendOverride(res, replaced)
  return replaced !== undefined
}

const DRIP_EVERY_MS = 200

type ResponseOverride = NonNullable<ReturnType<SwitchesControl['takeOverride']>>

/** Gives `answer` in place of the operation's own. A `hang` resolves and leaves the response open. */
async function sendOverride(res: ServerResponse, answer: ResponseOverride): Promise<void> {
  if (answer.delayMs) await sleep(answer.delayMs)
  if (answer.hang) return
  if (answer.close) return void res.destroy()
  const { status = 200, body = status === 204 || status === 304 ? '' : (STATUS_CODES[status] ?? '') } = answer
  const [content, type] =
    typeof body === 'string'
      ? [body, 'text/plain; charset=utf-8']
      : [JSON.stringify(body), 'application/json']
  const bytes = Buffer.from(content)
  res.statusCode = status
  res.setHeader('content-type', answer.contentType ?? type)
  // One byte too many, so that the client notices.
  res.setHeader('content-length', bytes.length + (answer.truncate ? 1 : 0))
  for (const [name, value] of Object.entries(answer.headers ?? {})) res.setHeader(name, value)
  if (answer.truncate)
    return void res.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => res.destroy())
  for (const byte of answer.drip ? bytes : []) {
    res.flushHeaders()
    await sleep(DRIP_EVERY_MS)
    if (res.destroyed) return
    res.write(Uint8Array.of(byte))
  }
  res.end(answer.drip ? undefined : bytes)
}
