// Sign-ins, from the first request to the new session.
import { expect, it } from 'vitest'
import { setUpSignIn, ISSUER, parametersOf, PUBLIC_URL, warningsIn } from './in-process.ts'
import { createServerStub } from './server-stub.ts'
import { Problem } from '../../src/problem.ts'

const withRevocation = { revocation_endpoint: `${ISSUER}/revoke` }
const HINT = { login_hint: 'ada@acme.example' }

it('someone who signs in with PKCE, state and nonce returns to their page', async () => {
  const { browser, callbackFor, requests, hasCodeVerifier, audited, store } = setUpSignIn()
  const ada = browser()
  const sent = await ada.begin({ return_to: '/connect?a=b', ...HINT })
  const { state: _state, nonce: _nonce, code_challenge: _challenge, ...others } = sent

  expect(others).toEqual({
    client_id: 'onramp',
    response_type: 'code',
    redirect_uri: `${PUBLIC_URL}/sign-in/callback`,
    scope: 'openid offline_access',
    code_challenge_method: 'S256',
    ui_locales: 'de',
    ...HINT,
  })
  expect(store.values.size).toBe(0)
  expect(await ada.follow(callbackFor(sent))).toBe('/connect?a=b')
  expect(requests.map(({ path }) => path)).toEqual(['/token'])

  const grant = { grant_type: 'authorization_code', redirect_uri: others['redirect_uri'] }
  expect(requests[0]?.form).toMatchObject(grant)
  expect(hasCodeVerifier(requests[0]?.form ?? {})).toBe(true)

  const user = { subject: 'ada', name: 'Ada', email: 'ada@acme.example', emailVerified: true }
  expect(await ada.currentUser()).toMatchObject(user)
  // SESSION_IDLE_MINUTES plus a twentieth, during which the session isn't renewed.
  expect(store.lives.get(store.named('session:')[0] ?? '')).toBe(63 * 60)
  expect(audited).toEqual([{ event: 'sign_in', result: 'ok', user: expect.objectContaining(user) as object }])
})

it('a sign-in without an allowed return_to leads to the walk, never to another site', async () => {
  const { browser } = setUpSignIn()
  for (const to of ['', 'https://elsewhere.example/', 'https://evil.intranet.example/', '/sign-in'])
    expect(await browser().signIn({ return_to: to }), to).toBe('/onboarding')
  const longest = `/${'x'.repeat(1023)}`
  for (const to of [longest, 'https://intranet.example/a'])
    expect(await browser().signIn({ return_to: to })).toBe(to)
})

it('a return_to or page address over 1024 characters is explained on an error page', async () => {
  const { browser } = setUpSignIn()
  const detail = 'return_to has more than 1024 characters'
  const problem = { status: 400, code: 'return_to_too_long', detail }
  for (const to of [`/${'x'.repeat(1024)}`, `/?${'"'.repeat(500)}`])
    expect(await browser().follow(`/sign-in?return_to=${encodeURIComponent(to)}`)).toEqual(problem)
  expect(await browser().follow('/me?'.padEnd(1_025, 'x'))).toEqual(problem)
  expect(await browser().follow('/me?'.padEnd(1_024, 'x'))).toMatchObject({ status: 401, code: 'signed_out' })
})

it.each([
  ['/approvals/slack_1', '/approvals/slack_1'],
  ['/approvals/a%2Fb?c=d', '/approvals/a%2Fb'],
  ['/sessions/end/name', '/sessions'],
  ['/onboarding/skip/slack_1', '/onboarding'],
  ['/approvals/', '/onboarding'],
  ['/other/approvals/slack_1', '/onboarding'],
])('someone signed out who presses the button of %s returns to %s', async (to, page) => {
  const { agent } = setUpSignIn().browser()

  const { body } = await agent.post(to)

  const tryAgain = `/sign-in?return_to=${encodeURIComponent(page)}`
  expect(body).toMatchObject({ code: 'signed_out', tryAgain })
})

