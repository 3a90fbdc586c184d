// The command `onramp deprecations list`: for a terminal (a heading for each removal date, the operations under it, what to
// use instead at the side), as JSON, and for sheets as CSV (RFC 4180).
import { UsageError } from '../command-line/arguments.ts'
import type { CliParts } from '../command-line/parts.ts'
import { printable } from '../command-line/printable.ts'
import { painterFor, wrapped, type Paint } from '../command-line/terminal.ts'
import {
  byRemoval,
  counted,
  fieldOf,
  insteadOf,
  listJson,
  type Choice,
  type Listed,
} from '../schedule/schedule.ts'

const MIN_LEFT = 20
const MIN_RIGHT = 24
/** What is before and between the two columns. */
const GAPS = 6

const nameOf = (entry: Listed) => printable(entry.kind === 'endpoint' ? 'the whole endpoint' : fieldOf(entry))

/** The chosen entries as text; `width` is that of the terminal in characters. */
const listText = (entries: readonly Listed[], paint: Paint, width: number): string => {
  const left = Math.max(...entries.map((entry) => nameOf(entry).length), MIN_LEFT)
  const right = Math.max(width - left - GAPS, MIN_RIGHT)
  const itemText = (entry: Listed) =>
    wrapped(printable(insteadOf(entry)), right).map(
      (line, index) => `    ${(index === 0 ? nameOf(entry) : '').padEnd(left)}  ${line}`,
    )
  const days = byRemoval(entries).map(({ removal, standing, removed, operations }) => {
    const count = operations.reduce((sum, { items }) => sum + items.length, 0)
    const colored = (removed ? paint.red : paint.yellow)(standing)
    return [
      `${paint.bold(removal)}  ${colored}  ${paint.dim(counted(count, 'item'))}`,
      ...operations.flatMap(({ operation, items }) => [
        `  ${printable(operation)}`,
        ...items.flatMap(itemText),
      ]),
    ].join('\n')
  })
  return days.length === 0 ? 'No matching items on the schedule.\n' : `${days.join('\n\n')}\n`
}

const COLUMNS =
  'id api kind method path field place depth replacement advice reason announced removal fix_by days_left state'

const cellText = (value: unknown) => {
  // A sheet takes a cell that starts so for a formula; an apostrophe prevents that.
  const text = (typeof value === 'string' ? value : '').replace(/^(?=[=+@\t\r]|-(?!\d))/, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The list as CSV with a line of column names. */
const listCsv = (entries: readonly Listed[]): string => {
  const columns = COLUMNS.split(' ')
  const rows = entries.map((entry) => {
    const { fixBy, daysLeft, state } = entry.status
    const { in: place, depth } = entry.kind === 'field' ? entry.place : {}
    const cells = { ...entry, place, depth, fix_by: fixBy, days_left: String(daysLeft), state }
    return columns.map((column): unknown => Reflect.get(cells, column) ?? '')
  })
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}

const DEFAULT_WIDTH = 100

/** Lists entries. Returns the exit code, 0. @throws {UsageError} */
export function list(
  entries: readonly Listed[],
  { asOf, within, json, csv }: Choice & { json: true | undefined; csv: true | undefined },
  { stdout, stderr, env }: CliParts,
): number {
  if (json && csv) throw new UsageError("--json and --csv can't be combined")

  if (json) stdout.write(`${JSON.stringify(listJson(entries, asOf), null, 2)}\n`)
  else if (csv) stdout.write(listCsv(entries))
  else {
    const removed = entries.filter(({ status }) => status.state === 'removed').length
    const scope =
      within === undefined
        ? `${removed} already removed`
        : `to be removed in the next ${counted(within, 'day')}`
    stdout.write(listText(entries, painterFor(stdout, env), stdout.columns ?? DEFAULT_WIDTH))
    stderr.write(`\n${counted(entries.length, 'item')}, ${scope}, as of ${asOf} (UTC).\n`)
  }
  return 0
}
