// POST /sign-out/backchannel: valid logout tokens, ended sign-ins, and failures of the store.
import express from 'express'
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { ClientSecretPost, Configuration } from 'openid-client'
import request from 'supertest'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Problem } from '../../src/problem.ts'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { hashOf } from '../../src/records/seal.ts'
import { asymmetricAlgorithms } from '../../src/sign-in/server/signing-keys.ts'
import { createBackChannelRoutes, verifyLogoutToken } from '../../src/sign-in/sign-out/back-channel.ts'
import { createErrorPage } from '../../src/web/error-page.ts'
import { createLimits } from '../../src/web/rate-limit.ts'
import { languages } from '../helpers/texts.ts'
import { immediateRecords } from '../helpers/memory-records.ts'

const issuer = 'https://as.example'
const NOW = 1_700_000_000
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const keys = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(keys.publicKey)), alg: 'ES256' }
const answerKeys = (more: object = {}) =>
  vi.stubGlobal('fetch', async () => Response.json({ keys: [jwk], ...more }))
beforeEach(() => void answerKeys())
afterEach(() => vi.unstubAllGlobals())

const goodClaims = { iss: issuer, aud: 'onramp', iat: NOW, jti: 'one', sub: 'ada', events: { [EVENT]: {} } }
const tokenOf = (claims: object = {}, header: object = {}, key = keys.privateKey) =>
  new SignJWT({ ...goodClaims, ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key)

const rules = {
  issuer,
  clientId: 'onramp',
  algorithms: ['ES256'],
  keys: async () => keys.publicKey,
  now: NOW * 1000,
}
/** The sub and sid of a logout token, or the reason of its refusal. */
const verifyToken = (token: string, own: Partial<typeof rules> = {}) =>
  verifyLogoutToken(token, { ...rules, ...own }).catch((error: unknown) =>
    error instanceof Error && error.name === 'InvalidLogoutToken' ? error.message : error,
  )
const read = async (claims: object, header: object = {}) => await verifyToken(await tokenOf(claims, header))
const unverified = (code: string) => `the token is invalid (${code})`

it.each([
  ['a sub and a sid', { sub: 'a', sid: 'b' }, { jti: 'one', sub: 'a', sid: 'b' }],
  ['a sub, whose sid is empty', { sub: 'a', sid: '' }, { jti: 'one', sub: 'a' }],
  ['a sid, whose sub is empty', { sub: '', sid: 'a' }, { jti: 'one', sid: 'a' }],
])('a logout token with %s is accepted', async (_title, claims, named) => {
  expect(await read(claims)).toEqual(named)
})

it.each([
  ['an empty sub alone', { sub: '' }],
  ['an empty sub and an empty sid', { sub: '', sid: '' }],
  ['only a sid that isn’t a string', { sub: undefined, sid: 7 }],
])('a logout token with %s is refused', async (_title, claims) => {
  expect(await read(claims)).toBe('it has neither sub nor sid')
})

it.each([undefined, 'logout+jwt', 'JWT', 'application/logout+jwt', 'application/JWT'])(
  'a logout token of the type %j is accepted',
  async (typ) => {
    expect(await read({}, typ === undefined ? {} : { typ })).toEqual({ jti: 'one', sub: 'ada' })
  },
)

it.each(['at+jwt', 'application/at+jwt', 'xlogout+jwt', 'logout+jwtx', 'logout', ''])(
  'a logout token of the type %j is refused',
  async (typ) => {
    expect(await read({}, { typ })).toBe('its typ is not logout+jwt')
  },
)

const INVALID_CLAIM = unverified('ERR_JWT_CLAIM_VALIDATION_FAILED')
it.each<[string, object, string]>([
  ['with a nonce', { nonce: 'x' }, 'it has a nonce, which only id_tokens may have'],
  ['without the event', { events: {} }, 'it lacks the logout event'],
  ['with an event that isn’t an object', { events: { [EVENT]: true } }, 'it lacks the logout event'],
  ['with events that are a string', { events: EVENT }, 'it lacks the logout event'],
  ['with an empty jti', { jti: '' }, 'it lacks a jti'],
  ['with a jti that isn’t a string', { jti: 7 }, 'it lacks a jti'],
  ['without a jti', { jti: undefined }, INVALID_CLAIM],
  ['without a time', { iat: undefined }, INVALID_CLAIM],
  ['of another issuer', { iss: 'x' }, INVALID_CLAIM],
  ['for another client', { aud: 'x' }, INVALID_CLAIM],
  ['that is too old', { iat: NOW - 331 }, unverified('ERR_JWT_EXPIRED')],
  ['of the future', { iat: NOW + 31 }, INVALID_CLAIM],
  ['that has expired', { exp: NOW - 31 }, unverified('ERR_JWT_EXPIRED')],
])('a logout token %s is refused', async (_title, claims, reason) => {
  expect(await read(claims)).toBe(reason)
})

it('a logout token may be five minutes old, or half a minute ahead', async () => {
  for (const iat of [NOW + 30, NOW - 330]) expect(await read({ iat })).toMatchObject({ jti: 'one' })
})

it('a logout token without a valid signature is refused', async () => {
  const forged = await tokenOf({}, {}, (await generateKeyPair('ES256')).privateKey)
  expect(await verifyToken(forged)).toBe(unverified('ERR_JWS_SIGNATURE_VERIFICATION_FAILED'))
  expect(await verifyToken(new UnsecuredJWT(goodClaims).encode())).toBe(
    unverified('ERR_JOSE_ALG_NOT_ALLOWED'),
  )
  for (const thrown of [new Error('away'), 'away'])
    expect(await verifyToken(await tokenOf(), { keys: () => Promise.reject(thrown) })).toBe(
      unverified('unreadable'),
    )
})

it('algorithms that can be forged with the client secret never count', () => {
  expect(asymmetricAlgorithms(undefined)).toEqual(['RS256'])
  const kept = ['ES256', 'EdDSA', 'xHS256', 'HS', 'nonesuch']
  expect(asymmetricAlgorithms(['none', 'NONE', 'HS256', 'hs512', ...kept])).toEqual(kept)
})

type Deps = Parameters<typeof createBackChannelRoutes>[0]
function backChannel(metadata: { [member: string]: unknown } = {}, own: Partial<Records> = {}) {
  const { records, values, lives } = immediateRecords()
  const [ended, audited, logged]: [object[], object[], object[]] = [[], [], []]
  const id_token_signing_alg_values_supported = ['ES256']
  const metadataOfServer = {
    issuer,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported,
    ...metadata,
  }
  const server = { fails: undefined as Error | undefined, isLimited: false, counted: 0 }
  const configuration = async () =>
    new Configuration(metadataOfServer, 'onramp', undefined, ClientSecretPost('x'))
  const limits = createLimits({ perNetwork: 1, publicUrl: issuer }, () => {}, Date.now)
  const routes = createBackChannelRoutes({
    authorizationServer: { configuration } as Deps['authorizationServer'],
    sessions: {
      async endByLogoutToken(of: string, named: object) {
        ended.push({ of, ...named })
        if (server.fails !== undefined) throw server.fails
        return 2
      },
    },
    records: { ...records, ...own },
    limits: {
      ...limits,
      countRejectedLogoutToken() {
        server.counted++
        if (server.isLimited) throw new Problem(429, 'too_many_requests')
      },
    },
    log: { info: (fields: object, words: string) => void logged.push({ ...fields, words }) } as never,
    audit: (event) => void audited.push(event),
    now: () => NOW * 1000,
  })
  const errorPage = createErrorPage({
    log: { error() {}, warn() {}, info() {} } as never,
    sendPage: (_req, res, { status }) => void res.status(status ?? 200).end(),
    languages,
    publicUrl: issuer,
    tryAgainPathFor: () => undefined,
    displayName: ({ name }) => name,
    countProblem() {},
    now: () => NOW * 1000,
  })
  const app = express().set('trust proxy', true).use(routes, errorPage)
  /** @returns the status, and the reason of a refusal */
  async function send(form: object | string, from = '192.0.2.1') {
    const post = request(app).post('/sign-out/backchannel').set('x-forwarded-for', from)
    const { status, text, body } = await post.type('form').send(form)
    const { error_description: reason, ...others } = body as { error_description?: string }
    if (reason !== undefined) expect(others).toEqual({ error: 'invalid_request' })
    return [status, reason ?? text]
  }
  return { send, server, ended, audited, logged, values, lives }
}

it('a logout token ends the sign-ins that it names, and leaves an audit event', async () => {
  const { send, ended, audited, lives } = backChannel()
  expect(await send({ logout_token: await tokenOf({ sid: 's' }) })).toEqual([200, ''])
  expect(ended).toEqual([{ of: issuer, issuer, jti: 'one', sub: 'ada', sid: 's' }])
  expect(audited).toEqual([{ event: 'sign_out', by: 'authorization_server', sessions: 2 }])
  expect([...lives]).toEqual([[`jti:${hashOf(`${issuer}\none`)}`, 900]])
})

it('a repeated logout token has no effect', async () => {
  const { send, ended, audited, logged, server } = backChannel()
  const body = { logout_token: await tokenOf() }
  expect(await send(body)).toEqual([200, ''])
  expect(await send(body)).toEqual([400, 'the token was used before'])
  expect(ended).toHaveLength(1)
  expect(audited).toHaveLength(1)
  expect(server.counted).toBe(1)
  expect(logged).toEqual([{ reason: 'the token was used before', words: 'back-channel logout refused' }])
  expect(await send({ logout_token: await tokenOf({ jti: 'two' }) })).toEqual([200, ''])
})

const OTHERS = { id_token_signing_alg_values_supported: ['RS256'] }
const MISSING = 'logout_token is missing or repeated'
it.each<[string, object | string, string, object?]>([
  ['without a token', {}, MISSING],
  ['with two tokens', 'logout_token=a&logout_token=b', MISSING],
  ['that isn’t a form', '', MISSING],
  ['with an invalid signature', { logout_token: 'x' }, unverified('ERR_JWS_INVALID')],
  ['without keys', {}, 'the authorization server has no jwks_uri to verify it with', { jwks_uri: undefined }],
  ['with another algorithm', {}, unverified('ERR_JOSE_ALG_NOT_ALLOWED'), OTHERS],
])('a logout request %s is refused and logged', async (_title, form, reason, metadata) => {
  const { send, ended, server, logged } = backChannel(metadata as Record<string, unknown> | undefined)
  expect(await send(metadata === undefined ? form : { logout_token: await tokenOf() })).toEqual([400, reason])
  expect([ended, server.counted]).toEqual([[], 1])
  expect(logged).toEqual([{ reason, words: 'back-channel logout refused' }])
})

it.each([
  ['17 KB', `logout_token=${'x'.repeat(17_000)}`],
  ['21 parameters', Array.from({ length: 21 }, (_, index) => `p${index}=1`).join('&')],
])('a logout request with %s is refused as too large', async (_title, form) => {
  const { send, server } = backChannel()
  expect((await send(form))[0]).toBe(413)
  expect(server.counted).toBe(0)
})

it('a logout request isn’t read when rate-limited', async () => {
  const { send, server } = backChannel()
  server.isLimited = true
  expect((await send({}))[0]).toBe(429)
})

it('strangers whose logout tokens wait for the key set use up only their own share', async () => {
  const fetched = Promise.withResolvers<Response>()
  vi.stubGlobal('fetch', () => fetched.promise)
  const { send } = backChannel()
  const form = { logout_token: await tokenOf() }

  const strangers = Array.from({ length: 501 }, () => send(form, '198.51.100.1'))
  expect((await Promise.race(strangers))[0]).toBe(429)
  const ofServer = send({ logout_token: await tokenOf({ jti: 'two' }) })

  fetched.resolve(Response.json({ keys: [jwk] }))
  expect(await ofServer).toEqual([200, ''])
  const statuses = (await Promise.all(strangers)).map(([status]) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})

it('a key set of more than 1 MiB is refused until it is smaller', async () => {
  const [{ send }, logout_token] = [backChannel(), await tokenOf()]
  answerKeys({ more: 'x'.repeat(2 ** 20) })
  expect((await send({ logout_token }))[0]).toBe(400)
  answerKeys()
  expect(await send({ logout_token })).toEqual([200, ''])
})

const failing = (message: string) => () => Promise.reject(new StoreUnavailable(new Error(message)))

it('a logout that failed in the store can be repeated with the same token', async () => {
  const { send, server, ended, values } = backChannel()
  const body = { logout_token: await tokenOf() }
  server.fails = new Error('away')
  expect((await send(body))[0]).toBe(500)
  expect([...values]).toEqual([])
  server.fails = undefined
  expect((await send(body))[0]).toBe(200)
  expect(ended).toHaveLength(2)
})

it('a logout whose sign-ins ended before a write failed late has ended them', async () => {
  const written = new Map<string, string>()
  const lateStore: Partial<Records> = {
    get: async (key) => written.get(key),
    async put(key, text) {
      written.set(key, text)
      throw new StoreUnavailable(new Error('no response in time'))
    },
  }
  const { send, ended, audited } = backChannel({}, lateStore)
  const body = { logout_token: await tokenOf() }
  expect((await send(body))[0]).toBe(503)
  expect([ended.length, audited]).toEqual([1, []])
  expect(await send(body)).toEqual([400, 'the token was used before'])
})

it.each([
  ['still ends the sign-ins', undefined],
  ['gets an error if the sign-ins can’t be ended', new StoreUnavailable(new Error('away'))],
])('a logout at a full store %s', async (_title, fails) => {
  const { send, server, ended, audited } = backChannel({}, { put: failing('OOM command not allowed') })
  server.fails = fails
  expect((await send({ logout_token: await tokenOf() }))[0]).toBe(503)
  expect([ended.length, audited]).toEqual([1, []])
})

it('a logout at an unreachable store ends no sign-in', async () => {
  const { send, ended } = backChannel({}, { get: failing('gone') })
  expect((await send({ logout_token: await tokenOf() }))[0]).toBe(503)
  expect(ended).toEqual([])
})
