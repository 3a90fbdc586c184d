// Runs the command that was called, and ends with its exit code (0 done, 1 failed, 2 wrong usage). The commands of onramp
// and of this package share it.
import { Command, CommanderError } from '@commander-js/extra-typings'
import { UsageError } from './arguments.ts'
import { InputFault } from './input-fault.ts'
import type { CommandContext } from './command-context.ts'

/** Adds the commands of a program. Each hands the promise of its exit code to `exit`. */
export type DefineCommands = (program: Command, parts: CommandContext, exit: SetExitCode) => void
export type SetExitCode = (code: Promise<number>) => Promise<void>

type CommandFailure = { message: string; exitCode: number }

/**
 * How a command ends after an error that is expected; undefined for any other error: a mistake of the program.
 * @param name the command as it was called: `onramp invite send`
 */
export type DescribeFailure = (error: unknown, name: string) => CommandFailure | undefined

export const withPeriod = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`)

export const describeFailure: DescribeFailure = (error, name) => {
  if (error instanceof InputFault) return { message: `${name}: ${error.message}\n`, exitCode: 1 }
  if (!(error instanceof UsageError)) return undefined
  // Where 2 is a finding, wrong usage ends in 1.
  const exitCode = name.endsWith('deprecations check') ? 1 : 2
  return { message: `${name}: ${withPeriod(error.message)} See ${name} --help.\n`, exitCode }
}

/** Lower-case words joined by dashes, as options and commands are called; other input is not repeated. */
const isName = (typed: string) => /^(--)?[a-z]+(-[a-z]+)*$/.test(typed) && typed.length <= 22

/** Commander's errors repeat what was typed, which may be a pasted token. */
function usageErrorOf({ code, message }: CommanderError, command: Command): UsageError {
  const [, quoted = ''] = /'(.*)'/s.exec(message) ?? []
  const [typed = ''] = quoted.split(/[= ]/, 1)
  const [, meant] = /\(Did you mean (.*)\?\)$/.exec(message) ?? []
  const shown = `${isName(typed) ? ` ${typed}` : ''}${meant === undefined ? '' : `; did you mean ${meant}?`}`
  switch (code) {
    case 'commander.unknownOption':
      if (quoted.includes('=') && command.options.some(({ long }) => long === typed))
        return new UsageError(`${typed} doesn't accept a value`)
      return new UsageError(`unknown option${shown}`)
    case 'commander.unknownCommand':
      return new UsageError(`unknown command${shown}`)
    case 'commander.missingArgument':
      return new UsageError(`${typed} is missing`)
    case 'commander.optionMissingArgument':
      return new UsageError(`${typed} requires a value`)
    case 'commander.conflictingOption':
      return new UsageError(message.replace('error: ', '').replaceAll("'", ''))
    default:
      return new UsageError('too many arguments')
  }
}

/** `start the server` of "Start the server. Configure it …". */
const summaryIn = (description: string) =>
  description.replace(/[.:](\s|$).*/s, '').replace(/^./, (letter) => letter.toLowerCase())

const argumentsOf = (usage: string) => usage.replace(/\[options\] ?|\n.*/g, '')

/** The command that was called, as far as there are commands of these names: `onramp invite send`. */
function calledOf(program: Command, args: readonly string[]) {
  let command = program
  let name = program.name()
  for (const word of args) {
    const next = command.commands.find((one) => one.name() === word) as Command | undefined
    if (next === undefined) break
    command = next
    name += ` ${word}`
  }
  return { command, name }
}

/**
 * @param explain words and exit codes for errors that are expected
 * @returns the exit code
 * @throws what `explain` does not know: a mistake of the program
 */
export async function runCommand(
  define: DefineCommands,
  args: readonly string[],
  parts: CommandContext,
  explain: DescribeFailure = describeFailure,
): Promise<number> {
  let exit = 0
  const program = new Command()
    .exitOverride()
    .configureHelp({
      helpWidth: 80,
      subcommandDescription: (command) => summaryIn(command.description()),
      subcommandTerm: (command) => `${command.name()} ${argumentsOf(command.usage())}`.trim(),
    })
    .configureOutput({
      writeOut: (text) => void parts.stdout.write(text),
      writeErr: (text) => void parts.stderr.write(text),
      outputError: () => {},
    })
  define(program, parts, async (code) => void (exit = await code))
  try {
    await program.parseAsync(args, { from: 'user' })
    return exit
  } catch (error) {
    const isHelp = error instanceof CommanderError && /help|version/.test(error.code)
    if (isHelp) return error.exitCode === 0 ? 0 : 2
    const { command, name } = calledOf(program, args)
    const ending = explain(error instanceof CommanderError ? usageErrorOf(error, command) : error, name)
    if (ending === undefined) throw error
    parts.stderr.write(ending.message)
    return ending.exitCode
  }
}

/** Runs the command of this process, and leaves its exit code behind. */
export async function runHere(define: DefineCommands, explain?: DescribeFailure): Promise<void> {
  const { stdin, stdout, stderr, env } = process
  // A reader may stop reading: `onramp invite report --csv | head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // Nothing that is written there is worth ending for: `onramp invite send people.csv 2>&1 | head`, a terminal that closed.
  stderr.on('error', () => {})
  const parts = { stdin, stdout, stderr, env, now: Date.now }
  process.exitCode = await runCommand(define, process.argv.slice(2), parts, explain)
}
