// Small durable records with expiry. Every command but that of `keys` touches one key, so it runs on a cluster.
import { Problem } from '../problem.ts'
import { withTimeout } from '../with-timeout.ts'
import { describeStoreError } from './store-error.ts'

export type Records = {
  get(key: string): Promise<string | undefined>
  /** The values of the keys, in their order, within one deadline. Far cheaper than many `get`. */
  getAll(keys: readonly string[]): Promise<(string | undefined)[]>
  /** Overwrites any value. The record expires after `seconds`. */
  put(key: string, value: string, seconds: number): Promise<void>
  /** Writes if the value is still `expected` (undefined: absent). @returns false if another writer was faster */
  compareAndSet(key: string, expected: string | undefined, value: string, seconds: number): Promise<boolean>
  remove(key: string): Promise<void>
  compareAndRemove(key: string, expected: string): Promise<void>
  /** Yields each key with this prefix once, in batches; perhaps also keys written or removed meanwhile. */
  keys(prefix: string): AsyncGenerator<string[]>
}

/** A request fails if the store takes longer. */
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

/** Limits a wait: a frozen Redis never answers. @throws {StoreUnavailable}, perhaps caused by {TimedOut} */
export const withinDeadline = <T>(work: () => Promise<T>, milliseconds = DEADLINE_MS): Promise<T> =>
  withTimeout(milliseconds, new Promise<T>((resolve) => resolve(work()))).catch((error: unknown) => {
    throw new StoreUnavailable(error)
  })
