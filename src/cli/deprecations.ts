// `onramp deprecations …`: finds the subcommand and turns what goes wrong into one line and an exit code.
// Exit codes: 0 done, 1 failed, 2 called wrongly; `check` has its own and uses 1 for both, since 2 is a finding there.
import { InputFault } from '../deprecations/input-fault.ts'
import { printable } from '../printable.ts'
import { nearest } from './nearest.ts'
import { UsageError } from './command.ts'
import type { CliParts } from './parts.ts'
import { runCalendar } from './deprecations-calendar.ts'
import { runCheck } from './deprecations-check.ts'
import { runDiff } from './deprecations-diff.ts'
import { helpFor } from './deprecations-help.ts'
import { runList } from './deprecations-list.ts'
import { runSchema } from './deprecations-schema.ts'

type Subcommand = (args: string[], parts: CliParts) => Promise<number>

const subcommands: Record<string, Subcommand> = {
  list: runList,
  check: runCheck,
  calendar: runCalendar,
  diff: runDiff,
  schema: runSchema,
}

const wantsHelp = (args: readonly string[]) => {
  const end = args.indexOf('--')
  const options = end < 0 ? args : args.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

const unknown = (name: string) => {
  const meant = nearest(name, Object.keys(subcommands))
  const hint = meant === undefined ? 'see: onramp deprecations --help' : `did you mean "${meant}"?`
  return new UsageError(`unknown subcommand "${name}"; ${hint}`)
}

/** Runs `onramp deprecations ARGS` and resolves to the exit code. Without a subcommand it lists. */
export async function run(args: string[], parts: CliParts): Promise<number> {
  const [first = 'list'] = args
  const name = first.startsWith('-') ? 'list' : first
  const rest = name === first ? args.slice(1) : args
  if (first === 'help' || wantsHelp(args)) {
    parts.stdout.write(helpFor(first === 'help' ? (rest[0] ?? '') : first))
    return 0
  }
  try {
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
    if (subcommand === undefined) throw unknown(name)
    return await subcommand(rest, parts)
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof InputFault)) throw error
    parts.stderr.write(`onramp deprecations: ${printable(error.message)}\n`)
    return error instanceof UsageError && name !== 'check' ? 2 : 1
  }
}
