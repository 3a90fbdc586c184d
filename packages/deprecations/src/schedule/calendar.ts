// Writes the schedule as iCalendar (RFC 5545): an all-day event on each removal date, with alarms 30, 7 and 1 days
// before. The same schedule gives the same bytes, so a subscribed calendar changes only with the schedule.
import ical, { ICalAlarmType, ICalEventTransparency, type ICalEventData } from 'ical-generator'
import { fixBy, adviceFor, operationOf, titleOf, type Entry } from './schedule.ts'

const DAY_SECONDS = 86_400

/** Removes control characters, which a text must not have (RFC 5545 3.3.11). */
const plain = (text: string) => text.replaceAll(/[\p{Cc}]/gu, (sign) => (sign === '\n' ? sign : ' '))

const event = (entry: Entry): ICalEventData => {
  const summary = plain(`Removal of ${titleOf(entry)}`)
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
    summary,
    description: plain(description),
    categories: [{ name: 'deprecation' }, { name: entry.api }],
    transparency: ICalEventTransparency.TRANSPARENT,
    alarms: [30, 7, 1].map((days) => ({
      type: ICalAlarmType.display,
      trigger: days * DAY_SECONDS,
      description: `In ${days === 1 ? 'a day' : `${days} days`}: ${summary}`,
    })),
  }
}

/** An iCalendar file. UIDs depend only on the entry's id, so a new date moves the event. */
export const toCalendar = (entries: readonly Entry[]): string => {
  const calendar = ical({
    name: 'API deprecations',
    // The library adds the hyphen of an unregistered name.
    prodId: '//onramp//deprecations//EN',
    scale: 'GREGORIAN',
    // Otherwise dates would depend on this machine's time zone.
    timezone: 'UTC',
    ttl: DAY_SECONDS,
    events: entries.map(event),
  })
  // The library omits the last line's CRLF, which RFC 5545 3.1 requires.
  return `${calendar.toString()}\r\n`
}
