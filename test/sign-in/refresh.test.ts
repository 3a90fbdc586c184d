// Calls of the service with a valid access token: one refresh for all requests and processes, without losing the
// sign-in.
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'
import type { Tokens } from '../../src/session/signed-in.ts'
import { setUpSignIn, ISSUER, warningsIn, type Setup } from './in-process.ts'
import { failing } from '../helpers/memory-records.ts'
import { createServerStub } from './server-stub.ts'

const MINUTE = 60_000

afterEach(() => void vi.useRealTimers())

/** Time limits end by `advanceTimersByTime`; the pauses between attempts stay real. */
const stopTimeLimits = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

/** Signs in a person whose tokens are valid for five minutes. */
async function setUpSignedInPerson({ records: wrap = (all) => all, ...options }: Setup = {}) {
  let attempts = 0
  const counted = (records: Records): Records => ({
    ...records,
    async compareAndSet(key, ...args) {
      const isDone = await records.compareAndSet(key, ...args)
      if (key.startsWith('lease:')) attempts++
      return isDone
    },
  })
  const fixture = setUpSignIn({ ...options, records: (all) => counted(wrap(all)) })
  const ada = fixture.browser()
  await ada.signIn()
  fixture.audited.length = fixture.logged.length = 0
  const { clock } = fixture
  const first = await ada.call()
  const expire = () => void (clock.now += 5 * MINUTE)
  const isSignedIn = async () => (await ada.currentUser())['subject'] === 'ada'
  const refreshes = () => fixture.requests.filter(({ form }) => form['grant_type'] === 'refresh_token').length
  /** Number of times that a process has polled another one's refresh; it waits by the test clock. */
  const leaseAttempts = () => attempts
  return { ...fixture, ada, first, expire, isSignedIn, refreshes, leaseAttempts }
}

const grouped = { settings: { ADMIN_GROUPS: ['New', 'Old'] } }
const ENDED = 'refresh: end of the sign-in'
const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

it('calls carry X-Service-Auth-Type for tokens of an external identity provider', async () => {
  for (const TOKEN_ISSUED_BY of ['service', 'external-idp']) {
    const { ada, expire } = await setUpSignedInPerson({ settings: { TOKEN_ISSUED_BY } })
    const { body } = await ada.agent.get('/call')
    expire()
    const { body: refreshed } = await ada.agent.get('/call')
    const isExternalIdp = TOKEN_ISSUED_BY === 'external-idp'
    expect([body, refreshed]).toMatchObject([{ isExternalIdp }, { isExternalIdp, accessToken: 'access-2' }])
  }
})

it('tokens are refreshed shortly before they expire, once for all processes', async () => {
  const { ada, first, clock, requests, audited, refreshes } = await setUpSignedInPerson()
  clock.now += 4 * MINUTE
  expect([await ada.call(), refreshes()]).toEqual([first, 0])
  clock.now += MINUTE - 1
  expect(await ada.call()).toBe('access-2')
  expect(await ada.call()).toBe('access-2')
  expect(await ada.call('elsewhere')).toBe('access-2')
  const form = { grant_type: 'refresh_token', refresh_token: 'refresh' }
  expect(requests.slice(1)).toMatchObject([{ form }])
  expect(audited).toEqual([{ event: 'refresh', result: 'ok' }])
})

it('a refresh sends the resource, and redeems the newest refresh token', async () => {
  const resource = 'https://service.example'
  const { ada, expire, person, requests } = await setUpSignedInPerson({
    settings: { OIDC_RESOURCE: resource },
  })
  for (const refresh_token of ['second', undefined, 'fourth']) {
    person.tokens = { refresh_token }
    expire()
    await ada.call()
  }
  const sent = requests.slice(1).map(({ form }) => [form['refresh_token'], form['resource']])
  expect(sent).toEqual(['refresh', 'second', 'second'].map((token) => [token, resource]))
})

