import { expect, it } from 'vitest'
import { compareSince } from '../../src/admin/comparison.ts'
import type { Report } from '../../src/admin/report.ts'
import type { DailyCounts } from '../../src/people/keep-state.ts'

const now = Date.parse('2026-11-21T12:00:00Z')

const day = (date: string, finished: number, fellBack = 0): Report['days'][number] => ({
  day: date,
  invited: 0,
  signedIn: 0,
  finished,
  fellBack,
  reminded: 0,
  acted: 0,
})
const counts = { people: 9, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0, gone: 0 }
const rowOf = (date: string, ready: number): DailyCounts => ({ ...counts, day: date, ready })

const rows = ['2026-11-02', '2026-11-13', '2026-11-21'].map(rowOf)
const flows = { reminded: 7, acted: 4 }
const before = { ...day('2026-11-13', 0, 5), ...flows }
const report = { ready: 7, days: [before, { ...day('2026-11-14', 3, 2), ...flows }] }
const dayFor = (calls?: unknown, days = rows) =>
  compareSince(report, { massDisconnects: [], zones: {}, days }, now, calls)?.row.day

it('a comparison is with the newest row up to the day, else up to a week ago, else with the oldest', () => {
  expect([dayFor(), dayFor('2026-11-12'), dayFor('2026-10-01')]).toEqual([
    '2026-11-13',
    '2026-11-02',
    '2026-11-02',
  ])
  for (const odd of ['9999-99-99', 'soon', ['2026-11-02'], '']) expect(dayFor(odd)).toBe('2026-11-13')
  expect(dayFor(undefined, rows.slice(2))).toBeUndefined()
})

it('a comparison counts who fell back, was reminded and acted after that day', () => {
  const compared = compareSince(report, { massDisconnects: [], zones: {}, days: rows }, now)
  expect(compared).toMatchObject({ moreReady: 6, fellBack: 2, reminded: 7, acted: 4 })
})
