// What a run tells Prometheus and a tracing SDK: how long the service, the store and the mail server took.
import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { useCompany } from './command.ts'

const { send, fresh, list } = useCompany()

it('a run leaves its times in a file that the node exporter can read, and spans without an address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'onramp-metrics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const exporter = new InMemorySpanExporter()
  const processor = new SimpleSpanProcessor({ exporter })
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [processor] }))
  onTestFinished(() => trace.disable())

  const people = list('email\nada@acme.example\nbob@acme.example\n')
  await send([people, '--metrics', join(folder, 'onramp.prom'), ...fresh()])

  expect(readdirSync(folder)).toEqual(['onramp.prom'])
  const page = readFileSync(join(folder, 'onramp.prom'), 'utf8')
  expect(page).toContain('onramp_email_duration_seconds_count{outcome="sent"} 2')
  expect(page).toContain(
    'onramp_service_call_duration_seconds_count{operation="checkdatasourceauth",status="2xx"} 2',
  )
  expect(page).toMatch(/onramp_store_operation_duration_seconds_count\{operation="get",result="done"\} [1-9]/)

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

it('a run that could not leave them does not begin', async () => {
  const { code, stderr } = await send([
    list('ada@acme.example\n'),
    '--metrics',
    '/nowhere/at/all',
    ...fresh(),
  ])
  expect(code).toBe(2)
  expect(stderr).toContain("--metrics can't be written to /nowhere/at/all (ENOENT)")
})
