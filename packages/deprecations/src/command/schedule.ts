// The commands that show the schedule: `onramp deprecations list`, `calendar`, `diff` and `schema`.
import { counted, dayOf, type Day } from '../schedule/schedule.ts'
import { compareSchedules, diffText, isError } from '../schedule/diff.ts'
import { listCsv, listText } from '../schedule/list-text.ts'
import { chooseEntries, listJson, type Choice } from '../schedule/listing.ts'
import { publishedSchedule } from '../schedule/published-schedule.ts'
import { extendedSchedule, jsonSchemas, readSchedule } from '../schedule/files.ts'
import { UsageError, wordOf } from '../command-line/arguments.ts'
import type { CliParts } from '../command-line/parts.ts'
import { painterFor } from '../command-line/terminal.ts'

type Chosen = {
  asOf?: Day | undefined
  within?: number | undefined
  api?: 'client' | 'indexing' | undefined
  operation?: string | undefined
  schedule?: string[] | undefined
}

/** @throws {InputFault} */
const chosenFrom = ({ asOf, within, api, operation, schedule }: Chosen, now: () => number) => {
  const choice: Choice = { asOf: asOf ?? dayOf(new Date(now())), within, api, operation }
  return { choice, entries: chooseEntries(extendedSchedule(schedule), choice) }
}

const DEFAULT_WIDTH = 100

/** Lists the schedule. Resolves to the exit code, 0. @throws {UsageError} @throws {InputFault} */
export function list(
  values: Chosen & { json?: true; csv?: true },
  { stdout, stderr, now, env }: CliParts,
): number {
  if (values.json && values.csv) throw new UsageError("--json and --csv can't be combined")
  const { choice, entries } = chosenFrom(values, now)
  const { asOf, within } = choice

  if (values.json) stdout.write(`${JSON.stringify(listJson(entries, asOf), null, 2)}\n`)
  else if (values.csv) stdout.write(listCsv(entries))
  else {
    const removed = entries.filter(({ status }) => status.state === 'removed').length
    const scope =
      within === undefined
        ? `${removed} already removed`
        : `to be removed in the next ${counted(within, 'day')}`
    stdout.write(listText(entries, painterFor(stdout, env), stdout.columns ?? DEFAULT_WIDTH))
    stderr.write(`\n${counted(entries.length, 'item')}, ${scope}, as of ${asOf} (UTC).\n`)
  }
  return 0
}

/** Writes the removal dates as iCalendar. Resolves to the exit code, 0. @throws {UsageError} @throws {InputFault} */
export async function calendar(values: Chosen, { stdout, now }: CliParts): Promise<number> {
  const { entries } = chosenFrom(values, now)

  const { calendarOf } = await import('../schedule/calendar.ts')
  stdout.write(calendarOf(entries))
  return 0
}

/** Compares two schedules. Resolves to 1 when an item moved earlier, else 0. @throws {UsageError} @throws {InputFault} */
export function diff(
  { old, now, json }: { old: string | undefined; now: string; json?: true | undefined },
  { stdout, stderr, env }: CliParts,
): number {
  const before = old === undefined ? publishedSchedule : readSchedule(old)

  const changes = compareSchedules(before, readSchedule(now))
  const errors = changes.filter(isError).length
  if (json) stdout.write(`${JSON.stringify({ errors, changes }, null, 2)}\n`)
  else stdout.write(diffText(changes, painterFor(stdout, env)))
  if (errors > 0) stderr.write(`${counted(errors, 'removal')} moved earlier: update your plans.\n`)
  return errors > 0 ? 1 : 0
}

/** Writes the JSON Schema of a file that people write. Resolves to the exit code, 0. @throws {UsageError} */
export function schema(name: string | undefined, { stdout }: CliParts): number {
  const which = wordOf('the name', name ?? 'schedule', ['schedule', 'waivers'])
  stdout.write(`${JSON.stringify(jsonSchemas[which], null, 2)}\n`)
  return 0
}
