// What a recorder wrote of a body: the body itself, or a wrapper around it that has a status, headers and a `body` beside.
// Compressed and encoded bodies are turned into text here, so that every format and item is read in the same way.
import { bytesIn, textOf, type About } from '../matching/bytes.ts'
import { isRecord, type Loose } from './json-scan.ts'
import {
  hasHeaders,
  hasStatus,
  headerOf,
  isChunked,
  isEmptyMessage,
  isMessage,
  isThere,
  plainName,
  statusOf,
  wordOf,
} from './message.ts'

/** A body as recorded; `body` undefined: it was not. */
export type Recorded = {
  body?: unknown
  /** Only a part of it was recorded. */
  incomplete?: boolean
  status?: number | undefined
}

const BESIDE = new Set(
  (
    'body headers status statuscode statustext bodysize size encoding isbase64encoded base64encoded base64 contenttype mimetype ' +
    'method url path query truncated time timestamp duration httpversion ok reason'
  ).split(' '),
)

/** What says that there was a body, where nothing or not all of it was kept. */
const TRACE =
  /^[_$]?(?:(?:raw|body|content|payload)[_-]?)?(?:size|length|bytes|hash|digest|sha\d*|md5|file|ref|truncated|omitted|redacted|skipped|binary)$/i
const KIND = /^[_$]?(?:(?:body|content)[_-]?)?(?:type|mime_?type|encoding|charset|path|mode)$/i

/** Whether a member of this name is about a body. */
const isBeside = (name: string) => BESIDE.has(plainName(name)) || TRACE.test(name)

/** Whether an object is a wrapper: it has a `body`, and other members that describe a message. */
const isWrapper = (value: Loose): boolean =>
  'body' in value && (isMessage(value) || Object.keys(value).every(isBeside))

/** What clients and recorders call the body beside a status and headers, where it is not `body`. */
const ALIASES = ['postData', 'data', 'content', 'text', 'bodyText', 'body_text', 'payload', 'json']

/** The text in a HAR's content or postData, which is one deeper; anything else as it is. */
const textIn = (alias: string, inner: unknown): unknown => {
  if (!/^(?:content|postData)$/.test(alias) || !isRecord(inner)) return inner
  // A size of 0 is also what is written of a stream.
  if (inner.size === 0 && inner.text === undefined) return null
  return typeof inner.text === 'string' ? inner.text : inner
}

