// The schemas that build on another one with `allOf`. Where that has a discriminator, what is sent may be any of them,
// whether or not a mapping names it (OpenAPI 3.1, 4.8.25).
import { isRecord } from '../input/json-scan.ts'
import { childrenOf, into, itemsOf, rootOf, type At, type Follow } from './places.ts'

/** Prepares the search for the heirs of a schema, direct or not, among the components of its file and of `main`. */
export const createHeirs = (follow: Follow, main: At) => {
  const known = new Map<unknown, Map<unknown, At[]>>()
  const byParent = (root: At): Map<unknown, At[]> => {
    const before = known.get(root.value)
    if (before !== undefined) return before
    const found = new Map<unknown, At[]>()
    const components = [into(root, 'components', 'schemas'), into(root, 'definitions')].flatMap(childrenOf)
    for (const schema of components.flatMap((one) => follow(one) ?? []))
      for (const part of itemsOf(into(schema, 'allOf'))) {
        const parent = follow(part)?.value
        found.set(parent, [...(found.get(parent) ?? []), schema])
      }
    known.set(root.value, found)
    return found
  }
  const heirsOf = (at: At): At[] => {
    if (!isRecord(at.value) || at.value.discriminator === undefined) return []
    const roots = new Map([rootOf(main.file), rootOf(at.file)].map((root) => [root.value, root]))
    const heirs = new Map<unknown, At>()
    const waiting: unknown[] = [at.value]
    for (const value of waiting)
      for (const heir of [...roots.values()].flatMap((root) => byParent(root).get(value) ?? [])) {
        if (heirs.has(heir.value)) continue
        heirs.set(heir.value, heir)
        waiting.push(heir.value)
      }
    return [...heirs.values()]
  }
  return heirsOf
}
