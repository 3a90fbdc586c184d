// `onramp deprecations calendar`: the removal dates as iCalendar, to import or to publish.
import { calendarOf } from '../deprecations/calendar.ts'
import { chooseEntries } from '../deprecations/listing.ts'
import { parseOptions } from './command.ts'
import type { CliParts } from './parts.ts'
import { dayFrom, daysFrom, refuseArguments, scheduleFrom, wordFrom } from './deprecations-options.ts'

const options = {
  schedule: { type: 'string', multiple: true },
  'as-of': { type: 'string' },
  within: { type: 'string' },
  api: { type: 'string' },
  operation: { type: 'string' },
} as const

/** Writes the calendar. Resolves to the exit code, 0. @throws {UsageError} @throws {InputFault} */
export async function runCalendar(args: string[], { stdout, now }: CliParts): Promise<number> {
  const { values, positionals } = parseOptions(args, options)
  refuseArguments(positionals)
  const choice = {
    asOf: dayFrom(values['as-of'], now),
    within: daysFrom(values.within),
    api: values.api === undefined ? undefined : wordFrom('--api', values.api, ['client', 'indexing']),
    operation: values.operation,
  }
  const schedule = await scheduleFrom(values.schedule)

  stdout.write(calendarOf(chooseEntries(schedule, choice)))
  return 0
}
