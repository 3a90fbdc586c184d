// Sends one request and reads the whole response. A read is sent again if a pooled connection was dead.
import { Client, type Dispatcher } from 'undici'
import { readBody } from './body.ts'
import { connectOptions } from './proxy.ts'

export type HttpResponse = {
  status: number
  text: string
  headers: Record<string, string | string[] | undefined>
}

type ConnectionError = Error & { wasAnswering?: boolean; code?: string }

/** True if a firewall or load balancer silently dropped an idle connection. */
const wasDropped = ({ wasAnswering, code = '' }: ConnectionError): boolean =>
  wasAnswering === true && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code)

/** Resends a GET, or an `idempotent` request, once. @throws also if the body of a success is unreadable */
export async function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.RequestOptions & { signal?: AbortSignal | null },
  timeLimitMs: number,
): Promise<HttpResponse> {
  options.signal?.throwIfAborted()
  // AbortSignal.timeout can't be cleared, so each call would leave a timer that fires seconds later.
  const abortController = new AbortController()
  const abort = () => abortController.abort(new DOMException('aborted due to timeout', 'TimeoutError'))
  const timer = setTimeout(abort, timeLimitMs)
  options.signal?.addEventListener('abort', () => abortController.abort(options.signal?.reason))
  const request = { ...options, signal: abortController.signal }
  const { idempotent: mayResend = options.method === 'GET', origin = '' } = options
  let fresh: Client | undefined
  try {
    const response = await dispatcher.request(request).catch((error: ConnectionError) => {
      if (!mayResend || !wasDropped(error)) throw error
      fresh = new Client(origin, connectOptions(timeLimitMs))
      return fresh.request(request)
    })
    const { statusCode: status, headers, body } = response
    return { status, headers, text: await readBody({ status, body, coding: headers['content-encoding'] }) }
  } finally {
    clearTimeout(timer)
    void fresh?.destroy()
  }
}
