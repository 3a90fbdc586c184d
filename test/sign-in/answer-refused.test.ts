// Refusals of the authorization server, keys that it rotated, and a sign-in that it ended on its way.
import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'
import { begun, type Refused } from './begun.ts'
import { ISSUER, type Form } from './in-process.ts'

describe('a refusal', () => {
  const tryAgain = '/sign-in?return_to=%2Fx'
  it.each<[string, Form, object]>([
    ['by the person', { error: 'access_denied' }, { status: 403, code: 'sign_in_denied' }],
    ['for now', { error: 'temporarily_unavailable' }, { status: 503, code: 'sign_in_unavailable' }],
    ['of the scope', { error: 'invalid_scope' }, { status: 502, code: 'sign_in_misconfigured' }],
    ['of another kind', { error: 'odd' }, { status: 400, code: 'sign_in_failed' }],
  ])('%s is explained, and noted', async (_what, answer, outcome) => {
    const { answered, noted, server } = await begun()
    expect(await answered(answer)).toMatchObject({ ...outcome, tryAgain })
    expect(noted).toEqual([{ event: 'sign_in', result: 'refused', code: (outcome as Refused).code }])
    expect(server.did).toEqual([])
  })

  it.each(['invalid_client', 'invalid_grant'])('%s leads to no other request of ours', async (error) => {
    const { redeemed, server, asked, answers } = await begun()
    answers['/token'] = () => ({ status: 400, body: { error } })
    expect(await redeemed()).toMatchObject({ tryAgain })
    expect([server.did, asked.map(({ path }) => path)]).toEqual([[], ['/token']])
  })

  it('of a server that fails is no doubt in the client', async () => {
    const { redeemed, server, answers } = await begun()
    answers['/token'] = () => ({
      status: 500,
      body: { error: 'server_error' },
      headers: { 'retry-after': '7' },
    })
    expect(await redeemed()).toMatchObject({ status: 503, code: 'sign_in_unavailable', retryAfter: 7 })
    expect(server.did).toEqual([])
  })

  it('of login lets someone who was signed out sign in without it', async () => {
    const { ada, answered, server, outcomeOf } = await begun()
    server.isReady = false
    await ada.signIn()
    await ada.agent.post('/sign-out').expect(303)
    const { state = '', prompt } = await ada.begin()
    expect(prompt).toBe('login')
    expect(await answered({ state, error: 'access_denied' })).toMatchObject({ code: 'sign_in_denied' })
    const { state: second = '' } = await ada.begin()
    const again = `/sign-in/callback?state=${second}&error=invalid_request`
    expect(await outcomeOf(again)).toBe('/sign-in?return_to=%2Fonboarding&again=1')
    expect(await ada.begin()).not.toHaveProperty('prompt')
  })

  it('of login that the person wished for is told', async () => {
    const { answered } = await begun({}, { prompt: 'login' })
    expect(await answered({ error: 'invalid_request' })).toMatchObject({ code: 'sign_in_misconfigured' })
  })
})

describe('keys that were rotated', () => {
  const jwt = (header: object) =>
    [header, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') + '.AAAA'
  const withIdToken = (id_token: string) => () => ({
    body: { access_token: 'a', token_type: 'Bearer', id_token },
  })

  it('are asked for anew, and the sign-in begins anew', async () => {
    const { redeemed, server, answers } = await begun()
    answers['/keys'] = () => ({ body: { keys: [] } })
    expect(await redeemed()).toBe('/sign-in?return_to=%2Fx&again=1')
    expect(server.did).toEqual(['forgetKeys'])
  })

  it('under an old name are asked for anew once a minute', async () => {
    const { ada, redeemed, person, server, clock, outcomeOf } = await begun()
    person.key = (await generateKeyPair('ES256')).privateKey
    expect(await redeemed()).toBe('/sign-in?return_to=%2Fx&again=1')
    clock.now += 59_999
    await outcomeOf(ada.answerTo(await ada.begin()))
    expect(server.did).toEqual(['forgetKeys'])
    clock.now += 1
    await outcomeOf(ada.answerTo(await ada.begin()))
    expect(server.did).toEqual(['forgetKeys', 'forgetKeys'])
  })

  it('have nothing to do with an algorithm that was not agreed on', async () => {
    const { redeemed, answers, server } = await begun()
    answers['/token'] = withIdToken(jwt({ alg: 'HS256' }))
    expect(await redeemed()).toMatchObject({ code: 'sign_in_misconfigured' })
    expect(server.did).toEqual([])
  })
})

describe('a sign-in that the authorization server ended on its way', () => {
  it('begins anew, and its tokens are taken back', async () => {
    const { redeemed, asked, answers, parts, clock, store, ada } = await begun({
      metadata: { revocation_endpoint: `${ISSUER}/revoke` },
    })
    answers['/revoke'] = () => ({})
    await createSignedInSessions(parts).endThere(ISSUER, { sub: 'ada' })
    clock.now += 1
    expect(await redeemed()).toBe('/sign-in?return_to=%2Fx&again=1')
    await expect
      .poll(() => asked.map(({ form }) => form['token']).filter(Boolean))
      .toEqual(['refresh', 'access-1'])
    expect(store.named('session:')).toEqual([])
    expect(await ada.who()).toMatchObject({ code: 'signed_out' })
  })
})
