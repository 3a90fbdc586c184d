// Reads a HAR 1.2 file into calls. Bodies are text in a HAR, base64 for binary ones, and may have been left out.
import { InputFault } from './input-fault.ts'
import type { Reading } from './ndjson.ts'

/** A HAR is read whole, so its size is bounded: 256 MiB. */
export const largestHar = 256 * 1024 * 1024

type Loose = Record<string, unknown>
const asRecord = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}

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

const bodyText = (content: Loose): unknown => {
  if (typeof content.text !== 'string') return undefined
  return content.encoding === 'base64' ? Buffer.from(content.text, 'base64').toString('utf8') : content.text
}

const requestBody = (request: Loose): unknown => {
  if (request.postData === undefined) return request.bodySize === 0 ? '' : undefined
  const post = asRecord(request.postData)
  if (post.text !== undefined) return bodyText(post)
  if (!Array.isArray(post.params)) return undefined
  return Object.fromEntries(post.params.map((param) => [String(asRecord(param).name), null]))
}

const responseBody = (response: Loose): unknown => {
  const content = asRecord(response.content)
  const body = bodyText(content)
  return body === undefined && (content.size === 0 || response.status === 204) ? '' : body
}

/** Reads one entry of a HAR. A body that the recorder left out counts as not recorded; an empty one as seen. */
export const readHarEntry = (entry: unknown): Reading => {
  const { request, response, startedDateTime } = asRecord(entry)
  const { method, url } = asRecord(request)
  if (typeof method !== 'string' || typeof url !== 'string')
    return { fault: 'this entry has no request.method and request.url; record it again or remove it' }
  return {
    call: {
      method,
      url,
      request: requestBody(asRecord(request)),
      response: responseBody(asRecord(response)),
      time: startedDateTime,
    },
  }
}