it('a person without a refresh token keeps the access token until it expires', async () => {
  const { browser, person, clock, requests } = setUpSignIn()
  person.tokens = { refresh_token: undefined }
  const ada = browser()
  await ada.signIn()
  requests.length = 0
  clock.now += 5 * MINUTE - 1
  expect(await ada.call()).toMatch(/^access/)
  clock.now += 1
  const problem = { status: 401, code: 'signed_out', tryAgain: '/sign-in?return_to=%2Fcall' }
  expect(await ada.follow('/call')).toMatchObject(problem)
  expect(requests).toEqual([])
})

it('a rejected token is refreshed once, and the sign-in ends unless it is new', async () => {
  const { ada, first, refused, refreshes, clock, isSignedIn } = await setUpSignedInPerson()

  refused.add(first)
  const afterFirstRejection = await ada.call()
  expect(afterFirstRejection).toBe('access-2')
  expect(refreshes()).toBe(1)

  refused.add('all')
  clock.now += MINUTE - 1
  const whileNew = await ada.call()
  expect({ whileNew, refreshes: refreshes(), isSignedIn: await isSignedIn() }).toEqual({
    whileNew: 'service_refused_sign_in',
    refreshes: 2,
    isSignedIn: true,
  })
  expect(await ada.follow('/call')).toMatchObject({ tryAgain: '/sign-in?return_to=%2Fcall' })

  clock.now += 1
  const onceOld = await ada.call()
  expect({ onceOld, isSignedIn: await isSignedIn() }).toEqual({ onceOld: 'signed_out', isSignedIn: false })
})

const token = (access_token: string, more: object = {}) => ({
  body: { access_token, token_type: 'Bearer', ...more },
})

it('a refresh keeps what its response leaves out', async () => {
  const settings = { TOKEN_ISSUED_BY: 'external-idp' }
  const { ada, clock, expire, answers } = await setUpSignedInPerson({ settings })
  const stored = async () => (await ada.agent.get('/tokens')).body as Required<Tokens>
  const { idToken } = await stored()
  expire()
  answers['/token'] = () => token('new')
  await ada.call()
  // Without `expires_in`, there is no expiry.
  const kept: Required<Omit<Tokens, 'expiresAt'>> = {
    accessToken: 'new',
    refreshToken: 'refresh',
    idToken,
    issuedAt: clock.now,
    isExternal: true,
  }
  expect([await stored(), typeof idToken]).toEqual([kept, 'string'])
})

it('requests of two processes at the same time refresh once', async () => {
  const { ada, expire, answers, refreshes } = await setUpSignedInPerson()
  expire()
  answers['/token'] = () => pause(100, token('new'))
  const calls = [1, 2, 3, 4].map((one) => ada.call(one % 2 ? 'here' : 'elsewhere'))
  expect(await Promise.all(calls)).toEqual(Array(4).fill('new'))
  expect(refreshes()).toBe(1)
})

it('a process waits five seconds for another one to refresh', async () => {
  const { ada, first, clock, expire, refreshes, answers, leaseAttempts } = await setUpSignedInPerson()
  const { promise, resolve } = Promise.withResolvers<{ body: object }>()
  answers['/token'] = () => promise

  clock.now += 5 * MINUTE - 1
  const slow = ada.call()
  await expect.poll(refreshes).toBe(1)
  expect(await ada.call('elsewhere')).toBe(first)

  expire()
  const attemptsBefore = leaseAttempts()
  const waiting = ada.call('elsewhere')
  await expect.poll(leaseAttempts).toBeGreaterThan(attemptsBefore)
  clock.now += 5_000
  expect(await waiting).toBe('sign_in_unavailable')

  resolve(token('winner'))
  expect(await slow).toBe('winner')
  expect(await ada.call('elsewhere')).toBe('winner')
  expect(refreshes()).toBe(1)
})

