// The list for a terminal: a heading for each removal date, the operations under it, what to use instead at the side.
import { fieldOf, insteadOf } from './schedule.ts'
import { printable } from '../command-line/printable.ts'
import { byRemoval, type Listed } from './listing.ts'
import { counted, type Painter } from './words.ts'

const nameOf = (entry: Listed) =>
  entry.kind === 'endpoint' ? 'the whole endpoint' : printable(fieldOf(entry))

/** Breaks text into lines of at most `width` characters, at spaces. */
const wrap = (text: string, width: number): string[] => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const itemText = (entry: Listed, [left, right]: readonly [number, number]): string => {
  const [first = '', ...rest] = wrap(printable(insteadOf(entry)), right)
  const indent = ' '.repeat(left + 6)
  return [`    ${nameOf(entry).padEnd(left)}  ${first}`, ...rest.map((line) => indent + line)].join('\n')
}

/** The chosen entries as text; `width` is that of the terminal in characters. */
export const listText = (entries: readonly Listed[], paint: Painter, width: number): string => {
  const left = Math.max(...entries.map((entry) => nameOf(entry).length), 20)
  const widths = [left, Math.max(width - left - 6, 24)] as const
  const days = byRemoval(entries).map(({ removal, standing, removed, operations }) => {
    const colour = removed ? paint.red : paint.yellow
    const count = operations.reduce((sum, { items }) => sum + items.length, 0)
    const blocks = operations.map(({ operation, items }) =>
      [`  ${printable(operation)}`, ...items.map((item) => itemText(item, widths))].join('\n'),
    )
    return [
      `${paint.bold(removal)}  ${colour(standing)}  ${paint.dim(counted(count, 'item'))}`,
      ...blocks,
    ].join('\n')
  })
  return days.length === 0 ? 'Nothing on the schedule fits.\n' : `${days.join('\n\n')}\n`
}
