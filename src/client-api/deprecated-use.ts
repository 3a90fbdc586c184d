// Finds what a call uses of a schedule: which operation it is, and which deprecated fields its bodies bear.
// Pure. Hosts, base path prefixes and query strings are ignored; a field's value is never read, only its name and place.
import { documentsIn } from './body.ts'
import type { Entry, FieldEntry, Schedule, Side } from './schedule.ts'

/** A call as recorded. A body that is absent was not recorded; text that holds JSON is read as JSON. */
export type Call = {
  method: string
  url: string
  request?: unknown
  response?: unknown
}

/**
 * How sure a finding is. `exact`: the endpoint itself, or the field as a member of the body itself. `name`: the field's
 * name deeper in the body. `endpoint`: the call may bear the field, but the body was not recorded.
 */
export type Confidence = 'exact' | 'name' | 'endpoint'

export type Use = {
  entry: Entry
  confidence: Confidence
  side?: Side
  /** The members and indices that lead to the field within the body. */
  path?: readonly (string | number)[]
}

type Fields = {
  all: FieldEntry[]
  request: Map<string, FieldEntry[]>
  response: Map<string, FieldEntry[]>
}

/** What the schedule says of one operation. */
export type Scheduled = {
  method: string
  segments: readonly string[]
  entries: Entry[]
  endpoints: Entry[]
  fields: Fields
}

export type Matcher = {
  /** What the schedule says of the operation that a call goes to; undefined when it says nothing. */
  scheduled: (method: string, url: string) => Scheduled | undefined
  /** Reports every use in a call; the `path` it hands out is only valid during that report. */
  eachUse: (call: Call, report: (use: Use) => void) => void
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')
const isParameter = (segment: string) => segment.startsWith('{')

/** The path of a URL or path, decoded, without scheme, host, query and fragment. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  const bare = end < 0 ? url : url.slice(0, end)
  const host = bare.indexOf('://')
  const start = host < 0 ? 0 : bare.indexOf('/', host + 3)
  const path = start < 0 ? '/' : bare.slice(start)
  if (!path.includes('%')) return path
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

const add = (fields: Map<string, FieldEntry[]>, entry: FieldEntry) => {
  fields.set(entry.field, [...(fields.get(entry.field) ?? []), entry])
}

const emptyOperation = (entry: Entry): Scheduled => ({
  method: entry.method,
  segments: segmentsOf(entry.path),
  entries: [],
  endpoints: [],
  fields: { all: [], request: new Map(), response: new Map() },
})

const operationsIn = (schedule: Schedule): Scheduled[] => {
  const operations = new Map<string, Scheduled>()
  for (const entry of schedule) {
    const key = `${entry.method} ${entry.path.replaceAll(/\{[^}]*\}/g, '{}')}`
    const operation = operations.get(key) ?? emptyOperation(entry)
    operations.set(key, operation)
    operation.entries.push(entry)
    if (entry.kind === 'endpoint') operation.endpoints.push(entry)
    else {
      operation.fields.all.push(entry)
      if (entry.place.in !== 'response') add(operation.fields.request, entry)
      if (entry.place.in !== 'request') add(operation.fields.response, entry)
    }
  }
  // Concrete before templated, as OpenAPI matches paths.
  return [...operations.values()].sort((a, b) => parametersIn(a) - parametersIn(b))
}

const parametersIn = (operation: Scheduled) => operation.segments.filter(isParameter).length

// The template must be the end of the path: whatever stands before it is the prefix of a base URL.
const endsWith = (path: readonly string[], template: readonly string[]) => {
  const offset = path.length - template.length
  return (
    offset >= 0 &&
    template.every((segment, index) => isParameter(segment) || segment === path[offset + index])
  )
}

/** Prepares a schedule for matching many calls against it. */
export const createMatcher = (schedule: Schedule): Matcher => {
  const byEnd = Map.groupBy(operationsIn(schedule), (operation) => {
    const last = operation.segments.at(-1) ?? ''
    return `${operation.method} ${isParameter(last) ? '' : last}`
  })
  const scheduled = (method: string, url: string) => {
    const path = pathOf(url).replace(/\/+$/, '')
    const verb = method.toUpperCase()
    const literal = byEnd.get(`${verb} ${path.slice(path.lastIndexOf('/') + 1)}`)
    const templated = byEnd.get(`${verb} `)
    // Most calls are of operations that are not on the schedule: they end here, before anything is taken apart.
    if (literal === undefined && templated === undefined) return undefined
    const segments = segmentsOf(path)
    const matches = (operation: Scheduled) => endsWith(segments, operation.segments)
    return literal?.find(matches) ?? templated?.find(matches)
  }
  const eachUse: Matcher['eachUse'] = (call, report) => {
    const operation = scheduled(call.method, call.url)
    if (operation !== undefined) reportUses(operation, call, report)
  }
  return { scheduled, eachUse }
}

const reportUses = (operation: Scheduled, call: Call, report: (use: Use) => void) => {
  for (const entry of operation.endpoints) report({ entry, confidence: 'exact' })
  for (const side of ['request', 'response'] as const) {
    const fields = operation.fields[side]
    if (fields.size === 0 || call[side] === undefined) continue
    for (const document of documentsIn(call[side])) eachField(document, { fields, side, report, path: [] })
  }
  for (const entry of operation.fields.all)
    if (!wasRecorded(entry, call)) report({ entry, confidence: 'endpoint' })
}

// A field that may be on either side counts as looked for as soon as one side was recorded.
const wasRecorded = (entry: FieldEntry, call: Call) =>
  (entry.place.in !== 'response' && call.request !== undefined) ||
  (entry.place.in !== 'request' && call.response !== undefined)

type Search = {
  fields: Map<string, FieldEntry[]>
  side: Side
  report: (use: Use) => void
  path: (string | number)[]
}

/** Deeper than this nothing is looked for: no answer of the service nests so deep, and the stack is finite. */
const deepest = 1_000

const eachField = (value: unknown, search: Search): void => {
  const { path } = search
  if (typeof value !== 'object' || value === null || path.length > deepest) return
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index)
      eachField(value[index], search)
      path.pop()
    }
    return
  }
  for (const name of Object.keys(value)) {
    path.push(name)
    if (search.fields.has(name)) reportField(name, search)
    eachField((value as Record<string, unknown>)[name], search)
    path.pop()
  }
}

const reportField = (name: string, { fields, side, report, path }: Search) => {
  for (const entry of fields.get(name) ?? []) {
    const top = path.length === 1
    if (top || entry.place.depth === 'any') report({ entry, confidence: top ? 'exact' : 'name', side, path })
  }
}
