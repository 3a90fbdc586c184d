// The page of sign-ins, its list, and logouts by the authorization server.
import type express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { decodeFirewallSafe } from '../../src/records/seal.ts'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import { deviceName } from '../../src/sign-in/sessions/device.ts'
import { createSessionsPage } from '../../src/sign-in/sessions/page.ts'
import { sendJson, signedInApp } from '../helpers/json-pages.ts'
import { setUpSignIn, ISSUER, type Setup } from './in-process.ts'
import { failing } from '../helpers/memory-records.ts'

type Entry = { name: string; here: boolean; age: number; time: number; device: string }

/** Signs one person in with several browsers. */
async function signInWithBrowsers(count: number, options: Setup = {}) {
  const fixture = setUpSignIn(options)
  const all = []
  for (let one = 0; one < count; one++) {
    const browser = fixture.browser()
    await browser.signIn()
    fixture.clock.now += 60_000
    all.push(browser)
  }
  const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]
  const entries = async (one = first) =>
    ((await one.agent.get('/sessions').expect(200)).body as { entries: Entry[] }).entries
  return { ...fixture, all, first, second, third, entries }
}

const signedOut = { code: 'signed_out' }

it('the page of sign-ins begins with this browser, followed by the latest', async () => {
  const { entries, second, clock } = await signInWithBrowsers(3)
  expect((await entries()).map(({ here, age }) => [here, age])).toEqual([
    [true, 180_000],
    [false, 60_000],
    [false, 120_000],
  ])
  expect((await entries(second))[0]).toEqual({
    // Firewalls refuse two hyphens in a URL.
    name: expect.stringMatching(/^\w{43,60}$/) as string,
    device: '',
    time: clock.now - 120_000,
    age: 120_000,
    here: true,
  })
})

it('the same sub at another authorization server has another list of sign-ins', async () => {
  const { sessions } = await signInWithBrowsers(1)
  const issuers = [ISSUER, 'https://other.example']
  const lists = await Promise.all(issuers.map((issuer) => sessions.list({ issuer, subject: 'ada' })))
  expect(lists.map((list) => list.length)).toEqual([1, 0])
})

it('someone ends one sign-in from another device, and only that browser gets prompt=login', async () => {
  const { entries, first, second, third } = await signInWithBrowsers(3)
  const [, latest] = await entries()
  await first.agent.post(`/sessions/end/${latest?.name}`).expect(303).expect('location', '/sessions')
  expect(await third.currentUser()).toMatchObject(signedOut)
  const { body } = await third.agent.post('/sessions/end/any')
  expect(body).toMatchObject({ tryAgain: '/sign-in?return_to=%2Fsessions' })
  expect((await third.begin())['prompt']).toBe('login')
  expect(await second.currentUser()).toMatchObject({ subject: 'ada' })
  expect(await entries()).toHaveLength(2)
  await third.signIn()
  expect(await third.begin()).not.toHaveProperty('prompt')
  expect(await entries()).toHaveLength(3)
})

it('no one can end another person’s sign-in', async () => {
  const { entries, first, browser, person } = await signInWithBrowsers(1)
  person.sub = 'bob'
  const bob = browser()
  await bob.signIn()
  const [his] = await entries(bob)
  for (const name of [his?.name, 'unknown'])
    await first.agent.post(`/sessions/end/${name}`).expect(303).expect('location', '/sessions')
  expect(await bob.currentUser()).toMatchObject({ subject: 'bob' })
  expect(await entries()).toHaveLength(1)
})

it.each(['get', 'post'] as const)(
  'beyond the person’s limit, the page of sign-ins refuses a %s',
  async (method) => {
    const { sessions } = setUpSignIn()
    const limit: express.RequestHandler = (_req, res) => void res.status(429).end()
    const page = createSessionsPage({ sessions, limit, sendPage: sendJson, now: Date.now })
    const app = signedInApp(() => ({ issuer: ISSUER, subject: 'ada' }), Date.now(), page)
    const path = method === 'get' ? '/sessions' : '/sessions/end/any'
    expect((await request(app)[method](path)).status).toBe(429)
  },
)

it('the page of sign-ins leaves out those that were signed out or expired', async () => {
  const { entries, second, third, store, server } = await signInWithBrowsers(3)
  server.isReady = false
  await second.agent.post('/sign-out').expect(303)
  const [, latest] = await entries()
  store.values.delete(`session:${decodeFirewallSafe(latest?.name ?? '')}`)
  expect(await third.currentUser()).toMatchObject(signedOut)
  expect(await entries()).toHaveLength(1)
})

it('the hundred-and-first sign-in of a person ends the earliest one', async () => {
  const { first, second, entries, browser } = await signInWithBrowsers(2)
  for (let more = 0; more < 99; more++) await browser().signIn()
  expect(await first.currentUser()).toMatchObject(signedOut)
  expect(await entries(second)).toHaveLength(100)
})

it('simultaneous lists of one person’s sign-ins share one read, and a later one reads again', async () => {
  let reads = 0
  const counting = (store: Records) =>
    failing(store, (operation, key) => {
      if (operation === 'get' && key.startsWith('sessions-of:')) reads++
      return false
    })
  const { sessions } = await signInWithBrowsers(2, { records: counting })
  const ada = { issuer: ISSUER, subject: 'ada' }
  const list = async () => (await sessions.list(ada)).length
  reads = 0

  expect(await Promise.all([list(), list(), list()])).toEqual([2, 2, 2])
  expect(reads).toBe(1)
  await list()
  expect(reads).toBe(2)
})

