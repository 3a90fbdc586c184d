// The addresses of the walk's routes, and what an address says that anyone may have written.
import { describe, expect, it } from 'vitest'
import {
  blockPath,
  callbackPath,
  connectPath,
  overviewPath,
  skipPath,
  stepIn,
  unblockPath,
  unskipPath,
  visitOf,
  withVisit,
} from '../../src/onboarding/paths.ts'
import { startWalk } from '../../src/onboarding/walk.ts'

const trusting = (value: unknown) => (typeof value === 'string' ? value : undefined)
const visit = (query: Record<string, unknown>) => visitOf(query, trusting)

describe('an address of the walk', () => {
  it('names the app whatever its name is made of', () => {
    const paths = [connectPath, skipPath, unskipPath, blockPath, unblockPath].map((path) => path('a/b?'))
    const actions = ['connect', 'skip', 'unskip', 'blocked', 'unblock']
    expect(paths).toEqual(actions.map((action) => `/onboarding/${action}/a%2Fb%3F`))
    expect(callbackPath('a&b')).toBe('/onboarding/callback?step=a%26b')
  })

  it('of the overview says what the visit is about, and only that', () => {
    expect(overviewPath({ only: [] })).toBe('/onboarding')
    expect(overviewPath({ only: ['a', 'b'], returnTo: 'https://x.example/?y' }, 'b')).toBe(
      '/onboarding?datasource=a&datasource=b&return_to=https%3A%2F%2Fx.example%2F%3Fy&from=b',
    )
  })
})

describe('the step of a return', () => {
  it.each([
    ['Ab-_9', 'Ab-_9'],
    ['Ab?status=success', 'Ab'],
    ['Ab/', 'Ab'],
    [['Ab', 'other'], 'Ab'],
    ['?Ab', undefined],
    [{ a: 'Ab' }, undefined],
    [undefined, undefined],
  ])('is read from %j as %j', (step, read) => expect(stepIn({ step })).toBe(read))
})

describe('what a visit is about', () => {
  it('is the apps that are named, and where the person wants to go', () => {
    expect(visit({ datasource: 'a', return_to: '/b' })).toEqual({ only: ['a'], returnTo: '/b' })
    expect(visit({ datasource: ['a', '', 7, 'x'.repeat(200), 'x'.repeat(201)] }).only).toEqual([
      'a',
      'x'.repeat(200),
    ])
    expect(visit({})).toEqual({ only: [], returnTo: undefined })
  })

  it('is so little that an address still holds it', () => {
    const many = Array.from({ length: 60 }, (_, index) => `a${index}`)
    expect(visit({ datasource: many }).only).toEqual(many.slice(0, 50))
    const long = visit({ datasource: many.map((name) => name.padEnd(200, 'x')) })
    expect(long.only.length).toBeGreaterThan(20)
    expect(overviewPath(long).length).toBeLessThanOrEqual(6_000)
    expect(visit({ datasource: ['a', 'b'], return_to: 'x'.repeat(7_000) }).only).toEqual(['a'])
  })

  it('changes the walk only when it is another', () => {
    const walk = withVisit(startWalk(0), { only: ['a', 'b'], returnTo: '/c' })
    expect(walk.visit).toEqual({ only: ['a', 'b'], returnTo: '/c' })
    expect(withVisit(walk, { only: ['a', 'b'], returnTo: '/c' })).toBe(walk)
    const others = [['a', 'b'], ['a'], ['b', 'a'], ['a', 'c']].map((only, index) => ({
      only,
      returnTo: index === 0 ? '/d' : '/c',
    }))
    for (const other of others) expect(withVisit(walk, other).visit).toEqual(other)
  })
})
