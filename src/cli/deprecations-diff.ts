// `onramp deprecations diff [OLD] NEW`: what changed between two schedules; a removal that moved earlier fails.
import { publishedSchedule } from '../client-api/published-schedule.ts'
import { compareSchedules, diffText, isError } from '../deprecations/diff.ts'
import { readScheduleFile } from '../deprecations/schedule-file.ts'
import { counted, painter } from '../deprecations/words.ts'
import { parseOptions, takesColours, UsageError } from './command.ts'
import type { CliParts } from './parts.ts'

/** Compares two schedules. Resolves to 1 when an item moved earlier, else 0. @throws {UsageError} @throws {InputFault} */
export async function runDiff(args: string[], { stdout, stderr, env }: CliParts): Promise<number> {
  const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } })
  const [now, old, ...more] = positionals.toReversed()
  if (now === undefined || more.length > 0)
    throw new UsageError('give the files to compare: onramp deprecations diff OLD NEW')
  const before = old === undefined ? publishedSchedule : await readScheduleFile(old)

  const changes = compareSchedules(before, await readScheduleFile(now))
  const errors = changes.filter(isError).length
  if (values.json) stdout.write(`${JSON.stringify({ errors, changes }, null, 2)}\n`)
  else stdout.write(diffText(changes, painter(takesColours(stdout, env))))
  if (errors > 0) stderr.write(`${counted(errors, 'removal')} moved earlier: plan again.\n`)
  return errors > 0 ? 1 : 0
}
