// Changes a record that holds JSON: reads, computes, writes where nobody was faster, otherwise again.
import { StoreUnavailable, type Records } from './records.ts'

const MOST_TRIES = 20

export type JsonRecord<T> = {
  key: string
  seconds: number
  /** Reads what stands in the store; undefined: nothing yet, or not readable any more. */
  read: (text: string | undefined) => T
}

/**
 * @param change may run more than once, so it only computes
 * @returns what is in the store now
 * @throws {StoreUnavailable}
 */
export async function updateJson<T>(
  records: Pick<Records, 'get' | 'compareAndSet'>,
  { key, seconds, read }: JsonRecord<T>,
  change: (value: T) => T,
): Promise<T> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const was = await records.get(key)
    const value = change(read(was))
    const is = JSON.stringify(value)
    if (was === is || (await records.compareAndSet(key, was, is, seconds))) return value
  }
  throw new StoreUnavailable(new Error(`a record was changed by others ${MOST_TRIES} times in a row`))
}
