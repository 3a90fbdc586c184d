// Prints the schedule to a terminal, by removal date and operation, with the replacement beside each item.
import type { CommandContext } from '@onramp/terminal/command-context'
import { printable } from '@onramp/terminal/printable'
import { colorsFor, wrapText, type Colors } from '@onramp/terminal/terminal'
import { groupByRemoval, countText, fieldOf, adviceFor } from '../schedule/schedule.ts'
import type { EntryFilter, ListedEntry } from '../schedule/schedule.ts'

const MIN_LEFT = 20
const MIN_RIGHT = 24
/** The number of columns before and between the texts. */
const GAPS = 6

const listText = (entries: readonly ListedEntry[], colors: Colors, width: number): string => {
  const itemName = (entry: ListedEntry) =>
    printable(entry.kind === 'field' ? fieldOf(entry) : 'the whole endpoint')
  const leftWidth = Math.max(...entries.map((entry) => itemName(entry).length), MIN_LEFT)
  const rightWidth = Math.max(width - leftWidth - GAPS, MIN_RIGHT)
  const itemText = (entry: ListedEntry) =>
    wrapText(printable(adviceFor(entry)), rightWidth).map(
      (line, index) => `    ${(index === 0 ? itemName(entry) : '').padEnd(leftWidth)}  ${line}`,
    )
  const days = groupByRemoval(entries).map(({ removal, timeLeft, removed, operations }) => {
    const count = operations.reduce((sum, { items }) => sum + items.length, 0)
    const coloredTime = (removed ? colors.red : colors.yellow)(timeLeft)
    return [
      `${colors.bold(removal)}  ${coloredTime}  ${colors.dim(countText(count, 'item'))}`,
      ...operations.flatMap(({ operation, items }) => [
        `  ${printable(operation)}`,
        ...items.flatMap(itemText),
      ]),
    ].join('\n')
  })
  return days.length === 0 ? 'No matching items on the schedule.\n' : `${days.join('\n\n')}\n`
}

const DEFAULT_WIDTH = 100

export function list(entries: readonly ListedEntry[], filter: EntryFilter, context: CommandContext) {
  const { stdout, stderr, env } = context
  const { asOf, within } = filter
  const removedCount = entries.filter(({ status }) => status.state === 'removed').length
  const scope =
    within === undefined
      ? `${removedCount} already removed`
      : `to be removed in the next ${countText(within, 'day')}`
  stdout.write(listText(entries, colorsFor(stdout, env), stdout.columns ?? DEFAULT_WIDTH))
  stderr.write(`\n${countText(entries.length, 'item')}, ${scope}, as of ${asOf} (UTC).\n`)
}
