// Reads recorded traffic: NDJSON, access logs and HAR 1.2. Each line or entry is matched on its own.
import { InputFault } from '@onramp/terminal/arguments'
import { matchCall, type Call } from '../matching/matching.ts'
import { asList, parseDocumentText, asRecord, asText, wholeText } from './source.ts'
import type { FormatReader, InputRecord } from './source.ts'

type OperationLookup = Parameters<FormatReader>[1]

/** Characters; bounds the memory. */
const MAX_LINE = 2 * 1024 * 1024

/** Reads lines, counted from 1, and skips blank ones. Keeps at most a chunk and a line in memory. */
const lineReader =
  (read: (line: string, findOperation: OperationLookup) => InputRecord | undefined): FormatReader =>
  async ({ bytes }, findOperation, onRecord) => {
    const decoder = new TextDecoder()
    let line = 0
    let rest: string | undefined = ''
    const end = () => {
      line += 1
      const record =
        rest === undefined ? { fault: 'longer than 2 Mi characters; skipped' } : read(rest, findOperation)
      if (record !== undefined && rest?.trim() !== '') onRecord({ ...record, line })
      rest = ''
    }
    const push = (text: string) => {
      for (const [index, piece] of text.split('\n').entries()) {
        if (index > 0) end()
        rest = rest === undefined || rest.length + piece.length > MAX_LINE ? undefined : rest + piece
      }
    }
    for await (const chunk of bytes) push(decoder.decode(chunk, { stream: true }))
    push(decoder.decode())
    end()
  }

const MAX_HAR_MIB = 256
const NOT_A_REQUEST =
  'not a request: it has no method and url; record it again, or rename (jq -c {method:.METHOD,url:.URL})'

/** Reads {"method", "url", "request"?, "response"?, "status"?, "time"?}. A null body counts as not recorded. */
const readExchange = (exchange: Record<string, unknown>, findOperation: OperationLookup): InputRecord => {
  const { method, url, status, request, response, time } = exchange
  if (typeof method !== 'string' || typeof url !== 'string') return { fault: NOT_A_REQUEST }
  // A masked URL may be that of any operation.
  if (!/^[a-z]+(?:-[a-z]+)*$/i.test(method) || !/^(?:\/|https?:\/\/[^/]+\/)/i.test(url))
    return { fault: 'not a whole request: it has no method or no path; record it again or remove it' }
  const scheduled = findOperation(method, url)
  if (scheduled === undefined) return { matches: [] }

  const call: Call = { method, url, request: request ?? undefined, response: response ?? undefined }
  if (typeof status === 'number') call.status = status
  return { matches: matchCall(scheduled, call), time }
}

/** JSON logs of proxies: `request_uri` (nginx), `RequestPath` (Traefik), `path` (Envoy), `request.uri` (Caddy). */
const fromProxyLog = (line: Record<string, unknown>) => {
  const members = Object.entries({ ...asRecord(line.request), ...asRecord(line.httpRequest), ...line })
  const find = (name: RegExp) => members.find(([key]) => name.test(key))?.[1]
  const [method, url] = asText(line.request).split(' ')
  return {
    method: find(/^(?:request_?|cs-)?method$/i) ?? method,
    url: find(/^(?:request_?|cs-)?(?:ur[il](?:-stem)?|path)$/i) ?? url,
    time: find(/^(?:time|ts|timestamp|time_?iso8601|start_?time|start_?utc)$/i),
  }
}

const readNdjson = lineReader((line, findOperation) => {
  try {
    const exchange = asRecord(JSON.parse(line))
    // Docker wraps each line of a log this way.
    if (typeof exchange.log === 'string') return readLogLine(exchange.log, findOperation)
    const isPlain = 'method' in exchange && 'url' in exchange
    return readExchange(isPlain ? exchange : fromProxyLog(exchange), findOperation)
  } catch {
    return { fault: 'not JSON from its beginning to its end; fix or remove the line' }
  }
})

const LOG_LINE = /^\S+ \S+ .*?\[([^[\]]{1,40})\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}) /
/** Any other log: Envoy, HAProxy, AWS load balancers. */
const REQUEST_LINE = /"([a-z-]+ \S+ HTTP\/[\d.]+)"/i
const ZONED_TIME = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)/
const NO_REQUEST = /"(?:- |<BADREQ>)/
const CONVERT = `awk '{print "{\\"method\\":\\"" $6 "\\",\\"url\\":\\"" $7 "\\"}"}' (with its columns of method and path)`

