// The properties that schemas declare, through everything that a schema can be made of.
import { placed, searchFields, type Fields, type Placed } from '../matching/field-search.ts'
import type { FieldEntry, Side } from '../schedule/schedule.ts'
import { isRecord } from '../input/json-scan.ts'
import type { Declaring } from './bodies.ts'
import { childrenOf, into, itemsOf, nameOf, type At, type Follow } from './places.ts'

type SchemaSearch = {
  fields: Fields
  side: Side
  follow: Follow
  /** The schemas that may be sent in the place of one that they build on. */
  heirsOf: (at: At) => At[]
  report: (entry: FieldEntry, sure: Placed, at: At) => void
  /** Called where there are more schemas than are looked through. */
  exhausted: (at: At) => void
  /** Called for a body whose schema does not say what it holds. */
  undescribed: (at: At) => void
}

/** A schema, the names of the members that lead to what it describes, and whether it is all or a part of what is said of it. */
type Visit = Declaring & { names: readonly string[]; isPart?: boolean | undefined }

const ANY_NAME = '*'
const below = (names: readonly string[], name: string) => [...names.slice(-3), name]

/** The schemas inside a schema: an alternative is at its place, as an item is; a property one deeper. */
const inner = ({ at, names, isPart }: Visit, { fields, follow, heirsOf }: SchemaSearch): Visit[] => {
  const membersOf = (name: string) => childrenOf(follow(into(at, name)) ?? into(at, name))
  const parts = (...keys: string[]) => keys.map((key) => into(at, key))
  const same = [
    ...parts('prefixItems', 'items').flatMap(itemsOf),
    ...parts('if', 'then', 'else', 'additionalItems', 'unevaluatedItems', 'contains', 'contentSchema'),
    ...['dependentSchemas', 'dependencies'].flatMap(membersOf),
    ...parts('anyOf', 'oneOf').flatMap(itemsOf),
    into(at, 'items'),
    ...mapped(at),
    // An heir that names a schema as a part of it is none of the others.
    ...(isPart === true ? [] : heirsOf(at)),
  ]
  const unnamed = [
    ...parts('additionalProperties', 'unevaluatedProperties'),
    ...membersOf('patternProperties'),
  ]
  return [
    ...same.map((one) => ({ at: one, names })),
    ...itemsOf(into(at, 'allOf')).map((one) => ({ at: one, names, isPart: true })),
    ...membersOf('properties').map((one) => ({
      at: one,
      names: below(names, nameOf(one)),
      isAll: names.length === 0 && fields.isHolder(nameOf(one)),
    })),
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
  // A document's pattern is not run, since it may take for ever: it may match any name.
  for (const pattern of childrenOf(patterns)) for (const name of wanted.keys()) tell(name, pattern, true)
}

/** What a schema is called: its name among others, or that of its file. */
const titleOf = ({ path, file }: At) =>
  path.length > 0 ? String(path.at(-1)) : file.name.replace(/^.*[\\/]|\.[a-z]+$/gi, '')

/** What says something of the members, without being looked into. */
const SAYS = ['required', 'if']
/** `not` says something of the members only where it names some: whatever isn't a text may still be any object. */
const namesMembers = (value: unknown) => isRecord(value) && ('required' in value || 'properties' in value)
const SIMPLE = /^(?:number|integer|boolean|null)$/
const MAX_DEPTH = 200

/**
 * Makes a test for whether schemas allow members that they do not name, so that what is sent may be anything. Of parts that
 * all apply one is enough to say what there is, of alternatives all have to. A body, but no member, may be a text of JSON.
 */
const createIsOpen = (follow: Follow, isBody: boolean) => {
  const known = new Map<unknown, boolean>()
  /** @param met those on the way here, without an answer yet: a circle adds nothing, neither what is open nor what is said */
  const isOpen = (at: At, met: Map<unknown, boolean | undefined>, depth = 0): boolean | undefined => {
    const { value } = at
    if (!isRecord(value) || depth > MAX_DEPTH) return value !== false
    if (met.has(value)) return met.get(value)
    const before = known.get(value)
    if (before !== undefined) return before
    met.set(value, undefined)
    /** Whether the parts, of which one is enough, say what there is. */
    const areSaying = (parts: At[]) => {
      const answers = parts.map((one) => isOpen(one, met, depth + 1)).filter((answer) => answer !== undefined)
      return answers.length > 0 && !answers.includes(true)
    }
    const listed = (...keys: string[]) => keys.flatMap((key) => itemsOf(into(at, key)))
    const groups = [
      listed('anyOf'),
      listed('oneOf'),
      [...listed('prefixItems', 'items'), ...['items', 'contentSchema'].map((key) => into(at, key))],
      ...listed('allOf').map((one) => [one]),
    ].map((group) => group.filter((one) => isRecord(one.value) || typeof one.value === 'boolean'))
    const next = follow(at)
    if (next === undefined) {
      met.set(value, false)
      return false
    }
    if (next.value !== value) groups.push([next])
    const properties = into(at, 'properties')
    const hasMembers = childrenOf(follow(properties) ?? properties).length > 0
    const isSimple = SIMPLE.test(String(value.type)) || (!isBody && value.type === 'string')
    const takesOthers = [value.additionalProperties, value.unevaluatedProperties].some(
      (others) => others === true || isRecord(others),
    )
    const says = hasMembers || namesMembers(value.not) || SAYS.some((name) => name in value)
    const answer = !isSimple && (takesOthers || !(says || groups.some(areSaying)))
    met.set(value, answer)
    return answer
  }
  return (at: At): boolean => {
    const answer = isOpen(at, new Map()) ?? false
    if (isRecord(at.value)) known.set(at.value, answer)
    return answer
  }
}

/** Reports fields in examples: a schema may say less than they show. */
const reportExamples = (
  { at, names }: Visit,
  { fields, side, follow, report, undescribed }: SchemaSearch,
) => {
  const several = into(at, 'examples')
  const written = [into(at, 'example'), ...childrenOf(several), ...itemsOf(several)]
  for (const one of written.flatMap((example) => follow(example) ?? []))
    // OpenAPI 3 has the example in a member.
    for (const place of [one, into(one, 'value')]) {
      const document = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), place.value)
      searchFields(document, { fields, side, report: (entry) => report(entry, 'name', place) })
      if (fields.hiding[side].inValue(place.value)) undescribed(place)
    }
}

