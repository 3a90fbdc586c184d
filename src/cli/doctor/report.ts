// How the doctor's findings are shown. Pure.
import type { FindingStatus } from '../../doctor/finding.ts'
import type { Told } from '../../doctor/examine.ts'
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

type Look = { screen: Screen; env: NodeJS.ProcessEnv }

const counted = (told: readonly Told[]) => {
  const count = (status: FindingStatus) => told.filter((finding) => finding.status === status).length
  return { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') }
}

export function resultOf(told: readonly Told[]): 'ok' | 'warn' | 'fail' {
  const counts = counted(told)
  return counts.fail > 0 ? 'fail' : counts.warn > 0 ? 'warn' : 'ok'
}

export const doctorJson = (told: readonly Told[]): string => {
  const findings = told.map(({ group, check, status, says, settings, mend }) => ({
    group,
    check,
    status,
    says,
    settings,
    mend: mend ?? null,
  }))
  const report = { schema_version: 1, result: resultOf(told), counts: counted(told), findings }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

const mendingOf = ({ settings, mend }: Told) =>
  [settings.join(', '), mend ?? ''].filter((part) => part !== '').join(': ')

/** One group: its findings, each with what to change below it. */
export function doctorGroup(group: string, told: readonly Told[], { screen, env }: Look): string {
  const paint = painterFor(screen, env)
  const room = columnsOf(screen) - INDENT
  const lines = told.flatMap((finding) => {
    const [first = '', ...rest] = wrapped(printable(finding.says), room)
    const faded = (text: string) => (finding.status === 'skip' ? paint.dim(text) : text)
    const mending = mendingOf(finding)
    return [
      `  ${paint[colours[finding.status]](finding.status.padEnd(INDENT - 2))}${faded(first)}`,
      ...rest.map((line) => `${' '.repeat(INDENT)}${faded(line)}`),
      ...(mending === '' ? [] : arrowed(printable(mending), room).map((line) => paint.bold(line))),
    ]
  })
  return `${paint.bold(group)}\n${lines.join('\n')}\n\n`
}

const arrowed = (text: string, room: number) =>
  wrapped(text, room - 3).map((line, index) => `${' '.repeat(INDENT)}${index === 0 ? '-> ' : '   '}${line}`)

const amount = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export function doctorSummary(told: readonly Told[], { screen, env }: Look): string {
  const paint = painterFor(screen, env)
  const { ok, warn, fail, skip } = counted(told)
  const parts = [
    fail > 0 ? paint.red(amount(fail, 'failure', 'failures')) : '',
    warn > 0 ? paint.yellow(amount(warn, 'warning', 'warnings')) : '',
    paint.green(`${ok} in order`),
    skip > 0 ? paint.dim(`${skip} skipped`) : '',
  ]
  const verdict =
    fail > 0
      ? 'People cannot be served like this.'
      : warn > 0
        ? 'It can start; see the warnings.'
        : 'Everything is in order.'
  return `${parts.filter((part) => part !== '').join(', ')}.\n${paint.bold(verdict)}\n`
}
