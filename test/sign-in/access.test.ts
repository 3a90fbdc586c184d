// Calls of the service as the person, and the refreshing of tokens that comes with them.
import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { TokenRefused } from '../../src/client-api/errors.ts'
import { nameOf } from '../../src/session/seal.ts'
import { remember, type SignedIn, type Tokens } from '../../src/session/signed-in.ts'
import { inProcess, ISSUER, type Options } from './in-process.ts'

const MINUTE = 60_000

/** Someone signed in with tokens of five minutes, as a request that makes calls. */
async function someone(tokens: Partial<Tokens> = {}, options: Options = {}) {
  const world = inProcess(options)
  const { clock, parts, access } = world
  const given = { accessToken: 'first', refreshToken: 'refresh', idToken: undefined }
  const life = { issuedAt: clock.now, expiresAt: clock.now + 5 * MINUTE }
  const user = { issuer: ISSUER, subject: 'ada', groups: ['Old'] }
  const signedInAt = clock.now
  const content = { user, browser: 'b', signedInAt, tokens: { ...given, ...life, ...tokens } }
  const signedIn = await parts.signIns.create('id', content)
  const request = (who: SignedIn = signedIn) => {
    const req = { method: 'GET', originalUrl: '/x' } as Request
    remember(req, who)
    return req
  }
  /** Calls, and is told what with; the service refuses these tokens. */
  async function call(refused: string[] = [], req = request()): Promise<string[]> {
    const used: string[] = []
    const outcome = await access(req, async ({ kind, ...credentials }) => {
      expect(kind).toBe('oauth')
      used.push((credentials as { accessToken: string }).accessToken)
      if (refused.includes(used.at(-1) ?? '') || refused[0] === 'all') throw new TokenRefused('refused')
      return 'ok'
    }).catch((error: unknown) => (error as { code?: string }).code ?? String(error))
    return [...used, outcome]
  }
  const kept = () => parts.signIns.load('id')
  return { ...world, signedIn, request, call, kept }
}

describe('a call', () => {
  it('says where the token is from', async () => {
    for (const [from, externalIdp] of [
      ['service', false],
      ['external-idp', true],
    ] as const) {
      const { access, request } = await someone({}, { settings: { TOKEN_ISSUED_BY: from } })
      expect(await access(request(), async (credentials) => credentials)).toEqual({
        kind: 'oauth',
        accessToken: 'first',
        externalIdp,
      })
    }
  })

  it('with a token that is good asks for none', async () => {
    const { call, asked } = await someone()
    expect([await call(), asked]).toEqual([['first', 'ok'], []])
  })

  it('is made with a new token shortly before the old one runs out, and the next ones too', async () => {
    const { call, asked, clock, request, kept, noted, signedIn } = await someone()
    const req = request()
    clock.now += 5 * MINUTE - 1
    expect(await call([], req)).toEqual(['access-1', 'ok'])
    expect(await call([], req)).toEqual(['access-1', 'ok'])
    expect(await call([], request(await kept()))).toEqual(['access-1', 'ok'])
    expect(asked).toMatchObject([
      { path: '/token', form: { grant_type: 'refresh_token', refresh_token: 'refresh' } },
    ])
    expect((await kept())?.tokens).toMatchObject({
      accessToken: 'access-1',
      expiresAt: clock.now + 5 * MINUTE,
    })
    expect(noted).toEqual([{ event: 'refresh', result: 'ok' }])
    expect(await call([], request(signedIn))).toEqual(['access-1', 'ok'])
    expect(asked).toHaveLength(1)
  })

  it('is made with what is left where no refresh token was issued', async () => {
    const { call, clock, asked } = await someone({ refreshToken: undefined })
    clock.now += 5 * MINUTE - 1
    expect(await call()).toEqual(['first', 'ok'])
    clock.now += 1
    expect(await call()).toEqual(['signed_out'])
    expect(asked).toEqual([])
  })

  it('that the service refuses is made again with a new token, once', async () => {
    const { call, asked, kept } = await someone()
    expect(await call(['first'])).toEqual(['first', 'access-1', 'ok'])
    expect(asked).toHaveLength(1)
    const again = await someone()
    expect(await again.call(['all'])).toEqual(['first', 'access-1', 'service_refused_sign_in'])
    expect(await kept()).toBeDefined()
  })

  it('that the service refuses for good ends a sign-in, unless it is new', async () => {
    for (const refreshToken of [undefined, 'refresh']) {
      const { call, clock, kept } = await someone({ refreshToken })
      clock.now += MINUTE - 1
      expect((await call(['all'])).at(-1)).toBe('service_refused_sign_in')
      expect(await kept()).toBeDefined()
      clock.now += 1
      expect((await call(['all'])).at(-1)).toBe('signed_out')
      expect(await kept()).toBeUndefined()
    }
  })

  it('that fails otherwise fails so', async () => {
    const { access, request, asked } = await someone()
    const broken = new Error('broken')
    await expect(access(request(), () => Promise.reject(broken))).rejects.toBe(broken)
    let calls = 0
    const second = () => Promise.reject(++calls === 1 ? new TokenRefused('x') : broken)
    await expect(access(request(), second)).rejects.toBe(broken)
    expect(asked).toHaveLength(1)
  })

  it('leads those who have to sign in again back to where they were', async () => {
    const { access, request, clock } = await someone({ refreshToken: undefined })
    clock.now += 5 * MINUTE
    await expect(access(request(), async () => 1)).rejects.toMatchObject({
      status: 401,
      name: 'SignInAgain',
      tryAgain: '/sign-in?return_to=%2Fx',
    })
  })
})

