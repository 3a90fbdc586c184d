// The addresses of signing in, and the count of restarts in them.
import { describe, expect, it } from 'vitest'
import {
  addressesOf,
  newState,
  restartsOf,
  restartsSaid,
  signInAgainPath,
  signInPath,
} from '../../src/sign-in/addresses.ts'

it('the addresses that are registered are below PUBLIC_URL', () => {
  expect(addressesOf('https://onramp.example')).toEqual({
    callback: 'https://onramp.example/sign-in/callback',
    signedOut: 'https://onramp.example/signed-out',
    backChannelLogout: 'https://onramp.example/sign-out/backchannel',
  })
})

it('the addresses of a sign-in carry where to come back to', () => {
  expect(signInPath('/onboarding?a=b&c')).toBe('/sign-in?return_to=%2Fonboarding%3Fa%3Db%26c')
  expect(signInAgainPath('/a?b', 2)).toBe('/sign-in?return_to=%2Fa%3Fb&again=2')
  expect(signInAgainPath('/a', 1, { prompt: 'login' })).toBe('/sign-in?return_to=%2Fa&again=1&prompt=login')
})

describe('how often a sign-in has started over', () => {
  it('is in its state, which no one can guess', () => {
    expect(newState(3)).toMatch(/^3\.[\w-]{43}$/)
    expect(newState(3)).not.toBe(newState(3))
    expect([0, 1, 4].map((restarts) => restartsOf(newState(restarts)))).toEqual([0, 1, 4])
  })

  it.each(['', 'abc', '12.abc', 'x2.abc', '2'])(
    'counts as once in the state %j, which is not ours',
    (state) => {
      expect(restartsOf(state)).toBe(1)
    },
  )

  it.each([
    ['1', 1],
    ['4', 4],
    ['9', 4],
    ['0', 0],
    ['10', 0],
    ['x1', 0],
    ['1x', 0],
    ['-1', 0],
    [undefined, 0],
    [['1'], 0],
    [1, 0],
  ])('is read from the address: again=%j is %i', (said, restarts) => {
    expect(restartsSaid(said)).toBe(restarts)
  })
})
