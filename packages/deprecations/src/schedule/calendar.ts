// The schedule as iCalendar (RFC 5545): an all-day event on each item's removal date, with alarms 30, 7 and 1 days before.
// The same schedule always gives the same bytes, so that a subscribed calendar changes only when the schedule does.
import ical, { ICalAlarmType, ICalEventTransparency, type ICalEventData } from 'ical-generator'
import { fixBy, adviceFor, operationOf, titleOf, type Entry } from './schedule.ts'

const DAY_SECONDS = 86_400

/** The library escapes what separates; other control characters have no place in a text (RFC 5545 3.3.11). */
const plain = (text: string) => text.replaceAll(/[\p{Cc}]/gu, (sign) => (sign === '\n' ? sign : ' '))

const event = (entry: Entry): ICalEventData => {
  const title = plain(`Removal of ${titleOf(entry)}`)
  const description = [
    `Last day: ${fixBy(entry)}.`,
    `What to do: ${adviceFor(entry)}.`,
    `Operation: ${operationOf(entry)}. Announced ${entry.announced}. Item ${entry.id}.`,
  ].join('\n')
  const start = new Date(entry.removal)
  return {
    id: `${entry.id}@deprecations.onramp`,
    stamp: new Date(entry.announced),
    start,
    end: new Date(start.getTime() + DAY_SECONDS * 1000),
    allDay: true,
    summary: title,
    description: plain(description),
    categories: [{ name: 'deprecation' }, { name: entry.api }],
    transparency: ICalEventTransparency.TRANSPARENT,
    alarms: [30, 7, 1].map((days) => ({
      type: ICalAlarmType.display,
      trigger: days * DAY_SECONDS,
      description: `In ${days === 1 ? 'a day' : `${days} days`}: ${title}`,
    })),
  }
}

/** Entries as an iCalendar object. The UID of an event is made of the entry's id alone, so a moved date moves the event. */
export const toCalendar = (entries: readonly Entry[]): string => {
  const calendar = ical({
    name: 'API deprecations',
    // The library puts a hyphen in front: the name is not registered.
    prodId: '//onramp//deprecations//EN',
    scale: 'GREGORIAN',
    // Otherwise dates follow the time zone of this machine.
    timezone: 'UTC',
    ttl: DAY_SECONDS,
    events: entries.map(event),
  })
  // The library leaves the last line without an end, which RFC 5545 3.1 asks for.
  return `${calendar.toString()}\r\n`
}
