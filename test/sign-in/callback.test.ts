// GET /sign-in/callback: late and repeated callbacks, other browsers, errors and rotated keys.
import { generateKeyPair } from 'jose'
import { expect, it, vi } from 'vitest'
import type { Records } from '../../src/records/records.ts'
import { setUpSignIn, ISSUER, warningsIn, type Form, type Setup } from './in-process.ts'
import { failing } from '../helpers/memory-records.ts'

/** A browser after the start of a sign-in. */
async function browserAfterStart(options: Setup = {}, query: Form = { return_to: '/x' }) {
  const fixture = setUpSignIn(options)
  const ada = fixture.browser()
  const sent = await ada.begin(query)
  const callbackWith = (answer: string | Form) =>
    ada.follow(`/sign-in/callback?state=${sent['state']}&${new URLSearchParams(answer).toString()}`)
  return { ...fixture, ada, sent, callbackWith, finishSignIn: () => ada.follow(fixture.callbackFor(sent)) }
}

const RESTARTED = '/sign-in?return_to=%2Fx&again=1'
const TRY_AGAIN = '/sign-in?return_to=%2Fx'

it('a repeated callback leads to the page, and redeems the code once', async () => {
  const { ada, sent, requests, callbackFor, store } = await browserAfterStart()
  const [address, before] = [callbackFor(sent), await ada.cookies()]
  expect([await ada.follow(address), await ada.follow(address)]).toEqual(['/x', '/x'])
  // A browser cookie planted earlier by an attacker is worthless now.
  expect(await ada.cookies()).toMatch(/onramp-browser=[\da-f]{32}/)
  expect(await ada.cookies()).not.toContain(before)
  expect(requests).toHaveLength(1)
  // The maximum lifetime of a code (RFC 6749 4.1.2).
  expect(store.lives.get(store.named('used-state:')[0] ?? '')).toBe(600)
})

it('a callback with another spelling of its path redeems the code for the registered address', async () => {
  const { ada, sent, requests, callbackFor } = await browserAfterStart()
  expect(await ada.follow(callbackFor(sent).replace('/callback', '/Callback/'))).toBe('/x')
  expect(requests[0]?.form['redirect_uri']).toBe('http://localhost:3000/sign-in/callback')
})

it.each([
  ['twenty parameters', '&a', 20, ({ searchParams }: URL) => searchParams.size],
  ['six thousand characters', 'x', 6_000, ({ search }: URL) => search.length],
])('a callback of %s is redeemed, a larger one isn’t', async (_title, more, most, sizeOf) => {
  const { ada, sent, requests, callbackFor } = await browserAfterStart()
  const withSize = (size: number) => {
    const address = `${callbackFor(sent)}&session_state=`
    return address + more.repeat(size - sizeOf(new URL(address, ISSUER)))
  }
  expect(await ada.follow(withSize(most + 1))).not.toBe('/x')
  expect(requests).toHaveLength(0)
  expect(await ada.follow(withSize(most))).toBe('/x')
})

it('two callbacks at the same moment redeem the code once', async () => {
  const { ada, sent, requests, callbackFor } = await browserAfterStart()
  const address = callbackFor(sent)
  const outcomes = await Promise.all([ada.follow(address), ada.follow(address)])
  expect(outcomes.toSorted()).toEqual([RESTARTED, '/x'])
  expect(requests).toHaveLength(1)
  expect(await ada.follow(RESTARTED)).toBe('/x')
})

