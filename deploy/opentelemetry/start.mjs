// Loads the SDK of OpenTelemetry in front of onramp (`node --import`), which then sends its spans by OTLP over HTTP.
// The environment decides, as everywhere in OpenTelemetry: OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS,
// OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, and OTEL_TRACES_SAMPLER_ARG: which share of new traces is kept (0 to 1).
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'

process.env.OTEL_SERVICE_NAME ??= 'onramp'

const provider = new TracerProvider({
  resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
  sampler: new ParentBasedSampler({
    root: new TraceIdRatioBasedSampler(Number(process.env.OTEL_TRACES_SAMPLER_ARG ?? 1)),
  }),
  spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
})

context.setGlobalContextManager(new AsyncLocalStorageContextManager())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())
trace.setGlobalTracerProvider(provider)

// The server asks for this itself before it ends; commands end when there is nothing left to do.
process.once('beforeExit', () => provider.forceFlush())