/** A line with a quoted request (Common Log Format). Connections without a request are skipped. */
const readLogLine = (line: string, findOperation: OperationLookup) => {
  const [, stamp, clf, status] = LOG_LINE.exec(line) ?? []
  const request = clf ?? REQUEST_LINE.exec(line)?.[1]
  if (request === undefined)
    return NO_REQUEST.test(line)
      ? undefined
      : { fault: `has no request like "GET /path HTTP/1.1"; convert the log to NDJSON: ${CONVERT}` }
  const [method, url = ''] = request.split(' ')
  // Such requests have no path (RFC 9112 3.2.3, 3.2.4).
  if ((Number(status) >= 400 && !url.includes('/')) || url === '*' || method === 'CONNECT') return undefined
  // 10/Oct/2026:13:55:36 +0200
  const time = stamp?.replaceAll('/', ' ').replace(':', ' ') ?? ZONED_TIME.exec(line)?.[0]
  return readExchange({ method, url, time }, findOperation)
}

/** W3C Extended Log File Format (CloudFront, IIS). */
const readColumns = (columns: readonly string[], line: string, findOperation: OperationLookup) => {
  const cells = line.split(/[\t ]/)
  const cell = (name: string) => cells[columns.indexOf(name)] ?? '-'
  const [method, stem, query] = ['cs-method', 'cs-uri-stem', 'cs-uri-query'].map(cell)
  return readExchange(
    { method, url: `${stem}?${query}`, time: `${cell('date')}T${cell('time')}Z` },
    findOperation,
  )
}

const readAccessLog: FormatReader = (source, findOperation, onRecord) => {
  let columns: string[] | undefined
  const readLines = lineReader((line) => {
    if (!line.startsWith('#'))
      return columns ? readColumns(columns, line, findOperation) : readLogLine(line, findOperation)
    columns = /^#Fields:\s*(.*\S)/.exec(line)?.[1]?.split(/\s+/) ?? columns
    return undefined
  })
  return readLines(source, findOperation, onRecord)
}

/** @returns undefined for a body that was not recorded completely. Firefox labels plain text as base64 */
const bodyOf = ({ headers }: Record<string, unknown>, { text, encoding, size }: Record<string, unknown>) => {
  if (typeof text === 'string' && text !== '') {
    const isBase64 = encoding === 'base64' && /^[\w+/=\s-]*$/.test(text)
    const bytes = Buffer.from(text, isBase64 ? 'base64' : 'utf8')
    return Number(asText(size)) > bytes.length ? undefined : bytes.toString('utf8')
  }
  // Recorders also write size 0 for a body that they didn't see, so only Content-Length proves an empty body.
  const isZero = ({ name, value }: Record<string, unknown>) =>
    /^content-length$/i.test(asText(name)) && value === '0'
  return asList(headers).map(asRecord).some(isZero) ? '' : undefined
}

const readHar: FormatReader = async (source, findOperation, onRecord) => {
  const { data } = parseDocumentText(await wholeText(source, MAX_HAR_MIB), source.name)
  const { entries } = asRecord(asRecord(data).log)
  const fault = 'not a HAR: it has no log.entries; export the traffic again as HAR with content'
  if (!Array.isArray(entries)) throw new InputFault(source.name, 1, fault)
  for (const [index, entry] of entries.entries()) {
    const { startedDateTime: time, ...messages } = asRecord(entry)
    const [request, response] = [asRecord(messages.request), asRecord(messages.response)]
    const { method, url } = request
    // `data:`, `blob:` and extensions' URLs reach no server.
    if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(asText(url))) continue
    const bodies = {
      request: bodyOf(request, asRecord(request.postData)),
      response: bodyOf(response, asRecord(response.content)),
    }
    const record = readExchange({ method, url, status: response.status, time, ...bodies }, findOperation)
    onRecord({ ...record, record: `/log/entries/${index}` })
  }
}

export const exchangeReaders = { har: readHar, ndjson: readNdjson, log: readAccessLog }
