// `onramp deprecations calendar`: the removal dates as iCalendar, to import or to publish.
import { calendarOf } from '../schedule/calendar.ts'
import { chooseEntries } from '../schedule/listing.ts'
import { readArguments } from '../command-line/arguments.ts'
import type { Run } from '../command-line/parts.ts'
import { choiceFrom, choiceOptions, scheduleFrom } from './options.ts'

const options = {
  ...choiceOptions,
  schedule: { type: 'string', multiple: true },
} as const

/** Writes the calendar. Resolves to the exit code, 0. @throws {UsageError} @throws {InputFault} */
export const run: Run = async (args, { stdout, now }) => {
  const { values } = readArguments(args, options, 0)
  const choice = choiceFrom(values, now)
  const schedule = await scheduleFrom(values.schedule)

  stdout.write(calendarOf(chooseEntries(schedule, choice)))
  return 0
}
