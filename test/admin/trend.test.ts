import { assert, integer, nat, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparisonOf, outlookOf, paceOf, targetOf, type Target } from '../../src/admin/trend.ts'
import type { Day } from '../../src/admin/report.ts'
import type { DayRow } from '../../src/people/upkeep.ts'

const DAY = 86_400_000
const now = Date.parse('2026-11-21T12:00:00Z')

const day = (date: string, finished: number, fellBack = 0): Day => ({
  day: date,
  invited: 0,
  signedIn: 0,
  finished,
  fellBack,
  reminded: 0,
  acted: 0,
})
const NO_TARGET: Target = { kind: 'none' }

describe('a target date', () => {
  it('is a day from today to two years from now, and counts to its end', () => {
    expect(targetOf('2026-11-21', now)).toMatchObject({ kind: 'day', endsAt: Date.parse('2026-11-22') })
    expect(targetOf('2028-11-20', now)).toMatchObject({ kind: 'day' })
    expect(targetOf(undefined, now)).toEqual(NO_TARGET)
    expect(targetOf('', now)).toEqual(NO_TARGET)
  })

  it.each([
    '2026-11-20',
    '2028-12-01',
    '2027-02-30',
    '2027-13-01',
    'soon',
    '2027-1-1',
    ['2027-01-01'],
    '9'.repeat(99),
  ])('is not %j', (asked) => {
    expect(targetOf(asked, now)).toEqual({ kind: 'unusable' })
  })
})

/** Everyone who finished is ready, unless so many are. */
const counted = (days: Day[], ready = days.reduce((sum, { finished }) => sum + finished, 0), people = 0) => ({
  days,
  nothing: 0,
  people,
  ready,
})

const counts = { people: 9, inProgress: 0, notStarted: 0, stuck: 0, fellBack: 0, gone: 0 }
const rowOf = (date: string, ready: number): DayRow => ({ ...counts, day: date, ready })

describe('the pace', () => {
  it('is not known after fewer than three days, or fewer than five people', () => {
    const pace = (...days: Day[]) => paceOf(counted(days), [], now)
    expect(pace()).toBeUndefined()
    expect(pace(day('2026-11-19', 100))).toBeUndefined()
    expect(pace(day('2026-11-01', 2), day('2026-11-18', 4))).toBeUndefined()
    expect(pace(day('2026-11-18', 7))).toBe(2)
  })

  it('is that of the last two weeks, however long ago it began', () => {
    const days = [day('2026-10-01', 5_000), day('2026-11-08', 27), day('2026-11-20', 27)]
    // From the beginning of the 8th to noon of the 21st.
    expect(paceOf(counted(days), [], now)).toBe(54 / 13.5)
  })

  it('is less by those who fell back, and is not flattered by those who had before', () => {
    const days = [day('2026-10-01', 100), day('2026-11-10', 54)]
    expect(paceOf(counted(days, 127), [], now)).toBe(27 / 13.5)
    expect(paceOf(counted(days, 127), [rowOf('2026-11-07', 73)], now)).toBe(54 / 13.5)
    expect(paceOf(counted(days, 60), [], now)).toBeUndefined()
  })
})

describe('the outlook', () => {
  const report = counted([day('2026-11-18', 35)], 35, 135)

  it('says when everyone is ready at the present pace', () => {
    expect(outlookOf(report, [], now, NO_TARGET)).toEqual({
      left: 100,
      pace: 10,
      doneAt: now + 10 * DAY,
      target: undefined,
    })
  })

  it('says how many people a day a target takes, and how far the present pace leads', () => {
    const target = targetOf('2026-11-25', now)
    expect(outlookOf(report, [], now, target).target).toEqual({
      day: '2026-11-25',
      days: 5,
      aDay: 20,
      readyByThen: 80,
    })
  })

  it('promises no day where there is too little to go by, or it is too far away', () => {
    const target = targetOf('2026-11-25', now)
    const unknown = outlookOf({ ...report, days: [] }, [], now, target)
    expect(unknown).toMatchObject({ pace: undefined, doneAt: undefined, target: { readyByThen: undefined } })
    const far = outlookOf({ ...report, people: 50_000 }, [], now, NO_TARGET)
    expect(far).toMatchObject({ pace: 10, doneAt: undefined })
  })

  it('never needs fewer people than are left, nor promises more than there are', () => {
    assert(
      property(nat(60_000), nat(60_000), integer({ min: 0, max: 700 }), (people, some, ahead) => {
        const ready = Math.min(people, some)
        const asked = new Date(now + ahead * DAY).toISOString().slice(0, 10)
        const { left, target } = outlookOf({ ...report, people, ready }, [], now, targetOf(asked, now))
        return (
          target !== undefined &&
          target.aDay * target.days >= left &&
          (target.readyByThen ?? 0) <= people &&
          (target.readyByThen ?? people) >= ready
        )
      }),
    )
  })
})

describe('a comparison', () => {
  const rows = ['2026-11-02', '2026-11-13', '2026-11-21'].map(rowOf)
  const flows = { reminded: 7, acted: 4 }
  const before = { ...day('2026-11-13', 0, 5), ...flows }
  const report = { ready: 7, days: [before, { ...day('2026-11-14', 3, 2), ...flows }] }
  const dayFor = (asked?: unknown, days = rows) =>
    comparisonOf(report, { breaks: [], zones: {}, days }, now, asked)?.row.day

  it('is with the newest row up to the day, else up to a week ago, else with the oldest', () => {
    expect([dayFor(), dayFor('2026-11-12'), dayFor('2026-10-01')]).toEqual([
      '2026-11-13',
      '2026-11-02',
      '2026-11-02',
    ])
    for (const odd of ['9999-99-99', 'soon', ['2026-11-02'], '']) expect(dayFor(odd)).toBe('2026-11-13')
    expect(dayFor(undefined, rows.slice(2))).toBeUndefined()
  })

  it('counts who fell back, was reminded and acted after that day', () => {
    const compared = comparisonOf(report, { breaks: [], zones: {}, days: rows }, now)
    expect(compared).toMatchObject({ moreReady: 6, fellBack: 2, reminded: 7, acted: 4 })
  })
})
