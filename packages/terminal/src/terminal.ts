// Colors and columns of a terminal.
import { styleText } from 'node:util'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import type { Output } from './command-context.ts'

type Screen = Pick<Output, 'isTTY' | 'columns'>

const COLORS = ['red', 'green', 'yellow', 'dim', 'bold'] as const
export type Colors = Record<(typeof COLORS)[number], (text: string) => string>

/** Colors nothing without a terminal, or if NO_COLOR isn't empty (https://no-color.org). */
export function colorsFor(screen: Screen, env: NodeJS.ProcessEnv): Colors {
  const hasColors = screen.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  // By default, styleText checks this process's own stream.
  const painted = (color: keyof Colors) => (text: string) =>
    hasColors ? styleText(color, text, { validateStream: false }) : text
  return Object.fromEntries(COLORS.map((color) => [color, painted(color)])) as Colors
}

const MAX_COLUMNS = 80

export const columnsFor = (screen: Screen): number =>
  Math.max(40, Math.min(screen.columns ?? 80, MAX_COLUMNS))

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const displayWidth = (text: string): number => stringWidth(text)

/** Pads a text to the columns, or cuts it with an ellipsis. */
export function fitToColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text + ' '.repeat(columns - displayWidth(text))
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (displayWidth(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…${' '.repeat(columns - 1 - displayWidth(kept))}`
}

/** Breaks at spaces. A longer word stays whole, so that it can be copied. */
export const wrapText = (text: string, columns: number): string[] => wrapAnsi(text, columns).split('\n')

/** Wraps messages at spaces on a terminal, and nowhere else. Indented commands, JSON and redrawn lines stay whole. */
export function wrapMessages(output: Output): Output {
  if (output.isTTY !== true) return output
  const wrapLine = (line: string): string => {
    const columns = columnsFor(output)
    const [count = ''] = /^ *\d\S* {2}/.exec(line) ?? []
    if (displayWidth(line) <= columns || (count === '' && /^[\s{]/.test(line))) return line
    const lines = wrapText(line.slice(count.length), columns - count.length)
    return count + lines.join(`\n${' '.repeat(count.length)}`)
  }
  return {
    isTTY: true,
    get columns() {
      return output.columns ?? 80
    },
    write: (text) => output.write(text.split('\n').map(wrapLine).join('\n')),
  }
}