it.each([
  ['has saved tokens, though its lease stays', token('winner'), 'winner', true],
  ['has ended the sign-in, though its lease stays', invalidGrant, 'signed_out', true],
  ['has ended the sign-in', invalidGrant, 'signed_out', false],
])('a process waits until another one %s', async (_title, answer, outcome, isStuck) => {
  const { ada, expire, refreshes, answers, leaseAttempts } = await setUpSignedInPerson({
    records: (all) => failing(all, (operation) => isStuck && operation === 'compareAndRemove' && 'away'),
  })
  const { promise, resolve } = Promise.withResolvers<object>()
  answers['/token'] = () => promise
  expire()
  const slow = ada.call()
  await expect.poll(refreshes).toBe(1)
  const attemptsBefore = leaseAttempts()
  const waiting = ada.call('elsewhere')
  await expect.poll(leaseAttempts).toBeGreaterThan(attemptsBefore)
  resolve(answer)
  expect(await Promise.all([slow, waiting])).toEqual([outcome, outcome])
})

it('a refresh holds its lease for forty seconds, so a frozen process keeps it', async () => {
  const { ada, expire, answers, store } = await setUpSignedInPerson()
  expire()
  let life: number | undefined
  answers['/token'] = () => {
    const [key = ''] = store.named('lease:refresh:')
    life = store.lives.get(key)
    return invalidGrant
  }
  await ada.call()
  expect(life).toBe(40)
  expect(store.named('lease:')).toEqual([])
})

it('a late refresh keeps the tokens of an earlier one', async () => {
  for (const late of [invalidGrant, token('loser')]) {
    const { ada, expire, answers, store, isSignedIn } = await setUpSignedInPerson()
    expire()
    let count = 0
    answers['/token'] = async () => {
      if (count++ > 0) return token('winner')
      // Like a process that was frozen for longer than its lease.
      for (const key of store.named('lease:')) store.values.delete(key)
      expect(await ada.call('elsewhere')).toBe('winner')
      return late
    }
    expect(await ada.call()).toBe('winner')
    expect(await isSignedIn()).toBe(true)
  }
})

it.each([
  ['revokes its new tokens', token('new', { refresh_token: 'newer' }), ['newer', 'new']],
  ['may be refused', invalidGrant, []],
])('a refresh of an ended session %s', async (_title, answer, revoked) => {
  const metadata = { revocation_endpoint: `${ISSUER}/revoke` }
  const { ada, expire, answers, requests, store, isSignedIn } = await setUpSignedInPerson({ metadata })
  expire()
  answers['/revoke'] = () => ({})
  answers['/token'] = () => {
    for (const key of store.named('session:')) store.values.delete(key)
    return answer
  }
  expect([await ada.call(), await isSignedIn()]).toEqual(['signed_out', false])
  await expect.poll(() => requests.map(({ form }) => form['token']).filter(Boolean)).toEqual(revoked)
})

it('an expired id_token at a refresh keeps the sign-in', async () => {
  const { ada, expire, person, isSignedIn, logged } = await setUpSignedInPerson(grouped)
  Object.assign(person, { expires: 1_600_000_000, claims: { groups: ['New'] } })
  for (const expected of ['access-2', 'access-3']) {
    expire()
    expect([await ada.call(), await isSignedIn()]).toEqual([expected, true])
  }
  expect((await ada.currentUser())['groups']).toEqual(undefined)
  expect(warningsIn(logged).filter((message) => message.includes('has expired'))).toHaveLength(1)
})

it.each([
  { after: 0, groups: ['New'] },
  { after: 1, groups: undefined },
])(
  'an id_token that expired $after s before a refresh gives the groups $groups',
  async ({ after, groups }) => {
    const { ada, expire, person, clock } = await setUpSignedInPerson(grouped)
    expire()
    Object.assign(person, { expires: clock.now / 1000 - after, claims: { groups: ['New'] } })
    await ada.call()
    expect((await ada.currentUser())['groups']).toEqual(groups)
  },
)

it.each([
  ['for another client', { audience: 'another' }, 'another issuer or audience'],
  ['about another person', { sub: 'eve' }, 'another sub'],
])('an id_token %s at a refresh ends the sign-in and is logged', async (_title, change, reason) => {
  const { ada, expire, person, isSignedIn, logged } = await setUpSignedInPerson()
  expire()
  Object.assign(person, change)
  expect([await ada.call(), await isSignedIn()]).toEqual(['signed_out', false])
  expect(warningsIn(logged)).toEqual([`refresh: the new id_token has ${reason}, so the sign-in ends`])
})

