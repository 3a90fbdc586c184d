// Gives each request an id, a span, its metrics, and with REQUEST_LOG a line in the log. They have the route's pattern
// instead of the address, which may contain a token.
import { context } from '@opentelemetry/api'
import type { Request, RequestHandler } from 'express'
import { duringRequest, newRequestId, traceContextOf } from '../trace/current-request.ts'
import { startRequestSpan } from '../trace/spans.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { routeOf } from './route-of.ts'

export function createRequestObserver(
  log: Pick<Log, 'info' | 'debug'>,
  isLogged: boolean,
  metrics: Pick<Metrics, 'observeRequest'>,
): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now()
    const span = startRequestSpan(req.headers)
    const trace = traceContextOf(req.get('traceparent'), req.get('tracestate'))
    const request = { id: idOf(req), trace, traceId: span.traceId ?? trace?.traceId }
    // `close` is also emitted if the browser leaves before the response.
    res.once('close', () => {
      const ms = performance.now() - startedAt
      const method = KNOWN_METHODS.has(req.method) ? req.method : 'other'
      const route = routeOf(req) ?? 'other'
      const status = res.writableFinished ? res.statusCode : 499
      metrics.observeRequest({ route, method, status, seconds: ms / 1000 })
      span.end({ method, route, status, requestId: request.id })
      if (!isLogged) return
      const line = { method, route, status, ms: Math.round(ms * 10) / 10 }
      duringRequest(request, () => log[PROBES.has(route) ? 'debug' : 'info'](line, 'request'))
    })
    duringRequest(request, () => context.with(span.context, next))
  }
}

/** A proxy's request id, which can't imitate other log fields, and can be read aloud. */
const SAFE_ID = /^[\w.:-]{8,64}$/

/** Keeps the id of a trusted proxy, so that both logs match. Other ids could mislead. */
function idOf(req: Request): string {
  const id = req.get('x-request-id')
  if (id === undefined || !SAFE_ID.test(id)) return newRequestId()
  const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean
  return isTrusted(req.socket.remoteAddress ?? '', 0) ? id : newRequestId()
}

/** Probes come every few seconds, so they are logged at level debug. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
