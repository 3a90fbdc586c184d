// Fixture: a store in memory that keeps the time to live of each record.
import { StoreUnavailable, type Records } from '../../src/records/records.ts'

/** A store with failing operations. @param reason returns the error of an operation, or undefined */
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

export function memoryStore() {
  const values = new Map<string, string>()
  const lives = new Map<string, number>()
  const write = (key: string, value: string, seconds: number) => {
    values.set(key, value)
    lives.set(key, seconds)
  }
  const records: Records = {
    get: async (key) => values.get(key),
    getAll(keys) {
      return Promise.all(keys.map((key) => this.get(key)))
    },
    put: async (key, value, seconds) => write(key, value, seconds),
    async compareAndSet(key, expected, value, seconds) {
      const isSame = values.get(key) === expected
      if (isSame) write(key, value, seconds)
      return isSame
    },
    remove: async (key) => void values.delete(key),
    async *keys(prefix) {
      yield [...values.keys()].filter((key) => key.startsWith(prefix))
    },
    async compareAndRemove(key, expected) {
      if (values.get(key) === expected) values.delete(key)
    },
  }
  /** The keys of records with this prefix. */
  const named = (beginning: string) => [...values.keys()].filter((key) => key.startsWith(beginning))
  return { records, values, lives, named }
}
