// Creates OpenTelemetry spans by its API, which does nothing without the operator's SDK (docs/observability.md). A span
// has no query and no error message, because they may contain a secret.
import {
  context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import { withTimeout } from '../with-timeout.ts'
import { currentRequest } from './current-request.ts'

/** @returns undefined without an SDK, which saves ten spans per page */
function tracerNow(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer('onramp')
    : provider.getTracer('onramp')
}

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)

const fail = (span: Span, type: string) =>
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type)

export const inSpan = <T>(name: string, attributes: Attributes, work: (span: Span) => Promise<T>) =>
  tracerNow()?.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    try {
      return await work(span)
    } catch (error) {
      fail(span, error instanceof Error ? error.name : typeof error)
      throw error
    } finally {
      span.end()
    }
  }) ?? work(NO_SPAN)

/** The context key of `suppressTracing` (@opentelemetry/core). */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

export const withoutSpans = <T>(work: () => T): T =>
  tracerNow() === undefined ? work() : context.with(context.active().setValue(SUPPRESSED, true), work)

/** Runs an outbound HTTP request in a span. @param request spans omit the query of its path */
export function inHttpSpan<T extends { status: number }>(
  request: { method: string; server: URL; path: string },
  work: () => Promise<T>,
): Promise<T> {
  if (tracerNow() === undefined) return work()
  const { method, server, path } = request
  const [pathname = ''] = path.split('?', 1)
  const attributes = {
    'http.request.method': method,
    'url.full': server.origin + pathname,
    'server.address': server.hostname,
    'server.port': Number(server.port) || (server.protocol === 'https:' ? 443 : 80),
  }
  return inSpan(`${method} ${pathname}`, attributes, async (span) => {
    const response = await work()
    span.setAttribute('http.response.status_code', response.status)
    if (response.status >= 400) fail(span, String(response.status))
    return response
  })
}

const NO_REQUEST_SPAN = { traceId: undefined, context: ROOT_CONTEXT, end() {} }

export function startRequestSpan(headers: object) {
  const tracer = tracerNow()
  if (tracer === undefined) return NO_REQUEST_SPAN
  const active = context.active()
  // The operator's HTTP instrumentation may have read the headers already.
  const parent = trace.getSpan(active) === undefined ? propagation.extract(active, headers) : active
  const span = tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, parent)
  const spanContext = span.spanContext()
  return {
    traceId: trace.isSpanContextValid(spanContext) ? spanContext.traceId : undefined,
    context: trace.setSpan(parent, span),
    end(response: { method: string; route: string; status: number; requestId: string }): void {
      const { method, route, status, requestId } = response
      if (span.isRecording()) {
        span.updateName(`${method} ${route}`).setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'onramp.request.id': requestId,
        })
        if (status >= 500) fail(span, String(status))
      }
      span.end()
    },
  }
}

/** Headers for an outbound call, from our span or else from the incoming request. */
export function traceHeaders(): Record<string, string> {
  const incomingHeaders = currentRequest()?.trace?.headers
  if (tracerNow() === undefined) return { ...incomingHeaders }
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return 'traceparent' in headers ? headers : { ...headers, ...incomingHeaders }
}

export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider() as { getDelegate?: () => unknown }
  const sdk = (provider.getDelegate?.() ?? provider) as { forceFlush?: () => Promise<void> }
  await withTimeout(2_000, Promise.resolve(sdk.forceFlush?.())).catch(() => {})
}
