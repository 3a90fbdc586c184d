// `onramp deprecations check`: checks files or standard input, evaluates the findings, and reports them as text for
// people or as JSON for programs.
import { createReadStream } from 'node:fs'
import { checkFiles, CONFIDENCES } from '../check/check.ts'
import { UsageError } from '@onramp/terminal/arguments'
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { colorsFor, type Colors } from '@onramp/terminal/terminal'
import { openSource } from '../input/source.ts'
import { readExtendedSchedule, readWaivers } from '../schedule/files.ts'
import {
  adviceFor,
  countText,
  dayOf,
  fixBy,
  operationOf,
  removalText,
  titleOf,
} from '../schedule/schedule.ts'

type CheckOptions = {
  /** The least severe finding that fails the check. */
  failOn: 'possible' | 'use' | 'removed' | 'never'
  /** In days; later removals are ignored. */
  within?: number | undefined
  ignoreBroken?: true | undefined
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
  const schedule = readExtendedSchedule(options.schedule)
  const waivers = options.waivers === undefined ? [] : readWaivers(options.waivers)
  const write = (line: string) => void stderr.write(`${printable(line)}\n`)

  const result = await checkFiles(sourcesFrom(names, stdin), { schedule, asOf, format }, write)
  const verdict = evaluate(result, waivers, options)
  stdout.write(options.json ? jsonReport(verdict) : textReport(verdict, colorsFor(stdout, env)))
  return verdict.exitCode
}

type CheckResult = Awaited<ReturnType<typeof checkFiles>>
type Verdict = ReturnType<typeof evaluate>
type EvaluatedFinding = Verdict['inUse'][number]

/** @returns `exitCode`: the first that applies of 2 (in use), 3 (may be in use), 1 (unreadable input) and 0 */
const evaluate = (
  { found, ...result }: CheckResult,
  waivers: ReturnType<typeof readWaivers>,
  { failOn, within = Infinity, ignoreBroken }: CheckOptions,
) => {
  const valid = waivers.filter(({ until }) => result.asOf <= until)
  const due = found
    .filter(({ status }) => status.daysLeft <= within)
    .map((finding) => ({ ...finding, waiver: valid.find(({ item }) => item === finding.entry.id) }))
  const waived = due.filter(({ waiver }) => waiver)
  const findings = due.filter(({ waiver }) => !waiver)
  const inUse = findings.filter(({ confidence }) => confidence === 'exact')
  const mayBeInUse = findings.filter(({ confidence }) => confidence !== 'exact')
  const failing = failOn === 'removed' ? inUse.filter(({ status }) => status.state === 'removed') : inUse
  const exitCode = () => {
    if (failing.length > 0 && failOn !== 'never') return 2
    if (mayBeInUse.length > 0 && failOn === 'possible') return 3
    return result.faults > 0 && !ignoreBroken ? 1 : 0
  }
  return { ...result, exitCode: exitCode(), inUse, waived, mayBeInUse }
}

const findingJson = ({ entry, status, places, lastRequest: _lastRequest, ...found }: EvaluatedFinding) => ({
  id: entry.id,
  kind: entry.kind,
  operation: operationOf(entry),
  field: entry.kind === 'field' ? entry.field : undefined,
  state: status.state === 'removed' ? 'removed' : 'deprecated',
  daysLeft: status.daysLeft,
  removal: entry.removal,
  fixBy: fixBy(entry),
  instead: adviceFor(entry),
  places: [...places.values()],
  ...found,
})

/** Programs read this: add members, but never rename one. */
const jsonReport = ({ inUse, waived, mayBeInUse, ...verdict }: Verdict): string => {
  const lists = {
    inUse: inUse.map(findingJson),
    waived: waived.map(findingJson),
    mayBeInUse: mayBeInUse.map(findingJson),
  }
  return `${JSON.stringify({ ...verdict, ...lists }, null, 2)}\n`
}

const MAX_PLACES = 5

