// An HTTP server of the sandbox, on loopback: it writes the journal and applies the switches, then its handler
// responds. The handler is set after listening, because an issuer has to know its port.
import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Journal, ServerName } from './journal.ts'
import type { SwitchesControl } from './switches.ts'

type JournalEntry = Journal['entries'][number]

/** A request and its response. `path` is relative to the server's prefix; '' outside of it. */
export type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  url: URL
  path: string
  operation: string
  entry: JournalEntry
  form: () => Promise<URLSearchParams>
}

export type RequestHandler = {
  /** The operation's name in `answers`, `latencyMs` and `count`. @param path relative to the server's prefix */
  operation: (path: string) => string
  handle: (exchange: Exchange) => Promise<void> | void
}

/** Default: 127.0.0.1 and any free port. */
type ServerAddresses = {
  /** Overrides the hosts in a container, for example 0.0.0.0. */
  bind?: string | undefined
  hosts?: Partial<Record<ServerName, string>>
  ports?: Partial<Record<ServerName, number>>
  /** Public origins behind a TLS proxy, for example `https://login.example`. */
  addresses?: Partial<Record<ServerName, string>>
  /** Path prefixes, for example `/tenant/a`. Handlers don't see them. */
  paths?: Partial<Record<ServerName, string>>
}

const METADATA = '/.well-known/oauth-authorization-server'

/**
 * Responds with 503 until `serve` is called.
 * @returns `url`: with the path prefix, without a trailing slash
 * @throws Error for an address that isn't loopback, because the sandbox has no protection, or a path like `a/`
 */
export async function listen(name: ServerName, addresses: ServerAddresses) {
  const host = addresses.hosts?.[name] ?? '127.0.0.1'
  const mount = addresses.paths?.[name] ?? ''
  if (!/^(localhost|::1|127(\.\d{1,3}){3})$/.test(host))
    throw new Error(`The sandbox listens on loopback addresses only, not on ${host}`)
  if (!/^(\/[\w.~-]+)*$/.test(mount))
    throw new Error(`A path begins with / and does not end with one: ${mount}`)
  let respond = async (_req: IncomingMessage, res: ServerResponse) => void res.writeHead(503).end()
  const server = createServer((req, res) => {
    respond(req, res).catch((error: unknown) => {
      if (res.headersSent) res.destroy()
      else res.writeHead(500, { 'content-type': 'text/plain' }).end(`The sandbox failed: ${String(error)}`)
    })
  })
  server.listen(addresses.ports?.[name] ?? 0, addresses.bind ?? host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = addresses.addresses?.[name] ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const serve = (handler: RequestHandler, journal: Journal, switches: SwitchesControl) => {
    respond = async (req, res) => {
      const target = `http://sandbox${req.url}`
      const url = new URL(req.url?.startsWith('/') && URL.canParse(target) ? target : 'http://sandbox/')
      const isBelow = `${url.pathname}/`.startsWith(`${mount}/`)
      // The well-known part comes before the issuer's path (RFC 8414 3.1).
      const metadataPath = url.pathname === METADATA + mount ? METADATA : ''
      const path = isBelow ? url.pathname.slice(mount.length) || '/' : metadataPath
      const operation = handler.operation(path)
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
      res.once('finish', () => (entry.status = res.statusCode))
      const form = async () => new URLSearchParams(await text(req))
      if (name !== 'control') journal.add(entry)
      if (path === '') return void res.writeHead(404).end()
      if (name !== 'control' && (await applySwitches(res, entry, switches))) return
      await handler.handle({ req, res, url, path, operation, entry, form })
    }
  }
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { name, url: origin + mount, serve, close }
}

async function applySwitches(res: ServerResponse, entry: JournalEntry, switches: SwitchesControl) {
  const { latencyMs } = switches.get()
  const names = [`${entry.server}.${entry.operation}`, entry.operation, entry.server]
  const slow =
    typeof latencyMs === 'number' ? latencyMs : names.map((name) => latencyMs[name]).find(Number.isInteger)
  if (slow) await sleep(slow)
  const replaced = switches.takeOverride(names)
  if (replaced) await sendOverride(res, replaced)
  return replaced !== undefined
}

const DRIP_EVERY_MS = 200

type ResponseOverride = NonNullable<ReturnType<SwitchesControl['takeOverride']>>

/** `hang` resolves and leaves the response open. */
async function sendOverride(res: ServerResponse, override: ResponseOverride): Promise<void> {
  if (override.delayMs) await sleep(override.delayMs)
  if (override.hang) return
  if (override.close) return void res.destroy()
  const { status = 200 } = override
  const { body = status === 204 || status === 304 ? '' : (STATUS_CODES[status] ?? '') } = override
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  res.statusCode = status
  res.setHeader('content-type', override.contentType ?? type)
  // A truncated body is one byte shorter than announced, so that the client notices.
  res.setHeader('content-length', bytes.length + (override.truncate ? 1 : 0))
  for (const [name, value] of Object.entries(override.headers ?? {})) res.setHeader(name, value)
  if (override.truncate)
    return void res.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => res.destroy())
  for (const byte of override.drip ? bytes : []) {
    res.flushHeaders()
    await sleep(DRIP_EVERY_MS)
    if (res.destroyed) return
    res.write(Uint8Array.of(byte))
  }
  res.end(override.drip ? undefined : bytes)
}
