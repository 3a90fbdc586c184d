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
  /** Called for a body whose schema does not say what it holds. */
  undescribed: (at: At) => void
}

/** A schema, the names of the members that lead to what it describes, and whether it is all that is said of a body. */
type Visit = { at: At; names: readonly string[]; isAll?: boolean | undefined }

const ANY_NAME = '*'
const below = (names: readonly string[], name: string) => [...names.slice(-3), name]

/** The schemas inside a schema: an alternative is at its place, as an item is; a property one deeper. */
const inner = ({ at, names, isAll }: Visit, follow: Follow): Visit[] => {
  const membersOf = (name: string) => childrenOf(follow(into(at, name)) ?? into(at, name))
  const parts = (...keys: string[]) => keys.map((key) => into(at, key))
  const same = [
    ...parts('allOf', 'prefixItems', 'items').flatMap(itemsOf),
    ...parts('if', 'then', 'else', 'additionalItems', 'unevaluatedItems', 'contains', 'contentSchema'),
    ...['dependentSchemas', 'dependencies'].flatMap(membersOf),
    ...mapped(at),
  ]
  const instead = [...parts('anyOf', 'oneOf').flatMap(itemsOf), into(at, 'items')]
  const unnamed = [
    ...parts('additionalProperties', 'unevaluatedProperties'),
    ...membersOf('patternProperties'),
  ]
  return [
    ...same.map((one) => ({ at: one, names })),
    ...instead
      .filter(({ value }) => isRecord(value) || value === true)
      .map((one) => ({ at: one, names, isAll })),
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

const DESCRIBES =
  /^(?:properties|allOf|anyOf|oneOf|items|itemSchema|prefixItems|if|contentSchema|not|required|\$(?:ref|dynamicRef|recursiveRef))$/
const SIMPLE = /^(?:number|integer|boolean|null)$/

/** Whether a schema allows any members without naming them: what is sent may be anything. */
const isOpen = ({ value }: At): boolean =>
  value !== false &&
  !(
    isRecord(value) &&
    (Object.keys(value).some((name) => DESCRIBES.test(name)) || SIMPLE.test(String(value.type)))
  )

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
  const waiting: Visit[] = schemas.map((at) => ({ at, names: [], isAll: true }))
  for (const visit of waiting) {
    const { at, names, isAll } = visit
    if (isAll === true && isOpen(at)) search.undescribed(at)
    if (!isRecord(at.value) || fields.isReplacement(names.at(-1) ?? '') || !isNew(at.value, names)) continue
    reportIn(visit, search)
    waiting.push(...inner(visit, follow))
    const next = follow(at)
    if (next === undefined || next.value === at.value) continue
    if (names.length === 0 || !fields.isReplacement(titleOf(next))) waiting.push({ at: next, names, isAll })
  }
}
