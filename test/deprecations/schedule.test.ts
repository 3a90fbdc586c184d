import { describe, expect, test } from 'vitest'
import { createMatcher, usesIn, type Call } from '../../packages/deprecations/src/matching/matching.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import {
  fixBy,
  insteadOf,
  operationOf,
  scheduleFile,
  statusOn,
  type Entry,
} from '../../packages/deprecations/src/schedule/schedule.ts'
import { rows } from './rows.ts'

const matcher = createMatcher(publishedSchedule)
const idsIn = (call: Call) => {
  const scheduled = matcher(call.method, call.url)
  const uses = scheduled === undefined ? [] : usesIn(scheduled, call)
  return new Set(uses.flatMap(({ entry, confidence }) => (confidence === 'endpoint' ? [] : entry.id)))
}

describe('the published schedule', () => {
  test('has the 23 fields and 5 endpoints of the contract, in its order', () => {
    expect(publishedSchedule.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
    expect(publishedSchedule.filter(({ kind }) => kind === 'field')).toHaveLength(23)
  })

  test('tells apart that there is no replacement and that none is stated', () => {
    const instead = (id: string) => publishedSchedule.filter((entry) => entry.id === id).map(insteadOf)
    expect(instead('insights.searchSessionSatisfaction')).toEqual([
      'no replacement: contact support for alternatives',
    ])
    expect(instead('createannouncement.boardId')).toEqual([
      'no replacement (Answer Boards are no longer supported)',
    ])
    for (const id of ['indexemployee.location', 'createannouncement.documents', 'policies.enabled'])
      expect(instead(id)).toEqual(['no replacement stated'])
  })

  test('has nothing wrong with it', () => {
    expect(scheduleFile.safeParse({ entries: publishedSchedule }).error).toBeUndefined()
  })

  test.each(rows)('$id has the operation, dates and replacement of the contract', (row) => {
    const entry = publishedSchedule.find(({ id }) => id === row.id)
    expect(entry).toMatchObject({ announced: row.announced, removal: row.removal })
    expect(entry && operationOf(entry)).toBe(row.operation)
    expect(entry?.kind === 'field' ? entry.field : undefined).toBe(row.field)
    expect(entry?.replacement).toBe(row.replacement)
    expect(entry?.api).toBe(row.operation.includes('/api/index/') ? 'indexing' : 'client')
  })

  test('a field is found on both sides where the contract leaves the side open', () => {
    for (const { operation, field } of rows) {
      if (field === undefined || operation.startsWith('GET ')) continue
      const call = { method: 'POST', url: operation.replace('POST ', 'https://service.example') }
      for (const bodies of [
        { request: { [field]: [] }, response: {} },
        { request: {}, response: { [field]: [] } },
      ])
        expect(idsIn({ ...call, ...bodies }).size, `${operation} ${field}`).toBe(1)
    }
  })
})

describe('where an entry stands', () => {
  const entry = publishedSchedule.find(({ id }) => id === 'chat.citations') as Entry

  test.each([
    ['2026-02-05', 'unannounced', 252],
    ['2026-02-06', 'announced', 251],
    ['2026-10-14', 'announced', 1],
    ['2026-10-15', 'removed', 0],
    ['2026-11-21', 'removed', -37],
  ])('on %s it is %s, %i days left', (day, state, daysLeft) => {
    expect(statusOn(entry, day)).toEqual({ state, daysLeft })
  })

  test('it must be fixed by the day before its removal', () => {
    expect(fixBy(entry)).toBe('2026-10-14')
    expect(fixBy({ ...entry, removal: '2027-03-01' })).toBe('2027-02-28')
  })
})
