// Changes a record by compare-and-set, and retries if another writer was faster.
import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable, type Records } from './records.ts'

const MAX_TRIES = 50

/** @throws {StoreUnavailable}, also after too many tries */
export async function changeRecord(
  records: Pick<Records, 'get' | 'compareAndSet'>,
  change: {
    key: string
    /** Computes the new text; may run more than once. Undefined: the record stays unchanged. */
    next: (text: string | undefined) => { text: string; seconds: number } | undefined
    /** The stored text as loaded before, or as assumed; a read is saved if the text is right. */
    loaded?: { text: string | undefined } | undefined
  },
): Promise<void> {
  const { key, next, loaded } = change
  let text = loaded === undefined ? await records.get(key) : loaded.text
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const update = next(text)
    if (update === undefined || (await records.compareAndSet(key, text, update.text, update.seconds))) return
    if (tries > 0) await pause(Math.random() * 4 * tries)
    text = await records.get(key)
  }
  throw new StoreUnavailable(new Error(`a record changed concurrently ${MAX_TRIES} times in a row`))
}
