// Signing out: here first and always, then the tokens, then at the authorization server.
import { describe, expect, it } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { inProcess, ISSUER, PUBLIC_URL } from './in-process.ts'
import { metadata, signedIn } from './signed-in-world.ts'

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
