// How fast something may go: how much at a time, and in turns at an even distance, never made up for afterwards. After
// "too fast" it waits as long as it was asked to, goes on at half the speed and recovers slowly.
import { setTimeout as sleep } from 'node:timers/promises'

export type Throttle = {
  /** Waits for the next turn. Rejects when the signal ends the run. */
  next(): Promise<void>
  /** It was too fast: nothing for so many seconds, and slower from then on. @returns whether it wasn't known yet */
  slowDown(seconds: number): boolean
  /** Turns a second, as it goes now. */
  rate(): number
}

/** People at a time, and emails to the mail server: Exchange Online takes three of a mailbox. After a crash, as many are unknown. */
export const AT_ONCE = 3
/** Emails a second, where the mail server sets no limit. */
export const EMAILS_PER_SECOND = 10

const MIN_RATE = 0.2
/** How much faster it gets with each turn. */
const RECOVERY = 1.01

type PaceOptions = {
  perSecond: number
  now: () => number
  signal?: AbortSignal
  /** For tests. @param ms milliseconds */
  wait?: (ms: number, value: undefined, options: { signal?: AbortSignal } | undefined) => Promise<unknown>
}

export function createThrottle({ perSecond, now, signal, wait = sleep }: PaceOptions): Throttle {
  let rate = perSecond
  let nextAt = 0
  let pausedUntil = 0
  let line: Promise<void> = Promise.resolve()

  async function oneTurn(): Promise<void> {
    // slowDown may have been called meanwhile.
    for (let ms = nextAt - now(); ms > 0; ms = nextAt - now()) await wait(ms, undefined, signal && { signal })
    signal?.throwIfAborted()
    nextAt = now() + 1000 / rate
    rate = Math.min(perSecond, rate * RECOVERY)
  }

  return {
    next() {
      const turn = line.then(oneTurn)
      line = turn.catch(() => {})
      return turn
    },
    slowDown(seconds) {
      // Several calls were under way when the limit was met: that counts once.
      const isNew = now() >= pausedUntil
      if (isNew) rate = Math.max(Math.min(MIN_RATE, perSecond), rate / 2)
      pausedUntil = Math.max(pausedUntil, now() + seconds * 1000)
      nextAt = Math.max(nextAt, pausedUntil)
      return isNew
    },
    rate: () => rate,
  }
}

/**
 * Works on so many at a time, until all had their turn, one has failed, or it is over.
 * @returns whether all had their turn @throws what the first one failed with, once no other is under way
 */
export async function forEachConcurrent<T>(
  all: AsyncIterator<T> | Iterator<T>,
  atOnce: number,
  isOver: () => boolean,
  work: (one: T) => Promise<void>,
): Promise<boolean> {
  let isThrough = false
  const failure = new AbortController()
  const worker = async () => {
    while (!failure.signal.aborted && !isOver()) {
      const { done, value } = await all.next()
      if (done === true) return void (isThrough = true)
      if (!failure.signal.aborted && !isOver()) await work(value)
    }
  }
  const failed = (error: unknown) => {
    failure.abort()
    throw error
  }
  const results = await Promise.allSettled(Array.from({ length: atOnce }, () => worker().catch(failed)))
  const first = results.find((result) => result.status === 'rejected')
  if (first !== undefined) throw first.reason
  return isThrough
}
