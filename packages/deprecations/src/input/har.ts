// Reads a HAR 1.2 file into calls. Bodies are text in a HAR, base64 for binary ones, and may have been left out.
import { InputFault } from '../command-line/input-fault.ts'
import { requestFault } from './address.ts'
import { isRecord, type Loose } from './json-scan.ts'
import { withBodies, type Reading } from './ndjson.ts'
import { textOf } from '../matching/bytes.ts'
import { headerOf, isChunked, wordOf } from './message.ts'
import { isTraceText, type Recorded } from './recorded.ts'

/** A HAR is read whole, so its size is bounded: 256 MiB. */
export const MAX_HAR = 256 * 1024 * 1024

const asRecord = (value: unknown): Loose => (isRecord(value) ? value : {})
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The entries of a HAR; throws InputFault when it has none to read. */
export const harEntries = (document: unknown, file: string): unknown[] => {
  const { entries } = asRecord(asRecord(document).log)
  if (Array.isArray(entries)) return entries
  const what = 'not a HAR: it has no log.entries; export the traffic again as HAR with content'
  throw new InputFault(file, 1, what)
}

const isFilled = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 : typeof value === 'object' && value !== null

/** The members of messages and bodies in HAR 1.2 that can hold more than a word. */
const USUAL =
  /^(?:cookies|headers|queryString|postData|content|params|text|comment|mimeType|url|redirectURL|statusText)$/

