// Working time in a person's time zone: Monday to Friday, 9 am to 4 pm. Pure.

const DAY_MS = 86_400_000
const [FROM_HOUR, TO_HOUR] = [9, 16]

const formats = new Map<string, Intl.DateTimeFormat>()

/** `day` counts days since 1970-01-01, which was a Thursday. */
function localTime(at: number, zone: string): { day: number; hour: number } {
  const options = { timeZone: zone, hourCycle: 'h23' } as const
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { ...options, ...fields })
  formats.set(zone, format)
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  return { day: Date.UTC(of('year'), of('month') - 1, of('day')) / DAY_MS, hour: of('hour') }
}

const weekdayOf = (day: number): number => (day + 4) % 7
const isWorkday = (day: number): boolean => weekdayOf(day) >= 1 && weekdayOf(day) <= 5

/** @param at milliseconds since 1970 @param zone IANA @param weekday on that one only; 1 is Monday */
export function isWorkingTime(at: number, zone: string, weekday?: number): boolean {
  const { day, hour } = localTime(at, zone)
  return (
    isWorkday(day) && hour >= FROM_HOUR && hour < TO_HOUR && (weekday ?? weekdayOf(day)) === weekdayOf(day)
  )
}

/** Working days that began after the one of `from`, up to the one of `to`; at most ten. */
export function workingDaysBetween(from: number, to: number, zone: string): number {
  const [first, last] = [localTime(from, zone).day, localTime(to, zone).day]
  let count = 0
  for (let day = first + 1; day <= last && count < 10; day++) if (isWorkday(day)) count++
  return count
}
