// JSON that is kept sealed and bound to the key it is kept under, so that one record cannot take another's place.
import type { Sealer } from './seal.ts'

/** Records of one kind. A later form that an earlier onramp couldn't read changes the format (format.ts). */
type SealedJson<T> = {
  /** @param key the whole key that it is kept under, without REDIS_PREFIX */
  seal(value: T, key: string): string
  /** What a record holds, undefined where it can't be read; the types of its members are not checked. */
  open(text: string | undefined, key: string): T | undefined
}

export const sealedJson = <T extends object>(sealer: Pick<Sealer, 'seal' | 'open'>): SealedJson<T> => ({
  seal: (value, key) => sealer.seal(JSON.stringify(value), key),
  open(text, key) {
    const plain = text === undefined ? undefined : sealer.open(text, key)
    return plain === undefined ? undefined : (objectIn(plain) as T | undefined)
  },
})

function objectIn(plain: string): object | undefined {
  try {
    const json: unknown = JSON.parse(plain)
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : undefined
  } catch {
    return undefined
  }
}
