// Readiness probe by a write, at most once a second: a full or read-only Redis still serves reads. Each probe also reads.
import type { ConnectionLog } from './redis-connection.ts'
import type { Records } from './records.ts'
import { describeStoreError } from './store-error.ts'

const KEY = 'ready'
const LIFE_SECONDS = 10
const FRESH_MS = 1_000

/** @returns a probe, which throws the store's error unless a record can be written, changed, removed and read */
export function createReadinessProbe(
  records: Pick<Records, 'get' | 'put' | 'compareAndSet' | 'remove'>,
  log: ConnectionLog,
): () => Promise<void> {
  let last: { at: number; written: Promise<void> } | undefined
  let loggedCode: string | undefined

  async function write(): Promise<void> {
    await records.put(KEY, 'written', LIFE_SECONDS)
    // False if another process was faster, which is as good.
    await records.compareAndSet(KEY, 'written', 'changed', LIFE_SECONDS)
    await records.remove(KEY)
  }

  return async () => {
    try {
      await records.get(KEY)
      const now = performance.now()
      if (last === undefined || now - last.at >= FRESH_MS) last = { at: now, written: write() }
      await last.written
    } catch (error) {
      const { code, message } = describeStoreError(error)
      if (loggedCode !== code) log.warn({ err: error, reason: code }, `not ready: ${message} (${code})`)
      loggedCode = code
      throw error
    }
    if (loggedCode !== undefined) log.info({}, 'ready again: the store can be written to')
    loggedCode = undefined
  }
}
