// Recorded exchanges of a request and its answer: a line of NDJSON, a line of an access log, an entry of a HAR 1.2.
import { InputFault } from '@onramp/terminal/input-fault'
import { IN_ANOTHER_FILE, matchCall, type Call, type Matcher } from '../matching/matching.ts'
import { listOf, parseDocumentText, recordOf, textOf } from './document.ts'
import { lineReader, wholeText, type FormatReader, type InputRecord } from './source.ts'

const MAX_HAR_MIB = 256

/** Reads {"method", "url", "request"?, "response"?, "status"?, "time"?}. A body that is null is not there. */
const readExchange = (exchange: Record<string, unknown>, matcher: Matcher): InputRecord => {
  const { method, url, status, request, response, time, incomplete } = exchange
  if (typeof method !== 'string' || typeof url !== 'string')
    return {
      fault:
        'not a request: it has no method and url; record it again, or rename (jq -c {method:.METHOD,url:.URL})',
    }
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
  return { uses: matchCall(scheduled, call), time }
}

/** A request as proxies log it in JSON: `request_uri` (nginx), `RequestPath` (Traefik), `path` (Envoy), `request.uri` (Caddy). */
const loggedIn = (line: Record<string, unknown>) => {
  const members = Object.entries({ ...recordOf(line.request), ...recordOf(line.httpRequest), ...line })
  const like = (name: RegExp) => members.find(([key]) => name.test(key))?.[1]
  const [method, url] = textOf(line.request).split(' ')
  return {
    method: like(/^(?:request_?|cs-)?method$/i) ?? method,
    url: like(/^(?:request_?|cs-)?(?:ur[il](?:-stem)?|path)$/i) ?? url,
    time: like(/^(?:time|ts|timestamp|time_?iso8601|start_?time|start_?utc)$/i),
  }
}

const readNdjson = lineReader((line, matcher) => {
  try {
    const exchange = recordOf(JSON.parse(line))
    return readExchange('method' in exchange && 'url' in exchange ? exchange : loggedIn(exchange), matcher)
  } catch {
    return { fault: 'not JSON from its beginning to its end; fix or remove the line' }
  }
})

const LOG_LINE = /^\S+ \S+ .*?\[([^[\]]{1,40})\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}) /
/** Of any other log: Envoy's, HAProxy's, a load balancer's of AWS. */
const REQUEST_LINE = /"([a-z-]+ \S+ HTTP\/[\d.]+)"/i
const ZONED_TIME = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)/
const NO_REQUEST = /"(?:- |<BADREQ>)/
const CONVERT = `awk '{print "{\\"method\\":\\"" $6 "\\",\\"url\\":\\"" $7 "\\"}"}' (with its columns of method and path)`

/** A line with a request in quotes, as the Common Log Format has it. A connection that made no request is passed over. */
const readLogLine = (line: string, matcher: Matcher) => {
  const [, stamp, clf, status] = LOG_LINE.exec(line) ?? []
  const request = clf ?? REQUEST_LINE.exec(line)?.[1]
  if (request === undefined)
    return NO_REQUEST.test(line)
      ? undefined
      : { fault: `has no request like "GET /path HTTP/1.1"; convert the log to NDJSON: ${CONVERT}` }
  const [method, url = ''] = request.split(' ')
  // RFC 9112 3.2.3 and 3.2.4: neither has a path.
  if ((Number(status) >= 400 && !url.includes('/')) || url === '*' || method === 'CONNECT') return undefined
  // 10/Oct/2026:13:55:36 +0200
  const time = stamp?.replaceAll('/', ' ').replace(':', ' ') ?? ZONED_TIME.exec(line)?.[0]
  return readExchange({ method, url, time }, matcher)
}

/** In W3C's Extended Log File Format (CloudFront, IIS) a line names the columns. */
const readColumns = (columns: readonly string[], line: string, matcher: Matcher) => {
  const cells = line.split(/[\t ]/)
  const cell = (name: string) => cells[columns.indexOf(name)] ?? '-'
  const [method, stem, query] = ['cs-method', 'cs-uri-stem', 'cs-uri-query'].map(cell)
  return readExchange({ method, url: `${stem}?${query}`, time: `${cell('date')}T${cell('time')}Z` }, matcher)
}

const readAccessLog: FormatReader = (source, matcher, take) => {
  let columns: string[] | undefined
  const read = lineReader((line) => {
    if (!line.startsWith('#'))
      return columns ? readColumns(columns, line, matcher) : readLogLine(line, matcher)
    columns = /^#Fields:\s*(.*\S)/.exec(line)?.[1]?.split(/\s+/) ?? columns
    return undefined
  })
  return read(source, matcher, take)
}

/** A body; undefined where it was not recorded, or only a part of it. Firefox calls plain text base64. */
const bodyOf = (
  { headers }: Record<string, unknown>,
  { text, encoding, size, _file }: Record<string, unknown>,
) => {
  // Playwright's, unless it embeds them.
  if (_file !== undefined) return IN_ANOTHER_FILE
  if (typeof text === 'string' && text !== '') {
    const isBase64 = encoding === 'base64' && /^[\w+/=\s-]*$/.test(text)
    const bytes = Buffer.from(text, isBase64 ? 'base64' : 'utf8')
    return Number(textOf(size)) > bytes.length ? undefined : bytes.toString('utf8')
  }
  // Recorders write a size of 0 also for a body that they passed on unseen, so only its length is a proof.
  const lengths = listOf(headers)
    .map(recordOf)
    .filter(({ name }) => /^content-length$/i.test(textOf(name)))
  return lengths.some(({ value }) => value === '0') ? '' : undefined
}

const readHar: FormatReader = async (source, matcher, take) => {
  const { data } = parseDocumentText(await wholeText(source, MAX_HAR_MIB), source.name)
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
