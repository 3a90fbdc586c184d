// Options that several subcommands of `onramp deprecations` share: the day, the days ahead, what to choose, the schedule.
import { publishedSchedule } from '../schedule/published-schedule.ts'
import { dayOf, isDay, type Day, type Schedule } from '../schedule/schedule.ts'
import type { Choice } from '../schedule/listing.ts'
import { extendSchedule, readScheduleFile } from '../schedule/schedule-file.ts'
import { UsageError, wholeNumberOf, wordOf } from '../command-line/arguments.ts'

/** What `list` and `calendar` choose entries by. */
export const choiceOptions = {
  'as-of': { type: 'string' },
  within: { type: 'string' },
  api: { type: 'string' },
  operation: { type: 'string' },
} as const

type Chosen = { [K in keyof typeof choiceOptions]?: string | undefined }

const MOST_DAYS = 99_999

/** `--as-of`, or today in UTC. @throws {UsageError} */
export function dayFrom(text: string | undefined, now: () => number): Day {
  if (text === undefined) return dayOf(new Date(now()))
  if (isDay(text)) return text
  throw new UsageError('--as-of takes a day as YYYY-MM-DD, as in --as-of 2027-01-15')
}

/** `--within`: whole days, 0 or more. @throws {UsageError} */
export const daysFrom = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : wholeNumberOf('--within', text, [0, MOST_DAYS])

/** @throws {UsageError} */
export const choiceFrom = (values: Chosen, now: () => number): Choice => ({
  asOf: dayFrom(values['as-of'], now),
  within: daysFrom(values.within),
  api: values.api === undefined ? undefined : wordOf('--api', values.api, ['client', 'indexing']),
  operation: values.operation,
})

/** The schedule that comes with onramp, extended by the files of `--schedule`. @throws {InputFault} */
export async function scheduleFrom(files: readonly string[] = []): Promise<Schedule> {
  let schedule = publishedSchedule
  for (const file of files) schedule = extendSchedule(schedule, await readScheduleFile(file))
  return schedule
}
