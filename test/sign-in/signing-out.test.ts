// Signing out: here first and always, then the tokens, then at the authorization server.
import { describe, expect, it } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { StoreUnavailable } from '../../src/records/records.ts'
import { inProcess, ISSUER, PUBLIC_URL, type Options } from './in-process.ts'

const metadata = { end_session_endpoint: `${ISSUER}/end`, revocation_endpoint: `${ISSUER}/revoke` }

async function signedIn(options: Options = { metadata }) {
  const world = inProcess(options)
  world.answers['/revoke'] = () => ({})
  const ada = world.browser()
  await ada.signIn()
  world.asked.length = 0
  world.noted.length = 0
  const page = async (path: string) => {
    const { status, headers, body } = await ada.agent.get(path)
    return status === 303 ? (headers['location'] as string) : (body as Record<string, unknown>)
  }
  const signOut = () => ada.agent.post('/sign-out').expect(303)
  return { ...world, ada, page, signOut }
}

const ONWARD = { seconds: 3, url: '/sign-out/continue' }

describe('someone who signs out', () => {
  it('is signed out here at once, and then there, and comes back', async () => {
    const { ada, page, signOut, asked, noted, store } = await signedIn()
    const { headers } = await signOut()
    expect(headers['location']).toBe('/sign-out')
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^onramp-left=[\w-]{8}; Max-Age=3; Path=\/; Expires=.*; HttpOnly; SameSite=Lax$/),
    ])
    expect(store.named('session:')).toEqual([])
    expect(asked.map(({ form: { token, token_type_hint: hint } }) => [token, hint])).toEqual([
      ['refresh', 'refresh_token'],
      ['access-1', 'access_token'],
    ])
    expect(noted).toEqual([
      {
        event: 'sign_out',
        by: 'person',
        revoked: 'done',
        user: expect.objectContaining({ subject: 'ada' }) as object,
      },
    ])
    expect(
      [...store.lives].filter(([key]) => /^(signing-out|ask-anew):/.test(key)).map(([, seconds]) => seconds),
    ).toEqual([36_000, 600])

    expect(await page('/sign-out')).toEqual({ view: 'sign-in/signing-out', refresh: ONWARD })
    const there = new URL(await page('/sign-out/continue'))
    expect(there.origin + there.pathname).toBe(`${ISSUER}/end`)
    const { id_token_hint: hint, state, ...others } = Object.fromEntries(there.searchParams)
    expect(others).toEqual({ client_id: 'onramp', post_logout_redirect_uri: `${PUBLIC_URL}/signed-out` })
    expect([hint?.split('.').length, state?.length]).toEqual([3, 22])
    expect(await page('/sign-out/continue')).toBe('/signed-out')
    expect(await page('/sign-out')).toBe('/signed-out')
    expect(await page('/signed-out')).toEqual({ view: 'sign-in/signed-out', isOverThere: false })
    expect((await ada.begin())['prompt']).toBe('login')

    expect(await page('/signed-out?state=other')).toMatchObject({ isOverThere: false })
    expect(await page(`/signed-out?state=${state}`)).toBe('/signed-out')
    expect(await page('/signed-out')).toEqual({ view: 'sign-in/signed-out', isOverThere: true })
    expect(await ada.begin()).not.toHaveProperty('prompt')
  })

  it('is led on after a double click, and has caches cleared', async () => {
    const { ada, page, signOut } = await signedIn()
    await signOut()
    const second = await signOut()
    expect([second.headers['location'], second.headers['set-cookie']]).toEqual(['/signed-out', undefined])
    const { headers, body } = await ada.agent.get('/signed-out')
    expect(headers['clear-site-data']).toBe('"cache", "storage"')
    expect(body).toEqual({ view: 'sign-in/signed-out', isOverThere: false, refresh: ONWARD })
    expect(await page('/sign-out/continue')).toContain(`${ISSUER}/end`)
  })

  it('loses a cookie that opens nothing', async () => {
    const { browser } = inProcess()
    const stranger = browser()
    const { headers } = await stranger.agent.post('/sign-out').expect(303)
    expect(headers['location']).toBe('/signed-out')
    expect(headers['set-cookie']).toEqual(['onramp=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])
    expect((await stranger.agent.get('/sign-out')).headers['location']).toBe('/signed-out')
    expect((await stranger.agent.get('/sign-out/continue')).headers['location']).toBe('/signed-out')
    expect((await stranger.agent.get('/signed-out')).body).toEqual({
      view: 'sign-in/signed-out',
      isOverThere: false,
    })
  })

  it('has the newest tokens taken back, and keeps the sign-in of another browser', async () => {
    let isAsking = false
    let refresh: () => Promise<unknown> = async () => undefined
    const meanwhile = (records: Records): Records => ({
      ...records,
      async put(key, ...args) {
        if (isAsking && key.startsWith('ask-anew:')) await refresh()
        await records.put(key, ...args)
      },
    })
    const { ada, signOut, asked, browser, parts, store, clock } = await signedIn({
      metadata,
      records: meanwhile,
    })
    const other = browser()
    await other.signIn()
    asked.length = 0
    const before = await parts.signIns.load(await ada.sessionId())
    refresh = async () =>
      before && (await parts.signIns.replaceTokens(before, { accessToken: 'newest', issuedAt: clock.now }))
    isAsking = true
    await signOut()
    expect(store.named('session:')).toHaveLength(1)
    expect(asked).toMatchObject([{ form: { token: 'newest' } }])
    expect(((await other.agent.get('/sessions')).body as { entries: object[] }).entries).toHaveLength(1)
  })

  it('and signed in again in another tab is told so', async () => {
    const { ada, page, signOut, clock } = await signedIn()
    await signOut()
    clock.now++
    await ada.signIn()
    expect(await page('/signed-out')).toEqual({ view: 'sign-in/signed-in-again' })
    expect(await page('/sign-out')).toBe('/signed-out')
    expect(await ada.begin()).not.toHaveProperty('prompt')
  })

  it('is only signed out here where the server has no such page', async () => {
    const { signOut, noted } = await signedIn({})
    expect((await signOut()).headers['location']).toBe('/signed-out')
    expect(noted).toMatchObject([{ revoked: 'no_endpoint' }])
  })

  it('is only signed out here while the server can’t be reached', async () => {
    const away = await signedIn()
    away.server.isReady = false
    expect((await away.signOut()).headers['location']).toBe('/signed-out')
    expect([away.asked, away.noted]).toMatchObject([[], [{ revoked: 'failed' }]])
    const broken = await signedIn()
    const error = new Error('away')
    broken.parts.authorizationServer.configuration = () => Promise.reject(error)
    expect((await broken.signOut()).headers['location']).toBe('/signed-out')
    expect(broken.logged.filter(([level]) => level === 'warn')).toEqual([
      ['warn', 'signed out here only: the authorization server cannot be reached', { err: error }],
    ])
  })

  it.each([
    ['nothing is known', {}, true],
    [
      'it was registered',
      { redirect_uris: [], post_logout_redirect_uris: [`${PUBLIC_URL}/signed-out`] },
      true,
    ],
    ['another was registered', { post_logout_redirect_uris: ['https://elsewhere.example'] }, false],
    ['none was registered', { redirect_uris: ['x'] }, false],
  ])('is sent back from there where that is possible: %s', async (_what, client, comesBack) => {
    const { page, signOut } = await signedIn({ metadata, client })
    await signOut()
    const { searchParams } = new URL(await page('/sign-out/continue'))
    expect([searchParams.has('post_logout_redirect_uri'), searchParams.has('state')]).toEqual([
      comesBack,
      comesBack,
    ])
  })
})

