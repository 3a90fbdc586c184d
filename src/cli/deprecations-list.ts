// `onramp deprecations list`: the schedule by removal date, for people, programs and sheets.
import { listText } from '../deprecations/list-text.ts'
import { chooseEntries, listCsv, listJson, type Choice, type Listed } from '../deprecations/listing.ts'
import { counted, painter } from '../deprecations/words.ts'
import { parseOptions, takesColours, UsageError } from './command.ts'
import type { CliParts } from './parts.ts'
import { dayFrom, daysFrom, refuseArguments, scheduleFrom, wordFrom } from './deprecations-options.ts'

const options = {
  schedule: { type: 'string', multiple: true },
  'as-of': { type: 'string' },
  within: { type: 'string' },
  api: { type: 'string' },
  operation: { type: 'string' },
  json: { type: 'boolean' },
  csv: { type: 'boolean' },
} as const

const DEFAULT_WIDTH = 100

/** Lists the schedule. Resolves to the exit code, 0. @throws {UsageError} @throws {InputFault} */
export async function runList(args: string[], { stdout, stderr, now, env }: CliParts): Promise<number> {
  const { values, positionals } = parseOptions(args, options)
  refuseArguments(positionals)
  if (values.json && values.csv) throw new UsageError('--json and --csv are two forms; choose one')
  const choice: Choice = {
    asOf: dayFrom(values['as-of'], now),
    within: daysFrom(values.within),
    api: values.api === undefined ? undefined : wordFrom('--api', values.api, ['client', 'indexing']),
    operation: values.operation,
  }
  const schedule = await scheduleFrom(values.schedule)

  const entries = chooseEntries(schedule, choice)
  if (values.json) stdout.write(`${JSON.stringify(listJson(entries, choice.asOf), null, 2)}\n`)
  else if (values.csv) stdout.write(listCsv(entries))
  else {
    stdout.write(listText(entries, painter(takesColours(stdout, env)), stdout.columns ?? DEFAULT_WIDTH))
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
