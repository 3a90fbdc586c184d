// Requests that are pushed to the authorization server, and wishes for another account.
import { describe, expect, it } from 'vitest'
import { inProcess, parametersOf, type Form } from './in-process.ts'

describe('pushed authorization requests', () => {
  const metadata = { pushed_authorization_request_endpoint: 'http://as.example/par' }
  const taken = () => ({ status: 201, body: { request_uri: 'urn:one', expires_in: 60 } })

  it('are made where the server takes them', async () => {
    const { browser, answers, asked } = inProcess({ metadata })
    answers['/par'] = taken
    expect(await browser().begin()).toEqual({ client_id: 'onramp', request_uri: 'urn:one' })
    expect(asked[0]).toMatchObject({
      path: '/par',
      form: { scope: 'openid offline_access', response_type: 'code' },
    })
  })

  it('that are refused for select_account are made with login, and the hint is left out', async () => {
    const { browser, answers, asked } = inProcess({ metadata })
    const refused = { status: 400, body: { error: 'invalid_request' } }
    answers['/par'] = ({ form }) => (form['prompt'] === 'select_account' ? refused : taken())
    await browser().begin({ prompt: 'select_account' })
    expect(asked.map(({ form }) => form['prompt'])).toEqual(['select_account', 'login'])
  })

  it('that are refused otherwise end in an explanation, and leave nothing waiting', async () => {
    const { browser, answers, asked, store } = inProcess({ metadata })
    answers['/par'] = () => ({ status: 400, body: { error: 'invalid_scope' } })
    const ada = browser()
    for (const prompt of ['select_account', 'login', ''])
      await ada.agent
        .get('/sign-in')
        .query({ prompt, return_to: '/x' })
        .expect(502)
        .expect(({ body }: { body: Form }) => {
          expect(body['code']).toBe('sign_in_misconfigured')
          expect(body['detail']).toContain('see OIDC_SCOPE')
          expect(body['tryAgain']).toBe('/sign-in?return_to=%2Fx')
        })
    expect(asked).toHaveLength(3)
    expect(store.named('sign-in:')).toEqual([])
  })

  it('that are refused with login are made without it only for someone who was signed out', async () => {
    const { browser, answers, asked } = inProcess({ metadata })
    answers['/par'] = () => ({ status: 400, body: { error: 'invalid_request' } })
    await browser().agent.get('/sign-in?prompt=login').expect(502)
    expect(asked.map(({ form }) => form['prompt'])).toEqual(['login'])
  })

  it('are not made for someone who finds no room', async () => {
    const { browser, asked } = inProcess({ metadata, megabytes: 0.125 })
    const { body } = await browser().agent.get('/sign-in').expect(503)
    expect(body).toMatchObject({ code: 'sign_in_busy', retryAfter: 30 })
    expect(asked).toEqual([])
  })

  it('that can’t be made give their room back', async () => {
    const { browser, answers } = inProcess({ metadata, megabytes: 0.25 })
    answers['/par'] = () => ({ status: 503, body: { error: 'temporarily_unavailable' } })
    for (let count = 0; count < 20; count++) await browser().agent.get('/sign-in').expect(503)
    answers['/par'] = taken
    expect(await browser().begin()).toMatchObject({ request_uri: 'urn:one' })
  })
})

describe('a wish for another account', () => {
  it('is sent on, as far as the server knows it', async () => {
    expect(await inProcess().browser().begin({ prompt: 'select_account' })).toMatchObject({
      prompt: 'select_account',
    })
    const knowing = inProcess({ metadata: { prompt_values_supported: ['login'] } })
    expect(await knowing.browser().begin({ prompt: 'select_account' })).toMatchObject({ prompt: 'login' })
    expect(await knowing.browser().begin()).not.toHaveProperty('prompt')
    expect(await inProcess().browser().begin({ prompt: 'none' })).not.toHaveProperty('prompt')
  })

  it('that brings the same one back is asked once more, and then said', async () => {
    const { browser, asked, counted, clock } = inProcess()
    const ada = browser()
    await ada.signIn()
    clock.now++
    const again = await ada.signIn({ prompt: 'select_account', return_to: '/a?b=c' })
    expect(again).toBe('/sign-in?return_to=%2Fa%3Fb%3Dc&again=1&prompt=login')
    const sent = await ada.begin(parametersOf(again))
    expect(sent).toMatchObject({ prompt: 'login', state: expect.stringMatching(/^1\./) as string })
    const { headers } = await ada.agent.get(ada.answerTo(sent)).expect(303)
    expect(headers['location']).toBe('/sign-in/same-account?return_to=%2Fa%3Fb%3Dc')
    const { body } = await ada.agent.get(headers['location'] ?? '').expect(200)
    expect(body).toEqual({ view: 'sign-in/same-account', account: 'ada@acme.example', returnTo: '/a?b=c' })
    expect(asked).toHaveLength(3)
    expect(counted.filter((what) => what === 'forgive')).toHaveLength(2)
  })

  it('that brings another one signs that one in, and ends the one before', async () => {
    const { browser, person, answers, asked } = inProcess({
      metadata: { revocation_endpoint: 'http://as.example/revoke' },
    })
    answers['/revoke'] = () => ({})
    const both = browser()
    await both.signIn()
    person.sub = 'bob'
    expect(await both.signIn({ prompt: 'select_account', return_to: '/x' })).toBe('/x')
    expect(await both.who()).toMatchObject({ subject: 'bob' })
    await expect.poll(() => asked.filter(({ path }) => path === '/revoke')).toHaveLength(2)
  })

  it('at a server that can’t is asked for with login', async () => {
    const { browser } = inProcess()
    const ada = browser()
    const { state = '' } = await ada.begin({ prompt: 'select_account' })
    const refused = { state, error: 'interaction_required' }
    const { headers } = await ada.agent.get('/sign-in/callback').query(refused)
    expect(headers['location']).toBe('/sign-in?return_to=%2Fonboarding&again=1&prompt=login')
  })

  it('of someone who isn’t signed in leads on at once', async () => {
    const { browser } = inProcess()
    for (const [query, to] of [
      ['?return_to=/x', '/x'],
      ['', '/onboarding'],
    ])
      expect((await browser().agent.get(`/sign-in/same-account${query}`)).headers['location']).toBe(to)
  })
})
