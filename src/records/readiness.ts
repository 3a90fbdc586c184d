// Can the store be written to? A read does not answer that: a full Redis still reads, and one that denies scripts
// or DEL lets no one sign in. It is written to once a second at most, however many probes come. A read goes out with
// each probe, because a store that has just gone must not be called ready for the rest of that second.
import type { ConnectionLog } from './redis-connection.ts'
import type { Records } from './records.ts'
import { describeStoreError } from './store-error.ts'

const KEY = 'ready'
const LIFE_SECONDS = 10
const FRESH_MS = 1_000

/** @returns resolves when a record can be written, changed by a script, removed, and read; throws what the store said */
export function createReadinessProbe(
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>,
  log: ConnectionLog,
): () => Promise<void> {
  let last: { at: number; written: Promise<void> } | undefined
  /** The code of the failure in the log: a new line is for another reason only. */
  let told: string | undefined

  async function write(): Promise<void> {
    await records.put(KEY, 'written', LIFE_SECONDS)
    // False only where another process changed it, or removed it, which is just as good.
    await records.compareAndSet(KEY, 'written', 'changed', LIFE_SECONDS)
    await records.remove(KEY)
  }

  async function tryIt(): Promise<void> {
    await records.get(KEY)
    const now = performance.now()
    if (last === undefined || now - last.at >= FRESH_MS) last = { at: now, written: write() }
    await last.written
  }

  return async () => {
    try {
      await tryIt()
    } catch (error) {
      const { code, words } = describeStoreError(error)
      if (told !== code) log.warn({ err: error, reason: code }, `not ready: ${words} (${code})`)
      told = code
      throw error
    }
    if (told !== undefined) log.info({}, 'ready again: the store can be written to')
    told = undefined
  }
}
