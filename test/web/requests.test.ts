// Request ids, request log and trace ids.
import { request } from 'undici'
import { expect, it } from 'vitest'
import { run, signIn } from '../helpers/running.ts'
import { shared } from '../helpers/shared.ts'
import { TestBrowser } from '../helpers/test-browser.ts'

type Line = Record<string, unknown> & { msg: string; level: number }

const running = shared(() => run({ settings: { REQUEST_LOG: 'yes', TRUST_PROXY: 'loopback' } }))

/** The log lines of some work. */
async function linesDuring(work: () => Promise<unknown>): Promise<Line[]> {
  const before = running.log.length
  await work()
  await new Promise((resolve) => setTimeout(resolve, 20))
  return running.log.slice(before).map((line) => JSON.parse(line) as Line)
}

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await request(running.url + path, { headers: { accept: 'application/json', ...headers } })
  return {
    status: response.statusCode,
    id: String(response.headers['x-request-id']),
    body: await response.body.text(),
  }
}

it('every response has a unique request id in a header', async () => {
  const responses = await Promise.all(
    ['/healthz', '/sign-in', '/assets/nothing', '/nowhere'].map((path) => get(path)),
  )
  const ids = responses.map(({ id }) => id)
  expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[\da-f]{12}$/)))
  expect(new Set(ids).size).toBe(ids.length)
})

it('a request id is the same in the response and every log line', async () => {
  running.sandbox.switches.set({ answers: { checkdatasourceauth: { status: 503 } } })
  const ada = await signIn(running, 'ada')
  const lines = await linesDuring(async () => {
    const { id, body } = await get('/onboarding', { cookie: ada.cookieHeader(running.url) })
    expect(JSON.parse(body)).toMatchObject({ code: 'service_unavailable', reference: id })
    running.sandbox.switches.set({ answers: { checkdatasourceauth: null } })
    expect(id).not.toBe('undefined')
  })
  expect(lines.map(({ msg }) => msg)).toContain('request')
  expect(lines.length).toBeGreaterThan(1)
  expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(1)
  expect(lines.find(({ reference }) => reference !== undefined)).toMatchObject({
    reference: lines[0]?.['requestId'],
  })
})

it('a plain request id of a trusted proxy is used', async () => {
  const given = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
  expect((await get('/healthz', { 'x-request-id': given })).id).toBe(given)
  for (const odd of ['short', 'a'.repeat(65), 'with spaces in', 'ada@acme.example', '<script>alert</script>'])
    expect((await get('/healthz', { 'x-request-id': odd })).id).toMatch(/^[\da-f]{12}$/)
})

it('the request log has one line per request, with the pattern of its route', async () => {
  const lines = await linesDuring(async () => {
    await get('/invite/some-secret-token?x=secret-query')
    await get('/healthz')
  })
  const requests = lines.filter(({ msg }) => msg === 'request')

  expect(requests).toMatchObject([
    { level: 'info', method: 'GET', route: '/invite/:token', status: expect.any(Number) as number },
    { level: 'debug', method: 'GET', route: '/healthz', status: 200 },
  ])
  for (const { ms, requestId } of requests) {
    expect(ms).toBeGreaterThan(0)
    expect(requestId).toMatch(/^[\da-f]{12}$/)
  }
  expect(JSON.stringify(lines)).not.toMatch(/secret/)
})

it('the request log has no personal data', async () => {
  const lines = await linesDuring(async () => {
    const ada = await signIn(running, 'ada', '/onboarding', new TestBrowser())
    await ada.open('/search?q=secret-plan')
  })
  const requests = lines.filter(({ msg }) => msg === 'request')
  expect(requests.length).toBeGreaterThan(2)
  // Request ids are removed, because random letters may spell a short name.
  const output = requests.map(({ requestId: _id, ...rest }) => rest)
  expect(JSON.stringify(output)).not.toMatch(/ada|@|secret-plan|code|state/)
})

const traceId = 'c'.repeat(32)
const traceparent = `00-${traceId}-${'d'.repeat(16)}-01`

it('a request’s trace id reaches the service, and is logged', async () => {
  const ada = await signIn(running, 'ada')
  const before = running.sandbox.requests.length
  const lines = await linesDuring(() =>
    ada.open('/onboarding', { headers: { traceparent, tracestate: 'acme=1' } }),
  )
  const [call] = running.sandbox.requests.slice(before)
  expect(call?.headers).toMatchObject({ traceparent, tracestate: 'acme=1' })
  expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({ traceId })
})

it('request ids are our own without a trusted proxy', async () => {
  await running.restart({ REQUEST_LOG: '', TRUST_PROXY: '' })
  const lines = await linesDuring(async () => {
    const { id } = await get('/sign-in', { 'x-request-id': 'f47ac10b-58cc-4372-a567-0e02b2c3d479' })
    expect(id).toMatch(/^[\da-f]{12}$/)
  })
  expect(lines.filter(({ msg }) => msg === 'request')).toEqual([])
})
