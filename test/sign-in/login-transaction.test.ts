// The state parameter: encryption, derived secrets, and the callbacks that may redeem a code.
import { expect, it } from 'vitest'
import { decodeFirewallSafe } from '../../src/records/seal.ts'
import { hashOf } from '../../src/records/seal.ts'
import { LoginTransactions, checkCallback } from '../../src/sign-in/transaction/login-transaction.ts'
import type { LoginTransaction } from '../../src/sign-in/transaction/login-transaction.ts'

const [OLD, NEW] = ['old secret '.repeat(4), 'new secret '.repeat(4)] as const
const COOKIE = 'b'.repeat(22)
const NOW = 1_700_000_000_000

const START = { returnTo: '/onboarding', startedAt: NOW, restarts: 0 } as const
const BEGUN = { cookie: COOKIE, sessionId: undefined, issuer: 'https://old.example' }

it.each([
  {},
  { prompt: 'login', restarts: 3 },
  { returnTo: 'https://intranet.acme.example/a?b="c"#d', prompt: 'select_account' },
] as const)('a state decrypts to its original value: %j', (own) => {
  const transactions = new LoginTransactions([NEW])
  const start = { ...START, ...own }
  const { state, ...secrets } = transactions.seal(start, BEGUN)
  const opened = transactions.open(state)
  expect(opened?.transaction).toMatchObject(start)
  expect(opened?.secretsFor(COOKIE)).toEqual(secrets)
})

it.each([
  ['a typical address', 400, `/onboarding?datasource=slack_1&return_to=${'x'.repeat(100)}`],
  ['the longest address', 1_700, `/${'x'.repeat(1_023)}`],
])('a state for %s has fewer than %i characters', (_title, limit, returnTo) => {
  const longest = { ...START, prompt: 'select_account', restarts: 4 } as const
  const browser = { ...BEGUN, sessionId: 'session' }
  const { state } = new LoginTransactions([NEW]).seal({ ...longest, returnTo }, browser)
  expect(state.length).toBeLessThan(limit)
})

it('a state reveals nothing, and no two are equal', () => {
  const transactions = new LoginTransactions([NEW])
  const [one, other] = [transactions.seal(START, BEGUN), transactions.seal(START, BEGUN)]
  expect(one.state).not.toBe(other.state)
  expect(one.state).toMatch(/^\w+$/)
  const bytes = Buffer.from(decodeFirewallSafe(one.state), 'base64url')
  expect(bytes.includes('onboarding')).toBe(false)
  expect(one.nonce).not.toBe(other.nonce)
  expect(one.codeVerifier).not.toBe(one.nonce)
  // RFC 7636 4.1.
  expect(one.codeVerifier).toMatch(/^[\w-]{43}$/)
})

it('a state and its secrets contain no text that a firewall refuses (--, 0x1f, .env)', () => {
  for (let count = 0; count < 2_000; count++) {
    const { state, ...secrets } = new LoginTransactions([NEW]).seal(START, BEGUN)
    expect([state, ...Object.values(secrets)].filter((value) => /--|\b0x|\./i.test(value))).toEqual([])
  }
})

it('only the original browser can derive the nonce and code_verifier, also after a rotation', () => {
  const { state, ...secrets } = new LoginTransactions([OLD]).seal(START, BEGUN)
  const opened = new LoginTransactions([NEW, OLD]).open(state)
  expect(opened?.secretsFor(COOKIE)).toEqual(secrets)
  const stranger = opened?.secretsFor('c'.repeat(22))
  expect(stranger?.nonce).not.toBe(secrets.nonce)
  expect(stranger?.codeVerifier).not.toBe(secrets.codeVerifier)
  expect(new LoginTransactions([NEW]).open(state)).toBeUndefined()
})

it('a forged or modified state is rejected', () => {
  const { state } = new LoginTransactions([NEW]).seal(START, BEGUN)
  const long = new LoginTransactions([NEW]).seal({ ...START, returnTo: '/'.padEnd(1_200, 'x') }, BEGUN)
  const changed = state.slice(0, -2) + (state.endsWith('AA') ? 'BB' : 'AA')
  for (const made of ['', 'x', changed, state.slice(1), 'A'.repeat(300), long.state])
    expect(new LoginTransactions([NEW]).open(made)).toBeUndefined()
})

const A_DAY = 24 * 3600 * 1000
it.each<
  [string, string | undefined, { cookie?: string; sessionId?: string; issuer?: string; now?: number }, string]
>([
  ['in the browser that began it is redeemed', undefined, {}, 'redeem'],
  ['in another browser starts over', undefined, { cookie: 'c'.repeat(22) }, 'restart'],
  ['without the cookie starts over', undefined, { cookie: '' }, 'no-cookie'],
  ['with another OIDC_ISSUER starts over', undefined, { issuer: 'https://new.example' }, 'restart'],
  ['after a day is redeemed', undefined, { now: NOW + A_DAY }, 'redeem'],
  ['after more than a day starts over', undefined, { now: NOW + A_DAY + 1 }, 'restart'],
  ['after a sign-in in another tab keeps its session', undefined, { sessionId: 'new' }, 'keep-session'],
  ['in the session of its start is redeemed', 's', { sessionId: 's' }, 'redeem'],
  ['in a later session keeps it', 's', { sessionId: 'new' }, 'keep-session'],
  ['after the session of its start has ended is redeemed', 's', {}, 'redeem'],
  ["of an attacker keeps the person's session", undefined, { cookie: 'c', sessionId: 'ada' }, 'keep-session'],
])('a callback %s', (_title, before, now, expected) => {
  const transactions = new LoginTransactions([NEW])
  const { state } = transactions.seal(START, { ...BEGUN, sessionId: before })
  const transaction = transactions.open(state)?.transaction as LoginTransaction
  expect(checkCallback(transaction, { ...BEGUN, now: NOW, ...now })).toBe(expected)
})

it('a callback of a sign-in that 0.1.0 began is redeemed', () => {
  const transaction = { ...START, id: 'any', browserHash: hashOf(COOKIE).slice(0, 22) }
  expect(checkCallback(transaction, { ...BEGUN, now: NOW })).toBe('redeem')
})
