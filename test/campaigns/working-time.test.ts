// Working hours, working days and quiet days in the time zones of people.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  isWorkingTime,
  calendarOf,
  WORKING_HOURS,
  workingDaysBetween,
} from '../../src/campaigns/working-time.ts'
import { DAY } from './lapsed-person.ts'

it.each([
  ['begins at nine', '2027-01-18T09:00:00Z', 'UTC', true],
  ['lasts until four', '2027-01-18T15:59:00Z', 'UTC', true],
  ['is over at four', '2027-01-18T16:00:00Z', 'UTC', false],
  ['hasn’t begun before nine', '2027-01-18T08:59:00Z', 'UTC', false],
  ['excludes a Sunday', '2027-01-17T10:00:00Z', 'UTC', false],
  ['includes Monday morning in Tokyo, late on Sunday in UTC', '2027-01-18T00:30:00Z', 'Asia/Tokyo', true],
  ['begins earlier by UTC in a New York summer', '2027-07-19T13:30:00Z', 'America/New_York', true],
  ['begins later by UTC in a New York winter', '2027-01-18T13:30:00Z', 'America/New_York', false],
])('working time %s', (_title, moment, zone, expected) => {
  expect(isWorkingTime(Date.parse(moment), { timezone: zone })).toBe(expected)
})

it.each([
  ['none from 8:30 am to noon of one day', '2027-01-17T23:30:00Z', '2027-01-18T03:00:00Z', 0],
  ['none until midnight', '2027-01-18T03:00:00Z', '2027-01-18T14:59:00Z', 0],
  ['one at midnight', '2027-01-18T03:00:00Z', '2027-01-18T15:00:00Z', 1],
])('working days are counted by the days of Tokyo: %s', (_title, from, to, days) => {
  expect(workingDaysBetween(Date.parse(from), Date.parse(to), { timezone: 'Asia/Tokyo' })).toBe(days)
})

it('a weekend has no working days', () => {
  const friday = Date.parse('2027-01-15T12:00:00Z')
  const days = [0, 1, 2, 3, 4, 5].map((more) =>
    workingDaysBetween(friday, friday + more * DAY, { timezone: 'UTC' }),
  )
  expect(days).toEqual([0, 0, 0, 1, 2, 3])
})

const quietDays = [
  { from: '2027-01-18', to: '2027-01-19', group: undefined },
  { from: '2027-01-21', to: '2027-01-21', group: 'Paris' },
]
const at = (day: number) => Date.parse(`2027-01-${day}T10:00:00Z`)

it.each([
  ['Berlin', 'on working days', undefined, [20, 21, 22]],
  ['Paris', 'except on quiet days', undefined, [20, 22]],
  // A pause ends as the day begins in the person's zone: 9:00 in Tokyo is midnight in UTC.
  ['Berlin', 'once a pause ends', '2027-01-21', [21, 22]],
  ['Paris', 'once a pause and quiet days end', '2027-01-21', [22]],
])('people in %s are emailed %s', (group, _title, until, days) => {
  const place = calendarOf(
    { timezone: 'UTC', quietDays },
    { group },
    until === undefined ? {} : { pausedUntil: Date.parse(until) },
  )
  expect([17, 18, 19, 20, 21, 22].filter((day) => isWorkingTime(at(day), place))).toEqual(days)
})

it.each([
  ['Berlin', 'without a pause', undefined, 3],
  ['Paris', 'without a pause', undefined, 2],
  ['Berlin', 'in a pause', '2027-01-23', 3],
  ['Paris', 'in a pause', '2027-01-23', 2],
])('working days in %s %s leave out quiet days alone', (group, _title, until, count) => {
  const place = calendarOf(
    { timezone: 'UTC', quietDays },
    { group },
    until === undefined ? {} : { pausedUntil: Date.parse(until) },
  )
  expect(workingDaysBetween(Date.parse('2027-01-15T12:00:00Z'), at(22), place)).toBe(count)
})

it('quiet days are days of the person’s time zone', () => {
  const place = calendarOf({ timezone: 'UTC', quietDays }, { timezone: 'Asia/Tokyo' }, {})
  const [before, after] = ['2027-01-19T01:00:00Z', '2027-01-20T01:00:00Z'].map((text) => Date.parse(text))
  expect([before, after].map((moment = 0) => isWorkingTime(moment, place))).toEqual([false, true])
})

it('the docs give the working hours of the code', () => {
  const times = readFileSync('docs/after-the-rollout.md', 'utf8').matchAll(
    /(\d+ [ap]m) (?:to|and) (\d+ [ap]m)/g,
  )

  const found = [...times].map(([, from, to]) => [from, to])

  expect(found.length).toBeGreaterThan(0)
  for (const hours of found) expect(hours).toEqual([WORKING_HOURS.fromTime, WORKING_HOURS.toTime])
})
