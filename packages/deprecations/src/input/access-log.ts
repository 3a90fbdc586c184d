// Reads one line of an access log: `METHOD URL`, or the Common and Combined Log Formats of Apache and nginx.
// No bodies are in it, so fields are only ever found as "may be in use".
import type { Reading } from './ndjson.ts'

const PLAIN = /^\s*([A-Za-z]{3,10})\s+(\/\S*|https?:\/\/\S+)(?:\s.*)?$/
const QUOTED = /"([A-Z]{3,10}) (\S+)(?: HTTP\/[\d.]+)?"/
// `[10/Oct/2026:13:55:36 +0200]`
const STAMP = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d\d\d)\]/
const MONTH = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)$/

const timeOf = (line: string): number | undefined => {
  const [, day, month = '', year, clock, zone] = STAMP.exec(line) ?? []
  const time = MONTH.test(month) ? Date.parse(`${day} ${month} ${year} ${clock} ${zone}`) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/**
 * Reads one line of an access log.
 * @returns undefined for an empty line, a comment, and a logged line without a request (a broken handshake, say)
 */
export const readLogLine = (line: string): Reading | undefined => {
  if (line.trim() === '' || line.trimStart().startsWith('#')) return undefined
  const time = timeOf(line)
  const [, method, url] = PLAIN.exec(line) ?? QUOTED.exec(line) ?? []
  if (method !== undefined && url !== undefined) return { call: { method, url, time } }
  if (time !== undefined) return undefined
  return { fault: 'no request found: write METHOD URL, as in POST /rest/api/v1/chat' }
}
