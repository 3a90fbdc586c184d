// "Did you mean …?" Pure.

/** Levenshtein distance of two short words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, left] of Array.from(a).entries()) {
    const above = row
    row = [i + 1]
    for (const [j, right] of Array.from(b).entries())
      row.push(
        Math.min((above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1, (above[j] ?? 0) + (left === right ? 0 : 1)),
      )
  }
  return row[b.length] ?? 0
}

/** The known word that was probably meant, or undefined when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((candidate) => ({ candidate, far: distance(word.slice(0, 40), candidate) }))
    .sort((one, other) => one.far - other.far)
  return best !== undefined && best.far <= Math.max(1, best.candidate.length / 3) ? best.candidate : undefined
}
