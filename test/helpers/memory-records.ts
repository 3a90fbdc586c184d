// Records in memory, for tests that need no real store.
import { setImmediate as turn } from 'node:timers/promises'
import type { Records } from '../../src/records/records.ts'

/** Without expiry. Each operation takes a turn of the event loop, so that writers can race. */
export function memoryRecords(values = new Map<string, string>()) {
  const records: Pick<Records, keyof Records> = {
    async put(key, value) {
      await turn()
      values.set(key, value)
    },
    async get(key) {
      await turn()
      return values.get(key)
    },
    getAll(keys) {
      return Promise.all(keys.map((key) => this.get(key)))
    },
    async compareAndSet(key, expected, value) {
      await turn()
      const isSame = values.get(key) === expected
      if (isSame) values.set(key, value)
      return isSame
    },
    async remove(key) {
      await turn()
      values.delete(key)
    },
    async compareAndRemove(key, expected) {
      await turn()
      if (values.get(key) === expected) values.delete(key)
    },
    async *keys(prefix) {
      await turn()
      yield [...values.keys()].filter((key) => key.startsWith(prefix))
    },
  }
  return { records, values }
}
