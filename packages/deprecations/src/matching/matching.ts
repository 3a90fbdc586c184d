// Finds what a call uses of a schedule: which operation it is, and which deprecated fields its bodies have. Pure.
// Hosts, base paths and the case of the path are ignored. Values are never reported.
import { operationOf, type Entry, type FieldEntry, type Schedule, type Side } from '../schedule/schedule.ts'

/** A call as recorded. A body that is absent was not recorded; text is read as JSON. */
export type Call = {
  method: string
  url: string
  status?: number
  request?: unknown
  response?: unknown
}

/**
 * How sure a finding is. `exact`: the endpoint itself, or the field as a member of the request or of what the operation is
 * about. The others only may be a use. `sent`: the same of a response, which the service fills on its own (contract,
 * section 9). `name`: the field's name elsewhere. `unread`: the body could not be read. `endpoint`: it was not recorded.
 */
export type Confidence = 'exact' | 'sent' | 'name' | 'unread' | 'endpoint'

/** One finding, from the reader to the report. */
export type Match = {
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
export type ScheduledOperation = {
  entries: Entry[]
  fields: Record<Side, ReadonlyMap<string, FieldEntry[]>>
  /** Whether a member holds what the operation is about: what it has counts as the body's own. */
  isHolder: (name: string) => boolean
  /** Whether a member replaces something: what is inside is not looked at. */
  isReplacement: (name: string) => boolean
}

export type Matcher = (method: string, url: string) => ScheduledOperation | undefined

/** A name without case and style: `channel_invite_info` and `ChannelInviteInfo` are one. */
const plainName = (name: string) => name.toLowerCase().replaceAll('_', '')

/** The member that a replacement names: `b` of `a.b`; prose names none. */
const replacingName = ({ replacement = '' }: Entry) => /^(?:[\w$]+\.)*([\w$]+)$/.exec(replacement)?.[1] ?? []

const toScheduledOperation = (entries: Entry[]): ScheduledOperation => {
  const all = entries.filter((entry) => entry.kind === 'field')
  const on = (side: Side) => {
    const ofSide = all.filter(({ place }) => place.in === side || place.in === 'either')
    return Map.groupBy(ofSide, ({ field }) => field)
  }
  const holders = new Set(all.flatMap(({ place }) => place.holders ?? []).map(plainName))
  const replacements = new Set(all.flatMap(replacingName).map(plainName))
  for (const { field } of all) replacements.delete(plainName(field))
  return {
    entries,
    fields: { request: on('request'), response: on('response') },
    isHolder: (name) => holders.has(plainName(name)),
    isReplacement: (name) => replacements.has(plainName(name)),
  }
}

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

/**
 * Prepares a schedule for matching many calls against it.
 * @returns a function from a method and a URL to what the schedule says of that operation, if anything
 */
export const createMatcher = (schedule: Schedule): Matcher => {
  const keyOf = ({ method, path }: Entry) => `${method} ${endingAs(path).source}`.toLowerCase()
  const operations = [...Map.groupBy(schedule, keyOf).values()].map((entries) => {
    const [{ method, path }] = entries as [Entry, ...Entry[]]
    return { method, path, end: endingAs(path), scheduled: toScheduledOperation(entries) }
  })
  // A literal path is nearer than a template.
  operations.sort((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
  const byMethod = Map.groupBy(operations, ({ method }) => method)
  return (method, url) => {
    const path = pathOf(url)
    return byMethod.get(method.toUpperCase())?.find(({ end }) => end.test(path))?.scheduled
  }
}

export const endpointsOf = (entries: readonly Entry[]): Entry[] =>
  entries.filter(({ kind }) => kind === 'endpoint')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Instead of a body that a recorder wrote elsewhere. */
export const IN_ANOTHER_FILE = Symbol('a body in another file')

/**
 * Reads a body: a value that was parsed, bytes, JSON as text, or several documents of a line each (JSON Lines).
 * `unread` is why some or all of it could not be read, as the end of a sentence: that may hold anything.
 */
export const readBody = (body: unknown): { documents: object[]; unread?: string } => {
  if (body instanceof Uint8Array) return readBody(Buffer.from(body).toString('utf8'))
  if (isObject(body)) return { documents: [body] }
  if (body === IN_ANOTHER_FILE)
    return { documents: [], unread: 'is in another file: record it again with the bodies embedded' }
  const text = typeof body === 'string' ? body.replace(/^\uFEFF/, '').trim() : 'null'
  if (text === '') return { documents: [] }
  const whole = parsed(text)
  const pieces = whole === undefined ? text.split('\n').filter((line) => line.trim() !== '') : []
  const lines = whole === undefined ? pieces.map(parsed) : [whole]
  const documents = lines.filter(isObject)
  return documents.length === lines.length ? { documents } : { documents, unread: 'is cut off or not JSON' }
}

/** How far a member is from the body: its own, one of what the operation is about, or deeper. */
export type Level = 0 | 1 | 2

/** What a member of this name declares at a level, and the level of what is inside. */
export const matchMember = (
  { fields, isHolder }: ScheduledOperation,
  side: Side,
  name: string,
  level: Level,
) => {
  const below: Level = level === 0 && isHolder(name) ? 1 : 2
  const known: Confidence = side === 'request' ? 'exact' : 'sent'
  const uses = (fields[side].get(name) ?? [])
    // Deeper, a field of the top level is another one.
    .filter(({ place }) => level === 0 || place.depth === 'any')
    .map((entry) => ({ entry, confidence: level < 2 ? known : ('name' as const), side }))
  return { uses, below }
}

const FIELD_NAME = /^[A-Za-z_$][\w$-]{0,63}$/

/** A pointer to a place that is there. It ends before the first name that doesn't look like a field's: an address, say. */
const shownPointer = (path: readonly (string | number)[]) => {
  const end = path.findIndex((step) => typeof step === 'string' && !FIELD_NAME.test(step))
  return (end < 0 ? path : path.slice(0, end)).map((step) => `/${step}`).join('')
}

/** The stack is finite, so nothing is looked for below this. */
const MAX_DEPTH = 1_000

/** Finds every deprecated field of a document, and texts that name one as a member, as they may be JSON. */
export const matchDocument = (document: unknown, scheduled: ScheduledOperation, side: Side) => {
  const found: Match[] = []
  const path: (string | number)[] = []
  let isWhole = true
  const look = (value: unknown, level: Level): void => {
    if (typeof value === 'string' && value.includes('"'))
      for (const [name, entries] of scheduled.fields[side])
        if (value.includes(`"${name}`))
          for (const entry of entries)
            found.push({ entry, confidence: 'name', side, pointer: shownPointer(path) })
    if (!isObject(value)) return
    if (path.length > MAX_DEPTH) isWhole = false
    else if (Array.isArray(value)) for (const [index, item] of value.entries()) within(index, item, level)
    else for (const [name, member] of Object.entries(value)) lookAt(name, member, level)
  }
  const within = (step: string | number, value: unknown, level: Level) => {
    path.push(step)
    look(value, level)
    path.pop()
  }
  const lookAt = (name: string, value: unknown, level: Level) => {
    const { uses, below } = matchMember(scheduled, side, name, level)
    for (const use of uses) found.push({ ...use, pointer: shownPointer([...path, name]) })
    if (typeof value === 'string' || !scheduled.isReplacement(name)) within(name, value, below)
  }
  look(document, 0)
  return { found, isWhole }
}

// RFC 9110 9.3.1, 9.3.2, 15.3.5 and 15.3.6: these have none, or one that means nothing.
const hasNoBody = ({ method, status }: Call, side: Side) =>
  side === 'request'
    ? /^(?:get|head)$/i.test(method)
    : /^head$/i.test(method) || status === 204 || status === 205

const usesInBody = (scheduled: ScheduledOperation, call: Call, side: Side): Match[] => {
  const anyField = (why?: string) => {
    const [entry] = scheduled.entries
    const unread = why && entry && `the ${side} of ${operationOf(entry)} ${why}`
    const confidence = unread === undefined ? 'endpoint' : 'unread'
    return [...scheduled.fields[side].values()]
      .flat()
      .map((field): Match => ({ entry: field, side, confidence, unread }))
  }
  const body = call[side] ?? (hasNoBody(call, side) ? '' : undefined)
  if (body === undefined) return anyField()
  const { documents, unread } = readBody(body)
  const searched = documents.map((document) => matchDocument(document, scheduled, side))
  const uses = searched.flatMap(({ found }) => found)
  if (!searched.every(({ isWhole }) => isWhole))
    return [...uses, ...anyField('nests too deep to be looked through')]
  // What an error says in words or in a page has no fields.
  const isError = side === 'response' && (call.status ?? 0) >= 400
  return unread === undefined || isError ? uses : [...uses, ...anyField(unread)]
}

/** Everything that a call to a scheduled operation uses. */
export const matchCall = (scheduled: ScheduledOperation, call: Call): Match[] => {
  // The schedule names fields of the request, and clients send some of them as parameters.
  const query = new Set(new URLSearchParams(/\?([^#]*)/.exec(call.url)?.[1]).keys())
  const inQuery = [...query].flatMap((name) => scheduled.fields.request.get(name) ?? [])
  return [
    ...endpointsOf(scheduled.entries).map((entry): Match => ({ entry, confidence: 'exact' })),
    ...usesInBody(scheduled, call, 'request'),
    ...usesInBody(scheduled, call, 'response'),
    ...inQuery.map((entry): Match => ({ entry, confidence: 'name', side: 'request' })),
  ]
}
