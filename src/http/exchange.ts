// One request and its whole response. A read on a kept connection that the other side has forgotten is sent once more.
import { Client, type Dispatcher } from 'undici'
import { readBody } from './body.ts'
import { createConnector, HTTP1 } from './proxy.ts'

export type HttpResponse = {
  status: number
  text: string
  headers: Record<string, string | string[] | undefined>
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
  options: Dispatcher.RequestOptions & { signal?: AbortSignal | null },
  timeLimitMs: number,
): Promise<HttpResponse> {
  // AbortSignal.timeout can't be taken back: each call would leave a timer that goes off, with an error, seconds later.
  const ending = new AbortController()
  const timer = setTimeout(
    () => ending.abort(new DOMException('aborted due to timeout', 'TimeoutError')),
    timeLimitMs,
  )
  const signals = [ending.signal, options.signal].filter((signal) => signal instanceof AbortSignal)
  const request = { ...options, signal: AbortSignal.any(signals) }
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
    const text = await readBody({ status, body, coding: headers['content-encoding'] })
    return { status, headers, text }
  } finally {
    clearTimeout(timer)
    void fresh?.destroy()
  }
}
