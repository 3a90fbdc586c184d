// How text is laid out for people: colours only on a terminal, columns by what a terminal shows.
import { styleText } from 'node:util'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

type Screen = { isTTY?: boolean; columns?: number }

const COLORS = ['red', 'green', 'yellow', 'dim', 'bold'] as const

type Color = (typeof COLORS)[number]

export type Colors = Record<Color, (text: string) => string>

/** Colours for a terminal that can show them, unless NO_COLOR has any value that is not empty (https://no-color.org). */
export function colorsFor(screen: Screen, env: NodeJS.ProcessEnv): Colors {
  const colourful = screen.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  // Not left to styleText: it would look at this process, and the screen may be another one.
  const painted = (colour: Color) => (text: string) =>
    colourful ? styleText(colour, text, { validateStream: false }) : text
  return Object.fromEntries(COLORS.map((colour) => [colour, painted(colour)])) as Colors
}

const MAX_COLUMNS = 80

export const columnsFor = (screen: Screen): number =>
  Math.max(40, Math.min(screen.columns ?? 80, MAX_COLUMNS))

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** How many columns a terminal takes for it. */
export const displayWidth = (text: string): number => stringWidth(text)

/** At most so many columns, with an ellipsis where something was cut; padded to them. */
export function fitToColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text + ' '.repeat(columns - displayWidth(text))
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (displayWidth(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…${' '.repeat(columns - 1 - displayWidth(kept))}`
}

/** Breaks at spaces; a word that is longer than a line stays whole, so that it can be copied. */
export const wrapText = (text: string, columns: number): string[] => wrapAnsi(text, columns).split('\n')
