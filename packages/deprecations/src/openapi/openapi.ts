// Finds what an OpenAPI 2 or 3 document declares of the schedule: operations, and the properties of their schemas.
// References are followed into neighbouring files; one that leads nowhere may hide anything, and is reported.
import type { Confidence, Matcher, Scheduled } from '../matching/deprecated-use.ts'
import type { Entry, FieldEntry, Side } from '../schedule/schedule.ts'
import type { FindFile, SpecFile } from './files.ts'
import {
  childrenOf,
  createFollow,
  into,
  isRecord,
  itemsOf,
  placeOf,
  type At,
  type Follow,
  type Lost,
} from './places.ts'
import { eachProperty } from './schemas.ts'
import { addressesOf } from './servers.ts'

/** An OpenAPI document is read whole, so its size is bounded: 32 MiB as JSON, 8 MiB as YAML. */
export const largestOpenApi = { json: 32 * 1024 * 1024, yaml: 8 * 1024 * 1024 }

/** A use that a document declares; `operation` is a JSON pointer into the document. */
export type Declared = {
  entry: Entry
  confidence: Confidence
  side?: Side
  operation: string
  at: At
  /** Of a reference that could not be followed: why. */
  why?: string
}

const verbs = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'])

/** Whether a parsed document is an OpenAPI 2 or 3 document. */
export const isOpenApi = (document: unknown): boolean =>
  isRecord(document) && (typeof document.openapi === 'string' || document.swagger !== undefined)

type Walk = {
  main: SpecFile
  matcher: Matcher
  follow: Follow
  report: (use: Declared) => void
}

/** An operation of the document as one on the schedule; `isOpen`: a part of its path is left open. */
type Known = { scheduled: Scheduled; isOpen: boolean }

const knownAt = (matcher: Matcher, verb: string, paths: readonly string[]): Known | undefined => {
  for (const path of paths) {
    const scheduled = matcher.scheduled(verb, path)
    if (scheduled !== undefined) return { scheduled, isOpen: false }
  }
  for (const path of paths) {
    const scheduled = matcher.mayBe(verb, path)
    if (scheduled !== undefined) return { scheduled, isOpen: true }
  }
  return undefined
}

const isOf = (side: Side, { value }: At) =>
  side === 'response' || !isRecord(value) || value.in === undefined || value.in === 'body'

/** A field of a form in OpenAPI 2, as a schema with that one property. */
const formField = (at: At): At[] =>
  isRecord(at.value) && at.value.in === 'formData' && typeof at.value.name === 'string'
    ? [{ ...at, value: { properties: { [at.value.name]: {} } } }]
    : []

/** The schemas of the bodies on one side of an operation, in OpenAPI 3 (content) and 2 (schema, body parameter). */
const schemasOf = ({ at, item }: Operation, side: Side, follow: (at: At) => At[]): At[] => {
  const bodies =
    side === 'request'
      ? [into(at, 'requestBody'), ...[item, at].flatMap((one) => itemsOf(into(one, 'parameters')))]
      : follow(into(at, 'responses')).flatMap(childrenOf)
  const found = bodies.flatMap(follow)
  return [
    ...found.flatMap(formField),
    ...found
      .filter((body) => isOf(side, body))
      .flatMap((body) => [
        into(body, 'schema'),
        ...childrenOf(into(body, 'content'))
          .flatMap(follow)
          .map((media) => into(media, 'schema')),
      ]),
  ]
}

type Operation = { template: string; verb: string; at: At; item: At }

const operationsIn = (template: string, item: At): Operation[] =>
  childrenOf(item)
    .map((at) => ({ template, verb: String(at.path.at(-1)).toLowerCase(), at, item }))
    .filter(({ verb }) => verbs.has(verb))

const declareOperation = (operation: Operation, { scheduled, isOpen }: Known, walk: Walk) => {
  const { at } = operation
  const where = placeOf(at)
  const sure = (confidence: Confidence) => (isOpen && confidence === 'exact' ? 'name' : confidence)
  for (const entry of scheduled.endpoints)
    walk.report({ entry, confidence: sure('exact'), operation: where, at })
  for (const side of ['request', 'response'] as const) {
    const fields = scheduled.fields
    if (fields[side].size === 0) continue
    const once = new Set<string>()
    const report = (entry: Entry, confidence: Confidence, place: At, why?: string) => {
      const key = `${entry.id} ${place.file.name} ${placeOf(place)}`
      if (once.has(key)) return
      once.add(key)
      walk.report({
        entry,
        confidence: sure(confidence),
        side,
        operation: where,
        at: place,
        ...(why && { why }),
      })
    }
    const lost: Lost = (place, why) => {
      for (const entry of new Set<FieldEntry>([...fields[side].values()].flat()))
        report(entry, 'unread', place, why)
    }
    const follow = (one: At) => (one.value === undefined ? [] : (walk.follow(one, lost) ?? []))
    const schemas = schemasOf(operation, side, (one) => [follow(one)].flat())
    eachProperty(schemas, { fields, side, follow: walk.follow, report, lost })
  }
}

/** A path that could not be read may be any operation that the schedule has there. */
const lostPath =
  (template: string, walk: Walk): Lost =>
  (at, why) => {
    const prefixes = addressesOf([{ value: walk.main.data, path: [], file: walk.main }])
    const paths = prefixes.map((prefix) => prefix + template)
    for (const verb of verbs)
      for (const entry of knownAt(walk.matcher, verb, paths)?.scheduled.entries ?? [])
        walk.report({ entry, confidence: 'unread', operation: placeOf(at), at, why })
  }

const nothing: Lost = () => undefined

/** Reports everything that a document declares and the schedule deprecates. Returns the number of operations. */
export const eachDeclared = (
  main: SpecFile,
  find: FindFile,
  { matcher, report }: Pick<Walk, 'matcher' | 'report'>,
): number => {
  const walk = { main, matcher, report, follow: createFollow(find) }
  const root: At = { value: main.data, path: [], file: main }
  const paths = walk.follow(into(root, 'paths'), nothing)
  const operations = (paths === undefined ? [] : childrenOf(paths)).flatMap((written) => {
    const template = String(written.path.at(-1))
    const item = walk.follow(written, lostPath(template, walk))
    // OpenAPI 3.1 lets a path have operations beside its reference.
    const items = item === undefined || item.value === written.value ? [written] : [item, written]
    return items.flatMap((one) => operationsIn(template, one))
  })
  for (const operation of operations) {
    const prefixes = addressesOf([operation.at, operation.item, root])
    const known = knownAt(
      matcher,
      operation.verb,
      prefixes.map((prefix) => prefix + operation.template),
    )
    if (known !== undefined) declareOperation(operation, known, walk)
  }
  return operations.length
}
