// Choices that a seed makes: the same seed, the same choices (the generator sfc32).
export type Random = {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from 0 up to `below`. */
  below(below: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

export function createRandom(seed: number, stream = 0): Random {
  let [a, b, c, counter] = [seed | 0, stream | 0, 0x9e3779b9, 1]
  function next(): number {
    const sum = (a + b + counter++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 2 ** 32
  }
  for (let count = 0; count < 12; count++) next()
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError('nothing to pick from')
      return list[below(list.length)] as T
    },
  }
}
