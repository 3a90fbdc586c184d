// `onramp deprecations diff [OLD] NEW`: what changed between two schedules; a removal that moved earlier fails.
import { publishedSchedule } from '../schedule/published-schedule.ts'
import { compareSchedules, diffText, isError } from '../schedule/diff.ts'
import { readScheduleFile } from '../schedule/schedule-file.ts'
import { counted } from '../schedule/words.ts'
import { readArguments, UsageError } from '../command-line/arguments.ts'
import type { Run } from '../command-line/parts.ts'
import { painterFor } from '../command-line/terminal.ts'

/** Compares two schedules. Resolves to 1 when an item moved earlier, else 0. @throws {UsageError} @throws {InputFault} */
export const run: Run = async (args, { stdout, stderr, env }) => {
  const { values, words } = readArguments(args, { json: { type: 'boolean' } }, 2)
  const [now, old] = words.toReversed()
  if (now === undefined) throw new UsageError('give the files to compare: onramp deprecations diff OLD NEW')
  const before = old === undefined ? publishedSchedule : await readScheduleFile(old)

  const changes = compareSchedules(before, await readScheduleFile(now))
  const errors = changes.filter(isError).length
  if (values.json) stdout.write(`${JSON.stringify({ errors, changes }, null, 2)}\n`)
  else stdout.write(diffText(changes, painterFor(stdout, env)))
  if (errors > 0) stderr.write(`${counted(errors, 'removal')} moved earlier: plan again.\n`)
  return errors > 0 ? 1 : 0
}
