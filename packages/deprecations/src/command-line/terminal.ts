// How text is laid out for people: colours only where somebody looks at them, columns by what a terminal shows.

export type Screen = { isTTY?: boolean; columns?: number }

const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 }

export type Colour = keyof typeof CODES

export type Paint = Record<Colour, (text: string) => string>

/** Colours for a terminal that can show them, unless NO_COLOR has any value that is not empty (https://no-color.org). */
export function painterFor(screen: Screen, env: NodeJS.ProcessEnv): Paint {
  const colourful = screen.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const painted = (colour: Colour) => (text: string) =>
    colourful ? `\u001B[${CODES[colour]}m${text}\u001B[0m` : text
  return {
    red: painted('red'),
    green: painted('green'),
    yellow: painted('yellow'),
    dim: painted('dim'),
    bold: painted('bold'),
  }
}

const MOST_COLUMNS = 80

export const columnsOf = (screen: Screen): number =>
  Math.max(40, Math.min(screen.columns ?? 80, MOST_COLUMNS))

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/u

const cells = (grapheme: string) => (WIDE.test(grapheme) ? 2 : /^\p{M}/u.test(grapheme) ? 0 : 1)

/** How many columns a terminal takes for it. */
export const widthOf = (text: string): number =>
  [...graphemes.segment(text)].reduce((sum, { segment }) => sum + cells(segment), 0)

/** At most so many columns, with an ellipsis where something was cut; padded to them. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text + ' '.repeat(columns - widthOf(text))
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept) + cells(segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…${' '.repeat(columns - 1 - widthOf(kept))}`
}

/** Breaks at spaces; a word that is longer than a line stays whole, so that it can be copied. */
export function wrapped(text: string, columns: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last !== '' && widthOf(last) + 1 + widthOf(word) > columns) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}
