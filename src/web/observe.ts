// The first that a request meets: it gets an id, a span and a place in the metrics, and where REQUEST_LOG asks for it a
// line in the log. None of them has its address, which may hold a token; the route's pattern says enough.
import { context } from '@opentelemetry/api'
import type { Request, RequestHandler } from 'express'
import { duringRequest, newRequestId, traceContextOf, type CurrentRequest } from '../trace/current-request.ts'
import { startRequestSpan } from '../trace/spans.ts'
import type { Log } from './log.ts'
import { CLIENT_CLOSED, type Metrics } from './metrics/metrics.ts'
import { routeOf } from './route-of.ts'

type ObserveParts = {
  log: Pick<Log, 'info' | 'debug'>
  /** REQUEST_LOG */
  isLogged: boolean
  metrics: Pick<Metrics, 'observeRequest'>
}

export function createObserve({ log, isLogged, metrics }: ObserveParts): RequestHandler {
  return (req, res, next) => {
    const began = performance.now()
    const span = startRequestSpan(req.headers)
    const trace = traceContextOf(req.get('traceparent'), req.get('tracestate'))
    const request: CurrentRequest = { id: idOf(req), trace, traceId: span.traceId ?? trace?.traceId }
    // Comes after every answer, and without one when the browser has gone away.
    res.once('close', () => {
      const ms = performance.now() - began
      const method = KNOWN_METHODS.has(req.method) ? req.method : 'other'
      const route = routeOf(req) ?? 'other'
      const status = res.writableFinished ? res.statusCode : CLIENT_CLOSED
      metrics.observeRequest({ route, method, status, seconds: ms / 1000 })
      span.end({ method, route, status, requestId: request.id })
      if (!isLogged) return
      const line = { method, route, status, ms: Math.round(ms * 10) / 10 }
      duringRequest(request, () => log[PROBES.has(route) ? 'debug' : 'info'](line, 'request'))
    })
    duringRequest(request, () => context.with(span.within, next))
  }
}

/** What a proxy may call a request: nothing that could pass for something else in a log, or be too long to read out. */
const SAFE_ID = /^[\w.:-]{8,64}$/

/** A proxy's own id is kept, so that its log and ours can be read side by side; anyone else's could be made to mislead. */
function idOf(req: Request): string {
  const given = req.get('x-request-id')
  if (given === undefined || !SAFE_ID.test(given)) return newRequestId()
  const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean
  return isTrusted(req.socket.remoteAddress ?? '', 0) ? given : newRequestId()
}

/** They come every few seconds and say nothing new. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
