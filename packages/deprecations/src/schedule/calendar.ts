// The schedule as iCalendar (RFC 5545): an all-day event on each item's removal date, with alarms 30, 7 and 1 days before.
// The same schedule always gives the same bytes, so that a subscribed calendar changes only when the schedule does.
import { fixBy, insteadOf, operationOf, titleOf, type Day, type Entry } from './schedule.ts'

const alarmDays = [30, 7, 1]

// RFC 5545 3.3.11
const escape = (text: string) =>
  text
    .replaceAll(/[\p{Cc}]/gu, (sign) => (sign === '\n' ? sign : ' '))
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')

// RFC 5545 3.1: a line has 75 octets at most; a continuation starts with a space, which counts.
const fold = (line: string): string => {
  let [folded, octets] = ['', 0]
  for (const sign of line) {
    const size = Buffer.byteLength(sign)
    if (octets + size > 75) {
      folded += '\r\n '
      octets = 1
    }
    folded += sign
    octets += size
  }
  return `${folded}\r\n`
}

const dateOf = (day: Day) => day.replaceAll('-', '')
const dayAfter = (day: Day) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

const alarm = (days: number, title: string) => [
  'BEGIN:VALARM',
  'ACTION:DISPLAY',
  `DESCRIPTION:${escape(`In ${days === 1 ? 'a day' : `${days} days`}: ${title}`)}`,
  `TRIGGER:-P${days}D`,
  'END:VALARM',
]

const event = (entry: Entry): string[] => {
  const title = `Removal of ${titleOf(entry)}`
  const description = [
    `Last day: ${fixBy(entry)}.`,
    `What to do: ${insteadOf(entry)}.`,
    `Operation: ${operationOf(entry)}. Announced ${entry.announced}. Item ${entry.id}.`,
  ].join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:${entry.id}@deprecations.onramp`,
    `DTSTAMP:${dateOf(entry.announced)}T000000Z`,
    `DTSTART;VALUE=DATE:${dateOf(entry.removal)}`,
    `DTEND;VALUE=DATE:${dateOf(dayAfter(entry.removal))}`,
    `SUMMARY:${escape(title)}`,
    `DESCRIPTION:${escape(description)}`,
    `CATEGORIES:deprecation,${entry.api}`,
    'TRANSP:TRANSPARENT',
    ...alarmDays.flatMap((days) => alarm(days, title)),
    'END:VEVENT',
  ]
}

/** Entries as an iCalendar object. The UID of an event is made of the entry's id alone, so a moved date moves the event. */
export const calendarOf = (entries: readonly Entry[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//onramp//deprecations//EN',
    'CALSCALE:GREGORIAN',
    'NAME:API deprecations',
    'X-WR-CALNAME:API deprecations',
    'REFRESH-INTERVAL;VALUE=DURATION:P1D',
    ...entries.flatMap(event),
    'END:VCALENDAR',
  ]
    .map(fold)
    .join('')
