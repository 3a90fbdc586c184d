// Our client: from the settings, or self-registered.
import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Problem } from '../../src/problem.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { removeClient } from '../../src/sign-in/registration/register.ts'
import { createFindClient } from '../../src/sign-in/registration/registration.ts'
import { testKeyRing } from '../helpers/data-key.ts'
import { immediateRecords } from '../helpers/memory-records.ts'
import { answerFetch, silent } from './network-stub.ts'

const ISSUER = 'https://as.example'
const REGISTER = `${ISSUER}/register`
const METADATA = { issuer: ISSUER, token_endpoint: `${ISSUER}/token`, registration_endpoint: REGISTER }
const settings = {
  PUBLIC_URL: 'https://onramp.example',
  OIDC_ISSUER: ISSUER,
  OIDC_SCOPE: 'openid email profile offline_access',
  OIDC_CLIENT_AUTH: 'client_secret_basic',
} as Settings

const NOW = 1_700_000_000_000
const keyRing = testKeyRing()

function ours(own: Partial<Settings> = {}) {
  const store = immediateRecords()
  const logged: unknown[][] = []
  const line = (level: string) => (fields: object, words: string) => void logged.push([level, words, fields])
  const calls: object[] = []
  const parts = { records: store.records, keyRing, now: () => NOW }
  const all = { ...settings, ...own } as Settings
  const log = { info: line('info'), warn: line('warn') } as never
  const client = createFindClient(all, {
    ...parts,
    log,
    onCall: ({ operation, status }) => void calls.push({ operation, status }),
  })
  return { ...store, all, parts, log, client, logged, calls }
}

const made =
  (more: object = {}, status = 201) =>
  () =>
    Response.json({ client_id: 'one', client_secret: 'hush', ...more }, { status })

const pem = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
}

it('the client of the settings is used with its secret, and nothing is registered', async () => {
  const requests = answerFetch({})
  const OIDC_CLIENT_AUTH = 'client_secret_post'
  const { client } = ours({ OIDC_CLIENT_ID: 'mine', OIDC_CLIENT_SECRET: 'hush', OIDC_CLIENT_AUTH })
  const found = await client(METADATA, false)
  const [own, body] = [{ client_id: 'mine' }, new URLSearchParams()]
  found?.auth(METADATA, own, body, new Headers())
  expect([found?.metadata, Object.fromEntries(body)]).toEqual([own, { ...own, client_secret: 'hush' }])
  expect(requests).toEqual([])
})

it('a client is registered in the background only, and once', async () => {
  const requests = answerFetch({ [REGISTER]: made() })
  const { client, calls, logged } = ours()
  expect(await client(METADATA, false)).toBeUndefined()
  const first = await client(METADATA, true)
  expect(first).toMatchObject({ metadata: { client_id: 'one', scope: settings.OIDC_SCOPE } })
  expect(await client(METADATA, true)).toMatchObject({ metadata: { client_id: 'one' } })
  expect(await client(METADATA, false)).toMatchObject({ metadata: { client_id: 'one' } })
  expect([requests.length, calls]).toEqual([1, [{ operation: 'registration', status: 201 }]])
  expect(logged).toEqual([['info', 'the client is registered', {}]])
})

const OTHER_URIS = 'redirect_uris differ from the request'
const OTHER_METHOD =
  'the client authenticates with none, because the response lacks the secret for the agreed method'

async function logOfRegistration(response: object) {
  answerFetch({ [REGISTER]: made(response) })
  const { client, logged } = ours()
  await client(METADATA, true)
  return logged
}

it.each([
  [{ redirect_uris: [], client_secret: undefined }, `${OTHER_URIS}; ${OTHER_METHOD}`],
  [{ redirect_uris: ['https://other.example'] }, OTHER_URIS],
  [{ client_secret: undefined }, OTHER_METHOD],
])('a client registered with %j differs from the request, which is logged', async (more, what) => {
  const line = ['warn', `the client is registered, but not as requested: ${what}`, {}]
  expect(await logOfRegistration(more)).toEqual([line])
})

it.each([
  { redirect_uris: ['https://onramp.example/sign-in/callback', 'https://other.example'] },
  { token_endpoint_auth_method: 'client_secret_post' },
])('a client registered with %j fits the request', async (more) => {
  expect(await logOfRegistration(more)).toEqual([['info', 'the client is registered', {}]])
})

