// How the authorization endpoint refuses a client that it does not know, which is how one is told that is forgotten.
import { Configuration } from 'openid-client'
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isRefusedAsUnknown, refusalOfUnknown } from '../../src/sign-in/server/client-probe.ts'
import { answering, issuer } from './library-errors.ts'

describe('the authorization endpoint', () => {
  const before = getGlobalDispatcher()
  let statusFor: (clientId: string) => number
  let asked: { query: Record<string, string>; headers: Record<string, string> }[]
  beforeEach(() => {
    asked = []
    const agent = new MockAgent()
    agent.disableNetConnect()
    setGlobalDispatcher(agent)
    agent
      .get(issuer)
      .intercept({ path: (path) => path.startsWith('/authorize'), method: 'GET' })
      .reply(({ path, headers }) => {
        const query = Object.fromEntries(new URL(path, issuer).searchParams)
        asked.push({ query, headers: headers as Record<string, string> })
        return { statusCode: statusFor(query['client_id'] ?? ''), data: 'x' }
      })
      .persist()
  })
  afterEach(() => setGlobalDispatcher(before))

  const there = { authorization_endpoint: `${issuer}/authorize?own=1` }
  const REDIRECT = 'https://onramp.example/back'
  const answers = (ours: number, others: number) => {
    statusFor = (clientId) => (clientId === 'client' ? ours : others)
  }

  it.each([
    [302, 400, 400],
    [200, 401, 401],
    [399, 499, 499],
    [302, 302, undefined],
    [302, 408, undefined],
    [302, 429, undefined],
    [302, 500, undefined],
    [400, 400, undefined],
    [500, 400, undefined],
  ])('that answers ours with %i and others with %i tells them apart by %j', async (ours, others, refusal) => {
    answers(ours, others)
    expect(await refusalOfUnknown(answering(200, {}, {}, there), REDIRECT)).toBe(refusal)
    expect(asked).toHaveLength(ours >= 400 ? 1 : 2)
  })

  it.each([
    [400, 400, true],
    [302, 400, false],
    [400, 302, false],
  ])(
    'that answers ours with %i and others with %i does not know ours: %s',
    async (ours, others, isUnknown) => {
      answers(ours, others)
      expect(await isRefusedAsUnknown(answering(200, {}, {}, there), REDIRECT, 400)).toBe(isUnknown)
    },
  )

  it('is asked as a browser would, and nothing is begun', async () => {
    answers(302, 400)
    await refusalOfUnknown(answering(200, {}, {}, there), REDIRECT)
    const [ours, other] = asked
    expect(ours?.query).toEqual({
      own: '1',
      response_type: 'code',
      client_id: 'client',
      redirect_uri: REDIRECT,
      scope: 'openid',
      state: expect.stringMatching(/^onramp-probe-/) as string,
      nonce: expect.stringMatching(/^onramp-probe-/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
      prompt: 'none',
    })
    expect(ours?.headers).toEqual({
      accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'accept-language': 'en',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'cross-site',
      'user-agent': 'Mozilla/5.0 (onramp)',
    })
    expect(other?.query['client_id']).toMatch(/^onramp-probe-/)
  })

  it('is asked for the scope of the client', async () => {
    answers(302, 400)
    const configuration = new Configuration({ issuer, ...there }, 'client', { scope: 'openid a' })
    await refusalOfUnknown(configuration, REDIRECT)
    expect(asked[0]?.query['scope']).toBe('openid a')
  })

  it('that is not there, or does not answer, says nothing', async () => {
    expect(await refusalOfUnknown(answering(200, {}), REDIRECT)).toBeUndefined()
    const elsewhere = { authorization_endpoint: 'http://elsewhere.example/authorize' }
    expect(await refusalOfUnknown(answering(200, {}, {}, elsewhere), REDIRECT)).toBeUndefined()
    expect(await isRefusedAsUnknown(answering(200, {}), REDIRECT, 400)).toBe(false)
    expect(asked).toEqual([])
  })
})
