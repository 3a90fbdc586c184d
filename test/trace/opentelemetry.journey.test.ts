// The recipe of docs/observability.md in a child process, and the spans that a collector gets.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startOnramp } from '../helpers/processes.ts'
import { run, signIn } from '../helpers/running.ts'

const recipe = new URL('../../deploy/opentelemetry/', import.meta.url)

type Attribute = { key: string; value: Record<string, unknown> }
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Attribute[]
}
type Export = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[] }

const read = (attributes: Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

/** A minimal collector of OTLP over HTTP in JSON. */
async function startCollector() {
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
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const sent = () => texts.flatMap((text) => (JSON.parse(text) as Export).resourceSpans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () =>
      sent().flatMap(({ resource, scopeSpans }) =>
        scopeSpans
          .flatMap(({ spans }) => spans)
          .map((span) => ({
            ...span,
            service: read(resource.attributes)['service.name'],
            attributes: read(span.attributes),
          })),
      ),
    /** The received bodies, unchanged. */
    text: () => texts.join(''),
  }
}

it('an operator who loads the SDK can follow a click to the service', async () => {
  const collector = await startCollector()
  const running = await run()
  onTestFinished(() => running.close())
  await running.stopOnramp()
  const server = await startOnramp({
    ...running.env,
    DRAIN_SECONDS: '0',
    REQUEST_LOG: 'yes',
    ADMIN_EMAILS: 'grace@acme.example',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    NODE_OPTIONS: `--import=${new URL('start.mjs', recipe).href}`,
  })
  const ada = await signIn(running, 'ada')
  const traceId = 'a'.repeat(32)
  const traceparent = `00-${traceId}-${'b'.repeat(16)}-01`
  await ada.open('/onboarding', { headers: { traceparent } })
  const grace = await signIn(running, 'grace', '/admin')
  expect(grace.page.status).toBe(200)
  expect((await server.end('SIGTERM')).code).toBe(0)

  const spans = collector.spans()
  const named = (name: string) => spans.filter((span) => span.name === name)
  const parentOf = ({ traceId: own, parentSpanId }: (typeof spans)[number]) =>
    spans.find((span) => span.traceId === own && span.spanId === parentSpanId)?.name
  const ofTrace = spans.filter((span) => span.traceId === traceId)
  const [click] = ofTrace.filter(({ name }) => name === 'GET /onboarding')
  expect(click).toMatchObject({ parentSpanId: 'b'.repeat(16), kind: 2, service: 'onramp' })
  expect(click?.attributes).toMatchObject({ 'http.route': '/onboarding', 'http.response.status_code': 200 })

  const [call] = ofTrace.filter(({ name }) => name.endsWith('/checkdatasourceauth'))
  expect(call && parentOf(call)).toBe('GET /onboarding')
  expect(call).toMatchObject({ kind: 3, attributes: { 'http.response.status_code': 200 } })
  const received = running.sandbox.requests.map(({ headers }) => headers['traceparent'])
  expect(received).toContain(`00-${traceId}-${call?.spanId}-01`)

  expect(ofTrace.filter(({ name }) => name === 'get sqlite').map(parentOf)).toContain('GET /onboarding')
  const token = spans.find(({ name }) => name.startsWith('POST ') && name.endsWith('/token'))
  expect(token && parentOf(token)).toBe('GET /sign-in/callback')
  expect(named('GET discovery')).toHaveLength(1)
  expect(server.output()).toContain(
    `"requestId":"${String(click?.attributes['onramp.request.id'])}","traceId":"${traceId}"`,
  )

  // A page about all people reads eight thousand records, whose spans would hide all others.
  expect(named('GET /admin').length).toBeGreaterThan(0)
  expect(named('get sqlite').length).toBeLessThan(100)

  const secrets = ['ada@', 'final_redirect_url', 'code=', 'state=', running.env['OIDC_CLIENT_SECRET'] ?? '']
  for (const secret of secrets) expect(collector.text()).not.toContain(secret)
})

it('the recipe installs each of its imports', () => {
  const text = readFileSync(new URL('start.mjs', recipe), 'utf8')
  const imported = [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name)
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', recipe), 'utf8')) as {
    dependencies: Record<string, string>
  }
  expect(new Set(Object.keys(dependencies))).toEqual(new Set(imported))
  const ours = JSON.parse(readFileSync(new URL('../../package.json', recipe), 'utf8')) as {
    dependencies: Record<string, string>
    devDependencies: Record<string, string>
  }
  expect({ ...ours.dependencies, ...ours.devDependencies }).toMatchObject(dependencies)
})