/** `traffic.ndjson:12 response /messages/0/citations (name match)` */
const placesOf = ({ places, elsewhere }: CheckResult['found'][number], { dim }: Colors): string[] => {
  const list = [...places.values()]
  const texts = list.slice(0, MAX_PLACES).map(({ file, line, record, side, pointer, count, confidence }) => {
    const at = line === undefined ? file : `${file}:${line}`
    const parts = [record, side, pointer].filter((part) => part !== undefined)
    const times = count > 1 ? `, ${countText(count, 'time')}` : ''
    return printable(`      ${[at, ...new Set(parts)].join(' ')} (${CONFIDENCES[confidence]}${times})`)
  })
  const otherTimes = list.slice(MAX_PLACES).reduce((sum, { count }) => sum + count, elsewhere)
  const moreText = dim(`      and ${countText(otherTimes, 'more time')} (use --json to list more)`)
  return [...texts, ...(otherTimes > 0 ? [moreText] : [])]
}

const findingText = (finding: EvaluatedFinding, colors: Colors): string => {
  const { entry, status, count, confidence, firstSeen, lastSeen, waiver } = finding
  const doubt = confidence === 'exact' ? '' : 'only may be in use; '
  const note = waiver && `${doubt}waived until ${waiver.until}: ${waiver.reason}`
  const state = status.state === 'removed' ? colors.red('removed') : colors.yellow('deprecated')
  const seen = firstSeen === undefined ? '' : `, first ${firstSeen}, last ${lastSeen}`
  return [
    `  ${state}  ${colors.bold(printable(titleOf(entry)))}`,
    `    ${printable(removalText(entry, status))}`,
    ...(note === undefined ? [] : [`    ${printable(note)}`]),
    colors.dim(`    ${entry.id}, in ${countText(count, 'request')}${seen}`),
    ...placesOf(finding, colors),
    '',
  ].join('\n')
}

const headline = ({ inUse, waived, mayBeInUse, requests, files, faults, asOf }: Verdict): string => {
  const removedCount = inUse.filter(({ status }) => status.state === 'removed').length
  const deprecatedCount = inUse.length - removedCount
  const possible = countText(mayBeInUse.length, 'item')
  const readTexts = [
    `${countText(requests, 'request')} in ${countText(files.length, 'file')}, as of ${asOf}`,
    ...(mayBeInUse.length > 0 && inUse.length > 0 ? [`${possible} may be in use`] : []),
    ...(faults > 0 ? [`${countText(faults, 'part')} could not be read`] : []),
  ].join('; ')
  const counts = [
    removedCount > 0 && `${removedCount} removed`,
    deprecatedCount > 0 && `${deprecatedCount} deprecated`,
  ]
  if (inUse.length > 0) return `In use: ${counts.filter(Boolean).join(' and ')} (${readTexts}).`
  if (requests === 0) return `Nothing could be checked (${readTexts}).`
  const exceptWaived = waived.length === 0 ? '' : ' except what is waived'
  if (mayBeInUse.length > 0) return `May be in use: ${possible}${exceptWaived} (${readTexts}).`
  // This is certain only if everything was recorded and read.
  if (faults === 0) return `Nothing deprecated is in use${exceptWaived} (${readTexts}).`
  return `Nothing deprecated was found in what could be read${exceptWaived} (${readTexts}).`
}

const possibleText = (findings: readonly EvaluatedFinding[], colors: Colors): string[] =>
  [...Map.groupBy(findings, ({ entry }) => operationOf(entry))].flatMap(([operation, ofIt]) => {
    const fields = new Set(ofIt.map(({ entry }) => (entry.kind === 'field' ? entry.field : 'the operation')))
    const count = Math.max(...ofIt.map((finding) => finding.count))
    const title = `  ${operation}, ${countText(count, 'request')}: ${[...fields].join(', ')}`
    return [printable(title), ...new Set(ofIt.flatMap((finding) => placesOf(finding, colors)))]
  })

const textReport = ({ waived, ...verdict }: Verdict, colors: Colors): string => {
  const asText = (finding: EvaluatedFinding) => findingText(finding, colors)
  const section = (title: string, texts: readonly string[]) => (texts.length === 0 ? [] : [title, ...texts])
  const lines = [
    colors.bold(headline({ waived, ...verdict })),
    '',
    ...verdict.inUse.map(asText),
    ...section('Waived:', waived.map(asText)),
    ...section('May be in use (why is beside each place):', possibleText(verdict.mayBeInUse, colors)),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}
