// Signing in, from the first request to the sign-in that comes of it.
import { describe, expect, it } from 'vitest'
import { deviceOf } from '../../src/sign-in/sessions/list.ts'
import { inProcess, parametersOf } from './in-process.ts'

const HINT = { login_hint: 'ada@acme.example' }

describe('someone who signs in', () => {
  it('is sent away with all that the authorization server needs, and comes back to where they were', async () => {
    const { browser, asked, isProven, noted, signedIn, counted, logged } = inProcess()
    const ada = browser()
    const sent = await ada.begin({ return_to: '/connect?a=b', ...HINT })
    const { state, nonce: _nonce, code_challenge: _challenge, ...others } = sent
    expect(others).toEqual({
      client_id: 'onramp',
      response_type: 'code',
      redirect_uri: 'http://localhost:3000/sign-in/callback',
      scope: 'openid offline_access',
      code_challenge_method: 'S256',
      ui_locales: 'de',
      login_hint: 'ada@acme.example',
    })
    expect(state).toMatch(/^0\./)
    await ada.agent.get(ada.answerTo(sent)).expect(303).expect('location', '/connect?a=b')
    expect(asked.map(({ path }) => path)).toEqual(['/token'])
    expect(asked[0]?.form).toMatchObject({
      grant_type: 'authorization_code',
      redirect_uri: others['redirect_uri'],
    })
    expect(isProven(asked[0]?.form ?? {})).toBe(true)
    const user = { subject: 'ada', name: 'Ada', email: 'ada@acme.example', emailVerified: true }
    expect(await ada.who()).toMatchObject(user)
    expect(noted).toEqual([{ event: 'sign_in', result: 'ok', user: expect.objectContaining(user) as object }])
    expect(signedIn).toEqual(['ada'])
    expect(counted).toEqual(['enter', 'forgive'])
    expect(logged.map(([level, , fields]) => [level, fields])).toEqual([
      ['debug', { restarts: 0, wish: undefined, isDone: false }],
      ['debug', { outcome: 'signed-in', restarts: 0 }],
    ])
  })

  it('comes to the walk where no page of ours was asked for', async () => {
    const { browser } = inProcess()
    for (const to of [undefined, 'https://elsewhere.example/', '/sign-in'])
      expect(await browser().signIn(to === undefined ? {} : { return_to: to })).toBe('/onboarding')
    const longest = `/${'x'.repeat(1023)}`
    expect(await browser().signIn({ return_to: longest })).toBe(longest)
    expect(await browser().signIn({ return_to: 'https://intranet.example/a' })).toBe(
      'https://intranet.example/a',
    )
  })

  it('is asked for what the settings say', async () => {
    const settings = {
      OIDC_SCOPE: 'openid extra',
      OIDC_RESOURCE: 'https://service.example',
      OIDC_AUDIENCE: 'service',
      OIDC_PROMPT: 'consent',
      OIDC_AUTHORIZATION_PARAMS: { access_type: 'offline' },
    }
    const { browser, asked } = inProcess({ settings })
    const ada = browser()
    const sent = await ada.begin()
    expect(sent).toMatchObject({
      scope: 'openid extra',
      resource: 'https://service.example',
      audience: 'service',
      prompt: 'consent',
      access_type: 'offline',
    })
    await ada.agent.get(ada.answerTo(sent)).expect(303)
    expect(asked[0]?.form).toMatchObject({ resource: 'https://service.example' })
  })

  it('gets no nonce and no language at a server of plain OAuth', async () => {
    const { browser, answers } = inProcess({ settings: { OIDC_SCOPE: 'openidx' } })
    const tokens = { access_token: 'opaque', token_type: 'Bearer' }
    answers['/token'] = () => ({ body: tokens })
    const ada = browser()
    const sent = await ada.begin()
    expect(Object.keys(sent)).not.toContain('nonce')
    expect(Object.keys(sent)).not.toContain('ui_locales')
    await ada.agent.get(ada.answerTo(sent)).expect(303)
    expect((await ada.who())['subject']).toMatch(/^unknown:/)
  })

  it('is asked for the scope that the client is registered for', async () => {
    const { browser } = inProcess({ client: { scope: 'openid' } })
    expect(await browser().begin()).toMatchObject({ scope: 'openid' })
  })

  it.each([
    ['', undefined],
    ['a'.repeat(254), 'a'.repeat(254)],
    ['a'.repeat(255), undefined],
  ])('is hinted at with an address that could be one: %j', async (hint, told) => {
    const { browser } = inProcess()
    expect((await browser().begin({ login_hint: hint }))['login_hint']).toBe(told)
  })

  it('is hinted at with none where they choose an account, or there are two', async () => {
    const { browser } = inProcess()
    expect(await browser().begin({ ...HINT, prompt: 'login' })).not.toHaveProperty('login_hint')
    const { headers } = await browser().agent.get('/sign-in?login_hint=a&login_hint=b')
    expect(parametersOf(headers['location'] ?? '')).not.toHaveProperty('login_hint')
    const choosing = inProcess({ settings: { OIDC_PROMPT: 'consent select_account' } })
    expect(await choosing.browser().begin(HINT)).not.toHaveProperty('login_hint')
    const consenting = inProcess({ settings: { OIDC_PROMPT: 'consent login' } })
    expect(await consenting.browser().begin(HINT)).toMatchObject(HINT)
  })

  it('has the sign-in on their list, with the browser and the server’s own session', async () => {
    const { browser, person, clock } = inProcess()
    person.claims = { sid: 's1' }
    const ada = browser()
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const sent = await ada.begin()
    await ada.agent.get(ada.answerTo(sent)).set('user-agent', agent).expect(303)
    const { entries } = (await ada.agent.get('/sessions')).body as { entries: object[] }
    expect(entries).toEqual([
      expect.objectContaining({ device: deviceOf(agent), here: true, age: 0, signedInAt: clock.now }),
    ])
    expect(deviceOf(agent)).toBe('Firefox on Linux')
  })
})
