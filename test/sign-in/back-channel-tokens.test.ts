// POST /sign-out/backchannel: which logout tokens end sign-ins, and what happens while the store fails.
import express from 'express'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { ClientSecretPost, Configuration } from 'openid-client'
import request from 'supertest'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Problem } from '../../src/problem.ts'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { hashOf } from '../../src/records/seal.ts'
import { createBackChannelRoutes } from '../../src/sign-in/sign-out/back-channel.ts'
import { memoryStore } from './memory-store.ts'

const issuer = 'https://as.example'
const NOW = 1_700_000_000
const keys = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(keys.publicKey)), alg: 'ES256' }

const fetched: string[] = []
beforeEach(() => {
  fetched.length = 0
  vi.stubGlobal('fetch', async (url: string) => {
    fetched.push(url)
    return Response.json({ keys: [jwk] })
  })
})
afterEach(() => vi.unstubAllGlobals())

const tokenOf = (claims: object = {}) =>
  new SignJWT({
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    jti: 'one',
    sub: 'ada',
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer(issuer)
    .setAudience('onramp')
    .setIssuedAt(NOW)
    .sign(keys.privateKey)

function backChannel(metadata: { [member: string]: unknown } = {}, own: Partial<Records> = {}) {
  const { records, values, lives } = memoryStore()
  const [ended, audited, logged]: [object[], object[], object[]] = [[], [], []]
  const server = {
    metadata: {
      issuer,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['ES256'],
      ...metadata,
    },
    fails: undefined as Error | undefined,
    isLimited: false,
    counted: 0,
  }
  const routes = createBackChannelRoutes({
    authorizationServer: {
      configuration: async () =>
        new Configuration(server.metadata, 'onramp', undefined, ClientSecretPost('x')),
    } as Parameters<typeof createBackChannelRoutes>[0]['authorizationServer'],
    sessions: {
      async endByLogoutToken(of: string, named: object) {
        ended.push({ of, ...named })
        if (server.fails !== undefined) throw server.fails
        return 2
      },
    },
    records: { ...records, ...own },
    countRefused() {
      server.counted++
      if (server.isLimited) throw new Problem(429, 'too_many_requests')
    },
    log: { info: (fields: object, words: string) => void logged.push({ ...fields, words }) } as never,
    audit: (event) => void audited.push(event),
    now: () => NOW * 1000,
  })
  const explained: express.ErrorRequestHandler = (error: unknown, _req, res, _next) =>
    void res.status(error instanceof Problem ? error.status : 500).end()
  const app = express().use(routes, explained)
  const send = (body: object | string) => request(app).post('/sign-out/backchannel').type('form').send(body)
  return { send, server, ended, audited, logged, values, lives }
}

it('a logout token ends the sign-ins that it names, and leaves an audit event', async () => {
  const { send, ended, audited, lives } = backChannel()
  const { text } = await send({ logout_token: await tokenOf({ sid: 's' }) }).expect(200)
  expect(text).toBe('')
  expect(ended).toEqual([{ of: issuer, issuer, jti: 'one', sub: 'ada', sid: 's' }])
  expect(audited).toEqual([{ event: 'sign_out', by: 'authorization_server', sessions: 2 }])
  expect([...lives]).toEqual([[`jti:${hashOf(`${issuer}\none`)}`, 900]])
})

it('a logout token counts once', async () => {
  const { send, ended, audited, logged, server } = backChannel()
  const body = { logout_token: await tokenOf() }
  await send(body).expect(200)
  const { body: response } = await send(body).expect(400)
  expect(response).toEqual({ error: 'invalid_request', error_description: 'it was used before' })
  expect([ended.length, audited.length, server.counted]).toEqual([1, 1, 1])
  expect(logged).toEqual([{ reason: 'it was used before', words: 'a back-channel logout was refused' }])
  await send({ logout_token: await tokenOf({ jti: 'two' }) }).expect(200)
})

it.each<[string, object | string]>([
  ['without a token', {}],
  ['with two tokens', 'logout_token=a&logout_token=b'],
  ['with a token that does not verify', { logout_token: 'x' }],
])('a logout token is refused: %s', async (_what, body) => {
  const { send, ended, server, logged } = backChannel()
  const { body: response } = await send(body).expect(400)
  const reason =
    typeof body === 'object' && 'logout_token' in body
      ? 'the token does not verify (ERR_JWS_INVALID)'
      : 'logout_token is missing, or given twice'
  expect(response).toEqual({ error: 'invalid_request', error_description: reason })
  expect([ended, server.counted]).toEqual([[], 1])
  expect(logged).toEqual([{ reason, words: 'a back-channel logout was refused' }])
})

it('a logout request that is no form is refused', async () => {
  const { send } = backChannel()
  const statusOf = async (form: string) => (await send(form)).status
  expect(await statusOf('')).toBe(400)
  expect(await statusOf(`logout_token=${'x'.repeat(17_000)}`)).toBe(500)
  const many = Array.from({ length: 21 }, (_, index) => `p${index}=1`).join('&')
  expect(await statusOf(many)).toBe(500)
})

it('an address that sent too many refused tokens is not read any more', async () => {
  const { send, server } = backChannel()
  server.isLimited = true
  expect((await send({})).status).toBe(429)
})

it('a key set of more than 1 MiB is refused, and a smaller one is read afterwards', async () => {
  const [{ send }, token] = [backChannel(), await tokenOf()]
  vi.stubGlobal('fetch', async () => Response.json({ keys: [jwk], more: 'x'.repeat(2 ** 20) }))
  const refused = await send({ logout_token: token })
  vi.stubGlobal('fetch', async () => Response.json({ keys: [jwk] }))
  expect([refused.status, (await send({ logout_token: token })).status]).toEqual([400, 200])
})

it('a logout token is refused if the server has no keys, or only algorithms that can be forged', async () => {
  const keyless = backChannel({ jwks_uri: undefined })
  const { body } = await keyless.send({ logout_token: await tokenOf() }).expect(400)
  expect((body as { error_description: string }).error_description).toBe(
    'the authorization server has no keys to verify it with',
  )
  const other = backChannel({ id_token_signing_alg_values_supported: ['RS256'] })
  await other.send({ logout_token: await tokenOf() }).expect(400)
})

const failing = (message: string) => () => Promise.reject(new StoreUnavailable(new Error(message)))

it('a logout that failed in the store can be repeated with the same token', async () => {
  const { send, server, ended, values } = backChannel()
  const body = { logout_token: await tokenOf() }
  server.fails = new Error('away')
  await send(body).expect(500)
  expect([...values]).toEqual([])
  server.fails = undefined
  await send(body).expect(200)
  expect(ended).toHaveLength(2)
  const stuck = backChannel({}, { remove: failing('x') })
  stuck.server.fails = new Problem(429, 'too_many')
  await stuck.send(body).expect(429)
})

it('a full store remembers no token, and the sign-ins end all the same', async () => {
  const { send, server, ended, audited } = backChannel(
    {},
    { compareAndSet: failing('OOM command not allowed') },
  )
  const body = { logout_token: await tokenOf() }
  await send(body).expect(503)
  server.fails = new Error('away')
  await send(body).expect(503)
  expect([ended.length, audited]).toEqual([2, []])
})

it('no sign-in ends while the store is unavailable', async () => {
  const { send, ended } = backChannel({}, { compareAndSet: failing('gone') })
  await send({ logout_token: await tokenOf() }).expect(503)
  expect(ended).toEqual([])
})
