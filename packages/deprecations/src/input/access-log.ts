// Reads one line of an access log in the Common or Combined Log Format, as Apache and nginx write it.
// No bodies are in it, so a field is only ever found as one that may be in use.
import { callOf, type Reading } from './exchange.ts'

const LINE = /^\S+ \S+ .*?\[([^[\]]{1,40})\] "([^"\\]*(?:\\.[^"\\]*)*)" (\d{3}) /

/** Reads a line; undefined for an empty one, and for one of a connection that made no request (a broken handshake, say). */
export const readLogLine = (line: string): Reading => {
  if (line.trim() === '') return undefined
  const [, stamp = '', request, status] = LINE.exec(line) ?? []
  if (request === undefined)
    return { fault: 'not in the Common or Combined Log Format; use one of these, or NDJSON' }
  const [method, url = ''] = request.split(' ')
  // RFC 9112 3.2.3 and 3.2.4: neither has a path.
  if ((Number(status) >= 400 && !url.includes('/')) || url === '*' || method === 'CONNECT') return undefined
  // 10/Oct/2026:13:55:36 +0200
  const time = stamp.replaceAll('/', ' ').replace(':', ' ')
  return callOf({ method, url, time })
}