it('a refresh token is redeemed only at the authorization server of the sign-in', async () => {
  const { ada, expire, isSignedIn, authorizationServer, logged } = await setUpSignedInPerson()
  const otherServer = createServerStub({ issuer: 'http://new.example' }, {})
  authorizationServer.refreshConfiguration = otherServer.authorizationServer.refreshConfiguration
  expire()

  const response = await ada.call()

  expect({ response, isSignedIn: await isSignedIn(), requests: otherServer.requests }).toEqual({
    response: 'signed_out',
    isSignedIn: false,
    requests: [],
  })
  expect(logged).toEqual([['debug', ENDED, { reason: 'other-issuer' }]])
})

it('a refresh updates the admin groups if the id_token has them', async () => {
  const { ada, expire, person } = await setUpSignedInPerson(grouped)
  person.claims = { groups: ['New', 'Other'] }
  for (const idToken of ['there', undefined]) {
    if (idToken === undefined) person.tokens = { id_token: undefined }
    expire()
    await ada.call()
    expect((await ada.currentUser())['groups']).toEqual(['New'])
  }
  Object.assign(person, { claims: { groups: ['Other'] }, tokens: undefined })
  expire()
  await ada.call()
  expect((await ada.currentUser())['groups']).toEqual([])
})

const endedLine = ['debug', ENDED, { reason: expect.any(String) as string }]
const SIGNED_OUT = { audited: [{ event: 'refresh', result: 'ended' }], logged: [endedLine] }
const UNCHANGED = { audited: [], logged: [] }
it.each<[string, string, { status: number; body?: object }, typeof SIGNED_OUT | typeof UNCHANGED]>([
  ['invalid_grant', 'signed_out', invalidGrant, SIGNED_OUT],
  ['401 without an error', 'signed_out', { status: 401, body: {} }, SIGNED_OUT],
  ['server_error', 'sign_in_unavailable', { status: 500, body: { error: 'server_error' } }, UNCHANGED],
  ['404 with another error', 'sign_in_unavailable', { status: 404, body: { error: 'odd' } }, UNCHANGED],
  ['invalid_client', 'sign_in_misconfigured', { status: 401, body: { error: 'invalid_client' } }, UNCHANGED],
])(
  'a refresh with the response %s gives the person the problem %s',
  async (_title, outcome, answer, records) => {
    const { ada, expire, answers, audited, logged } = await setUpSignedInPerson()
    expire()
    answers['/token'] = () => answer
    expect(await ada.call()).toBe(outcome)
    expect(await ada.call()).toBe(outcome)
    expect({ audited, logged }).toEqual(records)
  },
)

it.each(['interaction', 'login', 'consent', 'account_selection'])(
  'right after a sign-in, a refresh that responds %s_required lets the person decide',
  async (what) => {
    const { ada, refused, answers, isSignedIn } = await setUpSignedInPerson()
    refused.add('all')
    answers['/token'] = () => ({ status: 400, body: { error: `${what}_required` } })
    expect(await ada.call()).toBe('sign_in_ended')
    expect(await isSignedIn()).toBe(true)
  },
)

it('a failed early refresh doesn’t matter while the token is valid', async () => {
  const { ada, first, clock, answers, isSignedIn } = await setUpSignedInPerson()
  answers['/token'] = () => ({ status: 503, body: { error: 'temporarily_unavailable' } })
  clock.now += 5 * MINUTE - 1
  expect(await ada.call()).toBe(first)
  // A refusal without an error code may be temporary, so the token is used until it expires.
  answers['/token'] = () => ({ status: 403, body: {} })
  expect([await ada.call(), await isSignedIn()]).toEqual([first, true])
  answers['/token'] = () => invalidGrant
  expect([await ada.call(), await isSignedIn()]).toEqual(['signed_out', false])
})

