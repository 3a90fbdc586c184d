// What comes of a refresh: new tokens, the end of the sign-in, or another try later.
import { describe, expect, it } from 'vitest'
import { nameOf } from '../../src/records/seal.ts'
import { ISSUER } from './in-process.ts'
import { MINUTE, someone } from './someone.ts'

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

  it.each<[string, { status: number; body?: object }, string]>([
    ['invalid_grant', { status: 400, body: { error: 'invalid_grant' } }, 'signed_out'],
    ['a bare 401', { status: 401, body: {} }, 'signed_out'],
    ['server_error', { status: 500, body: { error: 'server_error' } }, 'sign_in_unavailable'],
    ['another refusal with 404', { status: 404, body: { error: 'odd' } }, 'sign_in_unavailable'],
    ['invalid_client', { status: 401, body: { error: 'invalid_client' } }, 'sign_in_misconfigured'],
  ])('answered by %s is judged', async (_what, answer, outcome) => {
    const { call, clock, answers, kept } = await someone()
    clock.now += 5 * MINUTE
    answers['/token'] = () => answer
    expect(await call()).toEqual([outcome])
    expect((await kept()) === undefined).toBe(outcome === 'signed_out')
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
