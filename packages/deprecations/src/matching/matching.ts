// Matches a call against a schedule: by its operation, then by the deprecated fields in its bodies. Pure; keeps no
// values.
import { operationOf, type Entry, type Schedule } from '../schedule/schedule.ts'

type Side = 'request' | 'response'

/** A recorded call. An absent body was not recorded; a text is read as JSON. */
export type Call = {
  method: string
  url: string
  status?: number
  request?: unknown
  response?: unknown
}

/**
 * `exact`: a use of the endpoint, or of a field of the request or its main object. The other four are possible uses.
 * `sent`: such a field in a response, which the service may fill in any case (contract, section 9). `name`: the same
 * name elsewhere. `unread`: the body could not be read. `endpoint`: the body was not recorded.
 */
type Confidence = 'exact' | 'sent' | 'name' | 'unread' | 'endpoint'

export type Match = {
  entry: Entry
  confidence: Confidence
  side?: Side | undefined
  /** JSON pointer (RFC 6901) into the body, or into the OpenAPI file. */
  pointer?: string | undefined
  /** For `unread`: the unreadable part, and the reason. */
  unread?: string | undefined
  /** Only for OpenAPI. Finds the line on demand, because that is slow. */
  file?: string
  line?: () => number | undefined
}

type OperationLookup = (method: string, url: string) => ScheduledOperation | undefined

/** `channel_invite_info` equals `ChannelInviteInfo`. */
const plainName = (name: string) => name.toLowerCase().replaceAll('_', '')

/** `b` for the replacement `a.b`. A replacement in prose has no member. */
const replacingName = ({ replacement = '' }: Entry) => /^(?:[\w$]+\.)*([\w$]+)$/.exec(replacement)?.[1] ?? []

/** The schedule's entries for one operation. */
type ScheduledOperation = ReturnType<typeof toScheduledOperation>

const toScheduledOperation = (entries: Entry[]) => {
  const fieldEntries = entries.filter((entry) => entry.kind === 'field')
  const entriesOnSide = (side: Side) => {
    const ofSide = fieldEntries.filter(({ place }) => place.in === side || place.in === 'either')
    return Map.groupBy(ofSide, ({ field }) => field)
  }
  const holders = new Set(fieldEntries.flatMap(({ place }) => place.holders ?? []).map(plainName))
  const replacements = new Set(fieldEntries.flatMap(replacingName).map(plainName))
  for (const { field } of fieldEntries) replacements.delete(plainName(field))
  return {
    entries,
    fields: { request: entriesOnSide('request'), response: entriesOnSide('response') },
    /** True for the member with the operation's main object, whose members count as the body's own. */
    isHolder: (name: string) => holders.has(plainName(name)),
    /** True for a replacement, whose members are never matched. */
    isReplacement: (name: string) => replacements.has(plainName(name)),
  }
}

