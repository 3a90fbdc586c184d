// Makes foreign text safe to show in a page, a log line or an email. Pure.

/** Removes control and direction characters, which could reorder the words around the text. */
export const singleLine = (text: string) =>
  PLAIN.test(text)
    ? text
    : text
        .replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\u061c]/gu, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()

const PLAIN = /^[!-~]+(?: [!-~]+)*$/

const segmenter = new Intl.Segmenter()

/** Cuts between words or graphemes, and adds an ellipsis. @param max maximum of characters */
export function shorten(text: string, max: number): string {
  if (text.length <= max || (text.length === max + 1 && text.endsWith('…'))) return text
  const segments = [...segmenter.segment(text.slice(0, max + 1))].map(({ segment }) => segment)
  // A single grapheme may be longer than the limit.
  const whole = segments.slice(0, -1).join('') || text.slice(0, max).toWellFormed()
  const words = /\s/.test(text.charAt(whole.length)) ? whole : whole.replace(/\s\S*$/, '')
  return `${(words.length > max / 2 ? words : whole).replace(/[\s,;:]+$/, '')}…`
}
