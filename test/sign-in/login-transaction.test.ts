// `state`, which carries a sign-in through the browser: what opens it, what it proves, and what becomes of an answer to it.
import { describe, expect, it } from 'vitest'
import { decodeFirewallSafe } from '../../src/records/firewall-safe.ts'
import {
  LoginTransactions,
  checkCallback,
  type LoginTransaction,
} from '../../src/sign-in/transaction/login-transaction.ts'

const [OLD, NEW] = ['old secret '.repeat(4), 'new secret '.repeat(4)] as const
const COOKIE = 'b'.repeat(22)
const NOW = 1_700_000_000_000

const START = { returnTo: '/onboarding', startedAt: NOW, restarts: 0 } as const
const BEGUN = { cookie: COOKIE, sessionId: undefined }

describe('the state of a sign-in', () => {
  it.each([
    {},
    { prompt: 'login', restarts: 3 },
    { returnTo: 'https://intranet.acme.example/a?b="c"#d', prompt: 'select_account' },
  ] as const)('brings back all that was put into it: %j', (own) => {
    const states = new LoginTransactions([NEW])
    const start = { ...START, ...own }
    const { state, ...secrets } = states.seal(start, BEGUN)
    const opened = states.open(state)
    expect(opened?.transaction).toMatchObject(start)
    expect(opened?.secretsFor(COOKIE)).toEqual(secrets)
  })

  it('stays short: below 400 characters for a usual address, below 1,700 for the longest', () => {
    const longest = { ...START, prompt: 'select_account', restarts: 4 } as const
    const lengthFor = (returnTo: string) =>
      new LoginTransactions([NEW]).seal({ ...longest, returnTo }, { ...BEGUN, sessionId: 'session' }).state
        .length
    expect(lengthFor(`/onboarding?datasource=slack_1&return_to=${'x'.repeat(100)}`)).toBeLessThan(400)
    expect(lengthFor(`/${'x'.repeat(1_023)}`)).toBeLessThan(1_700)
  })

  it('shows nothing of itself, and is never the same twice', () => {
    const states = new LoginTransactions([NEW])
    const [one, other] = [states.seal(START, BEGUN), states.seal(START, BEGUN)]
    expect(one.state).not.toBe(other.state)
    expect(one.state).toMatch(/^\w+$/)
    expect(Buffer.from(decodeFirewallSafe(one.state), 'base64url').toString('latin1')).not.toContain(
      'onboarding',
    )
    expect(one.nonce).not.toBe(other.nonce)
    expect(one.codeVerifier).not.toBe(one.nonce)
    // RFC 7636 4.1.
    expect(one.codeVerifier).toMatch(/^[\w-]{43}$/)
  })

  it('gives a firewall nothing to find (--, 0x1f, .env): not in itself, nor in nonce, verifier and challenge', () => {
    for (let count = 0; count < 2_000; count++) {
      const { state, ...secrets } = new LoginTransactions([NEW]).seal(START, BEGUN)
      expect([state, ...Object.values(secrets)].filter((value) => /--|\b0x|\./i.test(value))).toEqual([])
    }
  })

  it('is proven by the browser that began alone', () => {
    const states = new LoginTransactions([NEW])
    const { state, nonce, codeVerifier } = states.seal(START, BEGUN)
    const stranger = states.open(state)?.secretsFor('c'.repeat(22))
    expect(stranger?.nonce).not.toBe(nonce)
    expect(stranger?.codeVerifier).not.toBe(codeVerifier)
  })

  it('ends well over a new secret in front, with the proofs of the one that sealed it', () => {
    const { state, ...secrets } = new LoginTransactions([OLD]).seal(START, BEGUN)
    expect(new LoginTransactions([NEW, OLD]).open(state)?.secretsFor(COOKIE)).toEqual(secrets)
    expect(new LoginTransactions([NEW]).open(state)).toBeUndefined()
  })

  it('that anyone else made, or changed, opens nothing', () => {
    const { state } = new LoginTransactions([NEW]).seal(START, BEGUN)
    const changed = state.slice(0, -2) + (state.endsWith('AA') ? 'BB' : 'AA')
    for (const made of ['', 'x', changed, state.slice(1), 'A'.repeat(300)])
      expect(new LoginTransactions([NEW]).open(made)).toBeUndefined()
  })
})

describe('an answer to a sign-in', () => {
  const A_DAY = 24 * 3600 * 1000
  it.each<[string, string | undefined, { cookie?: string; sessionId?: string; now?: number }, string]>([
    ['in the browser that began is redeemed', undefined, {}, 'redeem'],
    ['in another browser starts over there', undefined, { cookie: 'c'.repeat(22) }, 'restart'],
    ['in a browser without the cookie starts over', undefined, { cookie: '' }, 'no-cookie'],
    ['after a day is redeemed still', undefined, { now: NOW + A_DAY }, 'redeem'],
    ['after more than a day starts over', undefined, { now: NOW + A_DAY + 1 }, 'restart'],
    ['where another tab was faster goes on', undefined, { sessionId: 'new' }, 'keep-session'],
    ['where the session is the one of then is redeemed', 's', { sessionId: 's' }, 'redeem'],
    ['where another session came in between goes on', 's', { sessionId: 'new' }, 'keep-session'],
    ['where the session of then is over is redeemed', 's', {}, 'redeem'],
    [
      'of a stranger goes on where one is signed in',
      undefined,
      { cookie: 'c', sessionId: 'ada' },
      'keep-session',
    ],
  ])('%s', (_what, before, now, judged) => {
    const states = new LoginTransactions([NEW])
    const { state } = states.seal(START, { cookie: COOKIE, sessionId: before })
    const transaction = states.open(state)?.transaction as LoginTransaction
    expect(checkCallback(transaction, { cookie: COOKIE, sessionId: undefined, now: NOW, ...now })).toBe(
      judged,
    )
  })
})
