// Working time in a person's time zone: Monday to Friday, in these hours, except on quiet days and in a pause. Pure.
import type { Company } from '../company/company.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hours of the day. */
const [FROM, TO] = [9, 16]

/** "9 am", for operators. */
const timeOfDay = (hour: number): string => `${hour % 12 || 12} ${hour < 12 ? 'am' : 'pm'}`
/** `fromTime` and `toTime`: for operators. */
export const WORKING_HOURS = { from: FROM, to: TO, fromTime: timeOfDay(FROM), toTime: timeOfDay(TO) }

/**
 * `isQuiet`: true if no emails are sent on that day, YYYY-MM-DD. `pausedUntil`: midnight in UTC for every zone, in
 * milliseconds since 1970.
 */
export type WorkCalendar = { timezone: string; isQuiet?: (day: string) => boolean; pausedUntil?: number }

/** @param company has the fallback time zone */
export function calendarOf(
  { timezone, quietDays }: Pick<Company, 'timezone' | 'quietDays'>,
  person: { timezone?: string | undefined; group?: string | undefined },
  { pausedUntil }: Pick<WorkCalendar, 'pausedUntil'>,
): WorkCalendar {
  const isQuiet = (day: string) =>
    quietDays.some((one) => day >= one.from && day <= one.to && (one.group ?? person.group) === person.group)
  return { timezone: person.timezone ?? timezone, isQuiet, ...(pausedUntil !== undefined && { pausedUntil }) }
}

/** `day` counts days since 1970-01-01, which was a Thursday. */
type LocalTime = { day: number; hour: number }

/** Every zone's offset is a multiple of it. */
const QUARTER_HOUR_MS = HOUR_MS / 4
/** A run asks for the same time for each person, so the last quarter of an hour of each zone is remembered. */
const zones = new Map<string, { format: Intl.DateTimeFormat; quarter: number; local: LocalTime }>()

function localTime(at: number, zone: string): LocalTime {
  const quarter = Math.floor(at / QUARTER_HOUR_MS)
  const last = zones.get(zone)
  if (last?.quarter === quarter) return last.local
  const options = { timeZone: zone, hourCycle: 'h23' } as const
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const format = last?.format ?? new Intl.DateTimeFormat('en', { ...options, ...fields })
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const local = { day: Date.UTC(of('year'), of('month') - 1, of('day')) / DAY_MS, hour: of('hour') }
  zones.set(zone, { format, quarter, local })
  return local
}

const weekdayOf = (day: number): number => (day + 4) % 7

const isQuietDay = (day: number, { isQuiet, pausedUntil = 0 }: WorkCalendar): boolean =>
  day * DAY_MS < pausedUntil || isQuiet?.(new Date(day * DAY_MS).toISOString().slice(0, 10)) === true

const isWorkday = (day: number, calendar: WorkCalendar): boolean =>
  weekdayOf(day) >= 1 && weekdayOf(day) <= 5 && !isQuietDay(day, calendar)

/** @param at milliseconds since 1970 @param weekday restricts it to this day; 1 is Monday */
export function isWorkingTime(at: number, calendar: WorkCalendar, weekday?: number): boolean {
  const { day, hour } = localTime(at, calendar.timezone)
  const isThatDay = (weekday ?? weekdayOf(day)) === weekdayOf(day)
  return isThatDay && hour >= FROM && hour < TO && isWorkday(day, calendar)
}

/** The next hour of working time, which may be the present one; undefined: none within two months. */
export function nextWorkingTime(now: number, calendar: WorkCalendar): number | undefined {
  for (let at = now - (now % HOUR_MS); at < now + 60 * DAY_MS; at += HOUR_MS)
    if (isWorkingTime(at, calendar)) return at
  return undefined
}

/** `at` if the working hours of its workday haven't ended, else midnight UTC of the next workday, or `at` if later. */
export function nextWorkday(at: number, calendar: WorkCalendar): number {
  const { day: today, hour } = localTime(at, calendar.timezone)
  let day = hour < TO ? today : today + 1
  while (day < today + 400 && !isWorkday(day, calendar)) day++
  return day === today ? at : Math.max(at, day * DAY_MS)
}

/** The end of the quiet days, midnight UTC in milliseconds since 1970. Undefined if today isn't quiet. */
export function quietUntil(now: number, calendar: WorkCalendar): number | undefined {
  const { day: today } = localTime(now, calendar.timezone)
  let day = today
  while (isQuietDay(day, calendar)) day++
  return day === today ? undefined : day * DAY_MS
}

/** Working days after the day of `from`, up to the day of `to`; at most ten. Days of a pause count. */
export function workingDaysBetween(from: number, to: number, calendar: WorkCalendar): number {
  const [first, last] = [from, to].map((at) => localTime(at, calendar.timezone).day) as [number, number]
  let count = 0
  for (let day = first + 1; day <= last && count < 10; day++)
    if (isWorkday(day, { ...calendar, pausedUntil: 0 })) count++
  return count
}