/** Documents of three hundred thousand lines have fewer for one body. */
const MAX_VISITS = 100_000

/** Looks through schemas and all they lead to; each once for each way in which its members count. */
export const eachProperty = (bodies: readonly Declaring[], search: SchemaSearch): void => {
  const { fields, follow } = search
  const seen = new Map<unknown, Set<string>>()
  const isNew = ({ at: { value }, names, isPart }: Visit) => {
    const way = `${isPart === true} ${names.length <= 1 ? names.join('') : `* ${names.at(-1)}`}`
    const ways = seen.get(value) ?? new Set()
    if (ways.has(way)) return false
    seen.set(value, ways.add(way))
    return true
  }
  const waiting: Visit[] = bodies.map((body) => ({ ...body, names: [] }))
  const [isOpenBody, isOpenMember] = [createIsOpen(follow, true), createIsOpen(follow, false)]
  for (const visit of waiting) {
    if (waiting.length > MAX_VISITS) return search.exhausted(bodies[0]?.at ?? visit.at)
    const { at, names, isAll, isPart } = visit
    if (isAll === true && (names.length === 0 ? isOpenBody(at) : isOpenMember(at))) search.undescribed(at)
    if (!isRecord(at.value) || fields.isReplacement(names.at(-1) ?? '') || !isNew(visit)) continue
    reportIn(visit, search)
    reportExamples(visit, search)
    waiting.push(...inner(visit, search))
    const next = follow(at)
    if (next === undefined || next.value === at.value) continue
    if (names.length === 0 || !fields.isReplacement(titleOf(next))) waiting.push({ at: next, names, isPart })
  }
}
