// The client against the sandbox's service, over HTTP.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { ServiceClient } from '../../src/client-api/client.ts'
import type { Credentials } from '../../src/client-api/credentials.ts'
import { ServiceProblem } from '../../src/client-api/errors.ts'
import { startSandbox, type Sandbox } from '../../packages/sandbox/src/sandbox.ts'

const LIMIT_MS = 400

let sandbox: Sandbox
let client: ServiceClient
let ada: Credentials
beforeAll(async () => {
  sandbox = await startSandbox({ paths: { service: '/tenant/a' } })
  client = new ServiceClient({ baseUrl: sandbox.urls.service })
  ada = { kind: 'user-token', token: sandbox.serviceTokens.user('ada') }
})
afterEach(() => sandbox.reset())
afterAll(async () => {
  await client.close()
  await sandbox.close()
})

const respondWith = (answer: object) => sandbox.switches.set({ answers: { checkdatasourceauth: answer } })
const failure = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ServiceProblem)
  return error as ServiceProblem
}

it('a check is one POST without a body, with the documented headers', async () => {
  const found = await client.checkDatasourceAuth(ada)
  expect(found.map((entry) => entry.instance)).toHaveLength(5)
  expect(sandbox.requests).toHaveLength(1)
  const [entry] = sandbox.requests
  expect(entry).toMatchObject({
    method: 'POST',
    path: '/tenant/a/rest/api/v1/checkdatasourceauth',
    query: {},
  })
  expect(entry?.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': '0' })
})

it('a check carries final_redirect_url encoded once, whatever is in it', async () => {
  const url = 'https://onramp.example/onboarding/callback?step=a%2Bb&x=ä c#d'
  const [found] = await client.checkDatasourceAuth(ada, url)
  expect(sandbox.requests[0]?.query).toEqual({ final_redirect_url: url })
  expect(found?.authUrlRelativePath).toMatch(/^\/auth\/datasource\/slack_1\?token=[\w-]+&redirect=/)
})

it('a search sends the query and reads the results', async () => {
  sandbox.authorize('ada', 'slack_1')
  const found = await client.search(ada, { query: 'plan "x"', pageSize: 3 })
  expect(sandbox.requests[0]).toMatchObject({ body: { query: 'plan "x"', pageSize: 3 } })
  expect(found.requestId).toBeTypeOf('string')
})

// prettier-ignore
it.each<[string, object]>([
  ['never ends', { hang: true }],
  ['arrives byte by byte', { body: { unauthorizedDatasourceInstances: [], filler: 'x'.repeat(100) }, drip: true }],
  ['ends too late', { body: { unauthorizedDatasourceInstances: [] }, delayMs: LIMIT_MS * 3 }],
])('a check that %s times out after the limit, body included', async (_title, replaced) => {
  respondWith(replaced)
  const impatient = new ServiceClient({ baseUrl: sandbox.urls.service, timeLimitMs: LIMIT_MS })
  const before = performance.now()
  expect(await failure(impatient.checkDatasourceAuth(ada))).toMatchObject({ code: 'service_unavailable' })
  const took = performance.now() - before
  await impatient.close()
  expect(took).toBeGreaterThan(LIMIT_MS - 50)
  expect(took).toBeLessThan(LIMIT_MS + 500)
})

it('a call that its browser leaves is no failure of the service', async () => {
  respondWith({ hang: true })
  const calls: object[] = []
  const observed = new ServiceClient({ baseUrl: sandbox.urls.service, onCall: (call) => calls.push(call) })
  const leaving = new AbortController()
  const disconnected = new Error('gone')
  const call = observed.checkDatasourceAuth(ada, undefined, leaving.signal)
  await expect.poll(() => sandbox.requests).toHaveLength(1)
  leaving.abort(disconnected)
  await expect(call).rejects.toBe(disconnected)
  expect(calls).toEqual([])
  await observed.close()
})

const page = '<!doctype html><title>Log in</title>'
// prettier-ignore
it.each<[string, number, string, object, RegExp]>([
  ['a web page', 502, 'misconfigured', { contentType: 'text/html', body: page }, /HTML.*SERVICE_BASE_URL/],
  ['a page that calls itself JSON', 502, 'misconfigured', { body: `\ufeff\n ${page}` }, /HTML.*SERVICE_BASE_URL/],
  ['nothing', 503, 'unavailable', { body: '' }, /: empty response$/],
  ['JSON of another shape', 503, 'unavailable', { body: { planted: 1 } }, /: unexpected response format/],
  ['half of its JSON', 503, 'unavailable', { body: '{"planted": [' }, /: unexpected response format/],
])(
  'an unreadable 200 (%s) is named in the detail of the problem: %i %s',
  async (_title, status, kind, body, detail) => {
    respondWith(body)
    const listing = await failure(client.checkDatasourceAuth(ada))
    expect(listing).toMatchObject({ code: `service_${kind}`, status })
    expect(listing.detail).toMatch(detail)
    sandbox.switches.set({ answers: { search: body } })
    const searching = await failure(client.search(ada, { query: 'q', pageSize: 1 }))
    expect(searching).toMatchObject({ code: `search_${kind}`, detail: expect.stringMatching(detail) })
    expect(JSON.stringify([listing, searching])).not.toMatch(/planted|Log in/)
  },
)

it('a redirect is never followed with a token', async () => {
  const elsewhere = await startSandbox()
  const location = `${elsewhere.urls.service}/rest/api/v1/checkdatasourceauth`
  for (const status of [301, 302, 303, 307, 308]) {
    respondWith({ status, headers: { location } })
    const { code } = await failure(client.checkDatasourceAuth(ada))
    expect(code).toBe('service_misconfigured')
  }
  expect(elsewhere.requests).toEqual([])
  await elsewhere.close()
})

it('a token with a line break is rejected without a request, and not quoted', async () => {
  const problem = await failure(
    client.checkDatasourceAuth({ kind: 'user-token', token: 'planted\r\nX-Evil: 1' }),
  )
  expect(sandbox.requests).toEqual([])
  for (let error: unknown = problem; error instanceof Error; error = error.cause)
    expect(`${error.message} ${error.stack}`).not.toContain('planted')
})
