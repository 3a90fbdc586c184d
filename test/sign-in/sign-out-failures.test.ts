// Signing out while a part of it fails: the sign-in ends wherever it can, and the log says what could not be done.
import { describe, expect, it } from 'vitest'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { metadata, signedIn } from './signed-in-world.ts'

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

  it.each(['invalid_request', 'invalid_token'])(
    'are gone where the refresh token took the access token with it (400 %s)',
    async (error) => {
      const { signOut, answers, noted, logged } = await signedIn()
      const gone = { status: 400, body: { error } }
      answers['/revoke'] = ({ form }) => (form['token_type_hint'] === 'access_token' ? gone : {})
      await signOut()
      expect(noted).toMatchObject([{ revoked: 'done' }])
      expect(logged.filter(([level]) => level === 'warn')).toEqual([])
    },
  )
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