it('an authorization request sends the parameters of the settings and the registration', async () => {
  const wanted = {
    scope: 'openid extra',
    resource: 'https://service.example',
    audience: 'service',
    prompt: 'consent',
  }
  const own = Object.entries(wanted).map(([name, value]) => [`OIDC_${name.toUpperCase()}`, value] as const)
  const access_type = { access_type: 'offline' }
  const settings = { ...Object.fromEntries(own), OIDC_AUTHORIZATION_PARAMS: access_type }
  const { browser, requests, callbackFor } = setUpSignIn({ settings })
  const ada = browser()
  const sent = await ada.begin()

  expect(sent).toMatchObject({ ...wanted, ...access_type })
  await ada.follow(callbackFor(sent))
  expect(requests[0]?.form).toMatchObject({ resource: wanted.resource })

  const registered = setUpSignIn({ client: { scope: 'openid' } })
  expect(await registered.browser().begin()).toMatchObject({ scope: 'openid' })
})

it('plain OAuth needs neither nonce nor id_token', async () => {
  const { browser, answers, callbackFor } = setUpSignIn({ settings: { OIDC_SCOPE: 'openidx' } })
  answers['/token'] = () => ({ body: { access_token: 'opaque', token_type: 'Bearer' } })
  const ada = browser()
  const sent = await ada.begin()
  expect(Object.keys(sent)).not.toContain('nonce')
  expect(Object.keys(sent)).not.toContain('ui_locales')
  await ada.follow(callbackFor(sent))
  expect((await ada.currentUser())['subject']).toMatch(/^unknown:/)
})

it('login_hint is sent if it could be an address', async () => {
  const { browser } = setUpSignIn()
  const hintIn = async (query: object) => (await browser().begin({ ...query }))['login_hint']
  expect(await hintIn({ login_hint: 'a'.repeat(254) })).toBe('a'.repeat(254))
  for (const login_hint of ['a'.repeat(255), '']) expect(await hintIn({ login_hint })).toBeUndefined()
  expect(await hintIn({ ...HINT, prompt: 'login' })).toBeUndefined()
  const choosing = setUpSignIn({ settings: { OIDC_PROMPT: 'consent select_account' } })
  expect(await choosing.browser().begin(HINT)).not.toHaveProperty('login_hint')
})

const withPar = { pushed_authorization_request_endpoint: `${ISSUER}/par` }
const metadata = { ...withPar, require_pushed_authorization_requests: true }
const taken = () => ({ status: 201, body: { request_uri: 'urn:one', expires_in: 60 } })
const refused = (error: string) => ({ status: 400, body: { error } })

it('requests are pushed if the server requires it, with the registered scope', async () => {
  const { browser, answers, requests } = setUpSignIn({ metadata, client: { scope: 'openid' } })
  answers['/par'] = taken
  expect(await browser().begin()).toEqual({ client_id: 'onramp', request_uri: 'urn:one' })
  expect(requests[0]).toMatchObject({ path: '/par', form: { scope: 'openid' } })
})

it('a network over its share of starts is refused, and nothing is pushed for it', async () => {
  let isOver = false
  const { browser, requests } = setUpSignIn({
    metadata: withPar,
    starting: (_req, work) => (isOver ? Promise.reject(new Problem(429, 'too_many')) : work()),
  })
  const ada = browser()
  const { state = '' } = await ada.begin()
  isOver = true
  const refusal = { status: 429, code: 'too_many' }
  expect(await ada.follow('/sign-in?return_to=/x')).toMatchObject(refusal)
  // The server may require pushed requests of this client alone (RFC 9126 6).
  const callback = `/sign-in/callback?${new URLSearchParams({ state, error: 'invalid_request' }).toString()}`
  expect(await ada.follow(callback)).toMatchObject(refusal)
  expect(requests).toEqual([])
})

it('requests are not pushed if the server only advertises it', async () => {
  for (const more of [withPar, { ...withPar, require_pushed_authorization_requests: false }]) {
    const { browser, requests } = setUpSignIn({ metadata: more })
    expect(await browser().begin()).toMatchObject({ scope: 'openid offline_access' })
    expect(requests).toEqual([])
  }
})

