// Sign-outs: here, with token revocation, and at the server; also while a part fails.
import { expect, it } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { setUpSignIn, ISSUER, PUBLIC_URL, warningsIn, type Setup } from './in-process.ts'
import { failing } from '../helpers/memory-records.ts'
import { createServerStub } from './server-stub.ts'

const metadata = { end_session_endpoint: `${ISSUER}/end`, revocation_endpoint: `${ISSUER}/revoke` }
const CLEARED = 'onramp=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
const ONWARD = { seconds: 3, url: '/sign-out/continue' }

/** Signs in at a server with a logout and a revocation endpoint. */
async function signedIn(options: Setup = { metadata }) {
  const fixture = setUpSignIn(options)
  fixture.answers['/revoke'] = () => ({})
  const ada = fixture.browser()
  await ada.signIn()
  fixture.requests.length = 0
  fixture.audited.length = 0
  const page = (path: string) => ada.follow(path) as Promise<string>
  const signOut = () => ada.agent.post('/sign-out').expect(303)
  const revokedTokens = () =>
    fixture.requests.map(({ form: { token, token_type_hint: hint } }) => [token, hint])
  return { ...fixture, ada, page, signOut, revokedTokens }
}

it('a person who signs out is signed out here at once', async () => {
  const { signOut, store } = await signedIn()
  const { headers } = await signOut()
  expect(headers['location']).toBe('/sign-out')
  // Chromium shows pages from memory on “Back” unless a cookie has changed.
  const marked = /^onramp-browser=[\da-f]{32}\.ask; Max-Age=86400; Path=\/; .*HttpOnly; SameSite=Lax$/
  expect(headers['set-cookie']).toEqual([CLEARED, expect.stringMatching(marked)])
  expect(store.named('session:')).toEqual([])
})

it('a sign-out revokes both tokens, and is audited', async () => {
  const { signOut, revokedTokens, audited } = await signedIn()
  await signOut()
  expect(revokedTokens()).toEqual(Object.entries({ refresh: 'refresh_token', 'access-1': 'access_token' }))
  const user = { subject: 'ada' }
  expect(audited).toMatchObject([{ event: 'sign_out', by: 'person', revoked: 'done', user }])
})

it('a person who signs out is sent to the server’s logout page once', async () => {
  const { ada, page, signOut } = await signedIn()
  await signOut()
  expect(await page('/sign-out')).toMatchObject({ view: 'sign-in/signing-out', refresh: ONWARD })
  const logoutRequest = new URL(await page('/sign-out/continue'))
  expect(logoutRequest.origin + logoutRequest.pathname).toBe(`${ISSUER}/end`)
  const { id_token_hint: hint, state, ...others } = Object.fromEntries(logoutRequest.searchParams)
  expect(others).toEqual({ client_id: 'onramp', post_logout_redirect_uri: `${PUBLIC_URL}/signed-out` })
  expect([hint?.split('.').length, state?.length]).toEqual([3, 32])
  expect(await page('/sign-out/continue')).toBe('/signed-out')
  expect(await page('/signed-out')).toMatchObject({ view: 'sign-in/signed-out', isOverThere: false })
  expect((await ada.begin())['prompt']).toBe('login')
})

it('only the state of the logout request proves that the server signed the person out', async () => {
  const { ada, page, signOut } = await signedIn()
  await signOut()
  const state = new URL(await page('/sign-out/continue')).searchParams.get('state')
  for (const other of ['', 'undefined', 'other'])
    expect(await page(`/signed-out?state=${other}`)).toMatchObject({ isOverThere: false })
  expect(await page(`/signed-out?state=${state}`)).toBe('/signed-out')
  expect(await page('/signed-out')).toMatchObject({ view: 'sign-in/signed-out', isOverThere: true })
  expect(await ada.begin()).not.toHaveProperty('prompt')
})

it('tokens that another tab refreshed during the sign-out are revoked', async () => {
  let meanwhile = async () => {}
  const records = (usual: Records): Records => ({
    ...usual,
    async put(...given) {
      await meanwhile()
      return await usual.put(...given)
    },
  })
  const { ada, signOut, revokedTokens, refused, answers } = await signedIn({ metadata, records })
  answers['/token'] = () => ({ body: { access_token: 'access-2', token_type: 'bearer', expires_in: 300 } })
  refused.add('access-1')

  meanwhile = async () => {
    meanwhile = async () => {}
    expect(await ada.call('elsewhere')).toBe('access-2')
  }

  await signOut()
  expect(revokedTokens().at(-1)).toEqual(['access-2', 'access_token'])
})

