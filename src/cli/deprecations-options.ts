// Options that several subcommands of `onramp deprecations` share: the day, the days ahead, the schedule in use.
import { publishedSchedule } from '../client-api/published-schedule.ts'
import { dayOf, isDay, type Day, type Schedule } from '../client-api/schedule.ts'
import { extendSchedule, readScheduleFile } from '../deprecations/schedule-file.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './command.ts'

/** `--as-of`, or today in UTC. @throws {UsageError} */
export function dayFrom(text: string | undefined, now: () => number): Day {
  if (text === undefined) return dayOf(new Date(now()))
  if (isDay(text)) return text
  throw new UsageError(`--as-of "${text}" is not a day; write YYYY-MM-DD, as in --as-of 2027-01-15`)
}

/** `--within`: whole days, 0 or more. @throws {UsageError} */
export function daysFrom(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,5}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new UsageError(`--within "${text}" is not a number of days; write it as in --within 90`)
}

/** One of a few words. @throws {UsageError} */
export function wordFrom<W extends string>(option: string, text: string, words: readonly W[]): W {
  const word = words.find((known) => known === text)
  if (word !== undefined) return word
  const meant = nearest(text, words)
  const hint = meant === undefined ? `choose one of ${words.join(', ')}` : `did you mean "${meant}"?`
  throw new UsageError(`${option} "${text}" is not known; ${hint}`)
}

/** The schedule that comes with onramp, extended by the files of `--schedule`. @throws {InputFault} */
export async function scheduleFrom(files: readonly string[] = []): Promise<Schedule> {
  let schedule = publishedSchedule
  for (const file of files) schedule = extendSchedule(schedule, await readScheduleFile(file))
  return schedule
}

/** Arguments that a subcommand does not take. @throws {UsageError} */
export function refuseArguments(positionals: readonly string[]): void {
  if (positionals[0] === undefined) return
  throw new UsageError(`"${positionals[0]}" is not expected here; see --help`)
}
