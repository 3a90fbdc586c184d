// How the doctor's findings are shown. Pure.
import type { FindingStatus } from '../../doctor/finding.ts'
import type { Report } from '../../doctor/examine.ts'
import { printable } from '@onramp/deprecations/command-line/printable'
import {
  columnsOf,
  painterFor,
  wrapped,
  type Colour,
  type Screen,
} from '@onramp/deprecations/command-line/terminal'

const colours: Record<FindingStatus, Colour> = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'dim' }
const INDENT = 8
const ARROW = '-> '

type Look = { screen: Screen; env: NodeJS.ProcessEnv }

function counted(found: readonly Report[]): Record<FindingStatus, number> {
  const counts = { ok: 0, warn: 0, fail: 0, skip: 0 }
  for (const { status } of found) counts[status]++
  return counts
}

export function resultOf(found: readonly Report[]): 'ok' | 'warn' | 'fail' {
  const counts = counted(found)
  return counts.fail > 0 ? 'fail' : counts.warn > 0 ? 'warn' : 'ok'
}

export function doctorJson(found: readonly Report[]): string {
  const findings = found.map(({ group, check, status, says, settings, fix = null }) => {
    return { group, check, status, says, settings, fix }
  })
  const report = { schema_version: 1, result: resultOf(found), counts: counted(found), findings }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

/** One group: its findings, each with what to change below it. */
export function doctorGroup(group: string, found: readonly Report[], { screen, env }: Look): string {
  const paint = painterFor(screen, env)
  const room = columnsOf(screen) - INDENT
  const margin = ' '.repeat(INDENT)
  const listed = found.filter(({ isMissing }) => isMissing !== true)
  if (listed.length === 0) return ''
  const lines = listed.flatMap(({ status, says, settings, fix }) => {
    const [first = '', ...rest] = wrapped(printable(says), room)
    const faded = (text: string) => (status === 'skip' ? paint.dim(text) : text)
    const remedy = [settings.join(', '), fix].filter(Boolean).join(': ')
    const fixing = remedy === '' ? [] : wrapped(printable(remedy), room - ARROW.length)
    return [
      `  ${paint[colours[status]](status.padEnd(INDENT - 2))}${faded(first)}`,
      ...rest.map((line) => margin + faded(line)),
      ...fixing.map((line, index) => paint.bold(margin + (index === 0 ? ARROW : '   ') + line)),
    ]
  })
  return `${paint.bold(group)}\n${lines.join('\n')}\n\n`
}

export function doctorSummary(found: readonly Report[], { screen, env }: Look): string {
  const paint = painterFor(screen, env)
  const { ok, warn, fail, skip } = counted(found)
  const unrun = found.filter(({ isMissing }) => isMissing === true).length
  const parts = [
    fail > 0 ? paint.red(fail === 1 ? '1 failure' : `${fail} failures`) : '',
    warn > 0 ? paint.yellow(warn === 1 ? '1 warning' : `${warn} warnings`) : '',
    paint.green(`${ok} ok`),
    skip > unrun ? paint.dim(`${skip - unrun} skipped`) : '',
  ]
  const verdict = {
    fail: 'Fix the failures before people use onramp.',
    warn: 'onramp can start, but check the warnings above.',
    ok: 'All checks passed.',
  }[resultOf(found)]
  const notRun =
    unrun === 0
      ? ''
      : paint.dim(
          `${unrun} ${unrun === 1 ? 'check' : 'checks'} could not run: settings or answers they need are missing.\n`,
        )
  return `${notRun}${parts.filter(Boolean).join(', ')}.\n${paint.bold(verdict)}\n`
}
