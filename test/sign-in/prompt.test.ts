// What `prompt` a server is asked with, by what it knows.
import { describe, expect, it } from 'vitest'
import { possibleWish, type Wish } from '../../src/sign-in/prompt.ts'

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
