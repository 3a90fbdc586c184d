// Finds what a call uses of a schedule: which operation it is, and which deprecated fields its bodies bear.
// Pure. Hosts, base path prefixes and query strings are ignored; a field's value is never read, only its name and place.
import { readBody } from './body.ts'
import { fieldsOf, searchFields, type Fields } from './field-search.ts'
import { hidesNames } from './hidden-names.ts'
import type { Entry, FieldEntry, Schedule, Side } from '../schedule/schedule.ts'

/** A call as recorded. A body that is absent was not recorded; text that holds JSON is read as JSON. */
export type Call = {
  method: string
  url: string
  status?: number
  request?: unknown
  response?: unknown
  /** Bodies of which the recorder kept only a part. */
  incomplete?: readonly Side[]
  /** The JSON text that the call was parsed from, and all that was parsed. */
  written?: { text: string; value: unknown }
}

/**
 * How sure a finding is. `exact`: the endpoint itself, or the field as a member of the body or of what the operation is
 * about. The others only may be a use. `name`: the field's name deeper in the body. `unread`: the body could not be read.
 * `endpoint`: the body, or some of it, was not recorded.
 */
export type Confidence = 'exact' | 'name' | 'unread' | 'endpoint'

export type Use = {
  entry: Entry
  confidence: Confidence
  side?: Side
  /** Why the body was not read, as the end of a sentence that names it. */
  why?: string
  /** The members and indices that lead to the field within the body. */
  path?: readonly (string | number)[]
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
  /** The same for a path template of which segments are left open: what it can be, if those are what the schedule has. */
  mayBe: (method: string, template: string) => Scheduled | undefined
  /** Reports every use in a call; the `path` it hands out is only valid during that report. */
  eachUse: (call: Call, report: (use: Use) => void) => void
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')
const isParameter = (segment: string) => segment.startsWith('{')

// Step by step, as one that is encoded wrongly must not keep the others from being read.
const decoded = (step: string): string => {
  try {
    return decodeURI(step)
  } catch {
    return step
  }
}

/** The path of a URL or path, decoded, without scheme, host, query and fragment. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  const bare = end < 0 ? url : url.slice(0, end)
  const host = bare.indexOf('://')
  const start = host < 0 ? 0 : bare.indexOf('/', host + 3)
  const path = start < 0 ? '/' : bare.slice(start)
  return path.includes('%') ? path.split('/').map(decoded).join('/') : path
}

const operationOf = (entries: readonly Entry[]): Scheduled[] => {
  const [first] = entries
  if (first === undefined) return []
  return [
    {
      method: first.method,
      segments: segmentsOf(first.path).map((segment) => segment.toLowerCase()),
      entries: [...entries],
      endpoints: entries.filter(({ kind }) => kind === 'endpoint'),
      fields: fieldsOf(entries),
    },
  ]
}

const operationsIn = (schedule: Schedule): Scheduled[] => {
  const operations = Map.groupBy(
    schedule,
    ({ method, path }) => `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}').toLowerCase()}`,
  )
  // Concrete before templated, as OpenAPI matches paths.
  return [...operations.values()].flatMap(operationOf).sort((a, b) => parametersIn(a) - parametersIn(b))
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

// The last segment that is not left open on either side names the operation, so it has to be there.
const endsOpenly = (path: readonly string[], template: readonly string[]) => {
  const tail = path.slice(path.length - template.length)
  const isNamed = (segment: string, index: number) => !isParameter(segment) && segment === tail[index]
  return (
    tail.length === template.length &&
    isNamed(
      template.findLast((segment) => !isParameter(segment)) ?? '',
      template.findLastIndex((segment) => !isParameter(segment)),
    ) &&
    template.every(
      (segment, index) => isParameter(segment) || isParameter(tail[index] ?? '') || segment === tail[index],
    )
  )
}

/** Prepares a schedule for matching many calls against it. */
export const createMatcher = (schedule: Schedule): Matcher => {
  const operations = operationsIn(schedule)
  const byEnd = Map.groupBy(operations, (operation) => {
    const last = operation.segments.at(-1) ?? ''
    return `${operation.method} ${isParameter(last) ? '' : last}`
  })
  const scheduled = (method: string, url: string) => {
    // Some servers take paths in any case: better found than missed.
    const path = pathOf(url).replace(/\/+$/, '').toLowerCase()
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
  const mayBe = (method: string, template: string) => {
    const segments = segmentsOf(pathOf(template).toLowerCase())
    if (!segments.some(isParameter)) return undefined
    return operations.find(
      (operation) => operation.method === method.toUpperCase() && endsOpenly(segments, operation.segments),
    )
  }
  return { scheduled, mayBe, eachUse }
}

const reportUses = (operation: Scheduled, call: Call, report: (use: Use) => void) => {
  for (const entry of operation.endpoints) report({ entry, confidence: 'exact' })
  for (const side of ['request', 'response'] as const)
    if (operation.fields[side].size > 0) reportSide(operation.fields, call, side, report)
}

const reportSide = (fields: Fields, call: Call, side: Side, report: (use: Use) => void) => {
  const reportAll = (use: Omit<Use, 'entry'>) => {
    for (const entry of new Set([...fields[side].values()].flat())) report({ entry, side, ...use })
  }
  const body = call[side] ?? (hasNoBody(call, side) ? '' : undefined)
  if (body === undefined) return reportAll({ confidence: 'endpoint' })
  const { documents, unread } = readBody(body, side === 'response' ? call.status : undefined)
  const search = {
    fields,
    side,
    report: (entry: FieldEntry, confidence: 'exact' | 'name', path: readonly (string | number)[]) =>
      report({ entry, confidence, side, path }),
  }
  const whole = documents.map((document) => searchFields(document, search)).every(Boolean)
  const texts = [{ text: body, value: documents }, call.written]
  const isHidden = () => texts.some((one) => one !== undefined && hidesNames(one, fields[side].keys()))
  const why = unread ?? (whole ? undefined : tooDeep) ?? (isHidden() ? repeated : undefined)
  if (why !== undefined) reportAll({ confidence: 'unread', why })
  else if (call.incomplete?.includes(side) === true) reportAll({ confidence: 'endpoint' })
}

const tooDeep = 'nests too deep to be looked through'
const repeated = 'has members that hide others of the same name'

// RFC 9110 9.3.1, 9.3.2, 15.3.5 and 15.3.6: these have none, or one that means nothing.
const hasNoBody = ({ method, status }: Call, side: Side) =>
  side === 'request'
    ? /^(?:get|head)$/i.test(method)
    : /^head$/i.test(method) || status === 204 || status === 205
