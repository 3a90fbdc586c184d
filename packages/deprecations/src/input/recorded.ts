// What a recorder wrote of a body: the body itself, or a wrapper around it that has a status, headers and a `body` beside.
// Compressed and encoded bodies are turned into text here, so that every format and item is read in the same way.
import { bytesIn, textOf, type About } from '../matching/bytes.ts'
import { isRecord, type Loose } from './json-scan.ts'

/** A body as recorded; `body` undefined: it was not. */
export type Recorded = {
  body?: unknown
  /** Only a part of it was recorded. */
  incomplete?: boolean
  status?: number | undefined
}

const BESIDE = new Set(
  (
    'body headers status statuscode statustext bodysize size encoding isbase64encoded base64 contenttype mimetype ' +
    'method url path query truncated time timestamp duration httpversion ok reason'
  ).split(' '),
)

/** What says that there was a body, where nothing or not all of it was kept. */
const TRACE =
  /^[_$]?(?:(?:raw|body|content|payload)[_-]?)?(?:size|length|bytes|hash|digest|sha\d*|md5|file|ref|truncated|omitted|redacted|skipped|binary)$/i
const KIND = /^[_$]?(?:(?:body|content)[_-]?)?(?:type|mime_?type|encoding|path)$/i

/** Whether a member of this name is about a body. */
const isBeside = (name: string) => BESIDE.has(name.toLowerCase().replaceAll('_', '')) || TRACE.test(name)

const statusOf = ({ status, statusCode }: Loose): number | undefined =>
  [status, statusCode].find(
    (value): value is number => typeof value === 'number' && value >= 100 && value <= 599,
  )

const hasStatus = (value: Loose) => statusOf(value) !== undefined
const hasHeaders = ({ headers }: Loose) => isRecord(headers) || Array.isArray(headers)

/** Whether an object is a wrapper: it has a `body` or a status, and other members that describe a message. */
const isWrapper = (value: Loose): boolean => {
  const hasBody = 'body' in value
  const saysMore = hasStatus(value) || hasHeaders(value)
  return (hasBody && saysMore) || ((hasBody || saysMore) && Object.keys(value).every(isBeside))
}

/** What clients and recorders call the body beside a status and headers, where it is not `body`. */
const ALIASES = ['data', 'content', 'text', 'bodyText', 'body_text', 'payload', 'json']

/** An answer as clients have it (`{"status", "headers", "data"}`) with its body under the name `body`. */
const renamed = (value: Loose): Loose => {
  const alias = ALIASES.find((name) => value[name] !== undefined && value[name] !== null)
  const [status, headers] = [hasStatus(value), hasHeaders(value)]
  if (alias === undefined || 'body' in value || !(status || headers)) return value
  const isOnly = Object.keys(value).every((name) => name === alias || isBeside(name))
  if (!isOnly && !(status && headers)) return value
  const { [alias]: inner, ...rest } = value
  // A HAR's content has its text one deeper.
  if (alias === 'content' && isRecord(inner) && typeof inner.text === 'string')
    return { encoding: inner.encoding, ...rest, body: inner.text }
  return { ...rest, body: inner }
}

/** The text of what JSON makes of a Buffer or of a Uint8Array; any other body as it is. */
const plainBody = (body: unknown, about: About): unknown => {
  if (!isRecord(body)) return body
  const isList = Object.hasOwn(body, '0') && Object.keys(body).every((name, index) => name === String(index))
  const bytes = bytesIn(body.type === 'Buffer' ? body.data : isList ? Object.values(body) : undefined)
  return bytes === undefined ? body : textOf(bytes, about)
}