describe('tokens that are not taken back', () => {
  const refused = { status: 400, body: { error: 'unsupported_token_type' } }

  it.each([
    ['access_token', 'partly', 'one of the tokens'],
    ['both', 'failed', 'the tokens'],
  ])('(%s) are told: %s', async (which, revoked, what) => {
    const { signOut, answers, noted, logged } = await signedIn()
    answers['/revoke'] = ({ form }) => (which === 'both' || form['token_type_hint'] === which ? refused : {})
    await signOut()
    expect(noted).toMatchObject([{ revoked }])
    expect(logged.at(-1)).toEqual([
      'warn',
      `the authorization server did not take back ${what} at sign-out (answer: unsupported_token_type with status 400): good until they run out`,
      { err: expect.anything() as unknown, revoked },
    ])
  })
})

describe('a store', () => {
  const oom = () => Promise.reject(new StoreUnavailable(new Error('OOM command not allowed')))
  const away = () =>
    Promise.reject(new StoreUnavailable(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })))

  it('that is full still forgets a sign-in, and the log tells what it could not keep', async () => {
    let isFull = false
    const full = (records: Records): Records => ({
      ...records,
      put: (...args) => (isFull ? oom() : records.put(...args)),
      compareAndSet: (...args) => (isFull ? oom() : records.compareAndSet(...args)),
    })
    const { ada, signOut, logged, store } = await signedIn({ metadata, records: full })
    isFull = true
    await signOut()
    expect(store.named('session:')).toEqual([])
    expect(await ada.who()).toMatchObject({ code: 'signed_out' })
    expect(logged.filter(([level]) => level === 'warn').map(([, words]) => words)).toEqual([
      'at a sign-out the store did not take what comes next, so the next sign-in there may ask no one: Redis is full and takes no writes',
    ])
  })

  it('that can’t forget leaves a failure to tell, and the tokens are taken back all the same', async () => {
    let isStuck = false
    const stuck = (records: Records): Records => ({
      ...records,
      remove: (key) => (isStuck && key.startsWith('session:') ? oom() : records.remove(key)),
    })
    const { ada, asked } = await signedIn({ metadata, records: stuck })
    isStuck = true
    await ada.agent.post('/sign-out').expect(303).expect('location', '/signed-out')
    expect(asked).toHaveLength(2)
  })

  it('that is away signs out on the device', async () => {
    let isAway = false
    const gone = (records: Records): Records => ({
      ...records,
      get: (key) => (isAway ? away() : records.get(key)),
    })
    const { ada, logged, browser } = await signedIn({ metadata, records: gone })
    const bob = browser()
    await bob.signIn()
    isAway = true
    const cleared = 'onramp=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
    const { headers } = await ada.agent.post('/sign-out').expect(303)
    expect([headers['location'], headers['set-cookie']]).toEqual(['/signed-out', [cleared]])
    expect(logged.at(-1)?.slice(0, 2)).toEqual([
      'warn',
      'signed out on the device only: the store cannot be reached',
    ])

    for (const path of ['/signed-out', '/sign-out', '/me']) await bob.agent.get(path).expect(503)
    const own = { 'sec-fetch-site': 'same-origin' }
    const { body, headers: answered } = await bob.agent.get('/signed-out').set(own).expect(200)
    expect(body).toEqual({ view: 'sign-in/signed-out', isOverThere: false })
    expect(answered['set-cookie']).toEqual([cleared])
    isAway = false
    await bob.signIn()
    isAway = true
    await bob.agent.get('/me').set(own).expect(503)
    await bob.agent.get('/sign-out').set(own).expect('location', '/signed-out')
  })
})