describe('a refresh ahead of time', () => {
  it('that fails keeps no one out while the token is good', async () => {
    const { call, clock, answers, kept } = await someone()
    answers['/token'] = () => ({ status: 503, body: { error: 'temporarily_unavailable' } })
    clock.now += 5 * MINUTE - 1
    expect(await call()).toEqual(['first', 'ok'])
    clock.now += 1
    expect(await call()).toEqual(['sign_in_unavailable'])
    expect(await kept()).toBeDefined()
  })

  it('that is refused ends the sign-in', async () => {
    const { call, clock, answers, kept, noted } = await someone()
    answers['/token'] = () => ({ status: 400, body: { error: 'invalid_grant' } })
    clock.now += 5 * MINUTE - 1
    expect(await call()).toEqual(['signed_out'])
    expect(await kept()).toBeUndefined()
    expect(noted).toEqual([{ event: 'refresh', result: 'ended' }])
  })
})

describe('a refresh', () => {
  it('is asked for once, however many ask at the same time', async () => {
    const { call, clock, asked, request } = await someone()
    clock.now += 5 * MINUTE
    const calls = Array.from({ length: 5 }, () => call([], request()))
    expect(await Promise.all(calls)).toEqual(calls.map(() => ['access-1', 'ok']))
    expect(asked).toHaveLength(1)
  })

  it('of a sign-in that was ended brings nothing back', async () => {
    const { call, clock, asked, parts } = await someone()
    clock.now += 5 * MINUTE
    await parts.signIns.end(nameOf('id'))
    expect(await call()).toEqual(['signed_out'])
    expect(asked).toEqual([])
  })

  it('gives its tokens back where the sign-in was ended meanwhile', async () => {
    const { call, clock, asked, answers, parts, kept } = await someone(
      {},
      { metadata: { revocation_endpoint: `${ISSUER}/revoke` } },
    )
    clock.now += 5 * MINUTE
    answers['/revoke'] = () => ({})
    answers['/token'] = async () => {
      await parts.signIns.end(nameOf('id'))
      return { body: { access_token: 'new', refresh_token: 'newer', token_type: 'Bearer' } }
    }
    expect(await call()).toEqual(['signed_out'])
    expect(await kept()).toBeUndefined()
    await expect.poll(() => asked.map(({ form }) => form['token']).filter(Boolean)).toEqual(['newer', 'new'])
  })

  it('says anew in which of ADMIN_GROUPS the person is', async () => {
    const { call, clock, kept, person } = await someone({}, { settings: { ADMIN_GROUPS: ['New', 'Old'] } })
    clock.now += 5 * MINUTE
    person.claims = { groups: ['New', 'Other'] }
    await call()
    expect((await kept())?.user.groups).toEqual(['New'])
    clock.now += 5 * MINUTE
    person.tokens = { id_token: undefined }
    await call([], undefined)
    expect((await kept())?.user.groups).toEqual(['New'])
  })

  it('that brings another person, or a token for others, ends the sign-in', async () => {
    const { call, clock, person, kept, logged } = await someone()
    clock.now += 5 * MINUTE
    person.sub = 'eve'
    expect(await call()).toEqual(['signed_out'])
    expect(await kept()).toBeUndefined()
    expect(logged.map(([, words]) => words)).toEqual([
      'refresh: the new id_token is about another person, so the sign-in ends',
    ])
    const wrong = await someone()
    wrong.clock.now += 5 * MINUTE
    wrong.person.audience = 'other'
    expect(await wrong.call()).toEqual(['signed_out'])
  })

  it.each<[string, { status: number; body?: object }, string, string[]]>([
    [
      'invalid_grant',
      { status: 400, body: { error: 'invalid_grant' } },
      'signed_out',
      ['dropIfSuspect onramp'],
    ],
    ['a bare 401', { status: 401, body: {} }, 'signed_out', ['dropIfSuspect onramp']],
    ['server_error', { status: 500, body: { error: 'server_error' } }, 'sign_in_unavailable', []],
    ['another refusal with 404', { status: 404, body: { error: 'odd' } }, 'sign_in_unavailable', []],
    [
      'invalid_client',
      { status: 401, body: { error: 'invalid_client' } },
      'sign_in_misconfigured',
      ['dropIfUnknown onramp'],
    ],
  ])('answered by %s is judged', async (_what, answer, outcome, did) => {
    const { call, clock, answers, server, kept } = await someone()
    clock.now += 5 * MINUTE
    answers['/token'] = () => answer
    expect(await call()).toEqual([outcome])
    expect(server.did).toEqual(did)
    expect((await kept()) === undefined).toBe(outcome === 'signed_out')
  })

  it('of tokens that a client which is gone was given ends the sign-in', async () => {
    const { call, clock, answers, server } = await someone()
    clock.now += 5 * MINUTE
    server.isDropped = true
    answers['/token'] = () => ({ status: 401, body: { error: 'invalid_client' } })
    expect(await call()).toEqual(['signed_out'])
  })

  it('is told at LOG_LEVEL=debug with what the server said', async () => {
    const { call, clock, answers, logged } = await someone()
    clock.now += 5 * MINUTE
    answers['/token'] = () => ({ status: 400, body: { error: 'invalid_grant', error_description: 'gone' } })
    await call()
    expect(logged.map(([, words]) => words)).toEqual([
      'refresh: the authorization server says invalid_grant, so the sign-in ends',
    ])
  })
})