it('a double click on "Sign out" redirects to the server, and clears caches', async () => {
  const { ada, page, signOut, answers, requests } = await signedIn()
  const { promise, resolve } = Promise.withResolvers<object>()
  answers['/revoke'] = () => promise
  const first = Promise.resolve(signOut())
  await expect.poll(() => requests).toHaveLength(1)
  const others = [await signOut(), await signOut()]
  resolve({})
  for (const { headers } of [await first, ...others]) {
    expect(headers['location']).toBe('/sign-out')
    // Only the cookie that marks the sign-out, not one of a session.
    expect(String(headers['set-cookie'])).not.toMatch(/(^|,)onramp=[^;]/)
  }
  expect(await page('/sign-out')).toMatchObject({ view: 'sign-in/signing-out', refresh: ONWARD })
  const { headers, body } = await ada.agent.get('/signed-out')
  expect(headers['clear-site-data']).toBe('"cache", "storage"')
  expect(body).toMatchObject({ view: 'sign-in/signed-out', refresh: ONWARD })
  expect(await page('/sign-out/continue')).toContain(`${ISSUER}/end`)
})

it('"Sign out" without a session redirects to the signed-out page', async () => {
  const { browser } = setUpSignIn({ metadata })
  const stranger = browser()
  await stranger.agent.post('/sign-out').expect(303).expect('location', '/signed-out')
  for (const path of ['/sign-out', '/sign-out/continue'])
    expect(await stranger.follow(path)).toBe('/signed-out')
})

it('"Sign out" over https removes the cookie with the attributes that its prefix requires', async () => {
  const { browser } = setUpSignIn({ settings: { PUBLIC_URL: 'https://onramp.example' } })
  const { headers } = await browser().agent.post('/sign-out').expect(303)
  expect(headers['set-cookie']?.[0]).toBe(`__Host-${CLEARED}; Secure`)
})

it('the signed-out page shows a new sign-in in another tab', async () => {
  const { ada, page, signOut } = await signedIn()
  await signOut()
  expect((await ada.begin())['prompt']).toBe('login')
  await ada.signIn()
  expect(await page('/sign-out/continue')).toBe('/signed-out')
  expect(await page('/signed-out')).toMatchObject({ view: 'sign-in/signed-in-again' })
  expect(await ada.begin()).not.toHaveProperty('prompt')
})

it('a sign-in that is pending during a sign-out starts over with prompt=login', async () => {
  const { ada, signOut, callbackFor } = await signedIn()
  const lateCallback = callbackFor(await ada.begin({ return_to: '/x' }))
  await signOut()
  expect(await ada.follow(lateCallback)).toBe('/sign-in?return_to=%2Fx&again=1')
  expect((await ada.begin())['prompt']).toBe('login')
})

type Fixture = Awaited<ReturnType<typeof signedIn>>
const otherServer = createServerStub({ ...metadata, issuer: 'http://new.example' }, {})
const otherConfiguration = otherServer.authorizationServer.configuration
const away = () => Promise.reject(new Error('away'))

it.each<[title: string, change: (fixture: Fixture) => unknown, revoked: string, metadata?: object]>([
  ['has no logout page', () => {}, 'no_endpoint', {}],
  ['isn’t ready', ({ server }) => (server.isReady = false), 'failed'],
  ['is unreachable', ({ authorizationServer }) => (authorizationServer.configuration = away), 'failed'],
  ['is another one', async ({ server }) => (server.configuration = await otherConfiguration()), 'failed'],
])('a person is signed out here, though the server %s', async (_title, change, revoked, ...given) => {
  const fixture = await signedIn(...given)
  await change(fixture)

  const { headers } = await fixture.signOut()

  expect(headers['location']).toBe('/signed-out')
  expect(fixture.audited).toMatchObject([{ revoked }])
  expect(fixture.requests).toEqual([])
  expect(otherServer.requests).toEqual([])
})