/** Whether a message or a body has something in a form of the recorder's own, which may be the body. */
const hasOwn = (part: Loose) =>
  Object.entries(part).some(
    ([name, value]) =>
      !USUAL.test(name) &&
      (typeof value === 'string'
        ? /[[{]/.test(value)
        : isFilled(value) && Object.keys(value as object).length > 0),
  )

const isPositive = (value: unknown) => Number(wordOf(value)) > 0
const isCut = (content: Loose) => content._truncated === true || content.truncated === true

/** What Chromium writes of a call that was broken off. */
const isBrokenOff = ({ status, _error }: Loose) => status === 0 || asText(_error) !== ''

/** Whether the message says that it has a body, whatever was recorded of it. */
const hasBody = (message: Loose, content: Loose) =>
  isPositive(message.bodySize) ||
  isPositive(content.size) ||
  isChunked(message.headers) ||
  isPositive(headerOf(message.headers, 'content-length'))

/**
 * Whether the message says that it has none. A size of -1 is one that the recorder did not learn. A size of 0 is also what
 * proxies write of a body that they passed on unseen, so where one is expected only the length is a proof.
 */
const hasNoBody = (message: Loose, content: Loose, isExpected: boolean) =>
  !hasBody(message, content) &&
  (headerOf(message.headers, 'content-length') === '0' ||
    (message.bodySize === 0 && content.text !== null && !isExpected))

/** The size of a body before compression, 0 where the recorder does not say: mitmproxy has the compressed one. */
const plainSize = ({ size, compression }: Loose, { bodySize, headers }: Loose, length: number): number => {
  const isEncoded = headerOf(headers, 'content-encoding') !== ''
  const sent = [bodySize, headerOf(headers, 'content-length')].find(isPositive)
  if (!isPositive(size)) return isEncoded ? 0 : Number(sent ?? 0)
  return (isEncoded && size === bodySize) || Number(size) + Number(wordOf(compression)) === length
    ? 0
    : Number(size)
}

/** The text of a body. Shorter than the size that the recorder saw, it is only a part. */
const recordedText = (content: Loose, message: Loose): Recorded => {
  const { text, mimeType } = content
  if (typeof text !== 'string' || text === '') return {}
  const type = `${asText(mimeType)};${headerOf(message.headers, 'content-type')}`
  const isBase64 = content.encoding === 'base64'
  const bytes = Buffer.from(text, isBase64 ? 'base64' : 'utf8')
  const body = isBase64
    ? textOf(bytes, { encoding: headerOf(message.headers, 'content-encoding'), type })
    : text
  // In UTF-16 and UTF-32 a text has more bytes than in UTF-8, so the size says nothing.
  const expected = /utf-?(?:16|32)/i.test(type) ? 0 : plainSize(content, message, bytes.length)
  const isShort = expected > Math.max(bytes.length, Buffer.byteLength(body))
  return isTraceText(body) && !(Number(wordOf(message.status)) >= 400)
    ? {}
    : { body, incomplete: isCut(content) || isShort }
}

/** The value of a form's field as text: some recorders write what they parsed of it. */
const asField = (value: unknown) =>
  isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : asText(value)

const requestBody = (request: Loose): Recorded => {
  const { postData } = request
  const post = asRecord(postData)
  const params = asList(post.params).map(asRecord)
  if (typeof post.text === 'string' && post.text !== '') {
    const recorded = recordedText({ ...post, size: request.bodySize }, request)
    // A form has its parameters in the text as well; any other text, or one without them, is not all.
    const { text } = post
    const isInText = ({ name }: Loose) =>
      !/^\s*[[{]/.test(text) && (text.includes(asText(name)) || new URLSearchParams(text).has(asText(name)))
    return params.every(isInText) ? recorded : { ...recorded, incomplete: true }
  }
  if (params.length > 0) {
    const pairs = params.map(({ name, value }): [string, string] => [asText(name), asField(value)])
    // Files are sent by name only.
    const incomplete = isCut(post) || params.some(({ value, fileName }) => fileName !== undefined && !value)
    return { body: new URLSearchParams(pairs).toString(), incomplete }
  }
  // Anything else in its place is in a form of the recorder's own.
  const isUsual = postData === undefined || postData === null || isRecord(postData)
  const isOwn = !isUsual || isFilled(post.text) || isFilled(post.params) || hasOwn(post) || hasOwn(request)
  const isPosted = /^(?:POST|PUT|PATCH)$/i.test(asText(request.method))
  return hasNoBody(request, post, isPosted) && !isOwn ? { body: '' } : {}
}

const responseBody = (response: Loose, method: string): Recorded => {
  const content = asRecord(response.content)
  const recorded = recordedText(content, response)
  // 0 is what recorders write for a call that was cut off or refused by the browser: nothing is known of its answer.
  if (recorded.body !== undefined) return isBrokenOff(response) ? { ...recorded, incomplete: true } : recorded
  // Not 304: its body came from a cache, unseen.
  if ([204, 205].includes(Number(wordOf(response.status))) || method.toUpperCase() === 'HEAD')
    return { body: '' }
  // A size of 0 is also what browsers write of a stream; its bodySize is then unknown (-1).
  const isOwn = isFilled(content.text) || hasOwn(content) || hasOwn(response)
  const isExpected = !(Number(wordOf(response.status)) >= 300)
  const isEmpty = content.size === 0 && !isOwn && hasNoBody(response, content, isExpected)
  return isEmpty && response.status !== 304 && !isBrokenOff(response) ? { body: '' } : {}
}

/** The address with the parameters that are listed beside it. */
const parametersBeside = ({ url, queryString }: Loose): string[] => {
  const names = asList(queryString).map((one): [string, string] => [asText(asRecord(one).name), ''])
  const [bare] = asText(url).split(/[?#]/, 1)
  return names.length === 0 ? [] : [`${bare}?${new URLSearchParams(names).toString()}`]
}

/** Reads one entry of a HAR. A body that the recorder left out counts as not recorded; an empty one as seen. */
export const readHarEntry = (entry: unknown): Reading => {
  const { request, response, startedDateTime, _eventSourceMessages: events } = asRecord(entry)
  const { method, url } = asRecord(request)
  if (typeof method !== 'string' || typeof url !== 'string')
    return { fault: 'this entry has no request.method and request.url; record it again or remove it' }
  const fault = requestFault(method, url)
  if (fault !== undefined) return { fault: `${fault} entry` }
  // Chromium has the events of a stream beside the answer.
  const answer: Loose = { ...asRecord(response), ...(isFilled(events) && { events }) }
  const status = typeof answer.status === 'number' ? answer.status : undefined
  const bodies = { request: requestBody(asRecord(request)), response: responseBody(answer, method) }
  const call = { method: method.trim(), url, otherUrls: parametersBeside(asRecord(request)), status }
  return { call: withBodies({ ...call, time: startedDateTime }, bodies) }
}
