// The deprecated fields that the messages of an operation declare. What a schema leaves open may be anything.
// A document's patterns are never run, since one can take for ever.
import { isRecord, listOf, recordOf, textOf, type Loose } from '../input/json.ts'
import { levelBelow, searchFields, sureAt, type Fields, type Level } from '../matching/fields.ts'
import type { Confidence, Use } from '../matching/matcher.ts'
import type { Entry, FieldEntry, Side } from '../schedule/schedule.ts'
import { follow, lineOf, membersOf, type Spot } from './document.ts'

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

/** A finding at a place of a document. @param why the reference there can't be read */
export const useAt = (spot: Spot, entry: Entry, confidence: Confidence, side?: Side, why?: string): Use => {
  const { file, pointer } = spot
  const unread = why && `the reference at #${pointer} ${why}`
  return { entry, confidence, side, unread, file: file.name, pointer, line: () => lineOf(spot) }
}

/** What a message, a request body or an answer, declares of the fields on its side. */
export function* declaredIn(message: Spot, fields: Fields, side: Side): Generator<Use> {
  const wanted = fields[side]
  const uses: Use[] = []
  const declare = (spot: Spot, entry: FieldEntry, confidence: Confidence, why?: string) =>
    void uses.push(useAt(spot, entry, confidence, side, why))
  const anyField = (spot: Spot, confidence: Confidence, why?: string) => {
    for (const entry of [...wanted.values()].flat()) declare(spot, entry, confidence, why)
  }
  // A schema is looked through once at each level.
  const seen = [new Set<unknown>(), new Set<unknown>(), new Set<unknown>()] as const
  /** The body and, where there is one, what the operation is about; and whether their members are named. */
  const about = [message]
  const isNamed = [false, false]
  const waiting: { spot: Spot; level: Level }[] = [{ spot: message, level: 0 }]
  const lookAtMember = (name: string, spot: Spot, level: Level) => {
    for (const entry of wanted.get(name) ?? []) {
      const sure = sureAt(entry, level)
      if (sure !== undefined) declare(spot, entry, sure)
    }
    // A schema of the replacement's name is the replacement.
    const schemaName = textOf(recordOf(spot.value).$ref).split('/').at(-1) ?? ''
    if (fields.isReplacement(name) || fields.isReplacement(schemaName)) return
    const below = levelBelow(level, name, fields)
    if (below === 1) about[1] = spot
    waiting.push({ spot, level: below })
  }
  const lookAt = (name: string, spot: Spot, level: Level) => {
    const media = name === 'content' ? membersOf(spot).map((one) => recordOf(follow(one.spot)?.value)) : []
    if (media.some((one) => !('schema' in one || 'itemSchema' in one))) anyField(spot, 'endpoint')
    if (name === 'properties') {
      isNamed[level] = true
      for (const member of membersOf(spot)) lookAtMember(member.name, member.spot, level)
    } else if (name === 'required')
      for (const one of membersOf(spot)) lookAtMember(textOf(one.spot.value), one.spot, level)
    else if (EXAMPLES.includes(name))
      searchFields(spot.value, fields, side, (entry) => {
        if (sureAt(entry, level) !== undefined) declare(spot, entry, 'name')
      })
    else waiting.push({ spot, level: UNNAMED.includes(name) ? 2 : level })
  }

  for (const { spot, level } of waiting) {
    yield* uses.splice(0)
    if (waiting.length > MAX_VISITS) {
      anyField(message, 'unread', TOO_MANY)
      return yield* uses
    }
    const target = follow(spot)
    if (target === undefined) anyField(spot, 'unread', LOST)
    // OpenAPI 3.1 lets a reference have keywords beside it.
    for (const part of [target ?? spot, spot]) {
      const schema = part.value
      if (typeof schema !== 'object' || schema === null || seen[level].has(schema)) continue
      seen[level].add(schema)
      if (isPartlyUnread(recordOf(schema)) || (level < 2 && isOpen(recordOf(schema))))
        anyField(spot, 'endpoint')
      for (const member of membersOf(part)) lookAt(member.name, member.spot, level)
    }
  }
  for (const [level, spot] of about.entries()) if (isNamed[level] === false) anyField(spot, 'endpoint')
  yield* uses
}
