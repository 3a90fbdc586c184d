// Normalizes key sets and signature algorithms of an authorization server for our two libraries. Pure.
import { isJsonObject, parseJsonObject } from '../../http/body.ts'

/** Excludes `none`, and symmetric algorithms such as HS256, with which anyone who knows the client secret can sign. */
export const asymmetricAlgorithms = (algorithms: readonly string[] = ['RS256']): string[] =>
  algorithms.filter((algorithm) => !/^(none|HS\d+)$/i.test(algorithm))

/**
 * Cleans a key set, because the libraries refuse a whole one if a member isn't a key, or is listed twice.
 * @returns a key set with each signing key once; other text unchanged
 */
export function normalizeKeySet(text: string): string {
  const { keys } = parseJsonObject(text) ?? {}
  if (!Array.isArray(keys)) return text
  const signing = keys.filter(isJsonObject).filter(({ use = 'sig' }) => use === 'sig')
  const same = Map.groupBy(signing, ({ kty, kid, crv, n, e, x, y }) =>
    JSON.stringify([kty, kid, crv, n, e, x, y]),
  )
  // A key listed several times gets no `alg`, so that it fits all of its algorithms.
  const unique = [...same.values()].map(([key, ...more]) =>
    more.some(({ alg }) => alg !== key?.['alg']) ? { ...key, alg: undefined } : key,
  )
  return JSON.stringify({ keys: unique })
}
