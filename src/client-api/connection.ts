// The service's operations (contract section 4) as requests, and the keep-alive pool that they leave by. What surprises:
// redirects are never followed (a client that does keeps X-Service-ActAs across origins).
import { Client, Pool, type Dispatcher } from 'undici'
import { inHttpSpan, traceHeaders } from '../trace/spans.ts'
import { readLimited } from './body.ts'
import { credentialHeaders, type Credentials } from './credentials.ts'
import type { Operation } from './errors.ts'
import { createConnector, HTTP1 } from './proxy.ts'

/** A POST that only reads; `path` without the service's address. */
export type Call = { operation: Operation; path: string; body?: string }

/** Contract 4.1. @param finalRedirectUrl absent: the tenant's own setting counts */
export function checkCall(finalRedirectUrl?: string): Call {
  const query =
    finalRedirectUrl === undefined ? '' : `?final_redirect_url=${encodeURIComponent(finalRedirectUrl)}`
  return { operation: 'checkdatasourceauth', path: `/rest/api/v1/checkdatasourceauth${query}` }
}

/** Contract 4.2. */
export const searchCall = (query: { query: string; pageSize: number }): Call => ({
  operation: 'search',
  path: '/rest/api/v1/search',
  body: JSON.stringify(query),
})

type Exchanged = {
  status: number
  text: string
  headers: Record<string, string | string[] | undefined>
}

export type Service = {
  /** SERVICE_BASE_URL without a trailing slash. */
  baseUrl: string
  /** For the whole call, body included; milliseconds. */
  timeLimitMs: number
  /** At most so many at once. */
  connections: number
  /** SERVICE_HEADER_PREFIX. */
  headerPrefix?: string | undefined
}

type Connection = {
  /** @throws {TypeError} at once, without quoting it, for a token or address that must not go into a header */
  send(call: Call, credentials: Credentials): Promise<Exchanged>
  close(): Promise<void>
}

const JSON_BOTH_WAYS = { 'content-type': 'application/json', accept: 'application/json' }

export function createConnection({ baseUrl, timeLimitMs, connections, headerPrefix }: Service): Connection {
  const server = new URL(baseUrl)
  const { origin, pathname } = server
  const prefix = pathname.replace(/\/$/, '')
  const dispatcher = new Pool(origin, {
    ...HTTP1,
    connections,
    keepAliveTimeout: 30_000,
    connect: createConnector(timeLimitMs),
  })
  return {
    send({ path, body }, credentials) {
      const question = { method: 'POST', path: prefix + path, idempotent: true } as const
      const fixed = { ...credentialHeaders(credentials, headerPrefix), ...JSON_BOTH_WAYS }
      return inHttpSpan({ ...question, server }, () => {
        const headers = { ...fixed, ...traceHeaders() }
        return exchange(dispatcher, { ...question, origin, headers, body: body ?? null }, timeLimitMs)
      })
    },
    close: () => dispatcher.destroy(),
  }
}

type ConnectionError = Error & { wasAnswering?: boolean; code?: string }

/** The other side had forgotten the connection, as firewalls and load balancers do after a pause, and answered nothing. */
const wasForgotten = ({ wasAnswering, code = '' }: ConnectionError): boolean =>
  wasAnswering === true && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)

/**
 * One request and its whole answer; `text` is '' for a body that cannot be read where the status says enough. What only
 * reads (a GET, or `idempotent`) is sent once more, on a new connection, where a kept one turns out to be forgotten.
 * @throws when there is no connection, it takes too long, or the body cannot be read
 */
export async function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions,
  timeLimitMs: number,
): Promise<Exchanged> {
  // AbortSignal.timeout can't be taken back: each call would leave a timer that goes off, with an error, seconds later.
  const ending = new AbortController()
  const timer = setTimeout(
    () => ending.abort(new DOMException('aborted due to timeout', 'TimeoutError')),
    timeLimitMs,
  )
  const request = { ...options, signal: ending.signal }
  const { idempotent: isRead = options.method === 'GET', origin = '' } = options
  let fresh: Client | undefined
  try {
    const {
      statusCode: status,
      headers,
      body,
    } = await dispatcher.request(request).catch((error: ConnectionError) => {
      if (!isRead || !wasForgotten(error)) throw error
      // Others of the pool may be forgotten too.
      fresh = new Client(origin, { ...HTTP1, connect: createConnector(timeLimitMs) })
      return fresh.request(request)
    })
    const text = await readLimited({ status, body, coding: headers['content-encoding'] })
    return { status, headers, text }
  } finally {
    clearTimeout(timer)
    void fresh?.destroy()
  }
}
