// The contract's rules on headers, messages and shapes, over HTTP.
import { expect, it } from 'vitest'
import { startSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { call, check, jsonOf, sharedSandbox } from './client-calls.ts'

const sandbox = await sharedSandbox()

const CHECK = 'checkdatasourceauth'

const statusOf = async (token?: string, headers: Record<string, string> = {}) =>
  (await call(sandbox, CHECK, { token, headers })).status

it('a call without a token, or with an invented one, is refused with 401', async () => {
  expect([await statusOf(), await statusOf('made-up')]).toEqual([401, 401])
})

it('a person’s service token acts as that person, whatever X-Service-ActAs is', async () => {
  const instances = (await check(sandbox, 'bob')).map((entry) => entry.datasourceInstance)
  expect(instances).toEqual(['slack_1', 'gdrive_1'])
  await statusOf(sandbox.serviceTokens.user('ada'), { 'X-Service-ActAs': 'bob@acme.example' })
  expect(sandbox.requests.at(-1)?.person).toBe('ada')
})

it('the global token without X-Service-ActAs is rejected with the message of the contract', async () => {
  const response = await call(sandbox, CHECK, { token: sandbox.serviceTokens.global })
  expect([response.status, await response.text()]).toEqual([401, 'Required header missing: X-Service-ActAs'])
})

it('the global token acts only as the person of X-Service-ActAs', async () => {
  const { global } = sandbox.serviceTokens
  expect(await statusOf(global, { 'X-Service-ActAs': 'Bob@Acme.example' })).toBe(200)
  expect(sandbox.requests.at(-1)?.person).toBe('bob')
  expect(await statusOf(global, { 'X-Service-ActAs': 'unknown@acme.example' })).toBe(400)
})

it('a token without the scope of the operation is refused with 403', async () => {
  const token = sandbox.serviceTokens.user('ada', ['search'])
  expect(await statusOf(token)).toBe(403)
  expect((await call(sandbox, 'search', { token, body: { query: 'x', pageSize: 1 } })).status).toBe(200)
})

it('the service uses the configured prefix in its headers', async () => {
  const other = await startSandbox({ headerPrefix: 'X-Acme' })
  const token = other.serviceTokens.global
  const refused = await call(other, CHECK, { token })
  expect(await refused.text()).toBe('Required header missing: X-Acme-ActAs')
  const headers = { 'X-Acme-ActAs': 'bob@acme.example' }
  expect((await call(other, CHECK, { token, headers })).status).toBe(200)
  await other.close()
})

it('the check accepts only POST, and an unknown operation gets 404', async () => {
  const response = await call(sandbox, CHECK, { method: 'GET' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  const token = sandbox.serviceTokens.user('ada')
  expect((await call(sandbox, 'unheardof', { token })).status).toBe(404)
})

it('the check lists unauthorized apps, in the fields of the contract', async () => {
  const [entry] = await check(sandbox, 'ada')
  expect(entry).toEqual({
    datasourceInstance: 'slack_1',
    displayName: 'Slack',
    authStatus: 'AWAITING_AUTH',
    authUrlRelativePath: expect.stringMatching(/^\/auth\/datasource\/slack_1\?token=[\w-]+$/),
  })
  expect(await check(sandbox, 'carol')).toEqual([])
  expect(await check(sandbox, 'grace')).toHaveLength(40)
})

it.each([
  '/back',
  '//client.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'client.example',
  'https://',
  'https:x',
  'my app:x',
  '',
])('the check refuses %s as a destination', async (url) => {
  const query = `?final_redirect_url=${encodeURIComponent(url)}`
  const token = sandbox.serviceTokens.user('ada')
  expect((await call(sandbox, `${CHECK}${query}`, { token })).status).toBe(400)
})

it.each([
  'myapp://done',
  'com.acme.search:/done?step=1',
  'HTTPS://client.example/back',
  'https://bücher.example/ü',
])('the check accepts the absolute URL %s as a destination, and its path carries it', async (url) => {
  const [entry] = await check(sandbox, 'ada', url)
  expect(entry?.authUrlRelativePath).toContain('&redirect=')
})

const send = (operation: string, body: string, type?: string) =>
  fetch(`${sandbox.urls.service}/rest/api/v1/${operation}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.serviceTokens.user('ada')}`,
      ...(type !== undefined && { 'content-type': type }),
    },
    body: Buffer.from(body),
  })

it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])(
  'the Content-Type %s is refused, but only with a body',
  async (type) => {
    expect((await send(CHECK, '', type)).status).toBe(200)
    expect((await send('search', '{"query":"x","pageSize":1}', type)).status).toBe(415)
  },
)

it.each([CHECK, 'search', 'chat'])('a body that isn’t JSON is refused: %s', async (operation) => {
  for (const body of ['{', '{"query":"x",}', "{'query':'x'}"]) {
    const response = await send(operation, body, 'application/json')
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('not valid JSON')])
  }
})

const search = (person: string, body: unknown) =>
  call(sandbox, 'search', { token: sandbox.serviceTokens.user(person), body })

it('search finds documents of authorized datasources, at most as many as requested', async () => {
  const found = await jsonOf(await search('carol', { query: 'onboarding roadmap', pageSize: 3 }))
  expect(found).toMatchObject({ trackingToken: expect.any(String), requestId: expect.any(String) })
  expect(found['results']).toHaveLength(3)
  expect((await jsonOf(await search('bob', { query: 'onboarding' })))['results']).toEqual([])
})

it.each([{}, { query: 1 }, { query: 'x', pageSize: 'ten' }, { query: 'x', pageSize: 0 }, []])(
  'search refuses %j',
  async (body) => {
    expect((await search('carol', body)).status).toBe(400)
  },
)
