// JSON, sealed with the record's key as its associated data.
import type { Sealer } from './seal.ts'

/** @param sealer of the data key. `key` has no REDIS_PREFIX; `open` returns undefined if unreadable, and checks no members. */
export const sealedJson = <T extends object>(sealer: Pick<Sealer, 'seal' | 'open'>) => ({
  seal: (value: T, key: string): string => sealer.seal(JSON.stringify(value), key),
  open(text: string | undefined, key: string): T | undefined {
    const plain = text === undefined ? undefined : sealer.open(text, key)
    if (plain === undefined) return undefined
    try {
      const json: unknown = JSON.parse(plain)
      return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as T) : undefined
    } catch {
      return undefined
    }
  },
})
