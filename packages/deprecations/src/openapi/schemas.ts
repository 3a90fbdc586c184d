// The properties that schemas declare, through everything that a schema can be made of.
import { placed, type Fields, type Placed } from '../matching/field-search.ts'
import type { FieldEntry, Side } from '../schedule/schedule.ts'
import { isRecord } from '../input/json-scan.ts'
import { childrenOf, into, itemsOf, nameOf, type At, type Follow } from './places.ts'

type SchemaSearch = {
  fields: Fields
  side: Side
  follow: Follow
  report: (entry: FieldEntry, sure: Placed, at: At) => void
}

/** A schema, and the names of the members that lead to what it describes. */
type Visit = { at: At; names: readonly string[] }

const ANY_NAME = '*'
const below = (names: readonly string[], name: string) => [...names.slice(-3), name]

/** The schemas inside a schema: an alternative is at its place, as an item is; a property one deeper. */
const inner = ({ at, names }: Visit, follow: Follow): Visit[] => {
  const membersOf = (name: string) => childrenOf(follow(into(at, name)) ?? into(at, name))
  const parts = (...keys: string[]) => keys.map((key) => into(at, key))
  const same = [
    ...parts('allOf', 'anyOf', 'oneOf', 'prefixItems', 'items').flatMap(itemsOf),
    ...parts('if', 'then', 'else', 'items', 'additionalItems', 'unevaluatedItems', 'contains'),
    ...membersOf('dependentSchemas'),
    ...mapped(at),
  ]
  const unnamed = [
    ...parts('additionalProperties', 'unevaluatedProperties'),
    ...membersOf('patternProperties'),
  ]
  return [
    ...same.map((one) => ({ at: one, names })),
    ...membersOf('properties').map((one) => ({ at: one, names: below(names, nameOf(one)) })),
    ...unnamed.map((one) => ({ at: one, names: below(names, ANY_NAME) })),
  ]
}

// The mapping of a discriminator has references, or bare names of schemas.
const mapped = (at: At): At[] =>
  childrenOf(into(at, 'discriminator', 'mapping')).flatMap((one) => {
    if (typeof one.value !== 'string') return []
    const $ref = /[/#.]/.test(one.value) ? one.value : `#/components/schemas/${one.value}`
    return [{ ...one, value: { $ref } }]
  })

const matches = (pattern: string, name: string) => {
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    // A pattern that cannot be read may match.
    return true
  }
}

const reportIn = ({ at, names }: Visit, { fields, side, follow, report }: SchemaSearch) => {
  const wanted = fields[side]
  const tell = (name: string, place: At, isPattern = false) => {
    for (const entry of wanted.get(name) ?? []) {
      const sure = placed(entry, below(names, name), fields)
      if (sure !== undefined) report(entry, isPattern ? 'name' : sure, place)
    }
  }
  const [properties, patterns] = ['properties', 'patternProperties'].map((name) => {
    const written = into(at, name)
    return follow(written) ?? written
  }) as [At, At]
  for (const property of childrenOf(properties)) tell(nameOf(property), property)
  const known = isRecord(properties.value) ? properties.value : {}
  for (const required of itemsOf(into(at, 'required')))
    if (typeof required.value === 'string' && !Object.hasOwn(known, required.value))
      tell(required.value, required)
  for (const pattern of childrenOf(patterns))
    for (const name of wanted.keys()) if (matches(nameOf(pattern), name)) tell(name, pattern, true)
}

/** What a schema is called: its name among others, or that of its file. */
const titleOf = ({ path, file }: At) =>
  path.length > 0 ? String(path.at(-1)) : file.name.replace(/^.*[\\/]|\.[a-z]+$/gi, '')

/** Looks through schemas and all they lead to; each once for each way in which its members count. */
export const eachProperty = (schemas: readonly At[], search: SchemaSearch): void => {
  const { fields, follow } = search
  const seen = new Map<unknown, Set<string>>()
  const isNew = (value: unknown, names: readonly string[]) => {
    const way = names.length <= 1 ? names.join('') : `* ${names.at(-1)}`
    const ways = seen.get(value) ?? new Set()
    if (ways.has(way)) return false
    seen.set(value, ways.add(way))
    return true
  }
  const waiting: Visit[] = schemas.map((at) => ({ at, names: [] }))
  for (const visit of waiting) {
    const { at, names } = visit
    if (!isRecord(at.value) || fields.isReplacement(names.at(-1) ?? '') || !isNew(at.value, names)) continue
    reportIn(visit, search)
    waiting.push(...inner(visit, follow))
    const next = follow(at)
    if (next === undefined || next.value === at.value) continue
    if (names.length === 0 || !fields.isReplacement(titleOf(next))) waiting.push({ at: next, names })
  }
}
