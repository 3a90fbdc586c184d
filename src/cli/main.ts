#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The command line: finds the command, hands it its arguments, ends with its exit code (0 done, 1 failed, 2 wrong usage).
import '../require-node.mjs'
import { hintAt, isName, readArguments, UsageError } from './arguments.ts'
import { missingFor, onramp, type Command, type Group } from './commands.ts'
import { endingOf } from './ending.ts'
import type { CliParts } from './parts.ts'

/** A command as it was called, and the arguments that are left for it. */
type Call = { command: Command; path: string; args: string[] }

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

/** @throws {UsageError} for a name that none of its commands has */
function explainGroup({ help, commands }: Group, args: string[], { stdout, stderr }: CliParts): number {
  const [first] = args
  if (first === undefined) {
    stderr.write(help)
    return 2
  }
  if (first.startsWith('-') && wantsHelp(args)) {
    stdout.write(help)
    return 0
  }
  readArguments([first], {}, 1)
  const names = commands.map(({ name }) => name)
  throw new UsageError(`there is no command ${isName(first) ? first : 'like that'}${hintAt(first, names)}`)
}

async function perform({ command, path, args }: Call, parts: CliParts): Promise<number> {
  if ('commands' in command) return explainGroup(command, args, parts)
  if (wantsHelp(args)) {
    parts.stdout.write(command.help)
    return 0
  }
  const missing = missingFor(command)
  if (missing.length > 0) {
    const what = `it is for development, and this installation leaves out what it needs (${missing.join(', ')})`
    parts.stderr.write(`${path}: ${what}: run it in a clone of the sources, after npm ci\n`)
    return 1
  }
  const { run } = await command.load()
  return await run(args, parts)
}

/** @returns the exit code */
export async function main(args: readonly string[], parts: CliParts): Promise<number> {
  const call = callOf({ command: onramp, path: 'onramp', args: [...args] })
  try {
    return await perform(call, parts)
  } catch (error) {
    const wrongUsage = 'load' in call.command ? call.command.wrongUsage : undefined
    const ending = endingOf(error, call.path, wrongUsage)
    if (ending === undefined) throw error
    parts.stderr.write(ending.words)
    return ending.exit
  }
}

/** Runs the command of this process, and leaves its exit code behind. */
export async function runHere(): Promise<void> {
  const { stdin, stdout, stderr, env } = process
  // Whoever reads may stop reading: `onramp invite report --csv | head`.
  stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  process.exitCode = await main(process.argv.slice(2), { stdin, stdout, stderr, env, now: Date.now })
}

if (import.meta.main) await runHere()
