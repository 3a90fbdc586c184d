import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { publishedSchedule } from '../../packages/deprecations/src/schedule/published-schedule.ts'
import type { Entry } from '../../packages/deprecations/src/schedule/schedule.ts'
import { toCalendar } from '../../packages/deprecations/src/schedule/calendar.ts'

const eventsIn = (text: string) =>
  new ICAL.Component(ICAL.parse(text) as unknown[]).getAllSubcomponents('vevent').map((component) => ({
    component,
    event: new ICAL.Event(component),
  }))
const [first] = publishedSchedule as [Entry]

test('another reader finds an all-day event on each removal date, with three alarms', () => {
  const events = eventsIn(toCalendar(publishedSchedule))
  expect(events).toHaveLength(28)
  for (const [index, { event, component }] of events.entries()) {
    const entry = publishedSchedule[index]
    expect(event.uid).toBe(`${entry?.id}@deprecations.onramp`)
    expect(event.startDate.isDate).toBe(true)
    expect(event.startDate.toString()).toBe(entry?.removal)
    expect(event.duration.toSeconds()).toBe(86_400)
    const alarms = component.getAllSubcomponents('valarm')
    expect(alarms.map((alarm) => String(alarm.getFirstPropertyValue('trigger')))).toEqual([
      '-P30D',
      '-P7D',
      '-P1D',
    ])
  }
  expect(new Set(events.map(({ event }) => event.uid)).size).toBe(28)
})

test('an event keeps its UID when its date moves', () => {
  const moved = { ...first, removal: '2028-02-29' }
  const [before] = eventsIn(toCalendar([first]))
  const [after] = eventsIn(toCalendar([moved]))
  expect(after?.event.uid).toBe(before?.event.uid)
  expect(after?.event.endDate.toString()).toBe('2028-03-01')
})

test('texts with commas, semicolons, backslashes, line breaks and wide letters come through', () => {
  const advice = 'ask; then, wait\\see\nor 問い合わせ '.repeat(20)
  const text = toCalendar([{ ...first, advice }])
  expect(eventsIn(text)[0]?.event.description).toContain(advice)
  for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
})
