// Who onramp is at the authorization server: the client of the settings, or one that it registers.
import { None } from 'openid-client'
import { afterEach, describe, expect, it } from 'vitest'
import type { Settings } from '../../src/settings/settings.ts'
import { createSealer } from '../../src/session/seal.ts'
import { clientOf, registrationOf } from '../../src/sign-in/server/client.ts'
import { configurationOf } from '../../src/sign-in/server/configuration.ts'
import { memoryStore } from './memory-store.ts'
import { answerFetch } from './network-of-answers.ts'
import { startPlainServer, type Answers } from '../helpers/plain-authorization-server.ts'

const ISSUER = 'https://as.example'
const REGISTER = `${ISSUER}/register`
const METADATA = { issuer: ISSUER, token_endpoint: `${ISSUER}/token`, registration_endpoint: REGISTER }
const settings = {
  PUBLIC_URL: 'https://onramp.example',
  OIDC_ISSUER: ISSUER,
  OIDC_SCOPE: 'openid email profile offline_access',
  OIDC_CLIENT_AUTH: 'client_secret_basic',
} as Settings

function ours(own: Partial<Settings> = {}) {
  const store = memoryStore()
  const logged: unknown[][] = []
  const line = (level: string) => (fields: object, words: string) => void logged.push([level, words, fields])
  const calls: object[] = []
  const parts = {
    records: store.records,
    sealer: createSealer(['s'.repeat(32)]),
    now: () => 1_700_000_000_000,
  }
  const all = { ...settings, ...own } as Settings
  const client = clientOf(all, {
    ...parts,
    log: { info: line('info'), warn: line('warn') } as never,
    onCall: ({ operation, status }) => void calls.push({ operation, status }),
  })
  return { ...store, client, logged, calls, registration: registrationOf(all, parts) }
}

const made =
  (more: object = {}, status = 201) =>
  () =>
    Response.json({ client_id: 'one', client_secret: 'hush', ...more }, { status })

describe('the client of the settings', () => {
  it('is the one that they name, with its secret, and nothing is asked', async () => {
    const asked = answerFetch({})
    const { client } = ours({
      OIDC_CLIENT_ID: 'mine',
      OIDC_CLIENT_SECRET: 'hush',
      OIDC_CLIENT_AUTH: 'client_secret_post',
    })
    const found = await client.current(METADATA, false)
    const body = new URLSearchParams()
    found?.auth(METADATA, { client_id: 'mine' }, body, new Headers())
    expect([found?.metadata, Object.fromEntries(body)]).toEqual([
      { client_id: 'mine' },
      { client_id: 'mine', client_secret: 'hush' },
    ])
    expect([client.forget, client.learn, asked]).toEqual([undefined, undefined, []])
  })
})

describe('a client that registers itself', () => {
  it('does so in the background only, and once', async () => {
    const asked = answerFetch({ [REGISTER]: made() })
    const { client, calls, logged } = ours()
    expect(await client.current(METADATA, false)).toBeUndefined()
    const first = await client.current(METADATA, true)
    expect(first).toMatchObject({
      metadata: { client_id: 'one', scope: settings.OIDC_SCOPE },
      isNew: true,
      mute: [],
    })
    expect(await client.current(METADATA, true)).toMatchObject({
      metadata: { client_id: 'one' },
      isNew: false,
    })
    expect(await client.current(METADATA, false)).toMatchObject({ isNew: false })
    expect([asked.length, calls]).toEqual([1, [{ operation: 'registration', status: 201 }]])
    expect(logged).toEqual([['info', 'the client is registered', {}]])
    expect(first?.metadata).not.toHaveProperty('mute')
  })

  it('sends the initial access token, and its key where it signs', async () => {
    const { generateKeyPairSync } = await import('node:crypto')
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }) as string
    const asked = answerFetch({ [REGISTER]: made({ client_secret: undefined }) })
    const signing = {
      OIDC_CLIENT_AUTH: 'private_key_jwt',
      OIDC_CLIENT_KEY: key,
      OIDC_INITIAL_ACCESS_TOKEN: 'sesame',
    }
    await ours(signing as Partial<Settings>).client.current(METADATA, true)
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer sesame')
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ jwks: { keys: [{ kty: 'EC' }] } })
    await ours().client.current(METADATA, true)
    expect(JSON.parse(asked[1]?.body ?? '')).not.toHaveProperty('jwks')
  })

  it('asks people for what is listed and registered, unless the operator chose', async () => {
    answerFetch({ [REGISTER]: made({ scope: 'openid email' }) })
    const { client, logged } = ours()
    const listing = { ...METADATA, scopes_supported: ['openid', 'profile', 'email'] }
    expect((await client.current(listing, true))?.metadata.scope).toBe('openid email')
    expect(logged[0]).toEqual([
      'info',
      'OIDC_SCOPE has scopes that the server does not list: not registered for',
      { asked: 'openid email profile' },
    ])
    expect((await ours({ OIDC_SCOPE: 'openid own' }).client.current(listing, true))?.metadata.scope).toBe(
      'openid own',
    )
  })

  it.each<[string, () => Response, number | undefined]>([
    ['a refusal', () => new Response('{}', { status: 401 }), 401],
    ['a client that can’t be used', () => new Response('{}', { status: 201 }), 201],
    ['no answer', () => expect.fail('away'), undefined],
  ])('is told in the metrics with %s', async (_what, answer, status) => {
    answerFetch({ [REGISTER]: answer })
    const { client, calls } = ours()
    await expect(client.current(METADATA, true)).rejects.toMatchObject({ status: 503 })
    expect(calls).toEqual([{ operation: 'registration', status }])
  })

  it('needs an endpoint for it', async () => {
    const { registration_endpoint: _endpoint, ...without } = METADATA
    await expect(ours().client.current(without, true)).rejects.toMatchObject({
      code: 'sign_in_misconfigured',
      detail: expect.stringMatching(
        /^the authorization server has no registration endpoint: register a client by hand/,
      ) as string,
      retryAfter: 30,
    })
  })

  it('is another one where other things are asked for', async () => {
    const keyOf = async (own: Partial<Settings> = {}) => {
      answerFetch({ [REGISTER]: made() })
      const { client, named } = ours(own)
      await client.current(METADATA, true)
      return named('client:')[0]
    }
    const key = await keyOf()
    expect(await keyOf({ OIDC_SCOPE: 'profile openid offline_access email' })).toBe(key)
    for (const other of [
      { OIDC_SCOPE: 'openid' },
      { PUBLIC_URL: 'https://other.example' },
      { OIDC_ISSUER: 'https://other.example' },
      { OIDC_CLIENT_AUTH: 'client_secret_post' },
    ] as Partial<Settings>[])
      expect(await keyOf(other)).not.toBe(key)
    expect(await keyOf({ OIDC_CLIENT_KEY: 'unused' })).toBe(key)
  })
})