type Row = { from: string; redeeming: number; others: string; code?: string }
const [V4, V6, SITE] = ['198.51.100.1', '2001:db8:1::1', '2001:db8:1:ffff::9']
it.each([
  { what: 'a 100th code of an address is redeemed', from: V4, redeeming: 99, others: V4 },
  { what: 'a 101st code of an address is refused', from: V4, redeeming: 100, others: V4, code: 'too_many' },
  { what: 'a code of another address is redeemed', from: '198.51.100.2', redeeming: 100, others: V4 },
  // A site has a /48 (RFC 6177).
  { what: 'a 101st code of a /48 is refused', from: SITE, redeeming: 100, others: V6, code: 'too_many' },
  { what: 'a code of another /48 is redeemed', from: '2001:db8:2::1', redeeming: 100, others: V6 },
])('$what while $redeeming others are being redeemed', async (row: Row) => {
  const { from, redeeming, others, code } = row
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let pending = 0
  const { ada, sent, callbackFor } = await browserAfterStart({
    records: (store) => ({
      ...store,
      async compareAndSet(key, ...args) {
        if (key.startsWith('used-state:') && pending++ < redeeming) await released
        return await store.compareAndSet(key, ...args)
      },
    }),
  })
  const last = callbackFor(await ada.begin({ return_to: '/x' }))

  const redemptions = Array.from({ length: redeeming }, () => ada.follow(callbackFor(sent), others))
  await vi.waitUntil(() => pending === redeeming, { timeout: 30_000 })
  expect(Reflect.get(Object(await ada.follow(last, from)), 'code')).toBe(code)

  release()
  await Promise.all(redemptions)
  // A refused callback leaves its state unused, and the shares are free again.
  expect(await ada.follow(last, from)).toBe('/x')
})

it('a repeated callback after a sign-out starts over and redeems nothing', async () => {
  const { ada, sent, requests, callbackFor, server } = await browserAfterStart()
  const address = callbackFor(sent)
  await ada.follow(address)
  server.isReady = false
  await ada.agent.post('/sign-out').expect(303)
  expect(await ada.follow(address)).toBe(RESTARTED)
  expect(requests).toHaveLength(1)
})

it('a callback of a sign-in that began with another OIDC_ISSUER starts over and redeems nothing', async () => {
  const { finishSignIn, settings, requests } = await browserAfterStart({ settings: { OIDC_ISSUER: ISSUER } })
  Object.assign(settings, { OIDC_ISSUER: 'https://new.example' })
  expect(await finishSignIn()).toBe(RESTARTED)
  expect(requests).toEqual([])
})

it('a callback with an unknown state explains that the sign-in has expired', async () => {
  const { ada } = await browserAfterStart()
  const problem = { status: 400, code: 'sign_in_expired', tryAgain: '/sign-in?return_to=%2Fonboarding' }
  for (const query of ['', '?state=unknown', '?state=a&state=b', `?state=${'x'.repeat(2_000)}`])
    expect(await ada.follow(`/sign-in/callback${query}`)).toMatchObject(problem)
})

it('a callback with an unknown state leads signed-in people to the overview', async () => {
  const { ada } = await browserAfterStart()
  await ada.signIn()
  expect(await ada.follow('/sign-in/callback')).toBe('/onboarding')
})

it.each([
  ['an admin who consented for everyone', 'admin_consent=True&tenant=5f3c&scope=openid'],
  ['someone who confirmed an address', 'message=Your+email+was+verified.&success=true&code=success'],
])('a callback of %s shows that they can sign in', async (_title, query) => {
  const { ada, requests, store, audited } = await browserAfterStart()
  // The page quotes nothing from the query, because another site's link can contain it, too.
  const page = { status: 200, view: 'sign-in/confirmed' }
  expect(await ada.follow(`/sign-in/callback?${query}`)).toEqual(page)
  expect(requests).toEqual([])
  expect(store.values.size).toBe(0)
  expect(audited).toEqual([])

  await ada.signIn()
  expect(await ada.follow(`/sign-in/callback?${query}`)).toBe('/onboarding')
  expect(await ada.currentUser()).toMatchObject({ subject: 'ada' })
})

