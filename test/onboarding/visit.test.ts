import { describe, expect, it } from 'vitest'
import { createOnce } from '../../src/records/lease.ts'
import { overviewPath, stepIn, visitOf } from '../../src/onboarding/paths.ts'

const anything = (value: unknown) => (typeof value === 'string' ? value : undefined)

describe('what a visit is about', () => {
  it.each([
    [{}, { only: [] }],
    [{ datasource: 'slack' }, { only: ['slack'] }],
    [{ datasource: ['slack', 'github_1'] }, { only: ['slack', 'github_1'] }],
    [{ datasource: '' }, { only: [] }],
    [{ datasource: { a: 'b' } }, { only: [] }],
    [{ datasource: ['slack', { a: 1 }, '', 'x'.repeat(201)] }, { only: ['slack'] }],
    [{ return_to: 'https://intranet.example/' }, { only: [], returnTo: 'https://intranet.example/' }],
    [{ return_to: ['a', 'b'] }, { only: [] }],
  ])('%j is read as %j', (query, visit) => {
    expect(visitOf(query, anything)).toEqual(visit)
  })

  it('is bounded however long the address is', () => {
    expect(visitOf({ datasource: Array(500).fill('x') }, anything).only).toHaveLength(50)
  })

  it('drops the last names of an address of more than 6,000 characters', () => {
    const withLast = (length: number) => [...Array<string>(28).fill('x'.repeat(200)), 'y'.repeat(length)]
    const [fits, long] = [41, 42].map((length) => visitOf({ datasource: withLast(length) }, anything))
    expect(fits && overviewPath(fits)).toHaveLength(6_000)
    expect(long?.only).toEqual(withLast(42).slice(0, 28))
  })

  it.each(['!', 'ü', '\u{1f5c2}'])(
    'has an address that every server takes, even of names of %s',
    (character) => {
      const name = character.repeat(200 / character.length)
      for (const return_to of [undefined, `https://intranet.example/${'x'.repeat(2_000)}`]) {
        const visit = visitOf({ datasource: Array(50).fill(name), return_to }, anything)
        expect(visit.only).toContain(name)
        expect(overviewPath(visit, name).length).toBeLessThan(8_000)
      }
    },
  )

  it('stands in the address again, whatever characters it has', () => {
    const visit = { only: ['a&b=c', 'd e/#'], returnTo: 'https://intranet.example/?x=1&y=2' }
    const query = new URL(overviewPath(visit, 'a&b=c'), 'http://onramp').searchParams
    expect(query.getAll('datasource')).toEqual(visit.only)
    expect(query.get('return_to')).toBe(visit.returnTo)
    expect(query.get('from')).toBe('a&b=c')
    expect(overviewPath({ only: [] })).toBe('/onboarding')
  })
})

describe('the same thing asked twice at once', () => {
  it('is done once and answered to both, and done again afterwards', async () => {
    const once = createOnce<number>()
    let runs = 0
    const work = async () => ++runs
    expect(await Promise.all([once('a', work), once('a', work), once('b', work)])).toEqual([1, 1, 2])
    expect(await once('a', work)).toBe(3)
  })

  it('fails for both and is not remembered', async () => {
    const once = createOnce<number>()
    const fail = () => Promise.reject(new Error('no'))
    const results = await Promise.allSettled([once('a', fail), once('a', fail)])
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected'])
    expect(await once('a', async () => 7)).toBe(7)
  })
})

describe('the step of a return', () => {
  const step = 'aB3-_xyz'
  it.each<[string, unknown]>([
    ['as it was', step],
    ['with a query of the datasource behind it', `${step}?status=success`],
    ['with an encoded one', `${step}&status=success`],
    ['with a slash', `${step}/`],
    ['before a second one', [step, 'other']],
  ])('is read %s', (_how, said) => {
    expect(stepIn({ step: said })).toBe(step)
  })

  it.each([undefined, '', '?', ['', step], [], { a: step }])('is not found in %j', (said) => {
    expect(stepIn({ step: said })).toBeUndefined()
  })
})