it('an unreadable list of sign-ins starts anew, and blocks no one', async () => {
  const { first, entries, store } = await signInWithBrowsers(2)
  const [key = ''] = store.named('sessions-of:')
  store.values.set(key, 'damaged')
  expect(await entries()).toEqual([])
  expect(await first.signIn()).toBe('/onboarding')
  expect(await entries()).toHaveLength(1)
})

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) CriOS/126.0 Mobile Safari/604.1', 'Chrome on iPhone'],
  ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) Chrome/126.0.0.0 Safari/537.36', 'Chrome on ChromeOS'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/17.5 Safari/605.1.15', 'Safari on Mac'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0', 'Edge on Windows'],
  ['curl/8', ''],
  [undefined, ''],
])('the browser %j is shown as %j', (agent, device) => {
  expect(deviceName(agent)).toBe(device)
})

it.each<[string, { sub?: string; sid?: string }, string[], string?]>([
  ['sub of another person', { sub: 'bob' }, []],
  ['sub', { sub: 'ada' }, ['s1', 's2', '']],
  ['sid, also without a sid', { sid: 's1' }, ['s1', '']],
  ['sid of another issuer', { sid: 's1' }, [], 'https://other.example'],
  ['sub and sid, also without a sid', { sub: 'ada', sid: 's1' }, ['s1', '']],
])(
  'a logout by %s ends those sign-ins, and later ones work',
  async (_title, named, ended, issuer = ISSUER) => {
    const { sessions, person, browser, store, clock } = setUpSignIn()
    const signedInWith = async (sid: string) => {
      person.claims = sid === '' ? {} : { sid }
      const one = browser()
      await one.signIn()
      return { sid, one }
    }
    const all = [await signedInWith('s1'), await signedInWith('s2'), await signedInWith('')]

    // The logout is remembered for SESSION_MAX_HOURS, so that it also ends a sign-in in the evening.
    expect(store.named('sid:').map((key) => store.lives.get(key))).toEqual([36_000, 36_000])
    expect(await sessions.endByLogoutToken(issuer, named)).toBe(ended.length)
    for (const { sid, one } of all)
      expect(await one.currentUser()).toMatchObject(ended.includes(sid) ? signedOut : { subject: 'ada' })

    clock.now++
    const { one: again } = await signedInWith('s1')
    expect(await again.currentUser()).toMatchObject({ subject: 'ada' })
  },
)

it.each([{ sub: 'ada' }, { sid: 's1' }, { sub: 'ada', sid: 's1' }])(
  'a logout ends a pending sign-in and revokes its tokens: %j',
  async (named) => {
    const metadata = { revocation_endpoint: `${ISSUER}/revoke` }
    const fixture = setUpSignIn({ metadata })
    const { browser, person, sessions, store, requests, answers, callbackFor, clock } = fixture
    answers['/revoke'] = () => ({})
    person.claims = { sid: 's1' }
    const ada = browser()
    const sent = await ada.begin({ return_to: '/x' })
    await sessions.endByLogoutToken(ISSUER, named)
    clock.now++
    expect(await ada.follow(callbackFor(sent))).toBe('/sign-in?return_to=%2Fx&again=1')
    await expect.poll(() => requests.map(({ form }) => form['token']).filter(Boolean)).toHaveLength(2)
    expect(store.named('session:')).toEqual([])
    expect(await ada.signIn()).toBe('/onboarding')
  },
)

it.each(['sid', 'sub'] as const)(
  'a logout by %s during a sign-in ends it, whichever write comes next',
  async (by) => {
    for (const beginning of ['session:', 'sid:', 'sessions-of:']) {
      let logout: (() => Promise<unknown>) | undefined
      const records = (store: Records): Records => ({
        ...store,
        async compareAndSet(key, ...args) {
          const [meanwhile, isNow] = [logout, key.startsWith(beginning)]
          if (isNow) logout = undefined
          if (isNow) await meanwhile?.()
          return await store.compareAndSet(key, ...args)
        },
      })
      const { browser, person, newSignIn } = setUpSignIn({ records })
      // Another process, because one process serializes its changes of a record.
      const { sessions } = newSignIn()
      person.claims = { sid: 's1' }
      const ada = browser()
      logout = () => sessions.endByLogoutToken(ISSUER, by === 'sid' ? { sid: 's1' } : { sub: 'ada' })
      await ada.signIn()
      expect(await ada.currentUser(), beginning).toMatchObject(signedOut)
    }
  },
)

it('a logout with a full store ends the sign-ins, and is repeated', async () => {
  let isFull = false
  const full = (records: Records) =>
    failing(records, (operation) => isFull && operation === 'compareAndSet' && 'OOM command not allowed')
  const { browser, sessions } = setUpSignIn({ records: full })
  const ada = browser()
  await ada.signIn()
  isFull = true
  await expect(sessions.endByLogoutToken(ISSUER, { sub: 'ada' })).rejects.toBeInstanceOf(StoreUnavailable)
  expect(await ada.currentUser()).toMatchObject(signedOut)
})

it('a sign-in that survived a logout, because the process died, ends with the next sign-in', async () => {
  let isDying = false
  const dying = (records: Records): Records => ({
    ...records,
    remove: (key) => (isDying ? new Promise<never>(() => {}) : records.remove(key)),
  })
  const { browser, sessions, clock } = setUpSignIn({ records: dying })
  const ada = browser()
  await ada.signIn()
  isDying = true
  void sessions.endByLogoutToken(ISSUER, { sub: 'ada' })

  await expect.poll(() => ada.currentUser()).toMatchObject({ subject: 'ada' })
  isDying = false
  clock.now++
  await browser().signIn()
  expect(await ada.currentUser()).toMatchObject(signedOut)
})