/** An answer as clients have it (`{"status", "headers", "data"}`) with its body under the name `body`. */
const renamed = (value: Loose): Loose => {
  const alias = ALIASES.find((name) => value[name] !== undefined && value[name] !== null)
  if (alias === undefined || 'body' in value || !isMessage(value)) return value
  const { [alias]: inner, ...rest } = value
  const body = textIn(alias, inner)
  const isOnly = Object.keys(rest).every(isBeside) || (hasStatus(value) && hasHeaders(value))
  const isBody = alias === 'postData' ? typeof body === 'string' && body !== '' : isOnly
  if (!isBody) return value
  return { ...(isRecord(inner) && { encoding: inner.encoding }), ...rest, body }
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

/** What recorders write in the place of a body: words for it, its size, or nothing but signs. */
const STAND_IN =
  /^\W*(?:\w+[ _-]){0,3}(?:binary|redacted|omitted|truncated|filtered|masked|suppressed|stripped|too (?:large|long|big)|not (?:recorded|captured|logged|available))\b[^=:]*$|^[^\p{L}\p{N}]+$|^\w+ ?\(\d+\)$|^\W*\d[\d.,]*\s*(?:[kmg]i?)?b(?:ytes?)?\W*$|^\W*(?:none|nil|undefined|n\/a|hidden|body|content|payload)\W*$/iu
const isStandIn = (text: unknown): boolean => typeof text === 'string' && STAND_IN.test(text.trim())
const MAX_TRACE = 1_000
const REMARK = /^_?(?:message|msg|note|comment|warning|info|reason|error|body|raw|text|content|data|value)$/i

/** `{"message": "[REDACTED]"}`, `{"bodySize": 812}`, `{"sha256": …, "type": …}`: a body was there, and was not recorded. */
const isTrace = (recorded: Loose): boolean => {
  const names = Object.keys(recorded)
  const [only = ''] = names
  // What JSON makes of a stream of Node.
  if (names.includes('_readableState')) return true
  if (names.length === 1 && REMARK.test(only) && isStandIn(recorded[only])) return true
  return (
    names.some((name) => TRACE.test(name) && isThere(recorded[name])) &&
    names.every((name) => TRACE.test(name) || KIND.test(name))
  )
}

/** The same as a text of JSON. */
export const isTraceText = (text: string): boolean => {
  if (text.length > MAX_TRACE || !/^\s*\{/.test(text)) return false
  try {
    return isTrace(JSON.parse(text) as Loose)
  } catch {
    return false
  }
}

/** Whether a member says that not all was kept; Sentry has a list of warnings for it. */
const isCut = ({ _meta: about, ...members }: Loose): boolean =>
  (isRecord(about) && Array.isArray(about.warnings) && about.warnings.some(isWarning)) ||
  Object.entries(members).some(([name, value]) =>
    /truncated/i.test(name)
      ? isThere(value)
      : /(?:incomplete|partial)$/i.test(name) && /^(?:true|1)$/i.test(wordOf(value)),
  )
const isWarning = (text: unknown) => typeof text === 'string' && /truncated|skipped/i.test(text)

/** Whether a body is nothing: `""`, `{}`, `{"encoding": "UTF-8", "string": ""}`. */
const isNothing = (body: unknown) =>
  body === '' ||
  (isRecord(body) && Object.entries(body).every(([name, value]) => KIND.test(name) || value === ''))

/** Whether a wrapper says that there was more than the nothing it has for a body; `bodyUsed` is of a stream of fetch. */
const isLeftOut = ({ body, headers, bodySize, size, bodyUsed }: Loose): boolean => {
  const sizes = [bodySize, size, headerOf(headers, 'content-length')].map((one) => Number(wordOf(one)))
  const isExpected = Math.max(...sizes.filter(Number.isFinite)) > 2 || isChunked(headers)
  return isNothing(body) && (isExpected || bodyUsed !== undefined)
}

/** Wrappers within wrappers beyond this are not looked into. */
const MAX_DEPTH = 5

/** The body in what a recorder wrote for one side of a call. Null is what recorders write for a body they did not keep. */
export const recordedBody = (recorded: unknown, depth = 0): Recorded => {
  if (recorded === undefined || recorded === null) return {}
  // A size, or whether there was one: no body of the two APIs is a number or a boolean.
  if (typeof recorded === 'number' || typeof recorded === 'boolean') return {}
  if (typeof recorded === 'string' && isTraceText(recorded)) return {}
  if (!isRecord(recorded)) return { body: recorded }
  if (isTrace(recorded)) return {}
  const value = renamed(recorded)
  const [isOfMessage, isPart] = [isMessage(value), isCut(value)]
  const status = isOfMessage ? statusOf(value) : undefined
  if (!isWrapper(value) || depth > MAX_DEPTH) {
    // A message is looked through, as its body may be in any place, and is never taken for the body itself.
    const isUnknown = depth > MAX_DEPTH || (isOfMessage && !isEmptyMessage(value))
    return { body: plainBody(value, {}), incomplete: isPart || isUnknown, status }
  }
  if (isLeftOut(value)) return { status }
  const { headers, body, encoding, isBase64Encoded, base64Encoded, base64 } = value
  const about = { encoding: headerOf(headers, 'content-encoding'), type: headerOf(headers, 'content-type') }
  const isEncoded = encoding === 'base64' || [isBase64Encoded, base64Encoded, base64].includes(true)
  const plain =
    typeof body === 'string' && isEncoded
      ? textOf(Buffer.from(body, 'base64'), about)
      : plainBody(body, about)
  const inner = recordedBody(plain, depth + 1)
  return {
    body: withOthers(inner.body, value),
    incomplete: isPart || inner.incomplete === true,
    status: status ?? inner.status,
  }
}
