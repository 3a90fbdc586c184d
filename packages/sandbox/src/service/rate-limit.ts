// The limit of the Client API, when the switch sets one: a bucket that fills evenly. It counts the calls that it refuses,
// and those that come back before the time that they were told.
import type { SwitchesControl } from '../control/switches.ts'

export type RateCounts = {
  answered: number
  refused: number
  /** Calls that came after a refusal and before its Retry-After was over. */
  tooEarly: number
  /** The most calls within any second. */
  mostInASecond: number
}

export type RateLimit = ReturnType<typeof createRateLimit>

export function createRateLimit(switches: SwitchesControl) {
  const initial = () => ({
    counts: { answered: 0, refused: 0, tooEarly: 0, mostInASecond: 0 },
    tokens: Infinity,
    filledAt: 0,
    waitUntil: 0,
    lastSecond: [] as number[],
  })
  let state = initial()
  return {
    /** @returns seconds to wait, or undefined when the call may go on */
    take(): number | undefined {
      const { counts } = state
      const limit = switches.get().rateLimit
      const now = Date.now()
      state.lastSecond = [...state.lastSecond.filter((at) => now - at < 1000), now]
      counts.mostInASecond = Math.max(counts.mostInASecond, state.lastSecond.length)
      if (limit === null) {
        counts.answered++
        return undefined
      }
      const filled = ((now - state.filledAt) / 1000) * limit.perSecond
      state.tokens = Math.min(limit.burst, state.tokens + filled)
      state.filledAt = now
      if (now < state.waitUntil) counts.tooEarly++
      else if (state.tokens >= 1) {
        state.tokens--
        counts.answered++
        return undefined
      }
      counts.refused++
      const seconds = Math.max(1, Math.ceil((1 - state.tokens) / limit.perSecond))
      state.waitUntil = Math.max(state.waitUntil, now + seconds * 1000)
      return seconds
    },
    counts: (): RateCounts => ({ ...state.counts }),
    clear: () => void (state = initial()),
  }
}
