// Recorded exchanges of a request and its answer: a line of NDJSON, a line of an access log, an entry of a HAR 1.2.
import { InputFault } from '../command-line/input-fault.ts'
import { usesIn, type Call, type Matcher } from '../matching/matching.ts'
import { listOf, parse, recordOf, textOf } from './document.ts'
import { lineReader, wholeText, type Reader, type Reading } from './source.ts'

const MAX_HAR_MIB = 256

/** Reads {"method", "url", "request"?, "response"?, "status"?, "time"?}. A body that is null is not there. */
const readExchange = (exchange: Record<string, unknown>, matcher: Matcher): Reading => {
  const { method, url, status, request, response, time, incomplete } = exchange
  if (typeof method !== 'string' || typeof url !== 'string')
    return { fault: 'not a request: it has no method and url; record it again or remove it' }
  // One whose address was masked may be of any operation.
  if (!/^[a-z]+(?:-[a-z]+)*$/i.test(method) || !/^(?:\/|https?:\/\/[^/]+\/)/i.test(url))
    return { fault: 'not a whole request: it has no method or no path; record it again or remove it' }
  const scheduled = matcher(method, url)
  if (scheduled === undefined) return { uses: [] }
  if (listOf(incomplete).length > 0)
    return {
      fault: 'a request whose bodies are incomplete; leave out what is not whole, and `incomplete` with it',
    }
  const call: Call = { method, url, request: request ?? undefined, response: response ?? undefined }
  if (typeof status === 'number') call.status = status
  return { uses: usesIn(scheduled, call), time }
}

const readNdjson = lineReader((line, matcher) => {
  try {
    return readExchange(recordOf(JSON.parse(line)), matcher)
  } catch {
    return { fault: 'not JSON: truncated or damaged; fix or remove the line' }
  }
})

const LOG_LINE = /^\S+ \S+ .*?\[([^[\]]{1,40})\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}) /

/** The Common or Combined Log Format. A connection that made no request is passed over. */
const readAccessLog = lineReader((line, matcher) => {
  const [, stamp = '', request, status] = LOG_LINE.exec(line) ?? []
  if (request === undefined)
    return { fault: 'not in the Common or Combined Log Format; use one of these, or NDJSON' }
  const [method, url = ''] = request.split(' ')
  // RFC 9112 3.2.3 and 3.2.4: neither has a path.
  if ((Number(status) >= 400 && !url.includes('/')) || url === '*' || method === 'CONNECT') return undefined
  // 10/Oct/2026:13:55:36 +0200
  return readExchange({ method, url, time: stamp.replaceAll('/', ' ').replace(':', ' ') }, matcher)
})

/** A body; undefined where it was not recorded, or only a part of it. */
const bodyOf = ({ headers }: Record<string, unknown>, { text, encoding, size }: Record<string, unknown>) => {
  if (typeof text === 'string' && text !== '') {
    const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8')
    return Number(textOf(size)) > bytes.length ? undefined : bytes.toString('utf8')
  }
  // Recorders write a size of 0 also for a body that they passed on unseen, so only its length is a proof.
  const lengths = listOf(headers)
    .map(recordOf)
    .filter(({ name }) => /^content-length$/i.test(textOf(name)))
  return lengths.some(({ value }) => value === '0') ? '' : undefined
}

const readHar: Reader = async (source, matcher, take) => {
  const { data } = parse(await wholeText(source, MAX_HAR_MIB), source.name)
  const { entries } = recordOf(recordOf(data).log)
  const fault = 'not a HAR: it has no log.entries; export the traffic again as HAR with content'
  if (!Array.isArray(entries)) throw new InputFault(source.name, 1, fault)
  for (const [index, entry] of entries.entries()) {
    const { startedDateTime: time, ...messages } = recordOf(entry)
    const [request, response] = [recordOf(messages.request), recordOf(messages.response)]
    const { method, url } = request
    // No server is asked for `data:`, `blob:` or an extension's address.
    if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(textOf(url))) continue
    const bodies = {
      request: bodyOf(request, recordOf(request.postData)),
      response: bodyOf(response, recordOf(response.content)),
    }
    const reading = readExchange({ method, url, status: response.status, time, ...bodies }, matcher)
    take({ ...reading, record: `/log/entries/${index}` })
  }
}

export const exchangeReaders = { har: readHar, ndjson: readNdjson, log: readAccessLog }