it.each<[string, () => object | Promise<object>, number?]>([
  ['404', () => ({ status: 404 })],
  ['403 with a page', () => ({ status: 403, body: '<html>', headers: { 'content-type': 'text/html' } })],
  ['nothing', () => Promise.reject(new TypeError('no answer'))],
  ['invalid_scope', () => refused('invalid_scope'), 502],
])(
  'a pushed request with the response %s fails with a log line about it',
  async (_title, answer, status = 503) => {
    const { browser, answers } = setUpSignIn({ metadata })
    answers['/par'] = answer
    const detail = expect.stringMatching(/^the pushed authorization request failed: /) as string
    const problem = { status, detail, tryAgain: '/sign-in?return_to=%2Fx' }
    expect(await browser().follow('/sign-in?return_to=/x&prompt=login')).toMatchObject(problem)
  },
)

it('a request is pushed after the server refused its URL', async () => {
  const { browser, answers, callbackFor, requests, audited } = setUpSignIn({ metadata: withPar })
  answers['/par'] = taken
  const ada = browser()
  const { state = '' } = await ada.begin({ return_to: '/x' })
  const pushed = await ada.follow(`/sign-in/callback?state=${state}&error=invalid_request`)
  expect(parametersOf(pushed as string)).toEqual({ client_id: 'onramp', request_uri: 'urn:one' })
  expect(audited).toEqual([])
  expect(await ada.follow(callbackFor(requests[0]?.form ?? {}))).toBe('/x')
})

it('a request is pushed at most twice, and only if the server accepts it', async () => {
  const { browser, answers, requests } = setUpSignIn({ metadata: withPar })
  answers['/par'] = taken
  const ada = browser()
  let { state = '' } = await ada.begin()
  const outcomes: unknown[] = []
  for (let times = 0; times < 3; times++) {
    outcomes.push(await ada.follow(`/sign-in/callback?state=${state}&error=invalid_request`))
    state = requests.at(-1)?.form['state'] ?? ''
  }
  expect(outcomes.at(-1)).toMatchObject({ code: 'sign_in_misconfigured' })
  expect(requests.map(({ path }) => path)).toEqual(['/par', '/par'])
  const bob = setUpSignIn().browser()
  const address = `/sign-in/callback?state=${(await bob.begin())['state']}&error=invalid_request`
  expect(await bob.follow(address)).toMatchObject({ code: 'sign_in_misconfigured' })
})

it('a pushed request that is refused for select_account is repeated with login', async () => {
  const { browser, answers, requests } = setUpSignIn({ metadata })
  answers['/par'] = ({ form }) => (form['prompt'] === 'select_account' ? refused('invalid_request') : taken())
  await browser().begin({ prompt: 'select_account' })
  expect(requests.map(({ form }) => form['prompt'])).toEqual(['select_account', 'login'])
})

it('after a sign-out, a pushed request rejected for prompt=login is repeated without it', async () => {
  const { browser, answers, requests, server, callbackFor } = setUpSignIn({ metadata })
  answers['/par'] = taken
  const ada = browser()
  await ada.begin()
  await ada.follow(callbackFor(requests.at(-1)?.form ?? {}))
  server.isReady = false
  await ada.agent.post('/sign-out').expect(303)
  answers['/par'] = ({ form }) => (form['prompt'] === 'login' ? refused('invalid_request') : taken())
  requests.length = 0
  expect(await ada.begin()).toMatchObject({ request_uri: 'urn:one' })
  expect(requests.map(({ form }) => form['prompt'])).toEqual(['login', undefined])
  await browser().agent.get('/sign-in?prompt=login').expect(502)
})

it('"Not you?" sends select_account, or login if the server supports only that', async () => {
  const promptOf = async (supported: object, prompt: string) =>
    (await setUpSignIn({ metadata: supported }).browser().begin({ prompt }))['prompt']
  expect(await promptOf({}, 'select_account')).toBe('select_account')
  expect(await promptOf({ prompt_values_supported: ['login'] }, 'select_account')).toBe('login')
  expect(await promptOf({}, 'none')).toBeUndefined()
})

