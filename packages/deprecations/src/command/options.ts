// Options that several subcommands of `onramp deprecations` share: the day, the days ahead, the schedule.
import { publishedSchedule } from '../schedule/published-schedule.ts'
import { dayOf, isDay, type Day, type Schedule } from '../schedule/schedule.ts'
import { extendSchedule, readScheduleFile } from '../schedule/schedule-file.ts'
import { UsageError, wholeNumberOf } from '../command-line/arguments.ts'

const MAX_DAYS = 99_999

/** `--as-of`, or today in UTC. @throws {UsageError} */
export function dayFrom(text: string | undefined, now: () => number): Day {
  if (text === undefined) return dayOf(new Date(now()))
  if (isDay(text)) return text
  throw new UsageError('--as-of expects a date, such as --as-of 2027-01-15')
}

/** `--within`: whole days, 0 or more. @throws {UsageError} */
export const daysFrom = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : wholeNumberOf('--within', text, [0, MAX_DAYS])

/** The schedule that comes with onramp, extended by the files of `--schedule`. @throws {InputFault} */
export async function scheduleFrom(files: readonly string[] = []): Promise<Schedule> {
  let schedule = publishedSchedule
  for (const file of files) schedule = extendSchedule(schedule, await readScheduleFile(file))
  return schedule
}
