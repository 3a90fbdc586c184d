// The list for a terminal (a heading for each removal date, the operations under it, what to use instead at the side) and
// for sheets, as CSV (RFC 4180).
import { counted, fieldOf, insteadOf } from './schedule.ts'
import { printable } from '../command-line/printable.ts'
import { wrapped, type Paint } from '../command-line/terminal.ts'
import { byRemoval, type Listed } from './listing.ts'

const MIN_LEFT = 20
const MIN_RIGHT = 24
/** What is before and between the two columns. */
const GAPS = 6

const nameOf = (entry: Listed) =>
  entry.kind === 'endpoint' ? 'the whole endpoint' : printable(fieldOf(entry))

/** The chosen entries as text; `width` is that of the terminal in characters. */
export const listText = (entries: readonly Listed[], paint: Paint, width: number): string => {
  const left = Math.max(...entries.map((entry) => nameOf(entry).length), MIN_LEFT)
  const right = Math.max(width - left - GAPS, MIN_RIGHT)
  const itemText = (entry: Listed) => {
    const [first = '', ...rest] = wrapped(printable(insteadOf(entry)), right)
    return [
      `    ${nameOf(entry).padEnd(left)}  ${first}`,
      ...rest.map((line) => ' '.repeat(left + GAPS) + line),
    ]
  }
  const days = byRemoval(entries).map(({ removal, standing, removed, operations }) => {
    const colour = removed ? paint.red : paint.yellow
    const count = operations.reduce((sum, { items }) => sum + items.length, 0)
    const heading = `${paint.bold(removal)}  ${colour(standing)}  ${paint.dim(counted(count, 'item'))}`
    const blocks = operations.flatMap(({ operation, items }) => [
      `  ${printable(operation)}`,
      ...items.flatMap(itemText),
    ])
    return [heading, ...blocks].join('\n')
  })
  return days.length === 0 ? 'No matching items on the schedule.\n' : `${days.join('\n\n')}\n`
}

const NAMES =
  'id api kind method path field place depth replacement advice reason announced removal fix_by days_left state'
const COLUMNS = NAMES.split(' ')

type Cell = string | number | undefined

const rowOf = (entry: Listed): Cell[] => {
  const { fixBy, daysLeft, state } = entry.status
  const { in: place, depth } = entry.kind === 'field' ? entry.place : {}
  const cells: Record<string, unknown> = { ...entry, place, depth, fix_by: fixBy, days_left: daysLeft, state }
  return COLUMNS.map((column) => cells[column] as Cell)
}

const cellText = (value: Cell) => {
  // A sheet takes a cell that starts so for a formula; an apostrophe prevents that.
  const text = String(value ?? '').replace(/^(?=[=+@\t\r]|-(?!\d))/, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The list as CSV with a line of column names. */
export const listCsv = (entries: readonly Listed[]): string =>
  [COLUMNS, ...entries.map(rowOf)].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
