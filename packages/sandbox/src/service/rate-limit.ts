// The limit of the Client API, when the switch sets one: a bucket that fills evenly. It counts callers who are refused, and
// those who come back before the time that they were told.
import type { SwitchesControl } from '../control/switches.ts'

export type RateLimit = {
  /** @returns seconds to wait, or undefined: go on */
  take: () => number | undefined
  counts: () => RateCounts
  clear: () => void
}

export type RateCounts = {
  answered: number
  refused: number
  /** Came after a refusal and before Retry-After was over. */
  tooEarly: number
  /** The most within any second. */
  mostInASecond: number
}

export function createRateLimit(switches: SwitchesControl): RateLimit {
  const none = (): RateCounts => ({ answered: 0, refused: 0, tooEarly: 0, mostInASecond: 0 })
  let counts = none()
  let tokens: number | undefined
  let filledAt = 0
  let waitUntil = 0
  let lastSecond: number[] = []
  return {
    take() {
      const limit = switches.get().rateLimit
      const now = Date.now()
      lastSecond = [...lastSecond.filter((at) => now - at < 1000), now]
      counts.mostInASecond = Math.max(counts.mostInASecond, lastSecond.length)
      if (limit === null) {
        counts.answered++
        return undefined
      }
      tokens = Math.min(limit.burst, (tokens ?? limit.burst) + ((now - filledAt) / 1000) * limit.perSecond)
      filledAt = now
      if (now < waitUntil) counts.tooEarly++
      if (tokens >= 1 && now >= waitUntil) {
        tokens--
        counts.answered++
        return undefined
      }
      counts.refused++
      const seconds = Math.max(1, Math.ceil((1 - tokens) / limit.perSecond))
      waitUntil = Math.max(waitUntil, now + seconds * 1000)
      return seconds
    },
    counts: () => ({ ...counts }),
    clear() {
      counts = none()
      tokens = undefined
      waitUntil = 0
      lastSecond = []
    },
  }
}
