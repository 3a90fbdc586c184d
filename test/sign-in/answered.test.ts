// What comes of the authorization server's answers: late ones, second ones, refusals, and those of another browser.
import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { createSignedInSessions } from '../../src/sign-in/sessions/signed-in-sessions.ts'
import { inProcess, ISSUER, type Form, type Options } from './in-process.ts'

type Refused = { code: string; detail: string; tryAgain?: string; retryAfter?: number }

/** A browser that has begun to sign in, and what comes of an answer. */
async function begun(options: Options = {}, query: Form = { return_to: '/x' }) {
  const world = inProcess(options)
  const ada = world.browser()
  const sent = await ada.begin(query)
  const outcomeOf = async (address: string) => {
    const { status, headers, body } = await ada.agent.get(address)
    return status === 303 ? (headers['location'] as string) : { status, ...(body as Refused) }
  }
  const answered = (answer: Form) =>
    outcomeOf(
      `/sign-in/callback?${new URLSearchParams({ state: sent['state'] ?? '', ...answer }).toString()}`,
    )
  return { ...world, ada, sent, outcomeOf, answered, redeemed: () => outcomeOf(ada.answerTo(sent)) }
}

describe('an answer', () => {
  it('that comes twice leads to the result, and the code is redeemed once', async () => {
    const { ada, sent, outcomeOf, asked, counted } = await begun()
    const address = ada.answerTo(sent)
    expect([await outcomeOf(address), await outcomeOf(address)]).toEqual(['/x', '/x'])
    expect(asked).toHaveLength(1)
    expect(counted).toEqual(['enter', 'forgive', 'answer'])
  })

  it('to no sign-in that is known is over, and leads home where someone is signed in', async () => {
    const { ada, outcomeOf, logged } = await begun()
    const unknown = ['', '?state=0.unknown', '?state=a&state=b', `?state=${'x'.repeat(201)}`]
    for (const query of unknown)
      expect(await outcomeOf(`/sign-in/callback${query}`)).toEqual({
        status: 400,
        code: 'sign_in_expired',
        detail: 'no sign-in is known for this state',
        tryAgain: '/sign-in?return_to=%2Fonboarding',
      })
    expect(logged.slice(1).map(([, , fields]) => fields)).toEqual([
      { hasState: false },
      { hasState: true },
      { hasState: false },
      { hasState: false },
    ])
    await ada.signIn()
    expect(await outcomeOf('/sign-in/callback')).toBe('/onboarding')
  })

  it('of another browser signs no one in, but has that one begin anew a few times', async () => {
    const { browser, ada, sent, asked } = await begun()
    const address = ada.answerTo(sent)
    const eve = browser()
    await eve.agent.get(address).expect(303).expect('location', '/sign-in?return_to=%2Fx&again=1')
    await eve.begin()
    await eve.agent.get(address).expect('location', '/sign-in?return_to=%2Fx&again=1')
    expect(asked).toEqual([])
  })

  it.each([
    [1, '/sign-in?return_to=%2Fx&again=2'],
    [3, '/sign-in?return_to=%2Fx&again=4'],
    [
      4,
      {
        code: 'sign_in_expired',
        detail: 'this sign-in was used, or belongs to another browser',
        tryAgain: '/sign-in?return_to=%2Fx',
      },
    ],
  ])('of another browser after %i restarts leads to %j', async (again, outcome) => {
    const { browser, ada, sent } = await begun({}, { return_to: '/x', again: String(again) })
    const eve = browser()
    await eve.begin()
    const { status, headers, body } = await eve.agent.get(ada.answerTo(sent))
    expect(status === 303 ? headers['location'] : body).toEqual(outcome)
  })

  it('to a browser that keeps no cookies says so, the second time', async () => {
    const { browser, ada, sent } = await begun({}, { return_to: '/x', again: '1' })
    const { body } = await browser().agent.get(ada.answerTo(sent)).expect(400)
    expect(body).toEqual({
      code: 'cookies_blocked',
      detail: 'the callback came without its session cookie',
      tryAgain: '/sign-in?return_to=%2Fx',
    })
  })

  it('to a tab that began before another one signed in ends well there', async () => {
    const { ada, sent, outcomeOf, asked, noted } = await begun()
    const late = ada.answerTo(sent)
    expect(await ada.signIn()).toBe('/onboarding')
    const second = ada.answerTo(await ada.begin({ return_to: '/y' }))
    expect(await outcomeOf(late)).toBe('/x')
    expect(noted).toHaveLength(1)
    expect(await outcomeOf(second)).toBe('/y')
    expect(asked).toHaveLength(3)
  })

  it('of another person in the meantime is that person’s', async () => {
    const { ada, sent, outcomeOf, person } = await begun()
    const late = ada.answerTo(sent)
    await ada.signIn()
    person.sub = 'bob'
    expect(await outcomeOf(late)).toBe('/x')
    expect(await ada.who()).toMatchObject({ subject: 'bob' })
  })

  it('to a sign-in that starts over is not waited for where another tab has signed in', async () => {
    const { ada, outcomeOf } = await begun()
    await ada.signIn()
    expect(await outcomeOf('/sign-in?return_to=/x&again=1')).toBe('/x')
    expect(await outcomeOf('/sign-in?return_to=/x')).toContain(`${ISSUER}/authorize`)
    expect(await outcomeOf('/sign-in?return_to=/x&again=1&prompt=login')).toContain(`${ISSUER}/authorize`)
  })
})

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

  it.each(['invalid_client', 'unauthorized_client'])(
    '%s of a client that is gone begins anew',
    async (error) => {
      const { answered, server } = await begun()
      server.isDropped = true
      expect(await answered({ error })).toBe('/sign-in?return_to=%2Fx&again=1')
      expect(server.did).toEqual(['dropIfSuspect onramp'])
    },
  )

  it('of a token request by a client that is gone begins anew, and once only', async () => {
    const { redeemed, server, answers } = await begun()
    answers['/token'] = () => ({ status: 401, body: { error: 'invalid_client' } })
    server.isDropped = true
    expect(await redeemed()).toBe('/sign-in?return_to=%2Fx&again=1')
    expect(server.did).toEqual(['dropIfUnknown onramp'])

    const second = await begun({}, { return_to: '/x', again: '1' })
    second.answers['/token'] = () => ({ status: 401, body: { error: 'invalid_client' } })
    second.server.isDropped = true
    expect(await second.redeemed()).toMatchObject({ code: 'sign_in_misconfigured', tryAgain })
  })

  it('of a code may come from a server that forgot the client', async () => {
    const { redeemed, server, answers } = await begun()
    answers['/token'] = () => ({ status: 400, body: { error: 'invalid_grant' } })
    expect(await redeemed()).toMatchObject({ status: 400, code: 'sign_in_failed', tryAgain })
    expect(server.did).toEqual(['dropIfSuspect onramp'])
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
