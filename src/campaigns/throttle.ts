// Spaces calls evenly. On a request to slow down, waits as long as requested, halves the rate, and recovers slowly.
import { setTimeout as sleep } from 'node:timers/promises'

/** Exchange Online allows three connections per mailbox. A crash leaves as many emails with an unknown outcome. */
export const MAX_CONCURRENT = 3

const MIN_RATE = 0.2
/** The rate grows by this factor with each call. */
const RECOVERY = 1.01

/** Times are milliseconds; `now` is monotonic. */
type ThrottleClock = { now: () => number; wait: (ms: number, signal?: AbortSignal) => Promise<unknown> }

const CLOCK: ThrottleClock = {
  now: () => performance.now(),
  wait: (ms, signal) => sleep(ms, undefined, signal && { signal }),
}

export class Throttle {
  readonly #maxRate: number
  readonly #signal: AbortSignal | undefined
  readonly #clock: ThrottleClock
  #rate: number
  #nextAt = 0
  #pausedUntil = 0
  #queue: Promise<void> = Promise.resolve()

  constructor(perSecond: number, signal?: AbortSignal, clock: ThrottleClock = CLOCK) {
    this.#maxRate = this.#rate = perSecond
    this.#signal = signal
    this.#clock = clock
  }

  get rate(): number {
    return this.#rate
  }

  /** Waits until the next call may start. Idle time isn't made up for. Rejects when the signal ends the run. */
  next(): Promise<void> {
    const slot = this.#queue.then(() => this.#nextSlot())
    this.#queue = slot.catch(() => {})
    return slot
  }

  /** Pauses, then halves the rate. @returns false during a pause, which counts once */
  slowDown(seconds: number): boolean {
    const now = this.#clock.now()
    const isNew = now >= this.#pausedUntil
    if (isNew) this.#rate = Math.max(Math.min(MIN_RATE, this.#maxRate), this.#rate / 2)
    this.#pausedUntil = Math.max(this.#pausedUntil, now + seconds * 1000)
    this.#nextAt = Math.max(this.#nextAt, this.#pausedUntil)
    return isNew
  }

  async #nextSlot(): Promise<void> {
    const { now, wait } = this.#clock
    // slowDown may be called during the wait.
    for (let ms = this.#nextAt - now(); ms > 0; ms = this.#nextAt - now()) await wait(ms, this.#signal)
    this.#signal?.throwIfAborted()
    this.#nextAt = now() + 1000 / this.#rate
    this.#rate = Math.min(this.#maxRate, this.#rate * RECOVERY)
  }
}

/**
 * Handles `limit` items at a time, until all are done, one has failed, or `isStopped`.
 * @returns true if all were started @throws the first failure, once no other work is in progress
 */
export async function forEachConcurrent<T>(
  items: AsyncIterator<T> | Iterator<T>,
  limit: number,
  isStopped: () => boolean,
  work: (item: T) => Promise<void>,
): Promise<boolean> {
  let isDone = false
  const failure = new AbortController()
  const mustStop = () => failure.signal.aborted || isStopped()
  const worker = async () => {
    while (!mustStop()) {
      const { done, value } = await items.next()
      if (done === true) return void (isDone = true)
      if (!mustStop()) await work(value)
    }
  }
  const onFailure = (error: unknown) => {
    failure.abort()
    throw error
  }
  const workers = Array.from({ length: limit }, () => worker().catch(onFailure))
  const first = (await Promise.allSettled(workers)).find((result) => result.status === 'rejected')
  if (first !== undefined) throw first.reason
  return isDone
}
