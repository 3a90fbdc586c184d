// `onramp deprecations check`: checks files or standard input, and ends with the exit code.
import { createReadStream } from 'node:fs'
import { checkFiles } from '../check/check.ts'
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { colorsFor } from '@onramp/terminal/terminal'
import { openSource } from '../input/source.ts'
import { evaluate, jsonReport, textReport } from '../report/report.ts'
import { extendedSchedule, readWaivers } from '../schedule/files.ts'
import { dayOf } from '../schedule/schedule.ts'

type CheckOptions = Parameters<typeof evaluate>[2] & {
  schedule?: string[] | undefined
  waivers?: string | undefined
  asOf?: string | undefined
  input?: Parameters<typeof checkFiles>[1]['format']
  json?: true | undefined
}

const sourcesFrom = (names: readonly string[], stdin: CommandContext['stdin']) => {
  if (names.length === 0 && stdin.isTTY === true)
    throw new UsageError('specify files to check, or pipe traffic to standard input')
  return (names.length === 0 ? ['-'] : names).map((name) =>
    name === '-'
      ? { name: 'stdin', open: () => openSource('stdin', stdin) }
      : { name, open: () => openSource(name, createReadStream(name)) },
  )
}

/** @returns the exit code @throws {UsageError} @throws {InputFault} */
export async function check(names: readonly string[], options: CheckOptions, context: CommandContext) {
  const { stdout, stderr, stdin, now, env } = context
  const { asOf = dayOf(new Date(now())), input: format } = options
  const schedule = extendedSchedule(options.schedule)
  const waivers = options.waivers === undefined ? [] : readWaivers(options.waivers)
  const write = (line: string) => void stderr.write(`${printable(line)}\n`)

  const result = await checkFiles(sourcesFrom(names, stdin), { schedule, asOf, format }, write)
  const verdict = evaluate(result, waivers, options)
  stdout.write(options.json ? jsonReport(verdict) : textReport(verdict, colorsFor(stdout, env)))
  return verdict.exitCode
}
