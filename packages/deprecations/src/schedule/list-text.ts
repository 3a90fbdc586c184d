// The list for a terminal (a heading for each removal date, the operations under it, what to use instead at the side) and
// for sheets, as CSV (RFC 4180).
import { printable } from '../command-line/printable.ts'
import { wrapped, type Paint } from '../command-line/terminal.ts'
import { byRemoval, type Listed } from './listing.ts'
import { counted, fieldOf, insteadOf } from './schedule.ts'

const MIN_LEFT = 20
const MIN_RIGHT = 24
/** What is before and between the two columns. */
const GAPS = 6

const nameOf = (entry: Listed) => printable(entry.kind === 'endpoint' ? 'the whole endpoint' : fieldOf(entry))

/** The chosen entries as text; `width` is that of the terminal in characters. */
export const listText = (entries: readonly Listed[], paint: Paint, width: number): string => {
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
export const listCsv = (entries: readonly Listed[]): string => {
  const columns = COLUMNS.split(' ')
  const rows = entries.map((entry) => {
    const { fixBy, daysLeft, state } = entry.status
    const { in: place, depth } = entry.kind === 'field' ? entry.place : {}
    const cells = { ...entry, place, depth, fix_by: fixBy, days_left: String(daysLeft), state }
    return columns.map((column): unknown => Reflect.get(cells, column) ?? '')
  })
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}
