// Finds what an OpenAPI 2 or 3 document declares of the schedule: operations, and the properties of their schemas.
// Local references are followed, each schema once; places are pointers into the document.
import type { Matcher, Use } from '../client-api/deprecated-use.ts'
import type { FieldEntry, Side } from '../client-api/schedule.ts'
import { pointerOf, type Path } from './json-scan.ts'

/** An OpenAPI document is read whole, so its size is bounded: 32 MiB as JSON, 8 MiB as YAML. */
export const largestOpenApi = { json: 32 * 1024 * 1024, yaml: 8 * 1024 * 1024 }

/** A use that a document declares; `operation` and `pointer` are JSON pointers into the document. */
export type Declared = Pick<Use, 'entry' | 'confidence' | 'side'> & {
  operation: string
  pointer: string
}

type Loose = Record<string, unknown>
const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const membersOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : [])
const verbs = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'])

/** Whether a parsed document is an OpenAPI 2 or 3 document. */
export const isOpenApi = (document: unknown): boolean =>
  isRecord(document) && (typeof document.openapi === 'string' || document.swagger !== undefined)

type At = {
  value: unknown
  path: Path
}

/** Follows local references (`#/components/…`); a reference to elsewhere leads to nothing. */
const resolve = (document: unknown, { value, path }: At, hops = 0): At => {
  const reference = isRecord(value) ? value.$ref : undefined
  if (typeof reference !== 'string' || hops > 50) return { value, path }
  if (!reference.startsWith('#/')) return { value: undefined, path }
  const steps = reference
    .slice(2)
    .split('/')
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  const target = steps.reduce<unknown>((at, step) => memberOf(at, step), document)
  return resolve(document, { value: target, path: steps }, hops + 1)
}

const memberOf = (value: unknown, step: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Loose)[step]
    : undefined

const decode = (step: string) => {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

const into = ({ value, path }: At, ...steps: string[]): At =>
  steps.reduce<At>((at, step) => ({ value: memberOf(at.value, step), path: [...at.path, step] }), {
    value,
    path,
  })

const childrenOf = (at: At): At[] => membersOf(at.value).map(([name]) => into(at, name))
const itemsOf = (at: At): At[] =>
  Array.isArray(at.value) ? at.value.map((value, index) => ({ value, path: [...at.path, index] })) : []

/** The path prefixes that the document's base addresses add. */
const prefixesOf = (document: unknown): string[] => {
  if (!isRecord(document)) return ['']
  const servers = Array.isArray(document.servers) ? document.servers : []
  const urls = [document.basePath, ...servers.map((server: unknown) => (isRecord(server) ? server.url : ''))]
  return ['', ...urls.filter((url) => typeof url === 'string' && url !== '').map(String)]
}

type Search = {
  document: unknown
  fields: Map<string, FieldEntry[]>
  report: (entry: FieldEntry, top: boolean, path: Path) => void
}

/** A schema, and whether its properties are members of the body itself. */
type Visit = {
  at: At
  top: boolean
}

/** The schemas inside a schema: an alternative stands at its place, a property or an item one deeper. */
const inner = ({ at, top }: Visit): Visit[] => [
  ...['allOf', 'anyOf', 'oneOf'].flatMap((part) => itemsOf(into(at, part)).map((at) => ({ at, top }))),
  ...['if', 'then', 'else'].map((part) => ({ at: into(at, part), top })),
  ...[...childrenOf(into(at, 'properties')), ...itemsOf(into(at, 'prefixItems'))].map(nested),
  ...['items', 'additionalProperties'].map((part) => nested(into(at, part))),
]
const nested = (at: At): Visit => ({ at, top: false })

/** Looks through schemas and all they lead to; a schema twice at most: as the body itself and deeper. */
const eachProperty = (schemas: readonly At[], { document, fields, report }: Search) => {
  const seen = { top: new Set<unknown>(), deeper: new Set<unknown>() }
  const waiting = schemas.map((at) => ({ at, top: true }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { top } = next
    const at = resolve(document, next.at)
    const known = top ? seen.top : seen.deeper
    if (!isRecord(at.value) || known.has(at.value)) continue
    known.add(at.value)
    for (const property of childrenOf(into(at, 'properties')))
      for (const entry of fields.get(String(property.path.at(-1))) ?? [])
        if (top || entry.place.depth === 'any') report(entry, top, property.path)
    waiting.push(...inner({ at, top }))
  }
}

/** The schemas of the bodies on one side of an operation, in OpenAPI 3 (content) and 2 (schema, body parameter). */
const schemasOf = (document: unknown, operation: At, side: Side): At[] => {
  const bodies =
    side === 'request'
      ? [into(operation, 'requestBody'), ...itemsOf(into(operation, 'parameters'))]
      : childrenOf(into(operation, 'responses'))
  return bodies
    .map((body) => resolve(document, body))
    .filter(
      ({ value }) => side === 'response' || !isRecord(value) || value.in === undefined || value.in === 'body',
    )
    .flatMap((body) => [
      into(body, 'schema'),
      ...childrenOf(into(body, 'content')).map((media) => into(media, 'schema')),
    ])
}

type DeclaredOperation = {
  template: string
  verb: string
  at: At
}

const operationsOf = (document: unknown): DeclaredOperation[] =>
  childrenOf(into({ value: document, path: [] }, 'paths')).flatMap((item) => {
    const template = String(item.path.at(-1))
    return childrenOf(resolve(document, item))
      .map((at) => ({ template, verb: String(at.path.at(-1)), at }))
      .filter(({ verb }) => verbs.has(verb))
  })

/** Reports everything that a document declares and the schedule deprecates. Returns the number of operations. */
export const eachDeclared = (
  document: unknown,
  matcher: Matcher,
  report: (use: Declared) => void,
): number => {
  const operations = operationsOf(document)
  const prefixes = prefixesOf(document)
  for (const { template, verb, at } of operations) {
    const known = prefixes
      .map((prefix) => matcher.scheduled(verb, prefix.replace(/\/$/, '') + template))
      .find((scheduled) => scheduled !== undefined)
    if (known === undefined) continue
    const operation = pointerOf(at.path)
    for (const entry of known.endpoints) report({ entry, confidence: 'exact', operation, pointer: operation })
    for (const side of ['request', 'response'] as const) {
      const once = new Set<string>()
      eachProperty(schemasOf(document, at, side), {
        document,
        fields: known.fields[side],
        report: (entry, top, path) => {
          const pointer = pointerOf(path)
          if (once.has(`${entry.id} ${pointer}`)) return
          once.add(`${entry.id} ${pointer}`)
          report({ entry, confidence: top ? 'exact' : 'name', side, operation, pointer })
        },
      })
    }
  }
  return operations.length
}