/** A body with what a wrapper has besides, as that may be a part of the body after all. */
const withOthers = (body: unknown, wrapper: Loose): unknown => {
  const others = Object.entries(wrapper).filter(([name]) => !isBeside(name))
  if (others.length === 0 || body === undefined) return body
  if (typeof body !== 'string') return [Object.fromEntries(others), body]
  return /^\s*(?:[[{]|$)/.test(body) ? `${JSON.stringify(Object.fromEntries(others))}\n${body}` : body
}

/** The value of a header, of an object or of a list of names and values; empty where there is none. */
export const headerOf = (headers: unknown, wanted: string): string => {
  const all = Array.isArray(headers)
    ? headers.filter(isRecord).map(({ name, value }) => [String(name), value] as const)
    : isRecord(headers)
      ? Object.entries(headers)
      : []
  const found = all.find(([name]) => name.toLowerCase() === wanted)?.[1]
  const value: unknown = Array.isArray(found) ? found[0] : found
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Whether a message says that its body is sent in chunks, so that no length is known before (RFC 9112 7.1). */
export const isChunked = (headers: unknown): boolean =>
  /chunked/i.test(headerOf(headers, 'transfer-encoding'))

/** What recorders write in the place of a body: words for it, its size, or nothing but signs. */
const STAND_IN =
  /^\W*(?:\w+[ _-]){0,3}(?:binary|redacted|omitted|truncated|filtered|masked|suppressed|stripped|too (?:large|long|big)|not (?:recorded|captured|logged|available))\b[^=:]*$|^[^\p{L}\p{N}]+$|^\w+ ?\(\d+\)$|^\W*\d[\d.,]*\s*(?:[kmg]i?)?b(?:ytes?)?\W*$|^\W*(?:none|nil|undefined|n\/a|hidden|body|content|payload)\W*$/iu
const isStandIn = (text: unknown): boolean => typeof text === 'string' && STAND_IN.test(text.trim())
const REMARK = /^_?(?:message|msg|note|comment|warning|info|reason|error|body|raw|text|content|data|value)$/i

/** `{"bodySize": 812}`, `{"sha256": …, "type": …}`: a body was there, and was not recorded. */
const isTrace = (recorded: Loose): boolean => {
  const names = Object.keys(recorded)
  const [only = ''] = names
  if (names.length === 1 && REMARK.test(only) && isStandIn(recorded[only])) return true
  const isThere = (name: string) =>
    TRACE.test(name) && ![0, '0', '', false, null].includes(recorded[name] as string)
  return names.some(isThere) && names.every((name) => TRACE.test(name) || KIND.test(name))
}

const isCut = (wrapper: Loose): boolean =>
  Object.entries(wrapper).some(
    ([name, value]) => /(?:truncated|incomplete|partial)$/i.test(name) && /^(?:true|1)$/i.test(String(value)),
  )

/** Whether a wrapper says that there was more than the nothing it has for a body. */
const isLeftOut = ({ body, headers, bodySize, size }: Loose): boolean => {
  const isEmpty = body === '' || (isRecord(body) && Object.keys(body).length === 0)
  const sizes = [bodySize, size, headerOf(headers, 'content-length')].map(Number)
  return isEmpty && (Math.max(...sizes.filter(Number.isFinite)) > 2 || isChunked(headers))
}

/** The body in what a recorder wrote for one side of a call. Null is what recorders write for a body they did not keep. */
export const recordedBody = (recorded: unknown): Recorded => {
  if (recorded === undefined || recorded === null) return {}
  // A size, or whether there was one: no body of the two APIs is a number or a boolean.
  if (typeof recorded === 'number' || typeof recorded === 'boolean') return {}
  if (!isRecord(recorded)) return { body: recorded }
  if (isTrace(recorded)) return {}
  const value = renamed(recorded)
  if (!isWrapper(value)) return { body: plainBody(value, {}) }
  if (isLeftOut(value)) return {}
  const { headers, body, encoding, isBase64Encoded, base64 } = value
  const about = { encoding: headerOf(headers, 'content-encoding'), type: headerOf(headers, 'content-type') }
  const isEncoded = encoding === 'base64' || isBase64Encoded === true || base64 === true
  const plain =
    typeof body === 'string' && isEncoded
      ? textOf(Buffer.from(body, 'base64'), about)
      : plainBody(body ?? undefined, about)
  return {
    body: withOthers(plain, value),
    incomplete: isCut(value),
    status: statusOf(value),
  }
}
