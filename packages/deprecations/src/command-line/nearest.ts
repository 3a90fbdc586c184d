// Finds the word that somebody meant when they mistyped one.

/** How many letters differ (Levenshtein). */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1]
    for (const [j, other] of Array.from(b).entries()) {
      const swapped = (row[j] ?? 0) + Number(letter !== other)
      next.push(Math.min(swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** The word nearest to a mistyped one; undefined when none is close. */
export const nearest = (word: string, words: readonly string[]): string | undefined => {
  const [best] = words
    .map((known) => ({ known, away: known.startsWith(word) && word.length > 2 ? 0 : distance(word, known) }))
    .sort((a, b) => a.away - b.away)
  return best !== undefined && best.away <= Math.max(1, word.length / 3) ? best.known : undefined
}