it('"Not you?" that returns the same account repeats the prompt, and then explains it', async () => {
  const { browser, callbackFor, clock } = setUpSignIn()
  const ada = browser()
  await ada.signIn()
  const again = (await ada.signIn({ prompt: 'select_account', return_to: '/a?b=c' })) as string

  expect(again).toBe('/sign-in?return_to=%2Fa%3Fb%3Dc&again=1&prompt=login')
  const sent = await ada.begin(parametersOf(again))
  expect(sent['prompt']).toBe('login')

  const same = (await ada.follow(callbackFor(sent))) as string
  expect(same).toBe('/sign-in/same-account?return_to=%2Fa%3Fb%3Dc')
  const page = { account: 'ada@acme.example', returnTo: '/a?b=c&unattended=yes' }
  expect(await ada.follow(same)).toMatchObject(page)

  // The fragment must not hide the query parameter.
  const hidden = await ada.follow('/sign-in/same-account?return_to=%2Fonboarding%2Fconnect%23x')
  expect(hidden).toMatchObject({ returnTo: '/onboarding/connect?unattended=yes#x' })
  expect(await browser().follow(same)).toBe('/a?b=c')

  // Another site can link to the same address at any time.
  clock.now += 60_000
  expect(await ada.follow(same)).toBe('/a?b=c')
})

it('"Not you?" ends the session and tokens of the first person', async () => {
  const { browser, person, answers, requests, store } = setUpSignIn({ metadata: withRevocation })
  answers['/revoke'] = () => ({})
  const both = browser()
  await both.signIn()
  person.sub = 'bob'
  expect(await both.signIn({ prompt: 'select_account', return_to: '/x' })).toBe('/x')
  expect(await both.currentUser()).toMatchObject({ subject: 'bob' })
  expect(store.named('session:')).toHaveLength(1)
  const revoked = () => requests.flatMap(({ path, form }) => (path === '/revoke' ? form['token'] : []))
  await expect.poll(revoked).toEqual(['refresh', 'access-1'])
})

it('another authorization server gets no tokens of the former one', async () => {
  const { browser, server } = setUpSignIn({ metadata: withRevocation })
  const ada = browser()
  await ada.signIn()
  const issuer = 'http://new.example'
  const otherServer = createServerStub({ ...withRevocation, issuer }, {})
  Object.assign(otherServer.person, { issuer, sub: 'ada-there' })
  server.configuration = await otherServer.authorizationServer.configuration()
  expect(await ada.follow(otherServer.callbackFor(await ada.begin({ return_to: '/x' })))).toBe('/x')
  expect(await ada.currentUser()).toMatchObject({ issuer, subject: 'ada-there' })
  expect(otherServer.requests.map(({ path }) => path)).toEqual(['/token'])
})

it('"Not you?" falls back to login if select_account is refused, and ends after four restarts', async () => {
  const { browser } = setUpSignIn()
  const refusedOf = async (query: object) => {
    const ada = browser()
    const { state = '' } = await ada.begin({ prompt: 'select_account', ...query })
    return await ada.follow(`/sign-in/callback?state=${state}&error=interaction_required`)
  }
  expect(await refusedOf({})).toBe('/sign-in?return_to=%2Fonboarding&again=1&prompt=login')
  expect(await refusedOf({ again: '4' })).toMatchObject({ code: 'sign_in_expired' })
})

it('a person who signs in again gets a new session and keeps the grant', async () => {
  const { browser, requests, answers, store } = setUpSignIn({ metadata: withRevocation })
  answers['/revoke'] = () => ({})
  const ada = browser()
  await ada.signIn()
  const before = await ada.sessionId()
  expect(await ada.signIn({ return_to: '/x' })).toBe('/x')
  expect(await ada.sessionId()).not.toBe(before)
  expect(store.named('session:')).toHaveLength(1)
  expect(requests.map(({ path }) => path)).toEqual(['/token', '/token'])
})

it('a sign-in without a refresh token is explained in the log', async () => {
  const { browser, person, logged } = setUpSignIn()
  person.tokens = { refresh_token: undefined }
  await browser().signIn()
  const words = 'no refresh token was issued, although offline_access was requested: after 5 minutes'
  expect(warningsIn(logged)).toEqual([expect.stringContaining(words)])
})
