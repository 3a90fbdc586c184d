// A store whose operations are counted.
import { INVALID_SPAN_CONTEXT, trace, type Span, type SpanOptions, type Tracer } from '@opentelemetry/api'
import { expect, it, vi } from 'vitest'
import { watched, type OnOperation } from '../../src/records/watched.ts'

const store = {
  name: 'store',
  get: async (key: string) => `value of ${key}`,
  fail: async () => Promise.reject(new Error('away')),
  whoAmI: async function (this: { name: string }) {
    return this.name
  },
  left: async () => 'alone',
}

it('each operation that is watched is told of with its time and its end, and answers as before', async () => {
  vi.useFakeTimers()
  const told: Parameters<OnOperation>[0][] = []
  const slow = { ...store, get: (key: string) => new Promise((done) => setTimeout(done, 250, key)) }
  const tell: OnOperation = (operation) => void told.push(operation)
  const seen = watched(slow, ['get', 'fail', 'whoAmI'], { system: 'redis', tell })
  const asked = seen.get('key')
  await vi.advanceTimersByTimeAsync(250)
  expect(await asked).toBe('key')
  await expect(seen.fail()).rejects.toThrow('away')
  expect([await seen.whoAmI(), await seen.left(), seen.name]).toEqual(['store', 'alone', 'store'])
  expect(told).toEqual([
    { operation: 'get', isDone: true, seconds: 0.25 },
    { operation: 'fail', isDone: false, seconds: 0 },
    { operation: 'whoAmI', isDone: true, seconds: 0 },
  ])
  vi.useRealTimers()
})

it('a store works that no one is told of', async () => {
  const seen = watched(store, ['get'], { system: 'sqlite', tell: undefined })
  expect(await seen.get('a')).toBe('value of a')
})

it('each operation has a span with its name and its store, and no word of what it was given', async () => {
  const spans: [string, SpanOptions['attributes']][] = []
  const span = trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
  const startActiveSpan = (name: string, { attributes }: SpanOptions, work: (span: Span) => unknown) => {
    spans.push([name, attributes])
    return work(span)
  }
  const tracer = { startSpan: () => span, startActiveSpan } as unknown as Tracer
  trace.setGlobalTracerProvider({ getTracer: () => tracer })
  try {
    await watched(store, ['get'], { system: 'sqlite', tell: undefined }).get('secret')
  } finally {
    trace.disable()
  }
  expect(spans).toEqual([['get sqlite', { 'db.system.name': 'sqlite', 'db.operation.name': 'get' }]])
})
