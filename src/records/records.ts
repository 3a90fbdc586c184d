// Small durable records with expiry. One interface; every operation but the listing of keys touches one key, so that it
// runs on a cluster.
import { Problem } from '../problem.ts'
import { within } from '../within.ts'
import { describeStoreError } from './store-error.ts'

export type Records = {
  /** The value, or undefined when there is none or it has expired. */
  get(key: string): Promise<string | undefined>
  /** Writes, whatever was there. The record is gone after `seconds`. */
  put(key: string, value: string, seconds: number): Promise<void>
  /** Writes only where the value still is `expected` (undefined: where there is none). False: another writer was faster. */
  compareAndSet(key: string, expected: string | undefined, value: string, seconds: number): Promise<boolean>
  remove(key: string): Promise<void>
  /** Removes only what still is `expected`. */
  compareAndRemove(key: string, expected: string): Promise<void>
  /** Each key with this prefix once, in batches. Keys that are written or removed meanwhile may be among them. */
  keys(prefix: string): AsyncGenerator<string[]>
}

/** The store answers within this many milliseconds, or the request is refused (guard: 2 s in all). */
export const STORE_DEADLINE_MS = 1_500

export class StoreUnavailable extends Problem {
  constructor(cause: unknown) {
    const { code, words } = describeStoreError(cause)
    super(503, 'store_unavailable', {
      detail: `${words} (${code}): see REDIS_URL or DATA_DIR`,
      cause,
      retryAfter: 5,
    })
    this.name = 'StoreUnavailable'
  }
}

/** The store answers, but this onramp can't read it: another secret or format. Ends a start with EXIT_SETTINGS. */
export class StoreUnreadable extends Problem {
  override name = 'StoreUnreadable'
  /** @param detail what happened, and what to do */
  constructor(detail: string) {
    super(503, 'store_unavailable', { detail })
    this.message = detail
  }
}

/**
 * Waits for an answer of the store, but never longer than the deadline: a frozen Redis accepts connections and
 * answers nothing, and the client's own time-out covers only commands that were not yet written.
 * @param milliseconds how long
 * @throws {StoreUnavailable} when the work fails or takes longer (the cause then is {@link TooSlow})
 */
export async function withinDeadline<T>(
  work: () => Promise<T>,
  milliseconds: number = STORE_DEADLINE_MS,
): Promise<T> {
  try {
    return await within(milliseconds, work())
  } catch (error) {
    throw new StoreUnavailable(error)
  }
}
