// The published schedule, the state of an entry on a day, and the calendar of removals.
import ICAL from 'ical.js'
import { expect, it } from 'vitest'
import { toCalendar } from '../../packages/deprecations/src/schedule/calendar.ts'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import { fixBy, adviceFor, operationOf } from '../../packages/deprecations/src/schedule/schedule.ts'
import { scheduleSchema, statusOn, type Entry } from '../../packages/deprecations/src/schedule/schedule.ts'
import { deprecationSchedule } from '../../packages/sandbox/src/service/contract.ts'

const [first] = publishedSchedule as [Entry]
const entry = publishedSchedule.find(({ id }) => id === 'chat.citations') as Entry

it('the published schedule has 23 fields and 5 endpoints, and stable ids', () => {
  expect(publishedSchedule.filter(({ kind }) => kind === 'field')).toHaveLength(23)
  const ids = publishedSchedule.map(({ id }) => id)
  expect(new Set(ids).size).toBe(28)
  expect(ids).toEqual(expect.arrayContaining(['chat.citations', 'createannouncement.role', 'listanswers']))
  expect(ids).toContain('policies.sensitiveInfoTypes.customExpressions')
  expect(scheduleSchema.safeParse({ entries: publishedSchedule }).error).toBeUndefined()
})

it('an entry without a replacement differs from one that states “none”', () => {
  const instead = (id: string) => publishedSchedule.filter((one) => one.id === id).map(adviceFor)
  const stated = ['insights.searchSessionSatisfaction', 'createannouncement.boardId'].flatMap(instead)
  expect(stated).toEqual([
    'no replacement: contact support for alternatives',
    'no replacement (Answer Boards are no longer supported)',
  ])
  for (const id of ['indexemployee.location', 'createannouncement.documents', 'policies.enabled'])
    expect(instead(id)).toEqual(['no replacement stated'])
})

it('the advice for an item includes its reason and note', () => {
  expect(adviceFor(entry)).toMatch(/inline citations\) \(still filled for backward compatibility\)$/)
  expect(adviceFor({ ...entry, reason: 'renamed' })).toMatch(
    / \(renamed; still filled for backward compatibility\)$/,
  )
})

it.each([
  ['2026-02-05', 'unannounced', 252],
  ['2026-02-06', 'announced', 251],
  ['2026-10-14', 'announced', 1],
  ['2026-10-15', 'removed', 0],
  ['2026-11-21', 'removed', -37],
])('on %s the entry is %s, %i days left', (day, state, daysLeft) => {
  expect(statusOn(entry, day)).toEqual({ state, daysLeft })
})

it('an entry must be fixed by the day before its removal', () => {
  expect(fixBy(entry)).toBe('2026-10-14')
  expect(fixBy({ ...entry, removal: '2027-03-01' })).toBe('2027-02-28')
})

it('the sandbox’s own schedule is the same, row by row', () => {
  const own = deprecationSchedule.map(({ within, topLevel, remark: _remark, ...row }) => {
    return { ...row, place: within && { in: within, depth: topLevel ? 'top' : 'any' } }
  })
  const published = publishedSchedule.map((one) => ({
    operation: operationOf(one),
    field: one.kind === 'field' ? one.field : undefined,
    place: one.kind === 'field' ? one.place : undefined,
    replacement: one.replacement,
    announced: one.announced,
    removal: one.removal,
  }))
  expect(own).toHaveLength(28)
  own.forEach((row, index) => expect(published[index]).toMatchObject(row))
  expect(published).toHaveLength(28)
})

const eventsIn = (text: string) =>
  new ICAL.Component(ICAL.parse(text) as unknown[])
    .getAllSubcomponents('vevent')
    .map((component) => ({ component, event: new ICAL.Event(component) }))

it('an independent calendar parser finds an all-day event on each removal date, with three alarms', () => {
  const events = eventsIn(toCalendar(publishedSchedule))
  expect(events).toHaveLength(28)
  for (const [index, { event, component }] of events.entries()) {
    const scheduled = publishedSchedule[index]
    expect(event.uid).toBe(`${scheduled?.id}@deprecations.onramp`)
    expect(event.startDate.isDate).toBe(true)
    expect(event.startDate.toString()).toBe(scheduled?.removal)
    expect(event.duration.toSeconds()).toBe(86_400)
    const alarms = component.getAllSubcomponents('valarm')
    const triggers = alarms.map((alarm) => String(alarm.getFirstPropertyValue('trigger')))
    expect(triggers).toEqual(['-P30D', '-P7D', '-P1D'])
  }
  expect(new Set(events.map(({ event }) => event.uid)).size).toBe(28)
})

it('an event keeps its UID when its date moves', () => {
  const moved = { ...first, removal: '2028-02-29' }
  const [before] = eventsIn(toCalendar([first]))
  const [after] = eventsIn(toCalendar([moved]))
  expect(after?.event.uid).toBe(before?.event.uid)
  expect(after?.event.endDate.toString()).toBe('2028-03-01')
})

it('the calendar keeps commas, semicolons, backslashes, line breaks and wide letters', () => {
  const advice = 'ask; then, wait\\see\nor 問い合わせ '.repeat(20)
  const text = toCalendar([{ ...first, advice }])
  expect(eventsIn(text)[0]?.event.description).toContain(advice)
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
})
