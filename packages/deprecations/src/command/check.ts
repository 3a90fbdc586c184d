// `onramp deprecations check FILE…`: matches recorded traffic against the schedule and ends in a verdict.
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { checkFiles, type Format } from '../check/check.ts'
import { UsageError, wordOf } from '../command-line/arguments.ts'
import type { CliParts } from '../command-line/parts.ts'
import { printable } from '../command-line/printable.ts'
import { painterFor } from '../command-line/terminal.ts'
import { fileFault } from '../input/document.ts'
import { openSource } from '../input/source.ts'
import { judge, reports } from '../report/report.ts'
import { extendedSchedule, readWaivers } from '../schedule/files.ts'
import { dayOf } from '../schedule/schedule.ts'

type Options = Parameters<typeof judge>[2] & {
  schedule?: string[] | undefined
  waivers?: string | undefined
  asOf?: string | undefined
  input?: Format | undefined
  report?: string[] | undefined
  json?: true | undefined
  sarif?: true | undefined
}

const filesFrom = (reported: readonly string[] = []) =>
  reported.map((text) => {
    const [kind = '', file = ''] = text.split(/=(.*)/s, 2)
    if (file === '') throw new UsageError('--report expects a kind and a file, such as --report sarif=FILE')
    return { kind: wordOf('--report', kind, ['text', 'json', 'sarif']), file }
  })

const sourcesFrom = (names: readonly string[], stdin: CliParts['stdin']) => {
  if (names.length === 0 && stdin.isTTY === true)
    throw new UsageError('specify files to check, or pipe traffic to standard input')
  return (names.length === 0 ? ['-'] : names).map((name) =>
    name === '-'
      ? { name: 'stdin', open: () => openSource('stdin', stdin) }
      : { name, open: () => openSource(name, createReadStream(name)) },
  )
}

/** Checks traffic. Resolves to the exit code. @throws {UsageError} @throws {InputFault} */
export async function check(
  names: readonly string[],
  { asOf, input: format, ...values }: Options,
  { stdout, stderr, stdin, now, env }: CliParts,
): Promise<number> {
  if (values.json && values.sarif)
    throw new UsageError("--json and --sarif can't share one output; use --report KIND=FILE for the other")
  const files = filesFrom(values.report)
  const schedule = extendedSchedule(values.schedule)
  const waivers = values.waivers === undefined ? [] : readWaivers(values.waivers)
  const write = (line: string) => void stderr.write(`${printable(line)}\n`)

  const day = { schedule, asOf: asOf ?? dayOf(new Date(now())), format }
  const verdict = judge(await checkFiles(sourcesFrom(names, stdin), day, write), waivers, values)
  for (const { kind, file } of files)
    await writeFile(file, reports[kind](verdict, painterFor({}, env))).catch((error: unknown) => {
      throw fileFault(file, error)
    })
  const shown = values.json ? 'json' : values.sarif ? 'sarif' : 'text'
  stdout.write(reports[shown](verdict, painterFor(stdout, env)))
  return verdict.exitCode
}
