// What was read from a text last, while the store still holds that very text: the store is asked every time, so ending
// something works at once, but nothing is opened and parsed again that has not changed.

const MAX_REMEMBERED = 5_000

export type Remembered<T> = {
  /** What was made of `text` before, or of it now; nothing (undefined) is not remembered. */
  of(key: string, text: string, make: (text: string) => T): T
}

/** What is used again stays: of half as many as there may be, only those that were not used since are let go. @param max so many are remembered at most */
export function createRemembered<T>(max: number = MAX_REMEMBERED): Remembered<T> {
  const half = Math.ceil(max / 2)
  let recent = new Map<string, { text: string; value: T }>()
  let before: typeof recent = new Map()
  return {
    of(key, text, make) {
      const latest = recent.get(key)
      if (latest?.text === text) return latest.value
      const older = before.get(key)
      const entry = older?.text === text ? older : { text, value: make(text) }
      if (entry.value === undefined) return entry.value
      if (latest === undefined && recent.size >= half) {
        before = recent
        recent = new Map()
      }
      recent.set(key, entry)
      return entry.value
    },
  }
}
