// Key sets and signature algorithms of an authorization server, as our two libraries accept them. Pure.
import { parseJsonObject } from '../../http/body.ts'

/** Without `none`, and without HS256 and its like, which anyone who knows the client secret can use. Default: RS256. */
export const asymmetricAlgorithms = (algorithms: readonly string[] = ['RS256']): string[] =>
  algorithms.filter((algorithm) => !/^(none|HS\d+)$/i.test(algorithm))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/**
 * The libraries refuse a whole set for one member that is no key, and fail on a key that is listed twice.
 * @returns a key set with each signing key once; any other text unchanged
 */
export function normalizeKeySet(text: string): string {
  const { keys } = parseJsonObject(text) ?? {}
  if (!Array.isArray(keys)) return text
  const signing = keys.filter(isObject).filter(({ use = 'sig' }) => use === 'sig')
  const same = Map.groupBy(signing, ({ kty, kid, crv, n, e, x, y }) =>
    JSON.stringify([kty, kid, crv, n, e, x, y]),
  )
  // Without `alg` a key fits each algorithm that it is listed with.
  const unique = [...same.values()].map(([key, ...more]) =>
    more.some(({ alg }) => alg !== key?.['alg']) ? { ...key, alg: undefined } : key,
  )
  return JSON.stringify({ keys: unique })
}
