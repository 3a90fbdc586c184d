// What `prompt` a server is asked with, by what it knows.
import { describe, expect, it } from 'vitest'
import {
  isLoginRefused,
  isWishRefused,
  possibleWish,
  promptFor,
  wishOf,
  type Wish,
} from '../../src/sign-in/prompt.ts'

const issuer = 'https://login.acme.example'

describe('a wish for another person at sign-in', () => {
  it.each<[Wish, string[] | undefined, Wish]>([
    ['login', undefined, 'login'],
    ['select_account', undefined, 'select_account'],
    ['login', ['none', 'login'], 'login'],
    ['select_account', ['none', 'login'], 'login'],
    ['login', ['none', 'select_account'], 'select_account'],
    ['login', ['none'], 'login'],
  ])('%s, where %j are supported, is %s', (wish, supported, expected) => {
    const metadata = { issuer, ...(supported && { prompt_values_supported: supported }) }
    expect(possibleWish(wish, metadata)).toBe(expected)
  })

  it('is never login at Google, which doesn’t know it and says so nowhere', () => {
    for (const wish of ['login', 'select_account'] as const)
      expect(possibleWish(wish, { issuer: 'https://accounts.google.com' })).toBe('select_account')
  })
})

describe('the prompt of a sign-in', () => {
  it.each<[string | undefined, Wish | undefined, string | undefined]>([
    [undefined, undefined, undefined],
    [undefined, 'select_account', 'select_account'],
    ['consent', undefined, 'consent'],
    ['consent login', 'select_account', 'consent login select_account'],
    ['consent select_account', 'login', 'consent login'],
    ['login', 'login', 'login'],
  ])('with OIDC_PROMPT %j and the wish %j is %j', (always, wish, prompt) => {
    expect(promptFor(always, wish)).toBe(prompt)
  })

  it('takes no other wish from an address than those that there are', () => {
    const wished = ['select_account', 'login', 'none', '', undefined, ['login']].map(wishOf)
    expect(wished).toEqual(['select_account', 'login', undefined, undefined, undefined, undefined])
  })
})

describe('a refusal', () => {
  it.each([
    'access_denied',
    'server_error',
    'temporarily_unavailable',
    'unauthorized_client',
    'invalid_client',
    'invalid_scope',
    'invalid_target',
    'invalid_grant',
  ])('with %s has another cause than the wish', (error) => {
    expect(isWishRefused('select_account', error)).toBe(false)
  })

  it('may be of the wish for another account, and of login, which is told apart', () => {
    expect(isWishRefused('select_account', 'account_selection_required')).toBe(true)
    expect(isWishRefused('login', 'account_selection_required')).toBe(false)
    expect(isWishRefused(undefined, 'account_selection_required')).toBe(false)
    expect(['invalid_request', 'access_denied'].map(isLoginRefused)).toEqual([true, false])
  })
})
