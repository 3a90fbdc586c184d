// Finds what a call uses of a schedule: which operation it is, and which deprecated fields its bodies have.
// Pure. Hosts, base paths and the case of the path are ignored.
import type { Entry, Schedule, Side } from '../schedule/schedule.ts'
import { fieldsOf, readBody, searchFields, type Fields } from './fields.ts'

/** A call as recorded. A body that is absent was not recorded; text is read as JSON. */
export type Call = {
  method: string
  url: string
  status?: number
  request?: unknown
  response?: unknown
  /** Bodies of which only a part was recorded. */
  incomplete?: readonly Side[]
}

/**
 * How sure a finding is. `exact`: the endpoint itself, or the field as a member of the body or of what the operation is
 * about. The others only may be a use. `name`: the field's name elsewhere. `unread`: the body could not be read.
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
export type Scheduled = { method: string; segments: readonly string[]; entries: Entry[]; fields: Fields }

const decoded = (text: string) => {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** The path of a URL or path in lower case, as some servers take any, without host, query, fragment and last slash. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  const bare = end < 0 ? url : url.slice(0, end)
  const host = bare.indexOf('://')
  const path = host < 0 ? bare : bare.slice(bare.indexOf('/', host + 3))
  const read = path.includes('%') ? path.split('/').map(decoded).join('/') : path
  return (read.endsWith('/') ? read.replace(/\/+$/, '') : read).toLowerCase()
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')
const isParameter = (segment = '') => segment === '' || segment.startsWith('{')

/** Whether an operation is the end of a path: what is before it is the prefix of a base URL. */
const isEndOf = (path: readonly string[], { segments }: Scheduled) => {
  const offset = path.length - segments.length
  if (offset < 0) return false
  return segments.every((segment, index) => isParameter(segment) || segment === path[offset + index])
}

type Matcher = (method: string, url: string) => Scheduled | undefined

/**
 * Prepares a schedule for matching many calls against it.
 * @returns a function from a method and a URL to what the schedule says of that operation, if anything
 */
export const createMatcher = (schedule: Schedule): Matcher => {
  const operations: Scheduled[] = []
  const keyOf = ({ method, path }: Entry) => `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`.toLowerCase()
  for (const entries of Map.groupBy(schedule, keyOf).values())
    for (const { method, path } of entries.slice(0, 1))
      operations.push({
        method,
        segments: segmentsOf(path.toLowerCase()),
        entries,
        fields: fieldsOf(entries),
      })
  // Most calls are of operations that are not on the schedule, so these are told apart by their last segment alone.
  const byEnd = Map.groupBy(operations, ({ method, segments }) => {
    const last = segments.at(-1)
    return `${method} ${isParameter(last) ? '' : last}`
  })
  return (method, url) => {
    const [path, verb] = [pathOf(url), method.toUpperCase()]
    const literal = byEnd.get(`${verb} ${path.slice(path.lastIndexOf('/') + 1)}`)
    const templated = byEnd.get(`${verb} `)
    if (literal === undefined && templated === undefined) return undefined
    const segments = segmentsOf(path)
    const isIt = (operation: Scheduled) => isEndOf(segments, operation)
    return literal?.find(isIt) ?? templated?.find(isIt)
  }
}

export const endpointsOf = ({ entries }: Pick<Scheduled, 'entries'>): Entry[] =>
  entries.filter(({ kind }) => kind === 'endpoint')

// RFC 9110 9.3.1, 9.3.2, 15.3.5 and 15.3.6: these have none, or one that means nothing.
const hasNoBody = ({ method, status }: Call, side: Side) =>
  side === 'request'
    ? /^(?:get|head)$/i.test(method)
    : /^head$/i.test(method) || status === 204 || status === 205

const usesInBody = ({ fields }: Scheduled, call: Call, side: Side): Use[] => {
  const uses: Use[] = []
  const anyField = (confidence: Confidence, why?: string) => {
    for (const entry of [...fields[side].values()].flat())
      uses.push({ entry, side, confidence, ...(why !== undefined && { why }) })
    return uses
  }
  const body = call[side] ?? (hasNoBody(call, side) ? '' : undefined)
  if (body === undefined) return anyField('endpoint')
  const { documents, unread } = readBody(body)
  const isWhole = documents.map((document) =>
    searchFields(document, fields, side, (entry, confidence, path) =>
      uses.push({ entry, confidence, side, path: [...path] }),
    ),
  )
  if (isWhole.includes(false)) return anyField('unread', 'nests too deep to be looked through')
  // What an error says in words or in a page has no fields.
  const isError = side === 'response' && (call.status ?? 0) >= 400
  if (unread !== undefined && !isError) return anyField('unread', unread)
  return call.incomplete?.includes(side) === true ? anyField('endpoint') : uses
}

/** Everything that a call to a scheduled operation uses. */
export const usesIn = (scheduled: Scheduled, call: Call): Use[] => {
  // The schedule names fields of the request, and clients send some of them as parameters.
  const query = new Set(new URLSearchParams(/\?([^#]*)/.exec(call.url)?.[1]).keys())
  const inQuery = [...query].flatMap((name) => scheduled.fields.request.get(name) ?? [])
  return [
    ...endpointsOf(scheduled).map((entry): Use => ({ entry, confidence: 'exact' })),
    ...usesInBody(scheduled, call, 'request'),
    ...usesInBody(scheduled, call, 'response'),
    ...inQuery.map((entry): Use => ({ entry, confidence: 'name', side: 'request' })),
  ]
}
