// Discovering the authorization server: in the background, for a request, and while it fails.
import { None, type ClientMetadata } from 'openid-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Problem } from '../../src/problem.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { AuthorizationServer, type FindClient } from '../../src/sign-in/server/authorization-server.ts'
import { answerFetch, silent } from './network-stub.ts'

const ISSUER = 'https://as.example'
const PLACE = `${ISSUER}/.well-known/openid-configuration`
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/a`,
  token_endpoint: `${ISSUER}/t`,
  jwks_uri: `${ISSUER}/k`,
}
const settings = { OIDC_ISSUER: ISSUER, OIDC_SCOPE: 'openid' } as Settings

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())
const turn = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds)

/** @param more members of the metadata */
function knowing(more: object = {}) {
  const requests = answerFetch({ [PLACE]: () => Response.json({ ...METADATA, ...more }) })
  const logged: [level: string, words: string, fields?: object][] = []
  const line = (level: string) => (fields: object, words: string) =>
    void logged.push('err' in fields ? [level, words] : [level, words, fields])
  const calls: object[] = []
  const at = {
    client: { client_id: 'c1' } as ClientMetadata,
    more: {} as { renewAt?: number },
    isThere: true,
    fail() {},
  }
  const client: FindClient = async (_server, mayRegister) => {
    if (!mayRegister && !at.isThere) return undefined
    at.fail()
    return { metadata: at.client, auth: None(), ...at.more }
  }
  const server = new AuthorizationServer({
    settings,
    findClient: client,
    log: { info: line('info'), warn: line('warn') } as never,
    onCall: ({ operation, status }) => void calls.push({ operation, status }),
    now: () => Date.now(),
  })
  const idOf = async (which: 'configuration' | 'refreshConfiguration' = 'configuration') =>
    (await server[which]()).clientMetadata().client_id
  const startServer = async () => {
    server.start()
    await turn()
  }
  return { server, at, requests, logged, calls, idOf, started: startServer }
}

it('metadata is discovered in the background and kept for ten minutes', async () => {
  const { server, requests, started, idOf, calls } = knowing()
  expect(server.isReady()).toBe(false)
  await started()
  expect(server.isReady()).toBe(true)
  expect(await idOf()).toBe('c1')
  expect(await idOf('refreshConfiguration')).toBe('c1')
  expect([requests.length, calls]).toEqual([1, [{ operation: 'discovery', status: 200 }]])
  await turn(599_999)
  expect(requests).toHaveLength(1)
  await turn(1)
  expect(requests).toHaveLength(2)
  expect(await server.refreshConfiguration()).not.toBe(await server.configuration())
  server.close()
  await turn(600_000)
  expect(requests).toHaveLength(2)
})

it('the first requests discover the metadata together, and later ones use it', async () => {
  const { server, requests, idOf } = knowing()
  const all = await Promise.all([idOf(), idOf(), idOf()])
  expect([...all, await idOf()]).toEqual(['c1', 'c1', 'c1', 'c1'])
  expect([server.isReady(), requests.length]).toEqual([true, 1])
})

it.each([
  ['in the background', true, 2],
  ['by a request before the background starts', false, 1],
])('a client is renewed before its secret expires, %s', async (_title, isStarted, requestsWithoutPage) => {
  const { at, requests, started, idOf } = knowing()
  at.more = { renewAt: Date.now() + 540_000 }
  if (isStarted) await started()
  expect(await idOf()).toBe('c1')
  Object.assign(at, { client: { client_id: 'c2' }, more: {} })
  await turn(539_999)
  expect([await idOf(), requests.length]).toEqual(['c1', 1])
  await turn(1)
  expect(requests).toHaveLength(requestsWithoutPage)
  expect([await idOf(), requests.length]).toEqual(['c2', 2])
})

it('a request gets the reason for an unusable authorization server', async () => {
  const { server, started, calls } = knowing()
  answerFetch({ [PLACE]: silent('ECONNREFUSED') })
  await started()
  await expect(server.configuration()).rejects.toMatchObject({
    code: 'sign_in_unavailable',
    detail: expect.stringContaining('connection refused') as string,
  })
  expect([server.isReady(), server.isBlockedByProxy()]).toEqual([false, false])
  expect(calls[0]).toEqual({ operation: 'discovery', status: undefined })
})

it('a request without a client waits for the registration in the background', async () => {
  const { server, at, requests, idOf } = knowing()
  at.isThere = false
  await expect(server.configuration()).rejects.toMatchObject({ detail: 'the client is not registered yet' })
  server.start()
  server.start()
  expect([await idOf(), requests.length]).toEqual(['c1', 2])
})

it('an optional endpoint with an unsafe address isn’t used, which is logged once', async () => {
  const { server, logged, started } = knowing({ revocation_endpoint: 'http://as.example/r' })
  await started()
  await turn(600_000)
  expect((await server.configuration()).serverMetadata().revocation_endpoint).toBeUndefined()
  const words = 'endpoints without https in the metadata are ignored: revocation_endpoint'
  expect(logged).toEqual([['warn', words, { issuer: 'https://as.example' }]])
})

const refusing = (retryAfter = 0) =>
  new Problem(503, 'sign_in_misconfigured', { detail: 'wrong', retryAfter })

it.each([
  ['can’t be used', new Error('x'), [0, 1, 3, 7, 15, 30, 45]],
  ['rejects the registration', refusing(), [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811]],
  ['requests a pause of an hour', refusing(3_600), [0, 3_600, 7_200]],
])(
  'a server that %s is retried at growing intervals, in the background only',
  async (_title, error, expected) => {
    const { server, at, started } = knowing()
    const [start, seconds]: [number, number[]] = [Date.now(), []]
    at.fail = () => {
      seconds.push((Date.now() - start) / 1000)
      throw error
    }
    await started()
    await turn((expected.at(-1) ?? 0) * 1000)
    expect(seconds).toEqual(expected)
    server.close()
    await turn(7_200_000)
    expect(seconds).toEqual(expected)
  },
)

it('a request before the registration gets the reason, and registers no client', async () => {
  const { at, started, server } = knowing()
  at.isThere = false
  at.fail = () => {
    throw refusing()
  }
  await started()
  await expect(server.configuration()).rejects.toMatchObject({ detail: 'wrong' })
})

it('forgotten keys are replaced by a new configuration, which the background discovers', async () => {
  const { server, started, requests } = knowing()
  server.forgetKeys()
  await turn()
  expect(requests).toHaveLength(1)
  const before = await server.configuration()
  server.forgetKeys()
  expect(await server.configuration()).not.toBe(before)
  await turn()
  expect(requests).toHaveLength(2)
  await started()
})
