// How long tokens are good, when they are refreshed, and what the log says where they can't be.
import type { TokenEndpointResponse } from 'openid-client'
import { describe, expect, it } from 'vitest'
import { conditionOf, createRefreshTokenNote, tokensOf } from '../../src/sign-in/tokens.ts'

const NOW = 1_700_000_000_000
const answer = (more: Partial<TokenEndpointResponse> = {}) =>
  ({ access_token: 'a', token_type: 'bearer', ...more }) as TokenEndpointResponse

describe('the tokens of an answer', () => {
  it('are all that it has, with the time that they are good for', () => {
    const whole = answer({ refresh_token: 'r', id_token: 'i', expires_in: 300 })
    expect(tokensOf(whole, NOW)).toEqual({
      accessToken: 'a',
      refreshToken: 'r',
      idToken: 'i',
      issuedAt: NOW,
      expiresAt: NOW + 300_000,
    })
  })

  it('keep of those before what is left out', () => {
    const before = { accessToken: 'old', refreshToken: 'r0', idToken: 'i0', issuedAt: 1, expiresAt: 2 }
    expect(tokensOf(answer(), NOW, before)).toEqual({
      accessToken: 'a',
      refreshToken: 'r0',
      idToken: 'i0',
      issuedAt: NOW,
      expiresAt: undefined,
    })
    expect(tokensOf(answer({ refresh_token: 'r1', id_token: 'i1' }), NOW, before)).toMatchObject({
      refreshToken: 'r1',
      idToken: 'i1',
    })
  })

  it.each([
    [29, undefined, undefined],
    [30, undefined, 30_000],
    [0, 'r', 0],
    [undefined, 'r', undefined],
  ])('for %j seconds, with the refresh token %j, run out after %j', (seconds, refresh, life) => {
    const given = answer({
      ...(seconds !== undefined && { expires_in: seconds }),
      ...(refresh && { refresh_token: refresh }),
    })
    expect(tokensOf(given, NOW).expiresAt).toBe(life === undefined ? undefined : NOW + life)
  })
})

describe('the condition of tokens', () => {
  const tokens = (life?: number) => ({
    accessToken: 'a',
    issuedAt: NOW,
    expiresAt: life === undefined ? undefined : NOW + life,
  })
  const at = (life: number | undefined, now: number, jitter = 1) =>
    conditionOf(tokens(life), NOW + now, () => jitter)

  it('is fresh for ever where no end is known', () => {
    expect(at(undefined, 1e12)).toBe('fresh')
  })

  it.each<[string, number, number, number, ReturnType<typeof conditionOf>]>([
    ['an hour, until a minute before its end', 3_600_000, 3_539_999, 1, 'fresh'],
    ['an hour, from a minute before its end', 3_600_000, 3_540_000, 1, 'ageing'],
    ['an hour, half a minute later for some sessions', 3_600_000, 3_569_999, 0, 'fresh'],
    ['an hour, at the latest', 3_600_000, 3_570_000, 0, 'ageing'],
    ['an hour, in between', 3_600_000, 3_555_000, 0.5, 'ageing'],
    ['an hour, in between, just before', 3_600_000, 3_554_999, 0.5, 'fresh'],
    ['five minutes, until a tenth before', 300_000, 269_999, 1, 'fresh'],
    ['five minutes, from a tenth before', 300_000, 270_000, 1, 'ageing'],
    ['five minutes, one millisecond before its end', 300_000, 299_999, 1, 'ageing'],
    ['five minutes, at its end', 300_000, 300_000, 1, 'expired'],
  ])('of a life of %s', (_what, life, now, jitter, condition) => {
    expect(at(life, now, jitter)).toBe(condition)
  })

  it('asks for the session’s share only where it counts', () => {
    expect(conditionOf(tokens(3_600_000), NOW + 1, () => expect.fail('asked'))).toBe('fresh')
  })
})

describe('a sign-in without a refresh token', () => {
  type Line = ['warn' | 'debug', { minutes?: number }, string]
  const tokens = { accessToken: 'a', issuedAt: NOW, expiresAt: NOW + 3_600_000 }

  function noting(wanted: string) {
    const lines: Line[] = []
    const line =
      (level: Line[0]) =>
      (fields: Line[1], words: string): void =>
        void lines.push([level, fields, words])
    const log = { warn: line('warn'), debug: line('debug') } as Parameters<typeof createRefreshTokenNote>[1]
    return { note: createRefreshTokenNote(wanted, log), lines }
  }

  it('is warned of once, with what to do', () => {
    const { note, lines } = noting('openid offline_access')
    note(tokens, undefined)
    note(tokens, undefined)
    note({ ...tokens, expiresAt: undefined }, undefined)
    expect(lines).toEqual([
      [
        'warn',
        { minutes: 60 },
        'no refresh token was issued, though offline_access was asked for: after 60 minutes people are sent to sign in again. If the authorization server issues one only with consent (OpenID Connect Core 11), set OIDC_PROMPT=consent; otherwise let the client have the grant refresh_token there, or leave offline_access out of OIDC_SCOPE',
      ],
      ['debug', { minutes: 60 }, expect.stringContaining('after 60 minutes people are')],
      ['debug', { minutes: undefined }, expect.stringContaining('when the access token runs out people are')],
    ])
  })

  it('of a client that was registered without offline_access is told so', () => {
    const { note, lines } = noting('openid offline_access')
    note(tokens, 'openid profile')
    expect(lines[0]?.[2]).toBe(
      'no refresh token was issued: after 60 minutes people are sent to sign in again. offline_access was not asked for, because the authorization server does not list it or did not register this client for it: allow it there',
    )
  })

  it('is nothing to tell where there is one, or none was wanted', () => {
    const [wanting, content] = [noting('openid offline_access'), noting('openid')]
    wanting.note({ ...tokens, refreshToken: 'r' }, undefined)
    content.note(tokens, undefined)
    expect([...wanting.lines, ...content.lines]).toEqual([])
  })
})
