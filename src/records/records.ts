// Small durable records with expiry. Every operation but `keys` touches one key, so it runs on a cluster.
import { Problem } from '../problem.ts'
import { within } from '../within.ts'
import { describeStoreError } from './store-error.ts'

export type Records = {
  get(key: string): Promise<string | undefined>
  /** Writes over any value. The record expires after `seconds`. */
  put(key: string, value: string, seconds: number): Promise<void>
  /** Writes if the value still is `expected` (undefined: none). False: another writer was faster. */
  compareAndSet(key: string, expected: string | undefined, value: string, seconds: number): Promise<boolean>
  remove(key: string): Promise<void>
  compareAndRemove(key: string, expected: string): Promise<void>
  /** Each key with this prefix once, in batches; may include keys that are written or removed meanwhile. */
  keys(prefix: string): AsyncGenerator<string[]>
}

/** The store answers within this time, or the request fails. */
const DEADLINE_MS = 1_500

export class StoreUnavailable extends Problem {
  constructor(cause: unknown) {
    const { code, message } = describeStoreError(cause)
    const detail = `${message} (${code}): see REDIS_URL or DATA_DIR`
    super(503, 'store_unavailable', { detail, cause, retryAfter: 5 })
    this.name = 'StoreUnavailable'
  }
}

/** The store has another secret or format. Ends a start with EXIT_SETTINGS. */
export class StoreUnreadable extends Problem {
  override name = 'StoreUnreadable'
  constructor(detail: string) {
    super(503, 'store_unavailable', { detail })
    this.message = detail
  }
}

/** A frozen Redis accepts connections and never answers. @throws {StoreUnavailable} whose cause may be {@link TooSlow} */
export const withinDeadline = <T>(work: () => Promise<T>, milliseconds = DEADLINE_MS): Promise<T> =>
  within(milliseconds, new Promise<T>((resolve) => resolve(work()))).catch((error: unknown) => {
    throw new StoreUnavailable(error)
  })
