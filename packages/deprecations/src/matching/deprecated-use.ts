// Finds what a call uses of a schedule: which operation it is, and which deprecated fields its bodies bear.
// Pure. Hosts and base path prefixes are ignored; a field's value is never read, only its name and place.
import { readBody } from './body.ts'
import { fieldsOf, searchFields, type Fields, type Search } from './field-search.ts'
import { pathOf } from './path.ts'
import type { Entry, Schedule, Side } from '../schedule/schedule.ts'

/** A call as recorded. A body that is absent was not recorded; text that holds JSON is read as JSON. */
export type Call = {
  method: string
  url: string
  /** Other addresses that may be the call's: a log leaves open where one ends, a record or a redirect has several. */
  otherUrls?: readonly string[]
  status?: number | undefined
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

export type Matcher = ReturnType<typeof createMatcher>

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')
const isParameter = (segment: string) => segment.startsWith('{')
/** A segment of a route as servers log it: `:id`, `{id}`, `<id>`. */
const isLeftOpen = (segment: string) => /^[:{<]/.test(segment)

const parametersIn = ({ segments }: Scheduled) => segments.filter(isParameter).length

/** The operations of a schedule, concrete before templated, as OpenAPI matches paths. */
const operationsIn = (schedule: Schedule): Scheduled[] => {
  const keyOf = ({ method, path }: Entry) => `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}').toLowerCase()}`
  return [...Map.groupBy(schedule, keyOf)]
    .map(([key, entries]) => {
      const [method = '', path = ''] = key.split(' ')
      const endpoints = entries.filter(({ kind }) => kind === 'endpoint')
      return { method, segments: segmentsOf(path), entries, endpoints, fields: fieldsOf(entries) }
    })
    .sort((a, b) => parametersIn(a) - parametersIn(b))
}

/**
 * Whether a template is the end of a path: what is before it is the prefix of a base URL. In an open path, any segment but
 * the last one that the template names may be a parameter as well.
 */
const isEndOf = (path: readonly string[], { segments }: Scheduled, isOpen = false) => {
  const offset = path.length - segments.length
  const named = segments.findLastIndex((segment) => !isParameter(segment))
  if (offset < 0 || (isOpen && named < 0)) return false
  return segments.every((segment, index) => {
    const other = path[offset + index] ?? ''
    return isParameter(segment) || segment === other || (isOpen && index !== named && isParameter(other))
  })
}

/** Whether a route, of which the beginning may be missing, ends as a template does where it is not left open. */
const isEndOfRoute = (route: readonly string[], { segments }: Scheduled) =>
  segments.toReversed().every((segment, index) => {
    const other = route.at(-1 - index)
    return other === undefined || segment === other || isParameter(segment) || isLeftOpen(other)
  })

/** The last segment of an operation's path; empty where that is a parameter. */
const endOf = ({ segments }: Scheduled) => {
  const last = segments.at(-1) ?? ''
  return isParameter(last) ? '' : last
}

/** Prepares a schedule for matching many calls against it. */
export const createMatcher = (schedule: Schedule) => {
  const operations = operationsIn(schedule)
  const byMethod = new Map(
    [...Map.groupBy(operations, ({ method }) => method)].map(([method, all]) => [
      method,
      Map.groupBy(all, endOf),
    ]),
  )
  /** What the schedule says of the operation that a call goes to; undefined when it says nothing. */
  const scheduled = (method: string, url: string): Scheduled | undefined => {
    const ofMethod = byMethod.get(method.toUpperCase())
    if (ofMethod === undefined) return undefined
    // Some servers take paths in any case: better found than missed.
    let path = pathOf(url).toLowerCase()
    while (path.endsWith('/')) path = path.slice(0, -1)
    const literal = ofMethod.get(path.slice(path.lastIndexOf('/') + 1))
    const templated = ofMethod.get('')
    // Most calls are of operations that are not on the schedule: they end here, before anything is taken apart.
    if (literal === undefined && templated === undefined) return undefined
    const segments = segmentsOf(path)
    const isIt = (operation: Scheduled) => isEndOf(segments, operation)
    return literal?.find(isIt) ?? templated?.find(isIt)
  }
  /** The same for a path template with open segments: the operation that it is if these are as the schedule has them. */
  const mayBe = (method: string, template: string): Scheduled | undefined => {
    const segments = segmentsOf(pathOf(template).toLowerCase())
    if (!segments.some(isParameter)) return undefined
    const verb = method.toUpperCase()
    return operations.find((operation) => operation.method === verb && isEndOf(segments, operation, true))
  }
  /** Reports every use in a call; the `path` it hands out is only valid during that report. */
  const eachUse = (call: Call, report: (use: Use) => void): void => {
    for (const operation of operationsOf(call)) reportUses(operation, call, report)
  }
  /** What the schedule says of the operations that a call may go to: one at most, unless its addresses differ. */
  const operationsOf = (call: Call): Set<Scheduled> => {
    const known = new Set<Scheduled>()
    for (const url of urlsOf(call)) {
      const operation = scheduled(call.method, url)
      if (operation !== undefined) known.add(operation)
    }
    return known
  }
  /** Whether an address is a route as servers log it, and leaves open which operation of the schedule it is. */
  const isRoute = (call: Call): boolean => {
    if (!/\*|\/(?:[:{<]|%[37])/.test(call.url) || operationsOf(call).size > 0) return false
    const segments = segmentsOf(pathOf(call.url).toLowerCase())
    if (!segments.some((segment) => isLeftOpen(segment) || segment.includes('*'))) return false
    // A star is any number of segments.
    const end = segments.slice(segments.findLastIndex((segment) => segment.includes('*')) + 1)
    const verb = call.method.toUpperCase()
    return operations.some((operation) => operation.method === verb && isEndOfRoute(end, operation))
  }
  return { scheduled, operationsOf, mayBe, isRoute, eachUse }
}

// Some servers take an encoded slash for one.
const urlsOf = ({ url, otherUrls = [] }: Call): string[] =>
  [url, ...otherUrls].flatMap((one) => (/%2f/i.test(one) ? [one, one.replaceAll(/%2f/gi, '/')] : one))

/** Reports every use in a call that goes to a scheduled operation. */
export const reportUses = ({ endpoints, fields }: Scheduled, call: Call, report: (use: Use) => void) => {
  for (const entry of endpoints) report({ entry, confidence: 'exact' })
  for (const side of ['request', 'response'] as const)
    if (fields[side].size > 0) reportSide(fields, call, side, report)
  // The schedule names fields of the request, and clients send some of them as parameters.
  const names = urlsOf(call).flatMap((url) => [
    ...new URLSearchParams(/\?([^#]*)/.exec(url)?.[1] ?? '').keys(),
  ])
  for (const name of new Set(names))
    for (const entry of fields.request.get(name) ?? []) report({ entry, confidence: 'name', side: 'request' })
}

const reportSide = (fields: Fields, call: Call, side: Side, report: (use: Use) => void) => {
  const reportAll = (use: Omit<Use, 'entry'>) => {
    for (const entry of [...fields[side].values()].flat()) report({ entry, side, ...use })
  }
  const body = call[side] ?? (hasNoBody(call, side) ? '' : undefined)
  if (body === undefined) return reportAll({ confidence: 'endpoint' })
  const { documents, unread } = readBody(body, { side, status: call.status })
  const found: Search['report'] = (entry, confidence, path) => report({ entry, confidence, side, path })
  const search = { fields, side, report: found }
  const isWhole = documents.map((document) => searchFields(document, search)).every(Boolean)
  const texts = [{ text: body, value: documents }, ...(call.written ? [call.written] : [])]
  const hiding = fields.hiding[side]
  const why =
    unread ??
    (isWhole ? undefined : 'nests too deep to be looked through') ??
    (documents.some(hiding.inValue) ? 'holds something that may be more of it' : undefined) ??
    (texts.some(({ text, value }) => typeof text === 'string' && hiding.byRepetition(text, value))
      ? 'has members that hide others of the same name'
      : undefined)
  if (why !== undefined) reportAll({ confidence: 'unread', why })
  else if (call.incomplete?.includes(side) === true) reportAll({ confidence: 'endpoint' })
}

// RFC 9110 9.3.1, 9.3.2, 15.3.5 and 15.3.6: these have none, or one that means nothing.
const hasNoBody = ({ method, status }: Call, side: Side) =>
  side === 'request'
    ? /^(?:get|head)$/i.test(method)
    : /^head$/i.test(method) || status === 204 || status === 205
