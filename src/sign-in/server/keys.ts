// The key set of an authorization server as libraries take it. Both of ours refuse the whole set for one member that is no
// key, and don't choose where a key is listed twice. Pure.
import { objectIn } from '../../client-api/body.ts'

type Jwk = Record<string, unknown>

const isObject = (value: unknown): value is Jwk => typeof value === 'object' && value !== null

/** One without `alg` is good for every algorithm, so it comes first. */
const byAlgorithm = (one: Jwk, other: Jwk) =>
  Number(one['alg'] !== undefined) - Number(other['alg'] !== undefined)

/** @returns the text of a key set with each signing key once; any other text as it is */
export function withUsableKeys(text: string): string {
  const { keys } = objectIn(text) ?? {}
  if (!Array.isArray(keys)) return text
  const seen = new Set<string>()
  const usable = keys
    .filter(isObject)
    .filter(({ use = 'sig' }) => use === 'sig')
    .toSorted(byAlgorithm)
    .filter(({ alg, kty, kid, crv, n, e, x, y }) => {
      const name = JSON.stringify([kty, kid, crv, n, e, x, y])
      const whole = JSON.stringify([name, alg])
      const isKnown = seen.has(name) || seen.has(whole)
      seen.add(alg === undefined ? name : whole)
      return !isKnown
    })
  return JSON.stringify({ keys: usable })
}