it.each([
  ['is renewed an hour before the expiry of a two-day secret', 2 * 86_400, 2 * 86_400 - 3_600],
  ['is renewed at nine tenths of a ten-minute secret', 600, 540],
  ['is never renewed if its secret has no expiry', 0, Infinity],
])('a registered client %s', async (_title, life, renewal) => {
  const client_secret_expires_at = life === 0 ? 0 : NOW / 1000 + life
  answerFetch({ [REGISTER]: made({ client_secret_expires_at }) })
  const found = await ours().client(METADATA, true)
  expect(found?.renewAt).toBe(NOW + renewal * 1000)
})

const uri = `${REGISTER}/one`
const managed = (secret: string, status = 200) =>
  made(
    { client_secret: secret, registration_client_uri: uri, registration_access_token: `token of ${secret}` },
    status,
  )

it('a client secret and access token replaced on reading are used', async () => {
  const answers = { [REGISTER]: managed('first', 201), [uri]: managed('second') }
  const requests = answerFetch(answers)
  const { client } = ours()
  for (const [client_secret, before] of [
    ['second', 'first'],
    ['third', 'second'],
  ] as const) {
    answers[uri] = managed(client_secret)
    await client(METADATA, true)
    expect(requests.at(-1)?.headers.get('authorization')).toBe(`Bearer token of ${before}`)
    expect((await client(METADATA, false))?.metadata).toMatchObject({ client_secret })
  }
})

it('a client that the management address denies is registered again, and then not managed', async () => {
  const answers = { [REGISTER]: managed('first', 201), [uri]: managed('first') }
  const requests = answerFetch(answers)
  const { client } = ours()
  const registrations = () => requests.filter(({ method }) => method === 'POST').length
  await client(METADATA, true)
  for (const [status, count] of [
    [404, 1],
    [403, 1],
    [503, 1],
    [401, 2],
  ] as const) {
    answers[uri] = managed('first', status)
    await client(METADATA, true)
    expect(registrations(), String(status)).toBe(count)
  }
  expect((await client(METADATA, false))?.metadata).not.toHaveProperty('registration_client_uri')
})

it('a registration sends the initial access token, and the public key if the client signs', async () => {
  const key = pem()
  const requests = answerFetch({ [REGISTER]: made({ client_secret: undefined }) })
  const signing = { OIDC_CLIENT_AUTH: 'private_key_jwt', OIDC_CLIENT_KEY: key } as const
  await ours({ ...signing, OIDC_INITIAL_ACCESS_TOKEN: 'sesame' }).client(METADATA, true)
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer sesame')
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ jwks: { keys: [{ kty: 'EC' }] } })
  await ours().client(METADATA, true)
  expect(JSON.parse(requests[1]?.body ?? '')).not.toHaveProperty('jwks')
})

it('the authorization request has the listed and registered scope, or the operator’s', async () => {
  answerFetch({ [REGISTER]: made({ scope: 'openid email' }) })
  const { client, logged } = ours()
  const listing = { ...METADATA, scopes_supported: ['openid', 'profile', 'email'] }
  expect((await client(listing, true))?.metadata.scope).toBe('openid email')
  const words = 'scopes of OIDC_SCOPE that the server does not list are not registered'
  expect(logged[0]).toEqual(['info', words, { requested: 'openid email profile' }])
  const own = await ours({ OIDC_SCOPE: 'openid own' }).client(listing, true)
  expect(own?.metadata.scope).toBe('openid own')
})

it('a registration needs an endpoint and a client_id', async () => {
  const { registration_endpoint: _endpoint, ...without } = METADATA
  answerFetch({ [REGISTER]: made({ client_id: 7 }) })
  const detail = expect.stringMatching(/endpoint responded 201, but client_id is missing/) as string
  await expect(ours().client(METADATA, true)).rejects.toMatchObject({ detail })
  const words = expect.stringContaining('has no registration endpoint: register a client yourself') as string
  const problem = { code: 'sign_in_misconfigured', detail: words, retryAfter: 5 }
  await expect(ours().client(without, true)).rejects.toMatchObject(problem)
})

