// Finds what a call uses of a schedule: which operation it is, and which deprecated fields its bodies have.
// Pure. Hosts, base paths and the case of the path are ignored.
import { operationOf, type Entry, type Schedule, type Side } from '../schedule/schedule.ts'
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

/** One finding, from the reader to the report. */
export type Use = {
  entry: Entry
  confidence: Confidence
  side?: Side | undefined
  /** A JSON pointer (RFC 6901) within the body; for OpenAPI, within the file. */
  pointer?: string | undefined
  /** What could not be read, and why, as a sentence without its end. */
  unread?: string | undefined
  /** Where an OpenAPI document has it: the file, and its line, which takes a while to find. */
  file?: string
  line?: () => number | undefined
}

/** What the schedule says of one operation. */
export type Scheduled = { entries: Entry[]; fields: Fields }

/** The path of a URL or path: without host, query, fragment, needless slashes and percent-encoding of plain characters. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  const bare = end < 0 ? url : url.slice(0, end)
  const host = bare.indexOf('://')
  return (host < 0 ? bare : bare.slice(bare.indexOf('/', host + 3)))
    .replaceAll(/%(2[de]|[3-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
}

/** Matches a path that ends as a template does: what is before it is the prefix of a base URL. Some servers take any case. */
const endingAs = (template: string) => {
  const segments = template.split('/').filter((segment) => segment !== '')
  const source = segments.map((one) => (one.startsWith('{') ? '[^/]+' : one.replaceAll(/[^\w-]/g, '\\$&')))
  return new RegExp(`/${source.join('/')}$`, 'i')
}

export type Matcher = (method: string, url: string) => Scheduled | undefined

/**
 * Prepares a schedule for matching many calls against it.
 * @returns a function from a method and a URL to what the schedule says of that operation, if anything
 */
export const createMatcher = (schedule: Schedule): Matcher => {
  const keyOf = ({ method, path }: Entry) => `${method} ${endingAs(path).source}`.toLowerCase()
  const operations = [...Map.groupBy(schedule, keyOf).values()].map((entries) => {
    const [{ method, path }] = entries as [Entry, ...Entry[]]
    return { method, end: endingAs(path), isTemplate: path.includes('{'), entries, fields: fieldsOf(entries) }
  })
  // A literal path is nearer than a template.
  operations.sort((a, b) => Number(a.isTemplate) - Number(b.isTemplate))
  const byMethod = Map.groupBy(operations, ({ method }) => method)
  return (method, url) => {
    const path = pathOf(url)
    return byMethod.get(method.toUpperCase())?.find(({ end }) => end.test(path))
  }
}

export const endpointsOf = ({ entries }: { entries: readonly Entry[] }): Entry[] =>
  entries.filter(({ kind }) => kind === 'endpoint')

// RFC 9110 9.3.1, 9.3.2, 15.3.5 and 15.3.6: these have none, or one that means nothing.
const hasNoBody = ({ method, status }: Call, side: Side) =>
  side === 'request'
    ? /^(?:get|head)$/i.test(method)
    : /^head$/i.test(method) || status === 204 || status === 205

const FIELD_NAME = /^[A-Za-z_$][\w$-]{0,63}$/

/** A pointer to a place that is there. It ends before the first name that doesn't look like a field's: an address, say. */
const shownPointer = (path: readonly (string | number)[]) => {
  const end = path.findIndex((step) => typeof step === 'string' && !FIELD_NAME.test(step))
  return path
    .slice(0, end < 0 ? path.length : end)
    .map((step) => `/${step}`)
    .join('')
}

const usesInBody = ({ entries, fields }: Scheduled, call: Call, side: Side): Use[] => {
  const uses: Use[] = []
  const anyField = (why?: string) => {
    const [entry] = entries
    const unread = why && entry && `the ${side} of ${operationOf(entry)} ${why}`
    const confidence = unread === undefined ? 'endpoint' : 'unread'
    for (const field of [...fields[side].values()].flat())
      uses.push({ entry: field, side, confidence, unread })
    return uses
  }
  const body = call[side] ?? (hasNoBody(call, side) ? '' : undefined)
  if (body === undefined) return anyField()
  const { documents, unread } = readBody(body)
  const isWhole = documents.map((document) =>
    searchFields(document, fields, side, (entry, confidence, path) =>
      uses.push({ entry, confidence, side, pointer: shownPointer(path) }),
    ),
  )
  if (isWhole.includes(false)) return anyField('nests too deep to be looked through')
  // What an error says in words or in a page has no fields.
  const isError = side === 'response' && (call.status ?? 0) >= 400
  if (unread !== undefined && !isError) return anyField(unread)
  return call.incomplete?.includes(side) === true ? anyField() : uses
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
