// Requests to the authorization server, and the normalized responses for the library.
import { ClientSecretPost, customFetch, refreshTokenGrant } from 'openid-client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createConfiguration, createFetch } from '../../src/sign-in/server/configuration.ts'
import type { OnCall } from '../../src/trace/measure-call.ts'
import { startPlainServer, type Answers } from '../helpers/plain-authorization-server.ts'

async function serverWith(answers: Answers) {
  const server = await startPlainServer(answers)
  onTestFinished(() => server.close())
  return server
}

const FORM = {
  method: 'POST',
  body: new URLSearchParams({ code: 'c0de', client_secret: 'se sam' }),
  headers: { 'x-own': 'yes' },
}
const GET = { method: 'GET', body: undefined, headers: {} }

type Report = [url: string, status: number | undefined, seconds: number]

/** Sends a request like the library. */
async function send(answers: Answers, options: object = GET, path = '/there?a=b') {
  const { url } = await serverWith(answers)
  const reports: Report[] = []
  const fetching = createFetch(1, (...args) => reports.push(args))
  const response = fetching(url + path, options as never).catch((error: unknown) => error)
  return { url, reports, response: await response }
}

it('a request of the library is sent unchanged, and reported with its result', async () => {
  const received: unknown[] = []
  const { url, reports, response } = await send(
    {
      '/there': ({ query, headers, body, res }, own) => {
        received.push([query.get('a'), headers['x-own'], body])
        own.json(res, { ok: true }, 201)
      },
    },
    FORM,
  )
  expect(received).toEqual([['b', 'yes', { code: 'c0de', client_secret: 'se sam' }]])
  expect([(response as Response).status, await (response as Response).json()]).toEqual([201, { ok: true }])
  expect(reports).toEqual([[`${url}/there?a=b`, 201, expect.any(Number) as number]])
  expect(reports[0]?.[2]).toBeLessThan(1)
})

it.each([204, 304])('a response may have no body (%i)', async (status) => {
  const { response } = await send({ '/there': ({ res }) => void res.writeHead(status).end() })
  expect([(response as Response).status, (response as Response).body]).toEqual([status, null])
})

it('a request without a response fails as the library expects', async () => {
  const { reports, response } = await send({ '/there': ({ res }) => void res.destroy() })
  expect(response).toEqual(new TypeError('no response from the authorization server'))
  expect((response as Error).cause).toBeInstanceOf(Error)
  expect(reports[0]?.[1]).toBeUndefined()
})

it('a request that takes too long fails as the library expects', async () => {
  const { url } = await serverWith({ '/there': () => {} })
  const response = createFetch(0.05)(`${url}/there`, GET as never)
  await expect(response).rejects.toBeInstanceOf(DOMException)
  await expect(response).rejects.toMatchObject({ name: 'TimeoutError' })
})

const normalize = async (body: unknown, options: object = FORM) => {
  const { response } = await send({ '/there': ({ res }, own) => own.json(res, body) }, options)
  return await (response as Response).text()
}
const withHeader = (authorization: string) => ({ ...FORM, body: null, headers: { authorization } })
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const hidden = (text: string, shown: string): [object, string] => [
  { error_description: text },
  JSON.stringify({ error_description: shown }),
]

it.each<[string, unknown, string, object?]>([
  ['empty members', { a: null, b: '', c: 0 }, '{"c":0}'],
  ['secrets of the form', ...hidden('c0de and se sam, not c0d', '… and …, not c0d')],
  ['a description that isn’t a string', { a: 1, error_description: 7 }, '{"a":1}'],
  ['spaces around its token_type', { token_type: 'Bearer ' }, '{"token_type":"Bearer"}'],
  ['an access token of two lines', { access_token: 'a\nb', c: 0 }, '{"c":0}'],
  ['an access token with an umlaut', { access_token: 'ä', c: 0 }, '{"c":0}'],
  ['no access token with a space', { access_token: 'a ~' }, '{"access_token":"a ~"}'],
  ['nothing, if it is a list', [null, ''], '[null,""]'],
  ['nothing, if it is for a GET', { a: null }, '{"a":null}', GET],
  ...['client_assertion', 'code_verifier', 'refresh_token', 'token'].map(
    (name): [string, object, string, object] => [
      `the ${name}`,
      ...hidden('not x1', 'not …'),
      { ...FORM, body: new URLSearchParams(`${name}=&${name}=x1`) },
    ],
  ),
  ['the secret of a header in plain', ...hidden('not a b+c', 'not …'), withHeader(basic('me:a+b%2Bc'))],
  ['no client id', ...hidden('not sesame, me', 'not …, me'), withHeader(basic('me:sesame'))],
  ['no part of another header', ...hidden('as sesame', 'as sesame'), withHeader(`Not ${basic('me:sesame')}`)],
])('a normalized response loses %s', async (_title, body, text, options) => {
  expect(await normalize(body, options)).toBe(text)
})