it.each([403, 500])('the log reports a registration endpoint with the status %i', async (status) => {
  const requests = answerFetch({ [REGISTER]: made({}, status) })
  const detail = expect.stringMatching(
    `responded ${status}: .*set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
  ) as string
  const problem = { status: 503, code: 'sign_in_misconfigured', detail, retryAfter: 5 }
  await expect(ours().client(METADATA, true)).rejects.toMatchObject(problem)
  expect(requests).toHaveLength(1)
})

it.each<[string, () => Response | Promise<Response>]>([
  ['is late', silent('ETIMEDOUT')],
  ['is cut off', silent('ECONNRESET')],
  ['is a page', () => new Response('<p>created</p>')],
  ['names no client', made({ client_id: undefined })],
])('pauses after registrations double up to an hour if the answer %s', async (_title, answer) => {
  const answers = { [REGISTER]: answer }
  answerFetch(answers)
  const { client } = ours()
  const pauseNow = async () =>
    await client(METADATA, true).then(String, ({ retryAfter }: Problem) => retryAfter)
  const pauses: unknown[] = []
  for (let attempt = 0; attempt < 11; attempt++) pauses.push(await pauseNow())
  expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600])
})

it('pauses between registrations begin anew after a success', async () => {
  const answers: Parameters<typeof answerFetch>[0] = {}
  answerFetch(answers)
  const { client, values } = ours()
  const late = async (retryAfter: number) => {
    answers[REGISTER] = silent('ETIMEDOUT')
    await expect(client(METADATA, true)).rejects.toMatchObject({ retryAfter })
  }
  await late(10)
  await late(20)
  answers[REGISTER] = made()
  await client(METADATA, true)
  values.clear()
  await late(10)
})

it('two processes that start together register once, and no stored secret is in plain text', async () => {
  const requests = answerFetch({ [REGISTER]: async () => await pause(50).then(made()) })
  const { client, all, parts, log, values } = ours()
  const processes = [client, createFindClient(all, { ...parts, log, onCall() {} })]
  const found = await Promise.all(processes.map((one) => one(METADATA, true)))
  expect(found.map((one) => one?.metadata.client_id)).toEqual(['one', 'one'])
  expect(requests).toHaveLength(1)
  expect([...values].join('\n')).not.toMatch(/hush|"one"/)
})

it('changed settings register another client', async () => {
  const clientKey = async (own: Partial<Settings> = {}) => {
    answerFetch({ [REGISTER]: made() })
    const { client, named } = ours(own)
    await client(METADATA, true)
    return named('client:')[0]
  }
  const key = await clientKey()

  expect(await clientKey({ OIDC_SCOPE: 'profile openid offline_access email' })).toBe(key)
  for (const other of [
    { OIDC_SCOPE: 'openid' },
    { PUBLIC_URL: 'https://other.example' },
    { OIDC_ISSUER: 'https://other.example' },
    { OIDC_CLIENT_AUTH: 'client_secret_post' },
  ] as Partial<Settings>[])
    expect(await clientKey(other)).not.toBe(key)

  const [one, two] = [pem(), pem()]
  expect(await clientKey({ OIDC_CLIENT_KEY: one })).toBe(key)
  const signing = { OIDC_CLIENT_AUTH: 'private_key_jwt' } as const
  expect(await clientKey({ ...signing, OIDC_CLIENT_KEY: one })).not.toBe(
    await clientKey({ ...signing, OIDC_CLIENT_KEY: two }),
  )
})

const registration = { client_id: 'one', registration_client_uri: uri, registration_access_token: 'sesame' }

it('a client is deleted at its management address with its registration access token', async () => {
  const requests = answerFetch({ [uri]: () => new Response(null, { status: 204 }) })
  expect(await removeClient(registration)).toBe('removed')
  expect(requests.map(({ method, headers }) => [method, headers.get('authorization')])).toEqual([
    ['DELETE', 'Bearer sesame'],
  ])
})

it('a client stays if the server refuses or doesn’t respond', async () => {
  answerFetch({ [uri]: () => new Response('no', { status: 403 }) })
  expect(await removeClient(registration)).toBe(403)
  answerFetch({ [uri]: silent('ECONNREFUSED') })
  expect(await removeClient(registration)).toBe('no-response')
})

it.each([
  { registration_client_uri: undefined },
  { registration_client_uri: 'x' },
  { registration_client_uri: 'http://as.example/register/one' },
  { registration_access_token: undefined },
])('a client stays if there is no safe address and token to check it: %j', async (without) => {
  const requests = answerFetch({})
  expect(await removeClient({ ...registration, ...without })).toBe('unsupported')
  expect(requests).toEqual([])
})
