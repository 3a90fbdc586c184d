// How fast something may go: turns at an even distance, never made up for afterwards. When told that it was too fast it
// waits as long as it is told to, goes on at half the speed and comes back slowly.
import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '../present.ts'

export type Pace = {
  /** Waits for the next turn. Rejects when the signal ends the run. */
  turn(): Promise<void>
  /** It was too fast: nothing for so many seconds, and slower from then on. */
  slowDown(seconds: number): void
  /** Turns a second, as it goes now. */
  rate(): number
}

const LEAST = 0.2
/** Of the full rate, for each turn that went well. */
const RECOVERY = 0.01

export type PaceOptions = { perSecond: number; now: () => number; signal?: AbortSignal }

export function createPace({ perSecond, now, signal }: PaceOptions): Pace {
  let rate = perSecond
  let nextAt = 0
  let pausedUntil = 0
  let line: Promise<void> = Promise.resolve()

  async function oneTurn(): Promise<void> {
    // It may have been told to slow down while it waited.
    for (let wait = nextAt - now(); wait > 0; wait = nextAt - now())
      await sleep(wait, undefined, present({ signal }))
    signal?.throwIfAborted()
    nextAt = now() + 1000 / rate
    rate = Math.min(perSecond, rate + perSecond * RECOVERY)
  }

  return {
    turn() {
      const turn = line.then(oneTurn)
      line = turn.catch(() => {})
      return turn
    },
    slowDown(seconds) {
      // Several calls were under way when the limit was met: that is one time too fast.
      if (now() >= pausedUntil) rate = Math.max(Math.min(LEAST, perSecond), rate / 2)
      pausedUntil = Math.max(pausedUntil, now() + seconds * 1000)
      nextAt = Math.max(nextAt, pausedUntil)
    },
    rate: () => rate,
  }
}