it.each([
  'error=access_denied&error_description=AADSTS65004&admin_consent=True&tenant=5f3c',
  'error=server_error&state=unknown',
  'success=false&message=This+URL+can+be+used+only+once&code=used_ticket',
])('an error without a valid state signs no one in or out: %s', async (query) => {
  const { ada } = await browserAfterStart()
  const problem = { status: 400, code: 'sign_in_unfinished' }
  const outcome = () => ada.follow(`/sign-in/callback?${query}`)
  expect(await outcome()).toMatchObject({ ...problem, tryAgain: '/sign-in?return_to=%2Fonboarding' })
  await ada.signIn()
  expect(await outcome()).toMatchObject(problem)
  expect(await outcome()).not.toHaveProperty('tryAgain')
  expect(await ada.currentUser()).toMatchObject({ subject: 'ada' })
})

it.each([
  ['starts over', '0', RESTARTED],
  ['starts over a fourth time', '3', '/sign-in?return_to=%2Fx&again=4'],
  ['is expired after four times', '4', expect.objectContaining({ code: 'sign_in_expired' })],
])('a callback in another browser signs no one in, and %s', async (_title, again, outcome) => {
  const { browser, sent, requests, callbackFor } = await browserAfterStart({}, { return_to: '/x', again })
  const eve = browser()
  await eve.begin()
  expect(await eve.follow(callbackFor(sent))).toEqual(outcome)
  expect(requests).toEqual([])
})

it('a browser without cookies is told so after the second callback', async () => {
  const { browser, sent, callbackFor } = await browserAfterStart({}, { return_to: '/x', again: '1' })
  const problem = { status: 400, code: 'cookies_blocked', tryAgain: TRY_AGAIN }
  expect(await browser().follow(callbackFor(sent))).toMatchObject(problem)
})

it('fifty tabs lead to their own pages in any order, and the cookies stay small', async () => {
  const { ada, callbackFor, requests } = await browserAfterStart()
  const pages = Array.from({ length: 50 }, (_, tab) => `/search?q=tab${tab}`)
  const sent = await Promise.all(pages.map((page) => ada.begin({ return_to: page })))
  for (const tab of pages.keys()) {
    const other = (tab * 7) % pages.length
    expect(await ada.follow(callbackFor(sent[other] ?? {}))).toBe(pages[other])
    expect((await ada.cookies()).length).toBeLessThan(300)
  }
  expect(requests).toHaveLength(1)
})

it("an attacker's callback signs no one in to another account, even with a planted cookie", async () => {
  const { browser, ada, sent, callbackFor, person } = await browserAfterStart()
  const planted = await ada.cookies()
  const victim = browser()
  await victim.signIn()
  const session = await victim.cookies()
  person.sub = 'eve'
  const both = [planted, ...session.split('; ').filter((one) => one.startsWith('onramp='))].join('; ')
  const { headers } = await browser().agent.get(callbackFor(sent)).set('cookie', both)
  expect(headers['location']).toBe('/x')
  expect(headers['set-cookie']).toBeUndefined()
  expect(await victim.currentUser()).toMatchObject({ subject: 'ada' })
})

// Browsers accept a cookie from a sibling host if this byte comes before the prefix __Host-.
it('a cookie that hides its name behind a no-break space is not the browser cookie', async () => {
  const { browser, ada, sent, callbackFor } = await browserAfterStart()
  const hidden = `x=1; \u00a0${await ada.cookies()}`
  const { headers } = await browser().agent.get(callbackFor(sent)).set('cookie', hidden)
  expect(headers['location']).toMatch(/^\/sign-in\?|\/authorize\?/)
  expect(await ada.follow(callbackFor(sent))).toBe('/x')
})

it('a second tab that finishes first wins: the restarted sign-in redirects to its page', async () => {
  const { ada } = await browserAfterStart()
  await ada.signIn()
  expect(await ada.follow(RESTARTED)).toBe('/x')
  // `unattended=yes` marks a link of another site, which must not lead to /x like ours.
  for (const path of ['/sign-in?return_to=/x', `${RESTARTED}&prompt=login`, `${RESTARTED}&unattended=yes`])
    expect(await ada.follow(path)).toContain(`${ISSUER}/authorize`)
})

