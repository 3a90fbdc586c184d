// Tables of apps and departments: order, pages, names and shares.
import { expect, it } from 'vitest'
import { newAppCounts, type AppCounts } from '../../src/admin/report.ts'
import { appTable, groupTable, shareFormatter } from '../../src/admin/sorted-table.ts'
import { LANGUAGES_FOLDER, readCatalogue } from '../../src/web/languages/catalogue.ts'
import { createTexts } from '../../src/web/languages/texts.ts'
import { t } from '../helpers/texts.ts'

const app = (instance: string, name: string, waiting = 1): AppCounts => ({
  ...newAppCounts(instance, name),
  counts: { waiting, connected: 1, skipped: 0, blocked: 0, off: 0 },
})
const fortyApps = Array.from({ length: 40 }, (_, index) => app(`wiki_${index}`, `Wiki ${index}`, 40 - index))
const tableOf = (apps: readonly AppCounts[], query: Record<string, unknown> = {}) =>
  appTable(apps, { query }, t)

it('the table of apps shows the first ten, with a link to all', () => {
  const first = tableOf(fortyApps)
  expect(first.rows.map(({ name }) => name).slice(0, 2)).toEqual(['Wiki 0', 'Wiki 1'])
  expect(first).toMatchObject({ total: 40, all: '/admin/apps?sort=waiting&page=1' })
  expect(first.rows).toHaveLength(10)
  const all = tableOf(fortyApps, { sort: 'name', page: '1' })
  expect(all.rows).toHaveLength(40)
  expect(all).toMatchObject({ all: undefined, sortedBy: 'name', pages: 1 })
  expect(tableOf(fortyApps.slice(30)).all).toBeUndefined()
})

const group = (name: string | undefined, people: number, ready: number, stuck = 0) => {
  const shares = { ready, finished: ready, stuck, notStarted: people - ready - stuck }
  return {
    name,
    people,
    hadToConnect: people,
    signedIn: 0,
    nothing: 0,
    emptied: 0,
    inProgress: 0,
    fellBack: 0,
    ...shares,
  }
}

const groups = [group('Ähm', 10, 5), group('Zoo', 20, 2, 6), group('bees', 10, 5, 1), group(undefined, 5, 0)]
const by = (sort: unknown) => {
  const { rows, columns } = groupTable(groups, { query: { sort } }, t)
  return [rows.map(({ name }) => name[0]).join(''), columns.find((one) => one.sort !== undefined)?.sort]
}

it.each([
  ['name', 'ÄbZ', 'ascending'],
  ['-name', 'ZbÄ', 'descending'],
  ['ready', 'ZÄb', 'ascending'],
  ['-ready', 'ÄbZ', 'descending'],
  ['stuck', 'ZbÄ', 'descending'],
  ['-stuck', 'ÄbZ', 'ascending'],
])(
  'departments sorted by %s follow the language’s order, with small ones last',
  (sort, initials, direction) => {
    expect(by(sort)).toEqual([expect.stringMatching(`^${initials}.$`), direction])
  },
)

it.each([undefined, '', 'constructor', '--stuck', ['stuck'], 'STUCK'])(
  'departments have the default order for the query %j',
  (sort) => {
    expect(by(sort)).toEqual(by('ready'))
  },
)

const shares = (tag: string) => shareFormatter(createTexts(tag, readCatalogue(LANGUAGES_FOLDER, 'en')))

it('a share is formatted for the reader’s language', () => {
  expect(shares('de')(1, 3)).toBe('33\u00a0%')
  expect(shares('tr')(1, 3)).toBe('%33')
  expect(shares('ar-EG')(1, 3)).toContain('٣٣')
})

it.each([
  [0, 0, '–'],
  [0, 7, '0%'],
  [7, 7, '100%'],
  [1, 3, '33%'],
  [1999, 2000, '99%'],
  [1, 2000, '<1%'],
  [8, 7, '100%'],
])('a share of %i in %i is %s', (part, whole, shown) => {
  expect(shares('en')(part, whole)).toBe(shown)
})

it('a person whose consent isn’t confirmed is stuck, and in no other column', () => {
  const counts = { waiting: 5, connected: 4, skipped: 3, blocked: 2, off: 0 }
  const { rows } = tableOf([{ ...app('slack_1', 'Slack'), counts, unconfirmed: 1 }])
  const [waiting, skipped, stuck] = rows[0]!.cells.map(({ count }) => count)
  expect([rows[0]?.part.count, waiting, skipped, stuck]).toEqual([4, 4, 3, 3])
  expect(rows[0]?.part.text).toContain('14')
})
