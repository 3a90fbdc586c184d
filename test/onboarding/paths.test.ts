// Paths of the walk's routes, and parsing of untrusted queries.
import { expect, it } from 'vitest'
import {
  actionPath,
  callbackPath,
  overviewPath,
  stepFromQuery,
  parseVisit,
} from '../../src/onboarding/paths.ts'

const anything = (value: unknown) => (typeof value === 'string' ? value : undefined)
const visit = (query: Record<string, unknown>) => parseVisit(query, anything)

it('a path identifies the app, whatever the characters of its instance', () => {
  expect(actionPath('connect', 'a/b?')).toBe('/onboarding/connect/a%2Fb%3F')
  expect(callbackPath('a&b')).toBe('/onboarding/callback?step=a%26b')
})

it.each<[unknown, string | undefined]>([
  ['aB3-_xyz', 'aB3-_xyz'],
  ['aB3-_xyz?status=success', 'aB3-_xyz'],
  ['aB3-_xyz&status=success', 'aB3-_xyz'],
  ['aB3-_xyz/', 'aB3-_xyz'],
  [['aB3-_xyz', 'other'], 'aB3-_xyz'],
  ['?aB3', undefined],
  ['', undefined],
  [[], undefined],
  [{ a: 'aB3' }, undefined],
  [undefined, undefined],
])('the step of a return is read from %j as %j', (step, read) => expect(stepFromQuery({ step })).toBe(read))

it.each([
  [{}, { datasources: [] }],
  [{ datasource: 'slack' }, { datasources: ['slack'] }],
  [{ datasource: ['slack', 'github_1'] }, { datasources: ['slack', 'github_1'] }],
  [{ datasource: { a: 'b' } }, { datasources: [] }],
  [{ datasource: ['slack', { a: 1 }, '', 'x'.repeat(201)] }, { datasources: ['slack'] }],
  [{ datasource: Array(60).fill('x') }, { datasources: Array(50).fill('x') }],
  [{ return_to: 'https://intranet.example/' }, { datasources: [], returnTo: 'https://intranet.example/' }],
  [{ return_to: ['a', 'b'] }, { datasources: [] }],
])('the query of a visit %j is read as %j', (query, read) => expect(visit(query)).toEqual(read))

it.each(['!', 'ü', '\u{1f5c2}'])(
  'a visit’s address stays within every server’s limit, even with names of %s',
  (character) => {
    const name = character.repeat(200 / character.length)
    for (const return_to of [undefined, `https://intranet.example/${'x'.repeat(2_000)}`]) {
      const long = visit({ datasource: Array(50).fill(name), return_to })
      expect(long.datasources).toContain(name)
      expect(overviewPath(long, name).length).toBeLessThan(8_000)
    }
  },
)

it('a visit’s address keeps its apps and return address, whatever their characters', () => {
  const odd = { datasources: ['a&b=c', 'd e/#'], returnTo: 'https://intranet.example/?x=1&y=2' }
  const query = new URL(overviewPath(odd, 'a&b=c'), 'http://onramp').searchParams
  expect(query.getAll('datasource')).toEqual(odd.datasources)
  expect(query.get('return_to')).toBe(odd.returnTo)
  expect(query.get('from')).toBe('a&b=c')
  expect(overviewPath({ datasources: [] })).toBe('/onboarding')
})