it('a token response without an id_token signs no one in if openid was requested', async () => {
  const { finishSignIn, person, ada } = await browserAfterStart()
  person.tokens = { id_token: undefined }
  expect(await finishSignIn()).toMatchObject({ status: 502, code: 'sign_in_misconfigured' })
  expect(await ada.currentUser()).toMatchObject({ code: 'signed_out' })
})

it.each([
  ['access_denied', 403, 'sign_in_denied'],
  ['temporarily_unavailable', 503, 'sign_in_unavailable'],
  ['invalid_scope', 502, 'sign_in_misconfigured'],
  ['<b>', 400, 'sign_in_failed'],
])('the error %s is explained without its description, and audited', async (error, status, code) => {
  const { callbackWith, audited, server } = await browserAfterStart()
  const problem = await callbackWith({ error, error_description: '<b>bold</b>' })
  expect(problem).toMatchObject({ status, code, tryAgain: TRY_AGAIN })
  expect(JSON.stringify(problem)).not.toMatch(/<|bold/)
  expect(audited).toMatchObject([{ event: 'sign_in', result: 'refused' }])
  expect(server.did).toEqual([])
})

it.each(['', 'code=c&code=d', 'code=c&iss=x&iss=y', 'error=access_denied&error=x', 'code=c&state=other'])(
  'a callback with a missing or repeated parameter redeems no code: %j',
  async (query) => {
    const { ada, callbackWith, requests } = await browserAfterStart()
    expect(await callbackWith(query)).toMatchObject({ status: 400 })
    expect([requests, await ada.currentUser()]).toMatchObject([[], { code: 'signed_out' }])
  },
)

const advertisesIss = { metadata: { authorization_response_iss_parameter_supported: true } }

it('an error counts even without the iss that the server advertises', async () => {
  for (const error of ['access_denied', 'login_required', 'server_error']) {
    const { callbackWith, requests } = await browserAfterStart(advertisesIss)
    const code = error === 'server_error' ? 'sign_in_unavailable' : 'sign_in_denied'
    expect(await callbackWith({ error })).toMatchObject({ code })
    expect(requests).toEqual([])
  }
})

it.each<[string, Form, string]>([
  ['a success without iss', { code: 'c' }, 'lacks iss'],
  ['a success with a wrong iss', { code: 'c', iss: 'https://other.example' }, 'iss of another'],
  ['an error with a wrong iss', { error: 'access_denied', iss: 'https://other.example' }, 'iss of another'],
  ['an error with an empty iss', { error: 'access_denied', iss: '' }, 'lacks iss'],
])('a callback is refused for its iss if the server advertises it: %s', async (_title, answer, words) => {
  const { callbackWith, requests } = await browserAfterStart(advertisesIss)
  const detail = expect.stringContaining(words) as string
  expect(await callbackWith(answer)).toMatchObject({ status: 400, code: 'sign_in_failed', detail })
  expect(requests).toEqual([])
})

it.each(['invalid_client', 'invalid_grant'])(
  'the token error %s is followed by no other request',
  async (error) => {
    const { finishSignIn, server, requests, answers } = await browserAfterStart()
    answers['/token'] = () => ({ status: 400, body: { error } })
    expect(await finishSignIn()).toMatchObject({ tryAgain: TRY_AGAIN })
    expect([server.did, requests.map(({ path }) => path)]).toEqual([[], ['/token']])
  },
)