/** The normalized path of a URL, without host, query, fragment, repeated slashes and needless percent-encoding. */
export const pathOf = (url: string): string => {
  const end = url.search(/[?#]/)
  const bare = end < 0 ? url : url.slice(0, end)
  const host = bare.indexOf('://')
  return (host < 0 ? bare : bare.slice(bare.indexOf('/', host + 3)))
    .replaceAll(/%(2[de]|[3-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '')
}

/** Matches the end of a path, because a base URL may have a prefix. Some servers accept any case. */
const endPattern = (template: string) => {
  const segments = template.split('/').filter((segment) => segment !== '')
  const source = segments.map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll(/[^\w-]/g, '\\$&')))
  return new RegExp(`/${source.join('/')}$`, 'i')
}

/** Prepares a schedule for many calls. @returns a function that returns undefined for operations without entries */
export const createOperationLookup = (schedule: Schedule): OperationLookup => {
  const operationKey = ({ method, path }: Entry) => `${method} ${endPattern(path).source}`.toLowerCase()
  const operations = [...Map.groupBy(schedule, operationKey).values()].map((entries) => {
    const [{ method, path }] = entries as [Entry, ...Entry[]]
    return { method, path, end: endPattern(path), scheduled: toScheduledOperation(entries) }
  })
  // A literal path takes precedence over a template.
  operations.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
  const byMethod = Map.groupBy(operations, ({ method }) => method)
  return (method, url) => {
    const path = pathOf(url)
    return byMethod.get(method.toUpperCase())?.find(({ end }) => end.test(path))?.scheduled
  }
}

export const endpointsOf = (entries: readonly Entry[]): Entry[] =>
  entries.filter(({ kind }) => kind === 'endpoint')

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Reads parsed JSON, bytes, JSON text or JSON Lines. @returns `unread`: the reason why a part is unreadable */
const readBody = (body: unknown): { documents: object[]; unread?: string } => {
  if (body instanceof Uint8Array) return readBody(Buffer.from(body).toString('utf8'))
  if (isObject(body)) return { documents: [body] }
  const text = typeof body === 'string' ? body.replace(/^\uFEFF/, '').trim() : 'null'
  if (text === '') return { documents: [] }
  const whole = parseJson(text)
  const pieces = whole === undefined ? text.split('\n').filter((line) => line.trim() !== '') : []
  const lines = whole === undefined ? pieces.map(parseJson) : [whole]
  const documents = lines.filter(isObject)
  return documents.length === lines.length ? { documents } : { documents, unread: 'is cut off or not JSON' }
}

/** Members of the body are at level 0, those of the operation's main object at 1, deeper ones at 2. */
type Level = 0 | 1 | 2

/** Matches a member by its name and level. @returns also the level of its own members */
export const matchMember = (scheduled: ScheduledOperation, side: Side, name: string, level: Level) => {
  const below: Level = level === 0 && scheduled.isHolder(name) ? 1 : 2
  const certainty: Confidence = side === 'request' ? 'exact' : 'sent'
  const matches = (scheduled.fields[side].get(name) ?? [])
    // The name of a top-level field means another field deeper in the body.
    .filter(({ place }) => level === 0 || place.depth === 'any')
    .map((entry) => ({ entry, confidence: level < 2 ? certainty : ('name' as const), side }))
  return { matches, below }
}

const FIELD_NAME = /^[A-Za-z_$][\w$-]{0,63}$/

/** Ends a pointer before the first name that isn't a field, because it may be data, such as an email address. */
const safePointer = (path: readonly (string | number)[]) => {
  const end = path.findIndex((step) => typeof step === 'string' && !FIELD_NAME.test(step))
  return (end < 0 ? path : path.slice(0, end)).map((step) => `/${step}`).join('')
}

/** Bounds the recursion. */
const MAX_DEPTH = 1_000

/** Finds every deprecated field of a document, and strings that may be JSON with such a field. */
export const matchDocument = (document: unknown, scheduled: ScheduledOperation, side: Side) => {
  const found: Match[] = []
  const path: (string | number)[] = []
  let isWhole = true
  const visit = (value: unknown, level: Level): void => {
    if (typeof value === 'string' && value.includes('"'))
      for (const [name, entries] of scheduled.fields[side])
        if (value.includes(`"${name}`))
          for (const entry of entries)
            found.push({ entry, confidence: 'name', side, pointer: safePointer(path) })
    if (!isObject(value)) return
    if (path.length > MAX_DEPTH) isWhole = false
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) visitAt(index, item, level)
    else for (const [name, member] of Object.entries(value)) visitMember(name, member, level)
  }
  const visitAt = (step: string | number, value: unknown, level: Level) => {
    path.push(step)
    visit(value, level)
    path.pop()
  }
  const visitMember = (name: string, value: unknown, level: Level) => {
    const { matches, below } = matchMember(scheduled, side, name, level)
    for (const match of matches) found.push({ ...match, pointer: safePointer([...path, name]) })
    if (typeof value === 'string' || !scheduled.isReplacement(name)) visitAt(name, value, below)
  }
  visit(document, 0)
  return { found, isWhole }
}

// RFC 9110 9.3.1, 9.3.2, 15.3.5 and 15.3.6
const hasNoBody = ({ method, status = 200 }: Call, side: Side) =>
  /^head$/i.test(method) || (side === 'request' ? /^get$/i.test(method) : status === 204 || status === 205)

const matchBody = (scheduled: ScheduledOperation, call: Call, side: Side): Match[] => {
  const anyField = (why?: string) => {
    const [entry] = scheduled.entries
    const unread = why && entry && `the ${side} of ${operationOf(entry)} ${why}`
    const confidence = unread === undefined ? 'endpoint' : 'unread'
    const fields = [...scheduled.fields[side].values()].flat()
    return fields.map((field): Match => ({ entry: field, side, confidence, unread }))
  }
  const body = call[side] ?? (hasNoBody(call, side) ? '' : undefined)
  if (body === undefined) return anyField()
  const { documents, unread } = readBody(body)
  const results = documents.map((document) => matchDocument(document, scheduled, side))
  const matches = results.flatMap(({ found }) => found)
  if (!results.every(({ isWhole }) => isWhole))
    return [...matches, ...anyField('nests too deep to be looked through')]
  // An error in plain text or HTML has no fields.
  const isError = side === 'response' && (call.status ?? 0) >= 400
  return unread === undefined || isError ? matches : [...matches, ...anyField(unread)]
}

export const matchCall = (scheduled: ScheduledOperation, call: Call): Match[] => {
  // Some clients send the request's fields as query parameters.
  const query = new Set(new URLSearchParams(/\?([^#]*)/.exec(call.url)?.[1]).keys())
  const inQuery = [...query].flatMap((name) => scheduled.fields.request.get(name) ?? [])
  return [
    ...endpointsOf(scheduled.entries).map((entry): Match => ({ entry, confidence: 'exact' })),
    ...matchBody(scheduled, call, 'request'),
    ...matchBody(scheduled, call, 'response'),
    ...inQuery.map((entry): Match => ({ entry, confidence: 'name', side: 'request' })),
  ]
}
