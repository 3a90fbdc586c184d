// Requests to the authorization server, and the responses as the library gets them.
import { ClientSecretPost, customFetch, refreshTokenGrant, type Configuration } from 'openid-client'
import { afterEach, expect, it, vi } from 'vitest'
import { createConfiguration, createFetch } from '../../src/sign-in/server/configuration.ts'
import { startPlainServer, type Answers } from '../helpers/plain-authorization-server.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serverWith(answers: Answers) {
  const server = await startPlainServer(answers)
  closers.push(() => server.close())
  return server
}

const FORM = {
  method: 'POST',
  body: new URLSearchParams({ code: 'c0de', client_secret: 'se sam' }),
  headers: { 'x-own': 'yes' },
}
const GET = { method: 'GET', body: undefined, headers: {} }

type Report = [url: string, status: number | undefined, seconds: number]

/** Asks there, as the library does. */
async function ask(answers: Answers, options: object = GET, path = '/there?a=b') {
  const { url } = await serverWith(answers)
  const reports: Report[] = []
  const fetching = createFetch(1, (...args) => reports.push(args))
  const answer = fetching(url + path, options as never).catch((error: unknown) => error)
  return { url, reports, answer: await answer }
}

it('a request is sent as the library has it, and reported with its result', async () => {
  const seen: unknown[] = []
  const { url, reports, answer } = await ask(
    {
      '/there': ({ query, headers, body, res }, own) => {
        seen.push([query.get('a'), headers['x-own'], body])
        own.json(res, { ok: true }, 201)
      },
    },
    FORM,
  )
  expect(seen).toEqual([['b', 'yes', { code: 'c0de', client_secret: 'se sam' }]])
  expect([(answer as Response).status, await (answer as Response).json()]).toEqual([201, { ok: true }])
  expect(reports).toEqual([[`${url}/there?a=b`, 201, expect.any(Number) as number]])
  expect(reports[0]?.[2]).toBeLessThan(1)
})

it.each([204, 304])('a response may have no body (%i)', async (status) => {
  const { answer } = await ask({ '/there': ({ res }) => void res.writeHead(status).end() })
  expect([(answer as Response).status, (answer as Response).body]).toEqual([status, null])
})

it('a request without a response fails as the library expects', async () => {
  const { reports, answer } = await ask({ '/there': ({ res }) => void res.destroy() })
  expect(answer).toEqual(new TypeError('no answer from the authorization server'))
  expect((answer as Error).cause).toBeInstanceOf(Error)
  expect(reports[0]?.[1]).toBeUndefined()
})

it('a request that takes too long fails as the library expects', async () => {
  const { url } = await serverWith({ '/there': () => {} })
  const error: unknown = await createFetch(0.05)(`${url}/there`, GET as never).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(DOMException)
  expect(error).toMatchObject({ name: 'TimeoutError' })
})

const normalized = async (body: unknown, options: object = FORM) => {
  const { answer } = await ask({ '/there': ({ res }, own) => own.json(res, body) }, options)
  return await (answer as Response).text()
}
const withHeader = (authorization: string) => ({ ...FORM, body: null, headers: { authorization } })
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

it("a form's response loses empty members and the secrets that were sent", async () => {
  const body = { a: null, b: '', c: 0, error_description: 'c0de and se sam, not c0d' }
  expect(JSON.parse(await normalized(body))).toEqual({ c: 0, error_description: '… and …, not c0d' })
  expect(await normalized({ a: 1, error_description: 7 })).toBe('{"a":1}')
  expect(await normalized([null, ''])).toBe('[null,""]')
})

it.each(['client_assertion', 'code_verifier', 'refresh_token', 'token'])(
  'a description hides %s',
  async (name) => {
    const options = { ...FORM, body: new URLSearchParams(`${name}=&${name}=x1`) }
    expect(await normalized({ error_description: 'not x1' }, options)).toBe('{"error_description":"not …"}')
  },
)

it('a description hides the client secret of the Authorization header in plain', async () => {
  for (const [header, description, shown] of [
    [basic('me:a+b%2Bc'), 'not a b+c', 'not …'],
    [basic('me:sesame'), 'not sesame, me', 'not …, me'],
    [`Not ${basic('me:sesame')}`, 'as sesame', 'as sesame'],
  ] as const)
    expect(JSON.parse(await normalized({ error_description: description }, withHeader(header)))).toEqual({
      error_description: shown,
    })
})

it('a token_type loses the spaces around it', async () => {
  expect(await normalized({ token_type: 'Bearer ' })).toBe('{"token_type":"Bearer"}')
})