it('a refused prompt=login is dropped only for a browser that signed out', async () => {
  const { ada, server } = await browserAfterStart()
  server.isReady = false
  await ada.signIn()
  await ada.agent.post('/sign-out').expect(303)
  const { state = '', prompt } = await ada.begin()
  expect(prompt).toBe('login')
  const again = '/sign-in?return_to=%2Fonboarding&again=1'
  expect(await ada.follow(`/sign-in/callback?state=${state}&error=invalid_request`)).toBe(again)
  expect(await ada.begin()).not.toHaveProperty('prompt')
  const { callbackWith } = await browserAfterStart({}, { prompt: 'login' })
  expect(await callbackWith({ error: 'invalid_request' })).toMatchObject({ code: 'sign_in_misconfigured' })
})

it('an unknown signing key is fetched, and the sign-in starts over', async () => {
  const { finishSignIn, server, answers } = await browserAfterStart()
  answers['/keys'] = () => ({ body: { keys: [] } })
  expect(await finishSignIn()).toBe(RESTARTED)
  expect(server.did).toEqual(['forgetKeys'])
})

it('a key replaced under its kid is fetched once a minute at most', async () => {
  const { ada, finishSignIn, person, server, clock } = await browserAfterStart()
  person.key = (await generateKeyPair('ES256')).privateKey
  expect(await finishSignIn()).toBe(RESTARTED)
  clock.now += 59_999
  await ada.signIn()
  expect(server.did).toEqual(['forgetKeys'])
  clock.now += 1
  await ada.signIn()
  expect(server.did).toEqual(['forgetKeys', 'forgetKeys'])
})

it.each(['session:', 'sessions-of:', 'used-state:'])(
  'a sign-in during which the store fails at %s signs no one in or out',
  async (at) => {
    let isAway = true
    const records = (store: Records) =>
      failing(
        store,
        (operation, key) => isAway && operation === 'compareAndSet' && key.startsWith(at) && 'away',
      )
    const { finishSignIn, store, ada, person, callbackFor } = await browserAfterStart({ records })
    expect(await finishSignIn()).toMatchObject({ status: 503, code: 'store_unavailable' })
    expect(store.named('session:')).toEqual([])
    expect(await ada.currentUser()).toMatchObject({ code: 'signed_out' })

    isAway = false
    await ada.signIn()
    const session = store.named('session:')
    person.sub = 'bob'
    const sent = await ada.begin({ prompt: 'login' })
    isAway = true
    expect(await ada.follow(callbackFor(sent))).toMatchObject({ status: 503, code: 'store_unavailable' })
    expect([store.named('session:'), await ada.currentUser()]).toMatchObject([session, { subject: 'ada' }])

    isAway = false
    expect(await ada.signIn({ prompt: 'login' })).toBe('/onboarding')
    expect(await ada.currentUser()).toMatchObject({ subject: 'bob' })
    expect(store.named('session:')).not.toContain(session[0])
  },
)

const DAY = 24 * 3600 * 1000
const as = (email: string, email_verified = true) => ({ email, email_verified })

const [ada, bob] = [as('ada@acme.example'), as('bob@acme.example')]

it.each<[string, number, object[], number]>([
  ['an address that changes once, as in a rename', 0, [ada, bob, bob], 0],
  ['an address that changes twice within a day', 1, [ada, bob, ada], DAY - 1],
  ['three addresses within a day', 1, [ada, bob, as('eve@acme.example')], 0],
  ['an address that changes twice, a day apart', 0, [ada, bob, ada], DAY],
  ['two spellings of one address', 0, [ada, as('Ada@Acme.example'), ada], 0],
  ['an address that isn’t verified', 0, [ada, as('bob@acme.example', false), ada], 0],
])('a sub with %s is logged %i times', async (_title, times, signIns, pauseMs) => {
  const { browser, person, clock, logged } = setUpSignIn()

  for (const claims of signIns) {
    person.claims = claims as Record<string, unknown>
    await browser().signIn()
    clock.now += pauseMs
  }

  const words = warningsIn(logged)
  expect(words.filter((message) => message.includes('verified address of one sub'))).toHaveLength(times)
  expect(words.join()).not.toMatch(/@acme|sub ada/)
})
