// Finds the word that somebody meant when they mistyped one.
import { distance } from 'fastest-levenshtein'

/** The word nearest to a mistyped one; undefined when none is close. */
export const nearest = (word: string, words: readonly string[]): string | undefined => {
  const [best] = words
    .map((known) => ({ known, away: known.startsWith(word) && word.length > 2 ? 0 : distance(word, known) }))
    .sort((a, b) => a.away - b.away)
  return best !== undefined && best.away <= Math.max(1, word.length / 3) ? best.known : undefined
}
