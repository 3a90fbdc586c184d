// Finds what an OpenAPI 2 or 3 document declares of the schedule: operations, and the properties of their schemas.
// References are followed into neighbouring files; one that leads nowhere may hide anything, and is reported.
import type { Confidence, Matcher, Scheduled } from '../matching/deprecated-use.ts'
import { isRecord } from '../input/json-scan.ts'
import type { Entry, Side } from '../schedule/schedule.ts'
import { bodiesOf, type Operation } from './bodies.ts'
import type { FindFile, SpecFile } from './files.ts'
import { createHeirs } from './heirs.ts'
import { childrenOf, createFollow, into, nameOf, placeOf, rootOf, type At, type Lost } from './places.ts'
import { eachProperty } from './schemas.ts'

/** An OpenAPI document is read whole, so its size is bounded: 32 MiB. */
export const MAX_OPENAPI = 32 * 1024 * 1024

/** Of one address whose variables have several values; beyond them the rest is left out. */
const MAX_VARIANTS = 64

const VERBS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']

/** A use that a document declares; `operation` is a JSON pointer into the document. */
export type Declared = {
  entry: Entry
  confidence: Confidence
  side?: Side
  operation: string
  at: At
  /** Of a reference that could not be followed: why. */
  why?: string | undefined
}

/** Whether a parsed document is an OpenAPI 2 or 3 document. */
export const isOpenApi = (document: unknown): boolean =>
  isRecord(document) && (typeof document.openapi === 'string' || document.swagger !== undefined)

type Walk = { matcher: Matcher; find: FindFile; report: (use: Declared) => void }

/** The addresses of a server: one for each value that its variables can have. */
const filled = (server: unknown): string[] => {
  if (!isRecord(server) || typeof server.url !== 'string') return []
  const variables = isRecord(server.variables) ? Object.entries(server.variables) : []
  return variables.reduce(
    (urls, [name, variable]) => {
      const { default: usual, enum: listed } = isRecord(variable) ? variable : {}
      const all: unknown[] = [usual, ...(Array.isArray(listed) ? listed : [])]
      const values = [...new Set(all.filter((value) => typeof value === 'string'))]
      const filledIn = (url: string) => values.map((value) => url.replaceAll(`{${name}}`, () => value))
      return values.length === 0 ? urls : urls.flatMap(filledIn).slice(0, MAX_VARIANTS)
    },
    [server.url],
  )
}

const serversOf = ({ value }: At): string[] => {
  if (!isRecord(value)) return []
  const servers = Array.isArray(value.servers) ? value.servers.flatMap(filled) : []
  return typeof value.basePath === 'string' ? [...servers, value.basePath] : servers
}

/** A template as it is written, and below each base address: those of the nearest place that has any. */
const pathsOf = (template: string, nearestFirst: readonly At[]): string[] => {
  const own = nearestFirst.map(serversOf).find((urls) => urls.length > 0) ?? []
  return [template, ...own.map((url) => url.replace(/[?#].*$/, '').replace(/\/+$/, '') + template)]
}

/** An operation of the document as one on the schedule; `isOpen`: a part of its path is left open. */
type Known = { scheduled: Scheduled; isOpen: boolean }

const knownAt = (
  { scheduled, mayBe }: Matcher,
  verb: string,
  paths: readonly string[],
): Known | undefined => {
  for (const [look, isOpen] of [[scheduled, false] as const, [mayBe, true] as const])
    for (const path of paths) {
      const known = look(verb, path)
      if (known !== undefined) return { scheduled: known, isOpen }
    }
  return undefined
}

const declareOperation = (
  operation: Operation,
  { scheduled, isOpen }: Known,
  walk: Walk & { heirsOf: (at: At) => At[] },
) => {
  const { at } = operation
  const where = placeOf(at)
  const sure = (confidence: Confidence) => (isOpen && confidence === 'exact' ? 'name' : confidence)
  const { endpoints, fields } = scheduled
  const lostAll: Lost = (place, why) => {
    for (const side of ['request', 'response'] as const)
      for (const entry of [...fields[side].values()].flat())
        walk.report({ entry, confidence: 'unread', side, operation: where, at: place, why })
  }
  // Tools that split a document put a reference in the place of a whole operation, which OpenAPI doesn't provide for.
  const whole = createFollow(walk.find, lostAll)(at)
  for (const entry of endpoints) walk.report({ entry, confidence: sure('exact'), operation: where, at })
  if (whole === undefined) return
  for (const side of ['request', 'response'] as const) {
    if (fields[side].size === 0) continue
    const once = new Set<string>()
    const report = (entry: Entry, confidence: Confidence, place: At, why?: string) => {
      const key = `${entry.id} ${place.file.name} ${placeOf(place)}`
      if (once.has(key)) return
      once.add(key)
      walk.report({ entry, confidence: sure(confidence), side, operation: where, at: place, why })
    }
    const lost: Lost = (place, why) => {
      for (const entry of [...fields[side].values()].flat()) report(entry, 'unread', place, why)
    }
    const follow = createFollow(walk.find, lost)
    const undescribed = (place: At) => {
      for (const entry of [...fields[side].values()].flat()) report(entry, 'endpoint', place)
    }
    const exhausted = (place: At) => lost(place, 'leads to more schemas than are looked through')
    const search = { fields, side, follow, heirsOf: walk.heirsOf, report, exhausted, undescribed }
    eachProperty(bodiesOf({ ...operation, at: whole }, side, follow), search)
  }
}

/** Reports everything that a document declares and the schedule deprecates. Returns the number of operations. */
export const eachDeclared = (main: SpecFile, walk: Walk): number => {
  const { matcher, find, report } = walk
  const root = rootOf(main)
  // A path that could not be read may be any operation that the schedule has there.
  const lostPath: Lost = (at, why) => {
    for (const verb of VERBS)
      for (const entry of knownAt(matcher, verb, pathsOf(nameOf(at), [root]))?.scheduled.entries ?? [])
        report({ entry, confidence: 'unread', operation: placeOf(at), at, why })
  }
  const quietly = createFollow(find, () => undefined)
  const paths = quietly(into(root, 'paths'))
  const followPath = createFollow(find, lostPath)
  const heirsOf = createHeirs(quietly, root)
  const operations = (paths === undefined ? [] : childrenOf(paths)).flatMap((written) => {
    const item = followPath(written)
    // OpenAPI 3.1 lets a path have operations beside its reference.
    const items = item === undefined || item.value === written.value ? [written] : [item, written]
    return items.flatMap((one) =>
      childrenOf(one)
        .map((at) => ({ template: nameOf(written), verb: nameOf(at).toLowerCase(), at, item: one }))
        .filter(({ verb }) => VERBS.includes(verb)),
    )
  })
  for (const operation of operations) {
    const { template, verb, at, item } = operation
    const known = knownAt(matcher, verb, pathsOf(template, [at, item, root]))
    if (known !== undefined) declareOperation(operation, known, { ...walk, heirsOf })
  }
  return operations.length
}