it.each([
  ['has our address for a client that onramp didn’t register', {}, true],
  ['has our address if it was registered', { post_logout_redirect_uris: [`${PUBLIC_URL}/signed-out`] }, true],
  [
    'lacks our address if another one was registered',
    { post_logout_redirect_uris: ['https://elsewhere.example'] },
    false,
  ],
  ['lacks our address if none was registered', { post_logout_redirect_uris: [] }, false],
])('the logout request %s', async (_title, client, comesBack) => {
  const { page, signOut } = await signedIn({ metadata, client })
  await signOut()
  const { searchParams } = new URL(await page('/sign-out/continue'))
  for (const name of ['post_logout_redirect_uri', 'state']) expect(searchParams.has(name)).toBe(comesBack)
})

const unsupportedTokenType = { status: 400, body: { error: 'unsupported_token_type' } }

it.each([
  ['access_token', 'partly', 'one of the tokens'],
  ['both', 'failed', 'the tokens'],
])('if the revocation of %s fails, it is audited as %s, and logged', async (which, revoked, what) => {
  const { signOut, answers, audited, logged } = await signedIn()
  answers['/revoke'] = ({ form }) =>
    which === 'both' || form['token_type_hint'] === which ? unsupportedTokenType : {}
  await signOut()
  expect(audited).toMatchObject([{ revoked }])
  expect(warningsIn(logged).at(-1)).toContain(`could not revoke ${what} at sign-out`)
})

async function signedInOn() {
  const at = { fails: (_operation: keyof Records, _key: string) => false, why: '' }
  const records = (store: Records) => failing(store, (operation, key) => at.fails(operation, key) && at.why)
  return { at, ...(await signedIn({ metadata, records })) }
}

it('a full store still deletes a session, and the next sign-in sends prompt=login', async () => {
  const { at, ada, signOut, logged, store, revokedTokens } = await signedInOn()
  at.why = 'OOM command not allowed'
  at.fails = (operation) => operation === 'put' || operation === 'compareAndSet'
  expect((await signOut()).headers['location']).toBe('/signed-out')
  expect(store.named('session:')).toEqual([])
  expect(await ada.currentUser()).toMatchObject({ code: 'signed_out' })
  expect(revokedTokens()).toHaveLength(2)
  expect(warningsIn(logged)).toEqual(['signed out here only: Redis is full and rejects writes'])
  expect((await ada.begin())['prompt']).toBe('login')
})

it('a store that can’t delete leaves the device signed out, and the tokens are revoked', async () => {
  const { at, ada, revokedTokens, signOut } = await signedInOn()
  at.fails = (operation, key) => operation === 'remove' && key.startsWith('session:')
  expect((await signOut()).headers['location']).toBe('/signed-out?device=only')
  expect(revokedTokens()).toHaveLength(2)
  expect(await ada.currentUser()).toMatchObject({ code: 'signed_out' })
})

it.each(['/SIGN-OUT/', '/sign-out'])(
  'while the store is unavailable, %s signs out the device',
  async (path) => {
    const { at, ada } = await signedInOn()
    at.fails = () => true
    const { headers } = await ada.agent.post(path).expect(303)
    expect([headers['location'], headers['set-cookie']?.[0]]).toEqual(['/signed-out?device=only', CLEARED])
    expect(headers['set-cookie']?.at(-1)).toMatch(/^onramp-browser=[\da-f]{32}\.ask;/)
  },
)

it('while the store is unavailable, only our own page signs out the device', async () => {
  const { at, ada } = await signedInOn()
  at.fails = () => true
  for (const path of ['/signed-out', '/sign-out', '/me']) await ada.agent.get(path).expect(503)
  for (const site of ['none', 'same-site'])
    await ada.agent.get('/signed-out').set({ 'sec-fetch-site': site }).expect(503)
  const sameOrigin = { 'sec-fetch-site': 'same-origin' }
  const { body } = await ada.agent.get('/signed-out').set(sameOrigin).expect(200)
  expect(body).toMatchObject({ view: 'sign-in/signed-out', isOnDevice: true, isOverThere: false })
  at.fails = () => false
  expect(await ada.currentUser()).toMatchObject({ code: 'signed_out' })
})

it('a device is shown as signed out although the store is back', async () => {
  const { at, ada } = await signedInOn()
  at.fails = () => true
  await ada.agent.post('/sign-out').expect(303)
  at.fails = () => false
  const page = await ada.agent.get('/signed-out?device=only').expect(200)
  expect(page.body).toMatchObject({ isOnDevice: true })
  expect((await ada.agent.get('/signed-out').expect(200)).body).toMatchObject({ isOnDevice: false })
})
