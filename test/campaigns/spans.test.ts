// OpenTelemetry spans of a run.
import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, it, onTestFinished } from 'vitest'
import { useCompany } from './command.ts'

const { send, list } = useCompany()

it('a run of invite send leaves a span for each email, without an address', async () => {
  const exporter = new InMemorySpanExporter()
  const processor = new SimpleSpanProcessor({ exporter })
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }))
  onTestFinished(() => trace.disable())

  await send([list('email\nada@acme.example\nbob@acme.example\n')])

  const spans = exporter.getFinishedSpans()
  const emails = spans.filter(({ name }) => name === 'send email')
  expect(emails.map(({ attributes }) => attributes)).toMatchObject([
    { 'network.protocol.name': 'smtp', 'onramp.email.outcome': 'sent' },
    { 'network.protocol.name': 'smtp', 'onramp.email.outcome': 'sent' },
  ])
  expect(JSON.stringify(spans.map(({ name, attributes, events }) => [name, attributes, events]))).not.toMatch(
    /@/,
  )
})
