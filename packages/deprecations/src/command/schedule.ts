// The commands that show the schedule: `onramp deprecations list`, `calendar`, `diff` and `schema`.
import { counted } from '../schedule/schedule.ts'
import { compareSchedules, diffText, isError } from '../schedule/diff.ts'
import { listCsv, listText } from '../schedule/list-text.ts'
import { chooseEntries, listJson, type Choice } from '../schedule/listing.ts'
import { publishedSchedule } from '../schedule/published-schedule.ts'
import { readScheduleFile, scheduleJsonSchema } from '../schedule/schedule-file.ts'
import { waiversJsonSchema } from '../check/waivers.ts'
import { readArguments, UsageError, wordOf } from '../command-line/arguments.ts'
import type { Run } from '../command-line/parts.ts'
import { painterFor } from '../command-line/terminal.ts'
import { dayFrom, daysFrom, scheduleFrom } from './options.ts'

const choiceOptions = {
  'as-of': { type: 'string' },
  within: { type: 'string' },
  api: { type: 'string' },
  operation: { type: 'string' },
  schedule: { type: 'string', multiple: true },
} as const

type Chosen = ReturnType<typeof readArguments<typeof choiceOptions>>['values']

/** @throws {UsageError} @throws {InputFault} */
const chosenFrom = async (values: Chosen, now: () => number) => {
  const choice: Choice = {
    asOf: dayFrom(values['as-of'], now),
    within: daysFrom(values.within),
    api: values.api === undefined ? undefined : wordOf('--api', values.api, ['client', 'indexing']),
    operation: values.operation,
  }
  return { choice, entries: chooseEntries(await scheduleFrom(values.schedule), choice) }
}

const DEFAULT_WIDTH = 100
const listOptions = { ...choiceOptions, json: { type: 'boolean' }, csv: { type: 'boolean' } } as const

/** Lists the schedule. Resolves to the exit code, 0. @throws {UsageError} @throws {InputFault} */
export const list: Run = async (args, { stdout, stderr, now, env }) => {
  const { values } = readArguments(args, listOptions, 0)
  if (values.json && values.csv) throw new UsageError("--json and --csv can't be combined")
  const { choice, entries } = await chosenFrom(values, now)
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
export const calendar: Run = async (args, { stdout, now }) => {
  const { values } = readArguments(args, choiceOptions, 0)
  const { entries } = await chosenFrom(values, now)

  const { calendarOf } = await import('../schedule/calendar.ts')
  stdout.write(calendarOf(entries))
  return 0
}

/** Compares two schedules. Resolves to 1 when an item moved earlier, else 0. @throws {UsageError} @throws {InputFault} */
export const diff: Run = async (args, { stdout, stderr, env }) => {
  const { values, words } = readArguments(args, { json: { type: 'boolean' } }, 2)
  const [now, old] = words.toReversed()
  if (now === undefined)
    throw new UsageError('specify the files to compare: onramp deprecations diff OLD NEW')
  const before = old === undefined ? publishedSchedule : await readScheduleFile(old)

  const changes = compareSchedules(before, await readScheduleFile(now))
  const errors = changes.filter(isError).length
  if (values.json) stdout.write(`${JSON.stringify({ errors, changes }, null, 2)}\n`)
  else stdout.write(diffText(changes, painterFor(stdout, env)))
  if (errors > 0) stderr.write(`${counted(errors, 'removal')} moved earlier: update your plans.\n`)
  return errors > 0 ? 1 : 0
}

/** Writes the JSON Schema of a file that people write. Resolves to the exit code, 0. @throws {UsageError} */
export const schema: Run = (args, { stdout }) => {
  const [name = 'schedule'] = readArguments(args, {}, 1).words
  const which = wordOf('the name', name, ['schedule', 'waivers'])
  const schema = which === 'schedule' ? scheduleJsonSchema() : waiversJsonSchema()
  stdout.write(`${JSON.stringify(schema, null, 2)}\n`)
  return Promise.resolve(0)
}
