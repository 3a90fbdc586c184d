// onramp doctor: prints the findings of the checks.
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { columnsFor, colorsFor, wrapText, type Colors } from '@onramp/terminal/terminal'
import type { Finding } from '../doctor/findings.ts'
import { runChecks } from '../doctor/run-checks.ts'

export async function doctor(
  options: { as?: string; offline?: boolean; strict?: boolean; json?: boolean },
  { env, stdout, now }: CommandContext,
): Promise<number> {
  const { as: actAs, offline = false, strict, json } = options
  const report = await runChecks({ env, now, actAs, offline })
  const { findings, notRun } = report
  const counts = { ok: 0, warn: 0, fail: 0, skip: 0 }
  for (const { status } of findings) counts[status]++
  const result = counts.fail > 0 ? 'fail' : counts.warn > 0 ? 'warn' : 'ok'

  if (json) {
    const jsonFindings = findings.map(({ group, check, status, message, settings, fix = null }) => {
      return { group, check, status, says: message, settings, fix }
    })
    const allCounts = { ...counts, skip: counts.skip + notRun }
    const output = { schema_version: 1, result, counts: allCounts, findings: jsonFindings }
    stdout.write(`${JSON.stringify(output, undefined, 2)}\n`)
  } else {
    const paint = colorsFor(stdout, env)
    for (const [group, found] of Map.groupBy(findings, (finding) => finding.group)) {
      const lines = found.flatMap((finding) => linesOf(finding, paint, columnsFor(stdout)))
      stdout.write(`${paint.bold(group)}\n${lines.join('\n')}\n\n`)
    }
    const checks = notRun === 1 ? '1 check' : `${notRun} checks`
    const missingText = `${checks} could not run: a setting or a response is missing, or --offline is set.\n`
    if (notRun > 0) stdout.write(paint.dim(missingText))
    stdout.write(`${formatCounts(counts, paint)}.\n${paint.bold(VERDICTS[result])}\n`)
  }
  return result === 'fail' || (strict && result === 'warn') ? 1 : 0
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'dim' } as const
const VERDICTS = {
  fail: 'Fix the failures before people use onramp.',
  warn: 'onramp can start, but check the warnings above.',
  ok: 'All checks passed.',
}
const INDENT = 8
const ARROW = '-> '

function linesOf({ status, message, settings, fix }: Finding, paint: Colors, columns: number) {
  const margin = ' '.repeat(INDENT)
  const [first = '', ...rest] = wrapText(printable(message), columns - INDENT)
  const fade = (text: string) => (status === 'skip' ? paint.dim(text) : text)
  const remedy = [settings.join(', '), fix].filter(Boolean).join(': ')
  const remedyLines = remedy === '' ? [] : wrapText(printable(remedy), columns - INDENT - ARROW.length)
  return [
    `  ${paint[COLORS[status]](status.padEnd(INDENT - 2))}${fade(first)}`,
    ...rest.map((line) => margin + fade(line)),
    ...remedyLines.map((line, index) => paint.bold(margin + (index === 0 ? ARROW : '   ') + line)),
  ]
}

function formatCounts({ ok, warn, fail, skip }: Record<keyof typeof COLORS, number>, paint: Colors): string {
  const figures = [
    fail > 0 && paint.red(fail === 1 ? '1 failure' : `${fail} failures`),
    warn > 0 && paint.yellow(warn === 1 ? '1 warning' : `${warn} warnings`),
    paint.green(`${ok} ok`),
    skip > 0 && paint.dim(`${skip} skipped`),
  ]
  return figures.filter(Boolean).join(', ')
}
