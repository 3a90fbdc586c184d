// JSON that is kept sealed and bound to the key it is kept under, so that one record cannot take another's place.
import type { Sealer } from './seal.ts'

/** Each under its whole `key`, without REDIS_PREFIX. `open`: undefined if unreadable; member types aren't checked. */
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
