// `onramp deprecations list`: the schedule by removal date, for people, programs and sheets.
import { listText } from '../schedule/list-text.ts'
import { chooseEntries, listCsv, listJson, type Choice, type Listed } from '../schedule/listing.ts'
import { counted } from '../schedule/words.ts'
import { readArguments, UsageError } from '../command-line/arguments.ts'
import type { Run } from '../command-line/parts.ts'
import { choiceFrom, choiceOptions, scheduleFrom } from './options.ts'
import { painterFor } from '../command-line/terminal.ts'

const options = {
  ...choiceOptions,
  schedule: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
} as const

const DEFAULT_WIDTH = 100

/** Lists the schedule. Resolves to the exit code, 0. @throws {UsageError} @throws {InputFault} */
export const run: Run = async (args, { stdout, stderr, now, env }) => {
  const { values } = readArguments(args, options, 0)
  if (values.json && values.csv) throw new UsageError('--json and --csv are two forms; choose one')
  const choice = choiceFrom(values, now)
  const schedule = await scheduleFrom(values.schedule)

  const entries = chooseEntries(schedule, choice)
  if (values.json) stdout.write(`${JSON.stringify(listJson(entries, choice.asOf), null, 2)}\n`)
  else if (values.csv) stdout.write(listCsv(entries))
  else {
    stdout.write(listText(entries, painterFor(stdout, env), stdout.columns ?? DEFAULT_WIDTH))
    stderr.write(summaryOf(entries, choice))
  }
  return 0
}

const summaryOf = (entries: readonly Listed[], { asOf, within }: Choice) => {
  const removed = entries.filter(({ status }) => status.state === 'removed').length
  const scope =
    within === undefined ? `${removed} already removed` : `to be removed within ${counted(within, 'day')}`
  return `\n${counted(entries.length, 'item')}, ${scope}, as of ${asOf} (UTC).\n`
}
