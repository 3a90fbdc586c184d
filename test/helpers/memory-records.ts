// Records in memory, for tests that need no real store.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { StoreUnavailable, type Records } from '../../src/records/records.ts'

/** Without expiry. Each operation takes a turn of the event loop, so that writers can race. */
export function memoryRecords(values = new Map<string, string>(), turn: () => Promise<void> = nextTurn) {
  /** Seconds to live of each record, as it was last written. */
  const lives = new Map<string, number>()
  const write = (key: string, value: string, seconds: number) => {
    values.set(key, value)
    lives.set(key, seconds)
  }
  const named = (prefix: string) => [...values.keys()].filter((key) => key.startsWith(prefix))
  const records: Pick<Records, keyof Records> = {
    async put(key, value, seconds) {
      await turn()
      write(key, value, seconds)
    },
    async get(key) {
      await turn()
      return values.get(key)
    },
    getAll(keys) {
      return Promise.all(keys.map((key) => this.get(key)))
    },
    async compareAndSet(key, expected, value, seconds) {
      await turn()
      const isSame = values.get(key) === expected
      if (isSame) write(key, value, seconds)
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
      yield named(prefix)
    },
  }
  return { records, values, lives, named }
}

/** Memory records of which each operation ends within its turn, so a write is done once its response arrives. */
export const immediateRecords = () => memoryRecords(undefined, async () => {})

/** Records of which operations fail. @param reason returns the error of an operation, or false */
export const failing = (
  records: Records,
  reason: (operation: keyof Records, key: string, expected: unknown) => string | false,
): Records =>
  new Proxy(records, {
    get:
      (target, operation: keyof Records) =>
      (key: string, ...args: unknown[]) => {
        const why = reason(operation, key, args[0])
        if (why !== false) return Promise.reject(new StoreUnavailable(new Error(why)))
        return (target[operation] as (...all: unknown[]) => unknown)(key, ...args)
      },
  })
