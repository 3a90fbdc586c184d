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
  const painter = (color: keyof Colors) => (text: string) =>
    hasColors ? styleText(color, text, { validateStream: false }) : text
  return Object.fromEntries(COLORS.map((color) => [color, painter(color)])) as Colors
}

const MAX_COLUMNS = 80

export const columnsFor = (screen: Screen): number =>
  Math.max(40, Math.min(screen.columns ?? 80, MAX_COLUMNS))

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

export const displayWidth = (text: string): number => stringWidth(text)

/** Pads a text to the columns, or cuts it with an ellipsis. */
export function fitToColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text + ' '.repeat(columns - displayWidth(text))
  let fitted = ''
  for (const { segment } of graphemes.segment(text)) {
    if (displayWidth(fitted + segment) > columns - 1) break
    fitted += segment
  }
  return `${fitted}…${' '.repeat(columns - 1 - displayWidth(fitted))}`
}

const JOINER = '\uE000'

/** Breaks at spaces. A longer word and a quoted command stay whole, so that they can be copied. */
export const wrapText = (text: string, columns: number): string[] => {
  const joinedText = text.replaceAll(/"np[mx] [^"]*"/g, (command) => command.replaceAll(' ', JOINER))
  return wrapAnsi(joinedText, columns).replaceAll(JOINER, ' ').split('\n')
}
