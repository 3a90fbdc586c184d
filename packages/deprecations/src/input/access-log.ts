// Reads one line of an access log: `METHOD URL`, or the Common and Combined Log Formats of Apache and nginx.
// No bodies are in it, so fields are only ever found as "may be in use".
import type { Reading } from './ndjson.ts'

const plain = /^\s*([A-Za-z]{3,10})\s+(\/\S*|https?:\/\/\S+)(?:\s.*)?$/
const quoted = /"([A-Z]{3,10}) (\S+)(?: HTTP\/[\d.]+)?"/
const stamp = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\]/
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

// `[10/Oct/2026:13:55:36 +0200]`
const timeOf = (line: string): number | undefined => {
  const [, day, name = '', year, clock, hours, minutes] = stamp.exec(line) ?? []
  if (day === undefined) return undefined
  const month = String(months.indexOf(name) + 1).padStart(2, '0')
  const time = Date.parse(`${year}-${month}-${day}T${clock}${hours}:${minutes}`)
  return Number.isNaN(time) ? undefined : time
}

/** Reads one line of an access log. A logged line without a request in it (a broken handshake, say) is nothing. */
export const readLogLine = (line: string): Reading => {
  if (line.trim() === '' || line.trimStart().startsWith('#')) return 'nothing'
  const time = timeOf(line)
  const [, method, url] = plain.exec(line) ?? quoted.exec(line) ?? []
  if (method !== undefined && url !== undefined)
    return { call: time === undefined ? { method, url } : { method, url, time } }
  if (time !== undefined) return 'nothing'
  return { fault: 'no request found: write METHOD URL, as in POST /rest/api/v1/chat' }
}