it('a sign-in that the server ended leads to the sign-in page', async () => {
  let isAway = false
  const records = (store: Records) =>
    failing(store, (operation) => isAway && operation === 'remove' && 'away')
  const { ada, first, clock, answers, refused, isSignedIn } = await setUpSignedInPerson({ records })
  answers['/token'] = () => invalidGrant
  refused.add(first)
  isAway = true
  clock.now += 5 * MINUTE - 1
  expect(await ada.call()).toBe('signed_out')
  isAway = false
  expect([await ada.call(), await isSignedIn()]).toEqual(['signed_out', false])
})

it('a refresh that takes longer than its page still saves its tokens', async () => {
  const { ada, first, clock, answers, refused, refreshes, leaseAttempts } = await setUpSignedInPerson()
  const answer = Promise.withResolvers<{ body: object }>()
  answers['/token'] = () => answer.promise
  refused.add(first)
  clock.now += 5 * MINUTE - 1
  stopTimeLimits()
  const page = ada.call()
  await expect.poll(refreshes).toBe(1)
  const attemptsBefore = leaseAttempts()
  vi.advanceTimersByTime(1_000)
  // The page uses the valid token; when the service rejects it, the page waits for this refresh.
  await expect.poll(leaseAttempts).toBeGreaterThan(attemptsBefore)
  clock.now += 6_000
  expect(await page).toBe('sign_in_unavailable')
  answer.resolve(token('late', { refresh_token: 'next', expires_in: 300 }))
  expect([await ada.call(), refreshes()]).toEqual(['late', 1])
})

it.each([
  { seconds: 37, saved: 'access-2', failures: 0 },
  { seconds: 37.001, saved: 'store_unavailable', failures: 1 },
])('in a lease of 40 s, tokens that take $seconds s to save give $saved', async (row) => {
  const { seconds, saved } = row
  let failures = 1
  const records = (store: Records) =>
    failing(store, (operation, key, expected) => {
      const isSave = operation === 'compareAndSet' && key.startsWith('session:') && expected !== undefined
      if (!isSave || failures-- <= 0) return false
      clock.now += seconds * 1000
      return 'away'
    })
  const { ada, expire, clock, refreshes, logged } = await setUpSignedInPerson({ records })
  expire()
  expect([await ada.call(), refreshes()]).toEqual([saved, 1])
  const err = expect.any(StoreUnavailable) as Error
  const line = ['warn', 'could not store refreshed tokens', { err }]
  expect(logged).toEqual(Array.from({ length: row.failures }, () => line))
})

it('no process redeems a used refresh token while its successor is being saved', async () => {
  const { promise: hanging, resolve: answer } = Promise.withResolvers<void>()
  let isSaving = false
  const slow = (records: Records): Records => ({
    ...records,
    async compareAndSet(key, expected, ...args) {
      isSaving = key.startsWith('session:') && expected !== undefined
      if (isSaving) await hanging
      return await records.compareAndSet(key, expected, ...args)
    },
  })
  const { ada, expire, refreshes, leaseAttempts } = await setUpSignedInPerson({ records: slow })
  expire()

  stopTimeLimits()
  const page = ada.call()
  await expect.poll(() => isSaving).toBe(true)
  vi.advanceTimersByTime(5_000)
  expect(await page).toBe('sign_in_unavailable')
  const attemptsBefore = leaseAttempts()
  const elsewhere = ada.call('elsewhere')
  await expect.poll(leaseAttempts).toBeGreaterThan(attemptsBefore)
  expect(refreshes()).toBe(1)

  answer()
  expect([await elsewhere, refreshes()]).toEqual(['access-2', 1])
})

it('new tokens count as saved if the store’s response was lost', async () => {
  let isLost = true
  const losing = (records: Records): Records => ({
    ...records,
    async compareAndSet(key, expected, ...args) {
      const isDone = await records.compareAndSet(key, expected, ...args)
      if (!isLost || !key.startsWith('session:') || expected === undefined) return isDone
      isLost = false
      throw new StoreUnavailable(new Error('no answer'))
    },
  })
  const { ada, expire, refreshes } = await setUpSignedInPerson({ records: losing })
  expire()
  expect(await ada.call()).toBe('access-2')
  expect(await ada.call()).toBe('access-2')
  expect(refreshes()).toBe(1)
})
