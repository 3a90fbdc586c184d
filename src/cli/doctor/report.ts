// How the doctor's findings are shown. Pure.
import type { Report } from '../../doctor/examine.ts'
import type { Status } from '../../doctor/rule.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import {
  columnsOf,
  painterFor,
  wrapped,
  type Colour,
  type Screen,
} from '@onramp/deprecations/command-line/terminal'

const colours: Record<Status, Colour> = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'dim' }
const INDENT = 8
const ARROW = '-> '

type Look = { screen: Screen; env: NodeJS.ProcessEnv }

function counted({ findings }: Report): Record<Status, number> {
  const counts = { ok: 0, warn: 0, fail: 0, skip: 0 }
  for (const { status } of findings) counts[status]++
  return counts
}

export function resultOf(report: Report): 'ok' | 'warn' | 'fail' {
  const { fail, warn } = counted(report)
  return fail > 0 ? 'fail' : warn > 0 ? 'warn' : 'ok'
}

export function doctorJson(report: Report): string {
  const counts = counted(report)
  const findings = report.findings.map(({ group, check, status, says, settings, fix = null }) => {
    return { group, check, status, says, settings, fix }
  })
  const json = {
    schema_version: 1,
    result: resultOf(report),
    counts: { ...counts, skip: counts.skip + report.notRun },
    findings,
  }
  return `${JSON.stringify(json, undefined, 2)}\n`
}

/** Each group with its findings, each with what to change below it, and the verdict. */
export function doctorText(report: Report, { screen, env }: Look): string {
  const paint = painterFor(screen, env)
  const columns = columnsOf(screen) - INDENT
  const margin = ' '.repeat(INDENT)

  const findingLines = ({ status, says, settings, fix }: Report['findings'][number]): string[] => {
    const [first = '', ...rest] = wrapped(printable(says), columns)
    const faded = (text: string) => (status === 'skip' ? paint.dim(text) : text)
    const remedy = [settings.join(', '), fix].filter(Boolean).join(': ')
    const fixing = remedy === '' ? [] : wrapped(printable(remedy), columns - ARROW.length)
    return [
      `  ${paint[colours[status]](status.padEnd(INDENT - 2))}${faded(first)}`,
      ...rest.map((line) => margin + faded(line)),
      ...fixing.map((line, index) => paint.bold(margin + (index === 0 ? ARROW : '   ') + line)),
    ]
  }

  const groups = [...Map.groupBy(report.findings, ({ group }) => group)].map(
    ([group, findings]) => `${paint.bold(group)}\n${findings.flatMap(findingLines).join('\n')}\n\n`,
  )
  return groups.join('') + summary(report, { screen, env })
}

function summary(report: Report, { screen, env }: Look): string {
  const paint = painterFor(screen, env)
  const { ok, warn, fail, skip } = counted(report)
  const { notRun } = report
  const parts = [
    fail > 0 && paint.red(fail === 1 ? '1 failure' : `${fail} failures`),
    warn > 0 && paint.yellow(warn === 1 ? '1 warning' : `${warn} warnings`),
    paint.green(`${ok} ok`),
    skip > 0 && paint.dim(`${skip} skipped`),
  ]
  const verdict = {
    fail: 'Fix the failures before people use onramp.',
    warn: 'onramp can start, but check the warnings above.',
    ok: 'All checks passed.',
  }[resultOf(report)]
  const left = `${notRun === 1 ? '1 check' : `${notRun} checks`} could not run: settings or answers they need are missing, or --offline is set.\n`
  return `${notRun === 0 ? '' : paint.dim(left)}${parts.filter(Boolean).join(', ')}.\n${paint.bold(verdict)}\n`
}
