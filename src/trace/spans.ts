// Spans of OpenTelemetry, through its API alone: nothing happens until the operator loads an SDK (docs/observability.md).
// Names and attributes follow its semantic conventions. What surprises: no span has a path or a query as they came, nor
// an error's message, because those may hold a secret.
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
  type Context,
  type Span,
  type Tracer,
} from '@opentelemetry/api'
import { within } from '../within.ts'
import { currentRequest } from './current-request.ts'

/** Undefined until there is an SDK: a page makes ten spans, and without one they would be made for nothing. */
function tracerNow(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return provider instanceof ProxyTracerProvider
    ? provider.getDelegateTracer('onramp')
    : provider.getTracer('onramp')
}

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)

const fail = (span: Span, type: string) =>
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', type)

/** The work in a span of its own, which names a failure by its kind. */
export const inSpan = <T>(
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
): Promise<T> =>
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

/** What every SDK of OpenTelemetry looks for (`suppressTracing` of @opentelemetry/core): no spans are made within. */
const SUPPRESSED = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** The work without a span for each of its steps, which are thousands. */
export const withoutSpans = <T>(work: () => T): T =>
  tracerNow() === undefined ? work() : context.with(context.active().setValue(SUPPRESSED, true), work)

type HttpQuestion = {
  method: string
  server: URL
  /** May have a query, which no one is told. */ path: string
}

/** An HTTP request of ours; the work brings the answer. */
export function inHttpSpan<T extends { status: number }>(
  { method, server: { origin, hostname, port, protocol }, path }: HttpQuestion,
  work: () => Promise<T>,
): Promise<T> {
  if (tracerNow() === undefined) return work()
  const [pathname = ''] = path.split('?', 1)
  const attributes = {
    'http.request.method': method,
    'url.full': origin + pathname,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  }
  return inSpan(`${method} ${pathname}`, attributes, async (span) => {
    const answer = await work()
    span.setAttribute('http.response.status_code', answer.status)
    if (answer.status >= 400) fail(span, String(answer.status))
    return answer
  })
}

type RequestSpan = {
  /** Undefined without an SDK. */
  traceId: string | undefined
  /** Where the spans of what the request leads to belong. */
  within: Context
  end(answered: { method: string; route: string; status: number; requestId: string }): void
}

const NO_REQUEST_SPAN: RequestSpan = { traceId: undefined, within: ROOT_CONTEXT, end() {} }

/** @param headers of the request, which may bring a trace */
export function startRequestSpan(headers: object): RequestSpan {
  const tracer = tracerNow()
  if (tracer === undefined) return NO_REQUEST_SPAN
  const active = context.active()
  // An operator's own instrumentation of HTTP has read them already.
  const parent = trace.getSpan(active) === undefined ? propagation.extract(active, headers) : active
  const span = tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, parent)
  const spanContext = span.spanContext()
  return {
    traceId: trace.isSpanContextValid(spanContext) ? spanContext.traceId : undefined,
    within: trace.setSpan(parent, span),
    end({ method, route, status, requestId }) {
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

/** What a call carries on, so that the trace goes on there: from our span, or else as the request brought it. */
export function traceHeaders(): Record<string, string> {
  const brought = currentRequest()?.trace?.headers
  if (tracerNow() === undefined) return { ...brought }
  const headers: Record<string, string> = {}
  propagation.inject(context.active(), headers)
  return 'traceparent' in headers ? headers : { ...headers, ...brought }
}

const MAX_FLUSH_MS = 2_000

/** Before the process ends: an SDK may still hold spans. */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider() as { getDelegate?: () => unknown }
  const sdk = (provider.getDelegate?.() ?? provider) as { forceFlush?: () => Promise<void> }
  await within(MAX_FLUSH_MS, Promise.resolve(sdk.forceFlush?.())).catch(() => {})
}
