import { describe, expect, it } from 'vitest'
import { directionOf, GROUP_COLUMNS, orderOf, sorted } from '../../src/admin/sorting.ts'
import type { Group } from '../../src/admin/groups.ts'

const group = (name: string | undefined, people: number, ready: number, stuck = 0): Group => ({
  name,
  people,
  ready,
  stuck,
  signedIn: 0,
  finished: 0,
  nothing: 0,
  inProgress: 0,
  notStarted: people - ready - stuck,
})

const groups = [group('Ähm', 10, 5), group('Zoo', 20, 2, 6), group('bees', 10, 5, 1), group(undefined, 5, 0)]

const namesBy = (asked: unknown) => {
  const { column, isReversed } = orderOf(asked, GROUP_COLUMNS, 'ready')
  return sorted(groups, GROUP_COLUMNS[column], { isReversed, lang: 'en' }).map(({ name }) => name)
}

describe('the order of departments', () => {
  it('is by name as the language has it, and what has no name comes last either way', () => {
    expect(namesBy('name')).toEqual(['Ähm', 'bees', 'Zoo', undefined])
    expect(namesBy('-name')).toEqual(['Zoo', 'bees', 'Ähm', undefined])
  })

  it('begins with where most is to do, and turns round with a minus', () => {
    expect(namesBy('ready')).toEqual(['Zoo', 'Ähm', 'bees', undefined])
    expect(namesBy('-ready')).toEqual(['Ähm', 'bees', 'Zoo', undefined])
    expect(namesBy('stuck')).toEqual(['Zoo', 'bees', 'Ähm', undefined])
  })

  it.each([undefined, '', 'constructor', '--stuck', ['stuck'], 'STUCK'])(
    'is the usual one where the address asks for %j',
    (asked) => {
      expect(orderOf(asked, GROUP_COLUMNS, 'ready')).toEqual({ column: 'ready', isReversed: false })
    },
  )

  it('is told to those who do not see it', () => {
    expect(directionOf(GROUP_COLUMNS.name, false)).toBe('ascending')
    expect(directionOf(GROUP_COLUMNS.ready, false)).toBe('ascending')
    expect(directionOf(GROUP_COLUMNS.stuck, false)).toBe('descending')
    expect(directionOf(GROUP_COLUMNS.stuck, true)).toBe('ascending')
  })
})
