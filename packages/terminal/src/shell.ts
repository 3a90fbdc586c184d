// Runs a command and returns its exit code: 0 done, 1 failed, 2 wrong usage.
import { Command, CommanderError } from '@commander-js/extra-typings'
import { InputFault, UsageError } from './arguments.ts'
import type { CommandContext, Output } from './command-context.ts'
import { columnsFor, displayWidth, wrapText } from './terminal.ts'

/** Each command passes its exit code to `exit`. */
export type DefineCommands = (program: Command, context: CommandContext, exit: SetExitCode) => void
type SetExitCode = (code: Promise<number>) => Promise<void>

/** Undefined for an unexpected error, which is a bug. @param name `onramp invite send` */
type DescribeFailure = (error: unknown, name: string) => { message: string; exitCode: number } | undefined

export const withPeriod = (text: string) => (/[.:?]$/.test(text) ? text : `${text}.`)

export const describeFailure: DescribeFailure = (error, name) => {
  if (error instanceof InputFault) return { message: `${name}: ${error.message}\n`, exitCode: 1 }
  if (!(error instanceof UsageError)) return undefined
  // Here exit code 2 is a finding.
  const exitCode = name.endsWith('deprecations check') ? 1 : 2
  return { message: `${name}: ${withPeriod(error.message)} See ${name} --help.\n`, exitCode }
}

/** True for a plausible name of an option or a command. Other input isn't repeated. */
const isName = (typed: string) => /^(--)?[a-z]+(-[a-z]+)*$/.test(typed) && typed.length <= 22

/** Rewords an error of commander, whose messages repeat the input, which may be a pasted token. */
function usageErrorOf({ code, message }: CommanderError, command: Command): UsageError {
  const [, quoted = ''] = /'(.*)'/s.exec(message) ?? []
  const [typed = ''] = quoted.split(/[= ]/, 1)
  const [, suggestion] = /\(Did you mean (.*)\?\)$/.exec(message) ?? []
  const nameAndSuggestion = `${isName(typed) ? ` ${typed}` : ''}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`
  const isFlag = quoted.includes('=') && command.options.some(({ long }) => long === typed)
  const messages: Record<string, string> = {
    'commander.unknownOption': isFlag
      ? `${typed} doesn't accept a value`
      : `unknown option${nameAndSuggestion}`,
    'commander.unknownCommand': `unknown command${nameAndSuggestion}`,
    'commander.missingArgument': `${typed} is missing`,
    'commander.optionMissingArgument': `${typed} requires a value`,
    'commander.conflictingOption': message.replace('error: ', '').replaceAll("'", ''),
  }
  return new UsageError(messages[code] ?? 'too many arguments')
}

/** `start the server` from "Start the server. Configure it …" */
const summaryIn = (description: string) =>
  description.replace(/[.:](\s|$).*/s, '').replace(/^./, (letter) => letter.toLowerCase())

const argumentsOf = (usage: string) => usage.replace(/\[options\] ?|\n.*/g, '')

/** `onramp invite send`, as far as such commands exist. */
function calledCommand(program: Command, args: readonly string[]) {
  let command = program
  let name = program.name()
  for (const word of args) {
    const next = command.commands.find((subcommand) => subcommand.name() === word) as Command | undefined
    if (next === undefined) break
    command = next
    name += ` ${word}`
  }
  return { command, name }
}

/** Wraps messages at spaces on a terminal, and nowhere else. Indented commands, JSON and redrawn lines stay whole. */
function wrapMessages(output: Output): Output {
  if (output.isTTY !== true) return output
  const wrapLine = (line: string): string => {
    const columns = columnsFor(output)
    const [count = ''] = /^ *\d\S* {2}/.exec(line) ?? []
    if (displayWidth(line) <= columns || (count === '' && /^[\s{]/.test(line))) return line
    const lines = wrapText(line.slice(count.length), columns - count.length)
    return count + lines.join(`\n${' '.repeat(count.length)}`)
  }
  return {
    isTTY: true,
    get columns() {
      return output.columns ?? 80
    },
    write: (text) => output.write(text.split('\n').map(wrapLine).join('\n')),
  }
}

/** @returns the exit code @throws unexpected errors */
export async function runCommand(
  define: DefineCommands,
  args: readonly string[],
  given: CommandContext,
  explain: DescribeFailure = describeFailure,
): Promise<number> {
  const context = { ...given, stderr: wrapMessages(given.stderr) }
  let exit = 0
  const program = new Command()
    .exitOverride()
    .configureHelp({
      helpWidth: 80,
      subcommandDescription: (command) => summaryIn(command.description()),
      subcommandTerm: (command) => `${command.name()} ${argumentsOf(command.usage())}`.trim(),
    })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      outputError: () => {},
    })
  define(program, context, async (code) => void (exit = await code))
  try {
    await program.parseAsync(args, { from: 'user' })
    return exit
  } catch (error) {
    const isHelp = error instanceof CommanderError && /help|version/.test(error.code)
    if (isHelp) return error.exitCode === 0 ? 0 : 2
    const { command, name } = calledCommand(program, args)
    const failure = explain(error instanceof CommanderError ? usageErrorOf(error, command) : error, name)
    if (failure === undefined) throw error
    context.stderr.write(failure.message)
    return failure.exitCode
  }
}

/** Runs this process's command and sets its exit code. */
export async function runInProcess(define: DefineCommands, explain?: DescribeFailure): Promise<void> {
  const { stdin, stdout, stderr, env } = process
  // `onramp invite report --csv | head` closes the pipe.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // A closed stderr must not stop a run: `onramp invite send people.csv 2>&1 | head`.
  stderr.on('error', () => {})
  const context = { stdin, stdout, stderr, env, now: Date.now }
  process.exitCode = await runCommand(define, process.argv.slice(2), context, explain)
}
