// A collector of OpenTelemetry, as far as a test needs one: takes OTLP over HTTP in JSON. What came is read by OpenTelemetry's
// own definitions (test/fixtures/opentelemetry, from @opentelemetry/otlp-grpc-exporter-base 0.38.0, the last package that
// had them), so what they don't have, or have as something else, is refused as another's collector would.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import protobuf from 'protobufjs'
import { expect } from 'vitest'

type Value = { stringValue?: string; intValue?: string; boolValue?: boolean }
type Attribute = { key: string; value: Value }
type Received = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
  status?: { code?: number }
}
type Export = {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Received[] }[] }[]
}

export type ReceivedSpan = Omit<Received, 'attributes'> & {
  service: unknown
  attributes: Record<string, unknown>
}

const folder = new URL('../fixtures/opentelemetry/', import.meta.url).pathname
const definitions = new protobuf.Root()
definitions.resolvePath = (_origin, target) => folder + basename(target)
const Request = definitions
  .loadSync('trace_service.proto')
  .lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest')

/** Younger than these definitions (OTLP 1.1); who doesn't know it ignores it. */
const YOUNGER = ['flags']

const recode = (text: string, from: BufferEncoding, to: BufferEncoding) =>
  Buffer.from(text, from).toString(to)
const isId = (key: string) => /^(trace|span|parentSpan)Id$/.test(key)

/** Through the binary form of OTLP and back. @throws where something would be lost on the way, or is of another type */
export function decode(json: string): Export {
  const sent: unknown = JSON.parse(json, (key, value: unknown) =>
    YOUNGER.includes(key)
      ? undefined
      : isId(key) // In hexadecimal (OTLP, JSON Protobuf Encoding), where other JSON of protobuf has Base64.
        ? recode(String(value), 'hex', 'base64')
        : key === 'intValue'
          ? String(value)
          : value,
  )
  const message = Request.decode(Request.encode(Request.fromObject(sent as object)).finish())
  const received = Request.toObject(message, { defaults: true, longs: String, bytes: String })
  expect(received).toMatchObject(sent as object)
  return JSON.parse(JSON.stringify(received), (key, value: unknown) =>
    isId(key) ? recode(String(value), 'base64', 'hex') : value,
  ) as Export
}

export async function startReceiver() {
  const texts: string[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    req.on('end', () => {
      texts.push(body)
      res.setHeader('content-type', 'application/json')
      res.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => texts.flatMap(spansOf),
    /** Everything that came, as it came. */
    text: () => texts.join(''),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const read = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]))

const spansOf = (text: string): ReceivedSpan[] =>
  decode(text).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        ...span,
        service: read(resource.attributes)['service.name'],
        attributes: read(span.attributes),
      })),
  )
