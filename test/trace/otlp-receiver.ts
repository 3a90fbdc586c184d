// A collector of OpenTelemetry, as far as a test needs one: takes OTLP over HTTP in JSON.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Value = { stringValue?: string; intValue?: number; boolValue?: boolean }
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
  (JSON.parse(text) as Export).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap((scope) => scope.spans)
      .map((span) => ({
        ...span,
        service: read(resource.attributes)['service.name'],
        attributes: read(span.attributes),
      })),
  )
