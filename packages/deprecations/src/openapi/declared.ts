// The deprecated fields that an operation's messages declare. What a schema leaves open may be anything.
// A document's patterns are never run, since one can take for ever.
import { isRecord } from '../input/json.ts'
import { isHolder, isReplacement, placed, searchFields, type Fields } from '../matching/fields.ts'
import type { Confidence } from '../matching/matcher.ts'
import type { FieldEntry, Side } from '../schedule/schedule.ts'
import { listOf, recordOf, type OpenApiDocument } from './document.ts'

/** A value, written as member `name` of `holder`. */
export type Written = { value: unknown; holder: object; name: string }

/** Called for a field; `why` it may only be declared, where that is due to what can't be read. */
type Declares = (entry: FieldEntry, confidence: Confidence, at: Omit<Written, 'value'>, why?: string) => void

export const LOST =
  "can't be followed: nothing is fetched, and only files below the document's folder are read"
const TOO_MANY = 'leads to more schemas than are looked through; split the document'

/** Documents of three hundred thousand lines have fewer for one message. */
const MAX_VISITS = 100_000

/** Keywords with a schema for members without a name. */
const UNNAMED = ['additionalProperties', 'unevaluatedProperties']
/** Keywords that may bring in members, and are not looked into. */
const NOT_READ = ['patternProperties', 'dependencies', '$dynamicRef', '$recursiveRef']
const EXAMPLES = ['example', 'examples', 'default', 'const', 'enum']

/** Whether a schema names the members there are, so that no others are to be expected. A circle adds nothing. */
const isDescribed = (value: unknown, { follow }: OpenApiDocument): boolean => {
  const seen = new Map<unknown, boolean>()
  const look = (written: unknown): boolean => {
    const schema = follow(written)
    if (!isRecord(schema)) return schema === false
    if (!seen.has(schema)) {
      seen.set(schema, false)
      seen.set(schema, says(schema))
    }
    return seen.get(schema) === true
  }
  const says = (schema: Record<string, unknown>): boolean => {
    const { type, properties, allOf, anyOf, oneOf, items } = schema
    if (UNNAMED.some((name) => isRecord(schema[name]) || schema[name] === true)) return false
    if (/^(?:number|integer|boolean|null)$/.test(String(type)) || isRecord(properties)) return true
    if ([items, ...listOf(allOf)].some((one) => isRecord(one) && look(one))) return true
    return [anyOf, oneOf].map(listOf).some((list) => list.length > 0 && list.every(look))
  }
  return look(value)
}

/** Reports what a message, a request body or an answer, declares. */
export const eachDeclared = (
  message: Written,
  document: OpenApiDocument,
  fields: Fields,
  side: Side,
  declares: Declares,
): void => {
  const { follow } = document
  const wanted = fields[side]
  const declaresAny = (confidence: Confidence, at: Written, why?: string) => {
    for (const entry of [...wanted.values()].flat()) declares(entry, confidence, at, why)
  }
  const seen = new Map<object, Set<string>>()
  const isNew = (value: object, names: readonly string[]) => {
    const way = names.length > 1 ? '*' : names.join('')
    const ways = seen.get(value) ?? new Set()
    if (ways.has(way)) return false
    seen.set(value, ways.add(way))
    return true
  }
  const waiting: (Written & { names: readonly string[] })[] = [{ ...message, names: [] }]
  const lookAtMember = (at: Written, names: readonly string[]) => {
    for (const entry of wanted.get(at.name) ?? []) {
      const sure = placed(entry, [...names, at.name], fields)
      if (sure !== undefined) declares(entry, sure, at)
    }
    // A schema of the replacement's name is the replacement.
    const { $ref } = recordOf(at.value)
    if ([at.name, String($ref).split('/').at(-1) ?? ''].some((one) => isReplacement(fields, one))) return
    if (names.length === 0 && isHolder(fields, at.name) && !isDescribed(at.value, document))
      declaresAny('endpoint', at)
    waiting.push({ ...at, names: [...names.slice(-2), at.name] })
  }
  const lookAtExamples = ({ value, ...at }: Written, names: readonly string[]) => {
    const examples = at.name === 'examples' ? Object.values(value ?? {}) : [value]
    for (const example of examples.map((one) => (isRecord(one) && 'value' in one ? one.value : one))) {
      const whole = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), example)
      searchFields(whole, fields, side, (entry) => declares(entry, 'name', at))
    }
  }
  const lookAt = (holder: object, names: readonly string[]) => {
    for (const [name, value] of Object.entries(holder)) {
      const at = { value: value as unknown, holder, name }
      if (name === 'properties' && isRecord(follow(value))) {
        const members = follow(value) as object
        for (const [member, schema] of Object.entries(members))
          lookAtMember({ value: schema as unknown, holder: members, name: member }, names)
      } else if (name === 'required')
        for (const one of listOf(value)) lookAtMember({ value: undefined, holder, name: String(one) }, names)
      else if (EXAMPLES.includes(name)) lookAtExamples(at, names)
      else waiting.push({ ...at, names: UNNAMED.includes(name) ? [...names.slice(-2), '*'] : names })
    }
  }

  const media = Object.values(recordOf(recordOf(follow(message.value)).content))
    .map(follow)
    .map(recordOf)
  const isAllSaid = media.every(({ schema, itemSchema = schema }) => isDescribed(itemSchema, document))
  if (media.length === 0 || !isAllSaid) declaresAny('endpoint', message)
  for (const { names, ...at } of waiting) {
    if (waiting.length > MAX_VISITS) return declaresAny('unread', message, TOO_MANY)
    const target = follow(at.value)
    if (target === undefined && at.value !== undefined) declaresAny('unread', at, LOST)
    // OpenAPI 3.1 lets a reference have keywords beside it.
    for (const part of new Set([target, at.value])) {
      if (typeof part !== 'object' || part === null || !isNew(part, names)) continue
      const isOpen = 'discriminator' in part && !('oneOf' in part || 'anyOf' in part)
      if (isOpen || NOT_READ.some((name) => name in part)) declaresAny('endpoint', at)
      lookAt(part, names)
    }
  }
}
