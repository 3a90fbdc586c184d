// Opens outbound connections directly, or through the forward proxy of HTTPS_PROXY (CONNECT, RFC 9110 9.3.6). The proxy
// is set once for the whole process, so that no call can bypass it. Redis and the mail server are reached directly.
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type Socket } from 'node:net'
import { Agent, buildConnector, setGlobalDispatcher } from 'undici'
import { isLoopback } from './loopback.ts'
import { describeNetworkError, networkErrorOf, ProxyError } from './network-error.ts'

type ProxySettings = Partial<Record<'HTTPS_PROXY' | 'HTTP_PROXY', string | undefined>> & {
  NO_PROXY?: readonly string[] | undefined
}

/** The limit per address. Node's 250 ms are too short for a VPN, or after a lost packet (1 s, RFC 6298 2.1). */
const ATTEMPT = { autoSelectFamilyAttemptTimeout: 2_500 }
const MAX_TUNNEL_MS = 3_500
/** The tunnel's share of a call's time limit, so that a slow proxy is reported as such. */
const TUNNEL_SHARE = 0.8
/** With HTTP/2, one dead connection would fail all requests, because an aborted request doesn't close it. */
const HTTP1 = { allowH2: false }

let proxy: { url: URL; exempt: readonly string[] } | undefined

/** Sets the proxy, also as undici's global dispatcher for fetch and libraries. */
export function useProxy({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY = [] }: ProxySettings): void {
  // Every call uses https, except to loopback addresses.
  const address = HTTPS_PROXY ?? HTTP_PROXY
  proxy = address === undefined ? undefined : { url: new URL(address), exempt: NO_PROXY }
  setGlobalDispatcher(new Agent(connectOptions()))
}

/** @returns host and port of the proxy for this URL; undefined for a direct call */
export const proxyFor = (url: URL): string | undefined =>
  proxy === undefined || isLoopback(url.hostname) || proxy.exempt.some((entry) => isMatch(entry, url))
    ? undefined
    : proxy.url.host

/**
 * For every dispatcher of undici. The error of a broken connection has `wasAnswering` if bytes were read before.
 * @param timeout for a connection with TLS; milliseconds
 */
export function connectOptions(timeout?: number, tls: { rejectUnauthorized?: boolean } = {}) {
  const direct = buildConnector({ ...HTTP1, ...ATTEMPT, ...tls, ...(timeout !== undefined && { timeout }) })
  const limitMs = Math.min(MAX_TUNNEL_MS, (timeout ?? Infinity) * TUNNEL_SHARE)
  const connect: buildConnector.connector = (options, report) => {
    const callback: typeof report = (...result) => {
      const [, socket] = result
      socket?.once('error', (error) => Object.assign(error, { wasAnswering: socket.bytesRead > 0 }))
      report(...result)
    }
    const url = new URL(`${options.protocol}//${options.host ?? options.hostname}`)
    if (proxy === undefined || proxyFor(url) === undefined) {
      direct(options, callback)
      return
    }
    tunnel(proxy.url, url, limitMs).then(
      (httpSocket) => direct({ ...options, httpSocket }, callback),
      (error: Error) => callback(error, null),
    )
  }
  return { ...HTTP1, connect }
}

/** @throws {ProxyError} */
async function tunnel(through: URL, { hostname, port }: URL, limitMs: number): Promise<Socket> {
  const target = `${hostname}:${port || 443}`
  const user = [through.username, through.password].map(decodeURIComponent).join(':')
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }
  const headers = { host: target, ...(user !== ':' && authorization) }
  const { request } = through.protocol === 'https:' ? https : http
  // Otherwise the proxy's certificate would be checked against the Host header.
  const servername = isIP(through.hostname.replaceAll(/[[\]]/g, '')) === 0 ? through.hostname : ''
  const options = { method: 'CONNECT', path: target, headers, agent: false, servername, ...ATTEMPT }
  const connectRequest = request(through.origin, options).end()
  const timer = setTimeout(() => connectRequest.destroy(new DOMException('late', 'TimeoutError')), limitMs)
  try {
    const [response, socket] = (await once(connectRequest, 'connect')) as [IncomingMessage, Socket]
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return socket
    socket.on('error', () => {}).destroy()
    const failure =
      status === 407 || status === 401
        ? `${user === ':' ? 'requires a' : 'rejects the'} username and password`
        : `${status >= 500 ? 'cannot reach' : 'refuses to connect to'} ${hostname}`
    throw new ProxyError(through.host, `${failure} (${status})`)
  } catch (error) {
    if (error instanceof ProxyError) throw error
    const why = describeNetworkError(networkErrorOf(error))
    throw new ProxyError(through.host, `cannot be used: ${why}`, error)
  } finally {
    clearTimeout(timer)
  }
}

/** Lower case, without IPv6 brackets and a final dot. */
const bare = (host: string) => host.toLowerCase().replaceAll(/[[\]]/g, '').replace(/\.$/, '')

/** @param entry `*`, or a name or address, which includes everything below it; may have a port */
function isMatch(entry: string, { hostname, port }: URL): boolean {
  const [, name = '', only] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? ['', entry]
  if (only !== undefined && only !== (port || '443')) return false
  const suffix = bare(name).replace(/^\*?\./, '')
  return suffix === '*' || bare(hostname) === suffix || bare(hostname).endsWith(`.${suffix}`)
}
