// The deprecated fields that the messages of an operation declare. What a schema leaves open may be anything.
// A document's patterns are never run, since one can take for ever.
import { isRecord, listOf, recordOf, textOf, type Loose } from '../input/json.ts'
import { levelBelow, searchFields, sureAt, type Fields, type Level } from '../matching/fields.ts'
import type { Confidence } from '../matching/matcher.ts'
import type { FieldEntry, Side } from '../schedule/schedule.ts'
import type { OpenApiDocument } from './document.ts'

/** A value, written as member `name` of `holder`. */
export type Written = { value: unknown; holder: object; name: string }

/** Called for a field; `why` it may only be declared, where that is due to what can't be read. */
type Declares = (entry: FieldEntry, confidence: Confidence, at: Written, why?: string) => void

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

/** What says which members there are. */
const SAYING = ['$ref', 'properties', 'allOf', 'anyOf', 'oneOf', 'items', 'enum', 'const']
const SIMPLE = /^(?:string|number|integer|boolean|null)$/

const takesAnything = (schema: unknown) =>
  schema === true ||
  (isRecord(schema) && !SIMPLE.test(textOf(schema.type)) && !SAYING.some((name) => name in schema))

/** Whether a schema takes members that it doesn't name. */
const isOpen = (schema: Loose) =>
  UNNAMED.some((name) => name in schema && schema[name] !== false) ||
  [...listOf(schema.oneOf), ...listOf(schema.anyOf)].some(takesAnything)

/** Whether there may be members that are not looked for. */
const isPartlyUnread = (schema: Loose) =>
  NOT_READ.some((name) => name in schema) ||
  ('discriminator' in schema && !('oneOf' in schema || 'anyOf' in schema))

/** Reports what a message, a request body or an answer, declares of the fields on its side. */
export const eachDeclared = (
  message: Written,
  { follow }: OpenApiDocument,
  { fields, side }: { fields: Fields; side: Side },
  declares: Declares,
): void => {
  const wanted = fields[side]
  const any = (confidence: Confidence, at: Written, why?: string) => {
    for (const entry of [...wanted.values()].flat()) declares(entry, confidence, at, why)
  }
  // A schema is looked through once at each level.
  const seen = [new Set<unknown>(), new Set<unknown>(), new Set<unknown>()] as const
  /** The body and, where there is one, what the operation is about; and whether their members are named. */
  const about: Written[] = [message]
  const isNamed = [false, false]
  const waiting: (Written & { level: Level })[] = [{ ...message, level: 0 }]
  const lookAtMember = (at: Written, level: Level) => {
    for (const entry of wanted.get(at.name) ?? []) {
      const sure = sureAt(entry, level)
      if (sure !== undefined) declares(entry, sure, at)
    }
    // A schema of the replacement's name is the replacement.
    const schemaName = textOf(recordOf(at.value).$ref).split('/').at(-1) ?? ''
    if (fields.isReplacement(at.name) || fields.isReplacement(schemaName)) return
    const below = levelBelow(level, at.name, fields)
    if (below === 1) about[1] = at
    waiting.push({ ...at, level: below })
  }
  const lookAt = (at: Written, level: Level) => {
    const { name, value } = at
    const media = name === 'content' ? Object.values(recordOf(value)).map(follow).map(recordOf) : []
    if (media.some((one) => !('schema' in one || 'itemSchema' in one))) any('endpoint', at)
    if (name === 'properties') {
      isNamed[level] = true
      for (const [member, schema] of Object.entries(recordOf(value)))
        lookAtMember({ value: schema, holder: value as object, name: member }, level)
    } else if (name === 'required')
      for (const one of listOf(value)) lookAtMember({ ...at, value: undefined, name: textOf(one) }, level)
    else if (EXAMPLES.includes(name)) {
      const isSure = (entry: FieldEntry) => sureAt(entry, level) !== undefined
      searchFields(value, fields, side, (entry) => isSure(entry) && declares(entry, 'name', at))
    } else waiting.push({ ...at, level: UNNAMED.includes(name) ? 2 : level })
  }

  for (const { level, ...at } of waiting) {
    if (waiting.length > MAX_VISITS) return any('unread', message, TOO_MANY)
    const target = follow(at.value)
    if (target === undefined && at.value !== undefined) any('unread', at, LOST)
    // OpenAPI 3.1 lets a reference have keywords beside it.
    for (const part of new Set([target, at.value])) {
      if (typeof part !== 'object' || part === null || seen[level].has(part)) continue
      seen[level].add(part)
      const schema = recordOf(part)
      if (isPartlyUnread(schema) || (level < 2 && isOpen(schema))) any('endpoint', at)
      for (const [name, value] of Object.entries(part)) lookAt({ value, holder: part, name }, level)
    }
  }
  for (const [level, at] of about.entries()) if (isNamed[level] === false) any('endpoint', at)
}