const INVALID = '{"error":"invalid_client"}'
it.each<[number, string | undefined, string, string | undefined]>([
  [401, 'text/plain', INVALID, 'invalid_client'],
  [401, 'text/json', INVALID, 'invalid_client'],
  [400, undefined, INVALID, 'invalid_client'],
  [200, 'application/json', INVALID, 'invalid_client'],
  [200, 'text/html', '{"error":"bad_code"}', 'bad_code'],
  [500, 'text/plain', INVALID, 'invalid_client'],
  [500, 'application/json', '{"error":"internal"}', undefined],
  [200, 'application/json', '{"error":"","access_token":"a"}', undefined],
  [200, 'application/json', '{"error":"odd","access_token":"a"}', undefined],
  [201, 'application/json', '{"error":"odd","request_uri":"urn:a"}', undefined],
  [400, 'application/json', '{"error":7}', undefined],
  [400, 'text/html', '<html>', undefined],
])('a response with %i, %s and %s is the OAuth error %s', async (status, type, body, error) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  const { answer } = await ask({ '/there': ({ res }) => void res.writeHead(status, headers).end(body) }, FORM)
  const { error: actualError, status: actualStatus } = answer as { error?: string; status: number }
  expect([actualError, actualStatus]).toEqual([error, status])
  expect(answer).toBeInstanceOf(error === undefined ? Response : Error)
})

it('the response to a GET is left unchanged', async () => {
  expect(await normalized({ a: null }, GET)).toBe('{"a":null}')
})

const one = { kty: 'RSA', kid: '1', n: 'n', e: 'AQAB' }
const signing = { ...one, use: 'sig', alg: 'RS256' }
it.each<[string, unknown[], unknown[]]>([
  ['the same key twice', [signing, signing], [signing]],
  ['null, a text and a number', [null, 'x', 7, signing], [signing]],
  ['the same key with and without its algorithm', [signing, one], [{ ...one, use: 'sig' }]],
  ['the same key for two algorithms', [signing, { ...one, alg: 'PS256' }], [{ ...one, use: 'sig' }]],
  ['the same key for encryption', [{ ...one, use: 'enc' }, signing], [signing]],
  ['two keys of one name', [one, { ...one, n: 'm' }], [one, { ...one, n: 'm' }]],
  ['one key by two names', [one, { ...one, kid: '2' }], [one, { ...one, kid: '2' }]],
])('a key set with %s has each signing key once', async (_what, keys, usable) => {
  const { answer } = await ask({ '/there': ({ res }, own) => own.json(res, { keys }) })
  expect(await (answer as Response).json()).toEqual({ keys: usable })
})

const client = { metadata: { client_id: 'one' }, auth: ClientSecretPost('hush') }
const server = (issuer: string) => ({
  issuer,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
})

it.each([
  [{}, 8],
  [{ forRefresh: true }, 30],
])('a request has a time limit, which is longer for a refresh: %j', async (options, seconds) => {
  const there = await serverWith({})
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await createConfiguration(server(there.url), client, options)[customFetch]?.(
    `${there.url}/keys`,
    GET as never,
  )
  expect(timers.mock.calls.map(([, limit]) => limit)).toContain(seconds * 1000)
  timers.mockRestore()
})

it('signatures are verified, except at a refresh, whose token is used up by then', async () => {
  const there = await serverWith({ '/keys': ({ res }, own) => own.json(res, { keys: [] }) })
  there.clients.set('one', 'hush')
  const known = { ...server(there.url), id_token_signing_alg_values_supported: ['ES256'] }
  const refreshed = (options: object, metadata: object = known) =>
    refreshTokenGrant(createConfiguration(metadata as never, client, options), 'refresh').then(
      (tokens) => tokens.claims()?.sub,
      ({ code }: { code: string }) => code,
    )
  expect(await refreshed({})).toBe('OAUTH_KEY_SELECTION_FAILED')
  expect(await refreshed({ forRefresh: true })).toBe('ada')
  // Plain OAuth has no keys to check with.
  const { jwks_uri: _keys, ...keyless } = known
  expect(await refreshed({}, keyless)).toBe('ada')
})

it('http is allowed on loopback only', async () => {
  const configuration = createConfiguration(server('http://as.example'), client)
  await expect(refreshTokenGrant(configuration, 'one')).rejects.toMatchObject({
    code: 'OAUTH_HTTP_REQUEST_FORBIDDEN',
  })
})

it.each([
  [{}, ['RS256']],
  [{ id_token_signing_alg_values_supported: ['HS256', 'ES256', 'none'] }, ['ES256']],
  [{ userinfo_signing_alg_values_supported: ['PS256'] }, ['PS256']],
])('signed userinfo is accepted with the algorithms of id_tokens: %j', (more, algorithms) => {
  const known = createConfiguration({ ...server('https://as.example'), ...more }, client).serverMetadata()
  expect(known.userinfo_signing_alg_values_supported).toEqual(algorithms)
})

it('each request is reported by the name of its endpoint', async () => {
  const calls: object[] = []
  const onCall = ({ operation, status }: { operation: string; status: number | undefined }) =>
    void calls.push({ operation, status })
  const { url } = await serverWith({})
  const configuration: Configuration = createConfiguration(server(url), client, { onCall })
  const fetching = configuration[customFetch]
  for (const path of ['/token', '/keys', '/other']) await fetching?.(url + path, GET as never)
  expect(calls).toEqual([
    { operation: 'token', status: 401 },
    { operation: 'jwks', status: 200 },
    { operation: 'other', status: 404 },
  ])
})