describe('at a server that is there', () => {
  const closers: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  async function atServer(answers: Answers, more: object = {}) {
    const server = await startPlainServer(answers)
    closers.push(() => server.close())
    answerFetch({ [REGISTER]: made() })
    const metadata = {
      ...METADATA,
      issuer: server.url,
      token_endpoint: `${server.url}/token`,
      authorization_endpoint: `${server.url}/authorize`,
      ...more,
    }
    const { client, registration } = ours()
    const configuration = configurationOf(metadata, { metadata: { client_id: 'one' }, auth: None() })
    return { server, metadata, client, registration, configuration }
  }

  it('a client that replaces another one and is refused too learns that such refusals say nothing', async () => {
    const { metadata, client, registration } = await atServer({})
    await client.current(metadata, true)
    expect(await client.forget?.('one')).toBe(true)
    expect(await client.current(metadata, true)).toMatchObject({ isNew: true, mute: ['token'] })
    expect(await registration.stored()).toMatchObject({ mute: ['token'] })
    expect(await client.current(metadata, true)).toMatchObject({ isNew: false, mute: ['token'] })
  })

  it('one that is not refused has nothing to learn there', async () => {
    const { metadata, client, registration } = await atServer({
      '/token': ({ res }, own) => own.json(res, { error: 'invalid_grant' }, 400),
    })
    await client.current(metadata, true)
    await client.forget?.('one')
    expect(await client.current(metadata, true)).toMatchObject({ mute: [] })
    expect(await registration.stored()).not.toHaveProperty('mute')
  })

  const REFUSES: Answers[string] = ({ query, res }) =>
    void res.writeHead(query.get('client_id') === 'one' ? 302 : 400).end()

  it('how the authorization endpoint refuses others is learned, once, where no other endpoint tells', async () => {
    const { metadata, client, registration, configuration, server } = await atServer({
      '/authorize': REFUSES,
    })
    await client.learn?.(configuration)
    expect(server.seen).toEqual([])
    await client.current(metadata, true)
    expect(await client.isForgotten?.(configuration)).toBeUndefined()
    await client.learn?.(configuration)
    expect(await registration.stored()).toMatchObject({ refusal_of_unknown: 400 })
    const before = server.seen.length
    await client.learn?.(configuration)
    expect(server.seen).toHaveLength(before)
    expect(await client.isForgotten?.(configuration)).toBe(false)
    server.answers['/authorize'] = ({ res }) => void res.writeHead(400).end()
    expect(await client.isForgotten?.(configuration)).toBe(true)
    const other = configurationOf(metadata, { metadata: { client_id: 'two' }, auth: None() })
    expect(await client.isForgotten?.(other)).toBeUndefined()
    expect((await client.current(metadata, true))?.metadata).not.toHaveProperty('refusal_of_unknown')
  })

  it('nothing is learned where another endpoint tells, or the two are answered alike', async () => {
    const telling = await atServer({
      '/authorize': REFUSES,
      '/revoke': ({ res }, own) => own.json(res, { error: 'invalid_client' }, 401),
    })
    const metadata = { ...telling.metadata, revocation_endpoint: `${telling.server.url}/revoke` }
    await telling.client.current(metadata, true)
    await telling.client.learn?.(configurationOf(metadata, { metadata: { client_id: 'one' }, auth: None() }))
    expect(telling.server.seen).toEqual(['POST /revoke'])
    const alike = await atServer({ '/authorize': ({ res }) => void res.writeHead(302).end() })
    await alike.client.current(alike.metadata, true)
    await alike.client.learn?.(alike.configuration)
    expect(await alike.registration.stored()).not.toHaveProperty('refusal_of_unknown')
  })
})
