// How long a slow store is waited for. Not a deadline for each operation alone: a request asks several times in a row,
// and three answers of just under the deadline would be far too long a wait for a page. Pure but for the clock.

/** An answer that took longer was slow. */
const SLOW_MS = 300
/** So long after a slow answer the next operation still belongs to the same stretch. */
const STRETCH_GAP_MS = 1_000

export type Patience = {
  /** Milliseconds that an operation may take which starts now; 0: the store was slow for too long. */
  left(): number
  /** An operation was answered. @param startedAt by the same clock */
  answered(startedAt: number): void
}

/**
 * The store may be slow for `most` milliseconds in one stretch, over all requests together; a quick answer ends the stretch.
 * @param now milliseconds of a clock that never goes back
 */
export function createPatience(most: number, now: () => number = () => performance.now()): Patience {
  let slowSince: number | undefined
  let lastSlowAnswer = 0
  return {
    left() {
      const moment = now()
      if (slowSince === undefined || moment - lastSlowAnswer > STRETCH_GAP_MS) return most
      return Math.max(0, slowSince + most - moment)
    },
    answered(startedAt) {
      const moment = now()
      if (moment - startedAt < SLOW_MS) {
        slowSince = undefined
        return
      }
      if (slowSince === undefined || startedAt - lastSlowAnswer > STRETCH_GAP_MS) slowSince = startedAt
      lastSlowAnswer = moment
    },
  }
}
