// Finds the command that was called, hands it its arguments, and ends with its exit code (0 done, 1 failed, 2 wrong
// usage). The commands of onramp and of this package share it.
import { hintAt, isName, readArguments, UsageError } from './arguments.ts'
import { endingOf, type EndingOf } from './ending.ts'
import type { CliParts, Run } from './parts.ts'

type Named = { name: string; help: string }

export type Action = Named & {
  /** The code of a command is loaded when it is called. */
  load: () => Promise<{ run: Run }>
  /** Why this installation cannot run it, if it cannot. */
  unavailable?: () => string | undefined
  /** The exit code for being called wrongly, where it is not 2. */
  wrongUsage?: number
}

export type Group = Named & {
  commands: readonly Command[]
  /** The one that is meant when none is named. */
  standard?: string
  /** What `--version` prints. */
  version?: string
}

export type Command = Action | Group

/** A command as it was called, and the arguments that are left for it. */
type Call = { command: Command; path: string; args: readonly string[] }

const wantsHelp = (args: readonly string[]) => {
  const end = args.indexOf('--')
  const options = end < 0 ? args : args.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

/** Goes down as far as there are commands of these names: `onramp invite help send` is `onramp invite send --help`. */
function callOf({ command, path, args }: Call): Call {
  if (!('commands' in command)) return { command, path, args }
  const [first = '-', ...rest] = args
  if (first === 'help') return callOf({ command, path, args: [...rest, '--help'] })
  if (first.startsWith('-') && command.standard !== undefined && !wantsHelp(args))
    return callOf({ command, path, args: [command.standard, ...args] })
  const chosen = command.commands.find(({ name }) => name === first)
  if (chosen === undefined) return { command, path, args }
  return callOf({ command: chosen, path: `${path} ${first}`, args: rest })
}

async function perform({ command, path, args }: Call, parts: CliParts): Promise<number> {
  const [first] = args
  const isGroup = 'commands' in command
  if (isGroup && first === undefined) {
    parts.stderr.write(command.help)
    return 2
  }
  if (wantsHelp(args) && (!isGroup || first?.startsWith('-'))) {
    parts.stdout.write(command.help)
    return 0
  }
  if (!isGroup) {
    const why = command.unavailable?.()
    if (why !== undefined) {
      parts.stderr.write(`${path}: ${why}\n`)
      return 1
    }
    const { run } = await command.load()
    return await run([...args], parts)
  }
  const name = first ?? ''
  readArguments([name], {}, 1)
  const names = command.commands.map((one) => one.name)
  throw new UsageError(`unknown command${isName(name) ? ` ${name}` : ''}${hintAt(name, names)}`)
}

/**
 * @param explain words and exit codes for errors that are expected
 * @returns the exit code
 * @throws what `explain` does not know: a mistake of the program
 */
export async function runCommand(
  group: Group,
  args: readonly string[],
  parts: CliParts,
  explain: EndingOf = endingOf,
): Promise<number> {
  if (group.version !== undefined && args[0] === '--version') {
    parts.stdout.write(`${group.version}\n`)
    return 0
  }
  const call = callOf({ command: group, path: group.name, args })
  try {
    return await perform(call, parts)
  } catch (error) {
    const wrongUsage = 'load' in call.command ? call.command.wrongUsage : undefined
    const ending = explain(error, call.path, wrongUsage)
    if (ending === undefined) throw error
    parts.stderr.write(ending.words)
    return ending.exit
  }
}

/** Runs the command of this process, and leaves its exit code behind. */
export async function runHere(group: Group, explain?: EndingOf): Promise<void> {
  const { stdin, stdout, stderr, env } = process
  // A reader may stop reading: `onramp invite report --csv | head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // Nothing that is written there is worth ending for: `onramp invite send people.csv 2>&1 | head`, a terminal that closed.
  stderr.on('error', () => {})
  const parts = { stdin, stdout, stderr, env, now: Date.now }
  process.exitCode = await runCommand(group, process.argv.slice(2), parts, explain)
}
