// Calls of the service as the person, with a token that is good.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { TokenRefused } from '../../src/client-api/errors.ts'
import { signedInOf } from '../../src/session/signed-in.ts'
import { MINUTE, someone } from './someone.ts'

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
    expect(signedInOf(req)?.tokens.accessToken).toBe('access-1')
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

  it('is made with a new token at a time of its own, so that not all sessions refresh at once', async () => {
    const share = parseInt(createHash('sha1').update('id').digest('hex').slice(0, 4), 16) / 0xffff
    const { call, clock } = await someone()
    // A tenth of five minutes is the most, and half of it the least.
    clock.now += 5 * MINUTE - Math.floor(30_000 * (0.5 + share / 2)) - 1
    expect(await call()).toEqual(['first', 'ok'])
    clock.now += 1
    expect(await call()).toEqual(['access-1', 'ok'])
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
    const { access, request, asked, clock, kept } = await someone()
    const broken = new Error('broken')
    await expect(access(request(), () => Promise.reject(broken))).rejects.toBe(broken)
    expect(asked).toEqual([])
    clock.now += MINUTE
    let calls = 0
    const second = () => Promise.reject(++calls === 1 ? new TokenRefused('x') : broken)
    await expect(access(request(), second)).rejects.toBe(broken)
    expect([asked.length, await kept()]).toEqual([1, expect.anything()])
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