const INVALID = '{"error":"invalid_client"}'
const respondWith = async (status: number, type: string | undefined, body: string) => {
  const headers = type === undefined ? {} : { 'content-type': type }
  const answers: Answers = { '/there': ({ res }) => void res.writeHead(status, headers).end(body) }
  return (await send(answers, FORM)).response
}

it.each<[title: string, number, type: string | undefined, body: string, error: string]>([
  ['plain text', 401, 'text/plain', INVALID, 'invalid_client'],
  ['another JSON type', 401, 'text/json', INVALID, 'invalid_client'],
  ['a response without a type', 400, undefined, INVALID, 'invalid_client'],
  ['a response with 200', 200, 'application/json', INVALID, 'invalid_client'],
  ['a page with 200', 200, 'text/html', '{"error":"bad_code"}', 'bad_code'],
  ['a response with 500, if it is registered', 500, 'text/plain', INVALID, 'invalid_client'],
])('an OAuth error is found in %s', async (_title, status, type, body, error) => {
  const response = await respondWith(status, type, body)
  expect(response).toMatchObject({ status, error })
  expect(response).toBeInstanceOf(Error)
})

it.each([
  ['an unregistered error and 500', 500, 'application/json', '{"error":"internal"}'],
  ['an empty error', 200, 'application/json', '{"error":"","access_token":"a"}'],
  ['an error beside a token', 200, 'application/json', '{"error":"odd","access_token":"a"}'],
  ['an error beside a request_uri', 201, 'application/json', '{"error":"odd","request_uri":"urn:a"}'],
  ['an error that isn’t a string', 400, 'application/json', '{"error":7}'],
  ['a page', 400, 'text/html', '<html>'],
])('a response with %s is no OAuth error', async (_title, status, type, body) => {
  const response = await respondWith(status, type, body)
  expect(response).toMatchObject({ status })
  expect(response).toBeInstanceOf(Response)
})

const one = { kty: 'RSA', kid: '1', n: 'n', e: 'AQAB' }
const signing = { ...one, use: 'sig', alg: 'RS256' }
it.each<[string, unknown[], unknown[]]>([
  ['the same key twice', [signing, signing], [signing]],
  ['null, a string and a number', [null, 'x', 7, signing], [signing]],
  ['the same key with and without its algorithm', [signing, one], [{ ...one, use: 'sig' }]],
  ['the same key for two algorithms', [signing, { ...one, alg: 'PS256' }], [{ ...one, use: 'sig' }]],
  ['the same key for encryption', [{ ...one, use: 'enc' }, signing], [signing]],
  ['two keys with one kid', [one, { ...one, n: 'm' }], [one, { ...one, n: 'm' }]],
  ['one key with two kids', [one, { ...one, kid: '2' }], [one, { ...one, kid: '2' }]],
])('a key set with %s has each signing key once', async (_title, keys, usable) => {
  const { response } = await send({ '/there': ({ res }, own) => own.json(res, { keys }) })
  expect(await (response as Response).json()).toEqual({ keys: usable })
})

const client = { metadata: { client_id: 'one' }, auth: ClientSecretPost('hush') }
const server = (issuer: string) => ({ issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` })

it.each([
  [{}, 8],
  [{ forRefresh: true }, 30],
])('a request has a time limit, which is longer for a refresh: %j', async (options, seconds) => {
  const standIn = await serverWith({})
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const configuration = createConfiguration(server(standIn.url), client, options)
  await configuration[customFetch]?.(`${standIn.url}/keys`, GET as never)
  expect(timers.mock.calls.map(([, limit]) => limit)).toContain(seconds * 1000)
  timers.mockRestore()
})

it('signatures are verified, except at a refresh, which has used up its token', async () => {
  const standIn = await serverWith({ '/keys': ({ res }, own) => own.json(res, { keys: [] }) })
  standIn.clients.set('one', 'hush')
  const known = { ...server(standIn.url), id_token_signing_alg_values_supported: ['ES256'] }
  const refreshWith = (options: object, metadata: object = known) =>
    refreshTokenGrant(createConfiguration(metadata as never, client, options), 'refresh').then(
      (tokens) => tokens.claims()?.sub,
      ({ code }: { code: string }) => code,
    )
  expect(await refreshWith({})).toBe('OAUTH_KEY_SELECTION_FAILED')
  expect(await refreshWith({ forRefresh: true })).toBe('ada')
  // Plain OAuth has no keys for verification.
  const { jwks_uri: _keys, ...keyless } = known
  expect(await refreshWith({}, keyless)).toBe('ada')
})

it('requests over http are allowed on loopback only', async () => {
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

it('each request is reported under its endpoint', async () => {
  const calls: unknown[][] = []
  const onCall: OnCall = ({ operation, status }) => void calls.push([operation, status])
  const { url } = await serverWith({})
  const fetching = createConfiguration(server(url), client, { onCall })[customFetch]
  for (const path of ['/token', '/keys', '/other']) await fetching?.(url + path, GET as never)
  expect(calls).toEqual(Object.entries({ token: 401, jwks: 200, other: 404 }))
})
