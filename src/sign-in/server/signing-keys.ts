// The key set of an authorization server as libraries take it. Both of ours refuse the whole set for one member that is no
// key, and don't choose where a key is listed twice. Pure.
import { parseJsonObject } from '../../http/body.ts'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** @returns the text of a key set with each signing key once; any other text as it is */
export function normalizeKeySet(text: string): string {
  const { keys } = parseJsonObject(text) ?? {}
  if (!Array.isArray(keys)) return text
  const signing = keys.filter(isObject).filter(({ use = 'sig' }) => use === 'sig')
  const same = Map.groupBy(signing, ({ kty, kid, crv, n, e, x, y }) =>
    JSON.stringify([kty, kid, crv, n, e, x, y]),
  )
  // Without `alg` a key is good for each algorithm that it is listed with.
  const usable = [...same.values()].map(([key, ...more]) =>
    more.some(({ alg }) => alg !== key?.['alg']) ? { ...key, alg: undefined } : key,
  )
  return JSON.stringify({ keys: usable })
}
