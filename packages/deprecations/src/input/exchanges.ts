// Recorded exchanges of a request and its answer: a line of NDJSON, a line of an access log, an entry of a HAR 1.2.
import { InputFault } from '../command-line/input-fault.ts'
import type { Call } from '../matching/matcher.ts'
import { listOf, recordOf, textOf, type Loose } from './json.ts'

/** A call with the moment it was made, why there is none, or undefined where nothing was asked of a server. */
export type Reading = { call: Call; time?: unknown } | { fault: string } | undefined

/** Reads {"method", "url", "request"?, "response"?, "status"?, "incomplete"?, "time"?}. A body that is null is not there. */
const exchangeOf = ({ method, url, status, request, response, incomplete, time }: Loose): Reading => {
  if (typeof method !== 'string' || typeof url !== 'string')
    return { fault: 'not a request: it has no method and url; record it again or remove it' }
  // One whose address was masked may be of any operation.
  if (!/^[a-z]+(?:-[a-z]+)*$/i.test(method) || !/^(?:\/|https?:\/\/[^/]+\/)/i.test(url))
    return { fault: 'not a whole request: it has no method or no path; record it again or remove it' }
  const call: Call = { method, url, request: request ?? undefined, response: response ?? undefined }
  if (typeof status === 'number') call.status = status
  if (Array.isArray(incomplete))
    call.incomplete = (['request', 'response'] as const).filter((side) => incomplete.includes(side))
  return { call, time }
}

/** Reads a line of NDJSON. */
export const readJsonLine = (line: string): Reading => {
  if (line.trim() === '') return undefined
  try {
    return exchangeOf(recordOf(JSON.parse(line)))
  } catch {
    return { fault: 'not JSON: truncated or damaged; fix or remove the line' }
  }
}

const LOG_LINE = /^\S+ \S+ .*?\[([^[\]]{1,40})\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}) /

/** Reads a line of an access log in the Common or Combined Log Format; one whose connection made no request is passed over. */
export const readLogLine = (line: string): Reading => {
  if (line.trim() === '') return undefined
  const [, stamp = '', request, status] = LOG_LINE.exec(line) ?? []
  if (request === undefined)
    return { fault: 'not in the Common or Combined Log Format; use one of these, or NDJSON' }
  const [method, url = ''] = request.split(' ')
  // RFC 9112 3.2.3 and 3.2.4: neither has a path.
  if ((Number(status) >= 400 && !url.includes('/')) || url === '*' || method === 'CONNECT') return undefined
  // 10/Oct/2026:13:55:36 +0200
  return exchangeOf({ method, url, time: stamp.replaceAll('/', ' ').replace(':', ' ') })
}

/** The entries of a HAR. @throws {InputFault} when it has none to read */
export const harEntries = (document: unknown, file: string): unknown[] => {
  const { entries } = recordOf(recordOf(document).log)
  if (Array.isArray(entries)) return entries
  throw new InputFault(
    file,
    1,
    'not a HAR: it has no log.entries; export the traffic again as HAR with content',
  )
}

/** A body with its side where the recorder saw more of it; nothing where it was not recorded. */
const bodyOf = ({ headers }: Loose, { text, encoding, size }: Loose) => {
  if (typeof text === 'string' && text !== '') {
    const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
    return { body: bytes.toString('utf8'), isPart: Number(textOf(size)) > bytes.length }
  }
  // Recorders write a size of 0 also for a body that they passed on unseen, so only its length is a proof.
  const lengths = listOf(headers)
    .map(recordOf)
    .filter(({ name }) => /^content-length$/i.test(textOf(name)))
  return { body: lengths.some(({ value }) => value === '0') ? '' : undefined, isPart: false }
}

/** Reads an entry of a HAR; undefined for an address that no server is asked for (`data:`, `blob:`, an extension's). */
export const readHarEntry = (entry: unknown): Reading => {
  const { startedDateTime: time, ...messages } = recordOf(entry)
  const [request, response] = [recordOf(messages.request), recordOf(messages.response)]
  const { method, url } = request
  if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(textOf(url))) return undefined
  const sent = bodyOf(request, recordOf(request.postData))
  const received = bodyOf(response, recordOf(response.content))
  const incomplete = [sent.isPart && 'request', received.isPart && 'response']
  const { status } = response
  return exchangeOf({ method, url, status, request: sent.body, response: received.body, incomplete, time })
}
