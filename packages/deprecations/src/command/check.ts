// `onramp deprecations check FILE…`: matches recorded traffic against the schedule and ends in a verdict.
// Exit codes: 0 nothing, 1 something could not be read or was asked wrongly, 2 deprecated in use, 3 removed in use.
import { writeFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { annotationsReport } from '../report/annotations.ts'
import { checkSources } from '../check/check.ts'
import type { Format } from '../check/detect.ts'
import { fileFault } from '../input/json-file.ts'
import { junitReport } from '../report/junit.ts'
import { jsonReport } from '../report/json.ts'
import { textReport } from '../report/text.ts'
import { sarifReport } from '../report/sarif.ts'
import { openFile, openStream } from '../check/source.ts'
import { exitCodeOf, judge, type FailOn, type Verdict } from '../check/verdict.ts'
import { readWaivers } from '../check/waivers.ts'
import { printable } from '../command-line/printable.ts'
import { UsageError, wordOf } from '../command-line/arguments.ts'
import type { CliParts } from '../command-line/parts.ts'
import { dayOf, type Day } from '../schedule/schedule.ts'
import { scheduleFrom } from './options.ts'
import { createProgress } from './progress.ts'
import { painterFor, type Paint } from '../command-line/terminal.ts'

const reports = ['text', 'json', 'sarif', 'junit', 'annotations'] as const
type Report = (typeof reports)[number]

type Values = {
  schedule?: string[] | undefined
  waivers?: string | undefined
  asOf?: Day | undefined
  within?: number | undefined
  failOn: FailOn
  ignoreBroken?: true | undefined
  input?: Format | undefined
  report?: string[] | undefined
} & { [Kind in Exclude<Report, 'text'>]?: true | undefined }

const shapeOf = (values: Values): Report => {
  const [shape = 'text', ...others] = reports.filter((report) => report !== 'text' && values[report])
  if (others.length === 0) return shape
  const both = `--${[shape, ...others].join(' and --')}`
  throw new UsageError(`${both} can't share one output; use --report KIND=FILE for the others`)
}

const filesOf = ({ report = [] }: Values) =>
  report.map((text) => {
    const [kind = '', file = ''] = text.split(/=(.*)/s, 2)
    if (file === '') throw new UsageError('--report expects a kind and a file, such as --report sarif=FILE')
    return { kind: wordOf('--report', kind, reports), file }
  })

const settingsFrom = async (values: Values, now: () => number) => {
  const asked = {
    asOf: values.asOf ?? dayOf(new Date(now())),
    within: values.within,
    failOn: values.failOn,
    format: values.input,
    ignoreBroken: values.ignoreBroken ?? false,
    shape: shapeOf(values),
    files: filesOf(values),
  }
  const schedule = await scheduleFrom(values.schedule)
  const waivers = values.waivers === undefined ? [] : await readWaivers(values.waivers, schedule)
  return { ...asked, schedule, waivers }
}
type CheckSettings = Awaited<ReturnType<typeof settingsFrom>>

const writers: Record<Report, (verdict: Verdict, settings: CheckSettings, paint: Paint) => string> = {
  text: (verdict, _settings, paint) => textReport(verdict, paint),
  json: (verdict, { failOn, ignoreBroken }) => jsonReport(verdict, exitCodeOf(verdict, failOn, ignoreBroken)),
  sarif: sarifReport,
  junit: (verdict, { schedule, failOn }) => junitReport(verdict, schedule, failOn),
  annotations: annotationsReport,
}

const sourcesOf = (names: readonly string[], stdin: CliParts['stdin']) => {
  if (names.length === 0 && stdin.isTTY === true)
    throw new UsageError('specify files to check, or pipe traffic to standard input')
  return (names.length === 0 ? ['-'] : names).map((name) =>
    name === '-' ? () => openStream('stdin', stdin) : () => openFile(name),
  )
}

/** Checks traffic. Resolves to the exit code. @throws {UsageError} @throws {InputFault} */
export async function run(
  files: readonly string[],
  values: Values,
  { stdout, stderr, stdin, now, env }: CliParts,
): Promise<number> {
  const settings = await settingsFrom(values, now)
  const progress = createProgress(stderr)
  // Lines die young, and V8 would let the space for young objects grow to 100 MB, and that for old ones by half each time.
  // With both held, a check of any length stays around 120 MB at the same speed (test/bench/deprecations.ts).
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--heap-growing-percent=20')
  const talk = (line: string) => {
    progress.clear()
    stderr.write(`${printable(line)}\n`)
  }

  const result = await checkSources(sourcesOf(files, stdin), {
    ...settings,
    report: talk,
    progress: progress.show,
  })
  progress.clear()
  const verdict = judge(result, settings)

  for (const { item, until } of verdict.expiredWaivers) talk(`the waiver for ${item} expired on ${until}`)
  for (const { item } of verdict.idleWaivers) talk(`the waiver for ${item} is unused: the item was not found`)
  for (const { kind, file } of settings.files)
    await writeFile(file, writers[kind](verdict, settings, painterFor({}, env))).catch((error: unknown) => {
      throw fileFault(file, error)
    })
  stdout.write(writers[settings.shape](verdict, settings, painterFor(stdout, env)))
  return exitCodeOf(verdict, settings.failOn, settings.ignoreBroken)
}
