// What was read from a text last, while the store still holds that very text: the store is asked every time, so ending
// something works at once, but nothing is opened and parsed again that has not changed.

const MAX_REMEMBERED = 5_000

export type Remembered<T> = {
  /** What was made of `text` before, or of it now; nothing (undefined) is not remembered. */
  of(key: string, text: string, make: (text: string) => T): T
}

/** @param max so many are remembered at most */
export function createRemembered<T>(max: number = MAX_REMEMBERED): Remembered<T> {
  const known = new Map<string, { text: string; value: T }>()
  return {
    of(key, text, make) {
      const found = known.get(key)
      if (found !== undefined && found.text === text) return found.value
      const value = make(text)
      if (value === undefined) return value
      if (known.size >= max) known.clear()
      known.set(key, { text, value })
      return value
    },
  }
}
