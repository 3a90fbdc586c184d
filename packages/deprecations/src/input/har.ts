// Reads a HAR 1.2 file into calls. Bodies are text in a HAR, base64 for binary ones, and may have been left out.
import { InputFault } from '../command-line/input-fault.ts'
import { withBodies, type Reading } from './ndjson.ts'
import { textOf, type Recorded } from '../check/recorded.ts'

/** A HAR is read whole, so its size is bounded: 256 MiB. */
export const largestHar = 256 * 1024 * 1024

type Loose = Record<string, unknown>
const asRecord = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The entries of a HAR; throws InputFault when it has none to read. */
export const harEntries = (document: unknown, file: string): unknown[] => {
  const { entries } = asRecord(asRecord(document).log)
  if (Array.isArray(entries)) return entries
  throw new InputFault(
    file,
    1,
    'not a HAR: it has no log.entries; export the traffic again as HAR with content',
  )
}

const headerOf = (message: Loose, wanted: string): string => {
  const found = asList(message.headers)
    .map(asRecord)
    .find(({ name }) => typeof name === 'string' && name.toLowerCase() === wanted)
  return typeof found?.value === 'string' ? found.value : ''
}

const isPositive = (value: unknown) => typeof value === 'number' && value > 0
const isCut = (content: Loose) => content._truncated === true || content.truncated === true

/** What Chromium writes of a call that was broken off. */
const isBrokenOff = ({ status, _error }: Loose) =>
  status === 0 || (typeof _error === 'string' && _error !== '')

/** Whether the message says that it has a body, whatever was recorded of it. */
const hasBody = (message: Loose, content: Loose) =>
  isPositive(message.bodySize) ||
  isPositive(content.size) ||
  isPositive(Number(headerOf(message, 'content-length')))

/** The text of a body. Shorter than the size that the recorder saw, it is only a part. */
const recordedText = (content: Loose, message: Loose): Recorded => {
  if (typeof content.text !== 'string') return {}
  if (content.text === '' && hasBody(message, content)) return {}
  const type = `${typeof content.mimeType === 'string' ? content.mimeType : ''};${headerOf(message, 'content-type')}`
  const bytes = Buffer.from(content.text, content.encoding === 'base64' ? 'base64' : 'utf8')
  const body =
    content.encoding === 'base64'
      ? textOf(bytes, { encoding: headerOf(message, 'content-encoding'), type })
      : content.text
  const size = /utf-?(?:16|32)/i.test(type) ? 0 : Number(content.size)
  return { body, incomplete: isCut(content) || size > Math.max(bytes.length, Buffer.byteLength(body)) }
}

const quoted = (value: unknown) => (typeof value === 'string' ? value : '')

const requestBody = (request: Loose): Recorded => {
  const post = asRecord(request.postData)
  const params = asList(post.params).map(asRecord)
  if (typeof post.text === 'string' && (post.text !== '' || params.length === 0))
    return recordedText({ ...post, size: request.bodySize }, request)
  // Files are sent by name only.
  const incomplete = isCut(post) || params.some(({ value, fileName }) => fileName !== undefined && !value)
  if (params.length > 0) {
    const pairs = params.map(({ name, value }): [string, string] => [quoted(name), quoted(value)])
    return { body: new URLSearchParams(pairs).toString(), incomplete }
  }
  const isEmpty = request.bodySize === 0 && !hasBody(request, post)
  return isEmpty ? { body: '' } : {}
}

// Not 304: what it stands for came from a cache, unseen.
const noBody = new Set([204, 205])

const responseBody = (response: Loose, method: string): Recorded => {
  const content = asRecord(response.content)
  const recorded = recordedText(content, response)
  // 0 is what recorders write for a call that was cut off or refused by the browser: nothing is known of its answer.
  if (recorded.body !== undefined) return isBrokenOff(response) ? { ...recorded, incomplete: true } : recorded
  if (noBody.has(Number(response.status)) || method.toUpperCase() === 'HEAD') return { body: '' }
  // A size of 0 without a text is also what browsers write of a stream; its bodySize is then unknown (-1).
  const isEmpty =
    content.size === 0 && (response.bodySize === 0 || headerOf(response, 'content-length') === '0')
  return isEmpty && !isBrokenOff(response) && !hasBody(response, content) ? { body: '' } : {}
}

/** Reads one entry of a HAR. A body that the recorder left out counts as not recorded; an empty one as seen. */
export const readHarEntry = (entry: unknown): Reading => {
  const { request, response, startedDateTime } = asRecord(entry)
  const { method, url } = asRecord(request)
  if (typeof method !== 'string' || typeof url !== 'string')
    return { fault: 'this entry has no request.method and request.url; record it again or remove it' }
  const { status } = asRecord(response)
  const call = { method, url, time: startedDateTime, ...(typeof status === 'number' ? { status } : {}) }
  const sides = {
    request: requestBody(asRecord(request)),
    response: responseBody(asRecord(response), method),
  }
  return { call: withBodies(call, sides) }
}
