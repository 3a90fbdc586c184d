import { expect, test } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import {
  fixBy,
  adviceFor,
  scheduleSchema,
  statusOn,
  type Entry,
} from '../../packages/deprecations/src/schedule/schedule.ts'

// test/sandbox compares its rows with a copy of the contract's tables.
test('the published schedule has 23 fields and 5 endpoints, and ids that calendars and waivers can rely on', () => {
  expect(publishedSchedule.filter(({ kind }) => kind === 'field')).toHaveLength(23)
  const ids = publishedSchedule.map(({ id }) => id)
  expect(new Set(ids).size).toBe(28)
  expect(ids).toEqual(expect.arrayContaining(['chat.citations', 'createannouncement.role', 'listanswers']))
  expect(ids).toContain('policies.sensitiveInfoTypes.customExpressions')
  expect(scheduleSchema.safeParse({ entries: publishedSchedule }).error).toBeUndefined()
})

test('an entry without a replacement differs from one that states none', () => {
  const instead = (id: string) => publishedSchedule.filter((entry) => entry.id === id).map(adviceFor)
  expect(instead('insights.searchSessionSatisfaction')).toEqual([
    'no replacement: contact support for alternatives',
  ])
  expect(instead('createannouncement.boardId')).toEqual([
    'no replacement (Answer Boards are no longer supported)',
  ])
  for (const id of ['indexemployee.location', 'createannouncement.documents', 'policies.enabled'])
    expect(instead(id)).toEqual(['no replacement stated'])
})

test('the advice for an item includes its reason and note', () => {
  const citations = publishedSchedule.find(({ id }) => id === 'chat.citations') as Entry
  expect(adviceFor(citations)).toMatch(/inline citations\) \(still filled for backward compatibility\)$/)
  expect(adviceFor({ ...citations, reason: 'renamed' })).toMatch(
    / \(renamed; still filled for backward compatibility\)$/,
  )
})

const entry = publishedSchedule.find(({ id }) => id === 'chat.citations') as Entry

test.each([
  ['2026-02-05', 'unannounced', 252],
  ['2026-02-06', 'announced', 251],
  ['2026-10-14', 'announced', 1],
  ['2026-10-15', 'removed', 0],
  ['2026-11-21', 'removed', -37],
])('on %s the entry is %s, %i days left', (day, state, daysLeft) => {
  expect(statusOn(entry, day)).toEqual({ state, daysLeft })
})

test('an entry must be fixed by the day before its removal', () => {
  expect(fixBy(entry)).toBe('2026-10-14')
  expect(fixBy({ ...entry, removal: '2027-03-01' })).toBe('2027-02-28')
})
