// Reads one line of an access log: `METHOD URL`, the Common and Combined Log Formats of Apache and nginx, and others that
// have a method and an address beside each other. No bodies are in it, so fields are only ever found as "may be in use".
import { isRecord } from './json-scan.ts'
import type { Reading } from './ndjson.ts'

/** At the start of a line or of a quoted request any case will do; elsewhere, words of a sentence look the same. */
const FIRST = /(?:^\s*|["'])(GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS|TRACE|CONNECT)[ \t]+(?=\/|https?:)/i
const REQUEST =
  /(?<![^\s"'|,;=[(>])(GET|HEAD|POST|PUT|DELETE|PATCH|OPTIONS|TRACE|CONNECT)["'\])]?[\s|,;:]+["']?(\/[^\s"'|]*|https?:\/\/[^\s"'|]+)/gi
/** Any other method, and requests without a path: `"PROPFIND /a HTTP/1.1"`, `"OPTIONS * HTTP/1.1"`. */
const QUOTED = /"([A-Z]{3,20}) (\S+) HTTP\/[\d.]+"/g
// `[10/Oct/2026:13:55:36 +0200]`
const STAMP = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d\d\d)\]/
const MONTH = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)$/
/** A connection that was given up or was no HTTP: nothing of it reached an operation. */
const NO_REQUEST = /\] "(?:-?|\\x(?:[^"\\]|\\.)*)" (?:4\d\d|000|-)(?:\s|$)/

/** A sign that no path of an API has, with the dots and dashes before it: `listanswers, 200`, `listanswers->200`. */
const SIGN = /(?<![.-])[.-]*(?:[^\w/%~@.-]|$)/g
const MAX_ENDS = 20

/** Where the path in an address may end before the address does: logs write signs right behind it. */
const shorter = (url: string): string[] => {
  const [path = ''] = url.split(/[?#]/, 1)
  const ends: string[] = []
  for (const { index } of path.matchAll(SIGN))
    if (ends.length === MAX_ENDS) break
    else if (index < path.length) ends.push(path.slice(0, index))
  return ends
}

const timeOf = (line: string): number | undefined => {
  const [, day, month = '', year, clock, zone] = STAMP.exec(line) ?? []
  const time = MONTH.test(month) ? Date.parse(`${day} ${month} ${year} ${clock} ${zone}`) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** The requests in a line: one as a rule. */
const requestsIn = (line: string): { method: string; url: string }[] => {
  const [first] = FIRST.exec(line) ?? []
  const all = [...line.matchAll(REQUEST), ...line.matchAll(QUOTED)].filter(
    ([, method = '']) => method === method.toUpperCase() || first !== undefined,
  )
  const found = all.map(([, method = '', url = '']) => ({ method, url }))
  return [...new Map(found.map((one) => [`${one.method} ${one.url}`, one])).values()]
}

const DOCKER = new Set(['log', 'stream', 'time', 'attrs'])

/** The line itself, where Docker has put it into JSON: `{"log":"POST /a 200\n","stream":"stdout"}`. */
const unpacked = (written: string): string => {
  if (!/^\s*\{\s*"log"\s*:\s*"/.test(written)) return written
  try {
    const value: unknown = JSON.parse(written)
    // With anything besides, the request may be there.
    const isDocker = isRecord(value) && Object.keys(value).every((name) => DOCKER.has(name))
    return isDocker && typeof value.log === 'string' ? value.log : written
  } catch {
    return written
  }
}

/**
 * Reads one line of an access log.
 * @returns undefined for an empty line, a comment, and a logged line without a request (a broken handshake, say)
 */
export const readLogLine = (written: string): Reading | undefined => {
  const line = unpacked(written)
  if (line.trim() === '' || line.trimStart().startsWith('#')) return undefined
  const [request, ...others] = requestsIn(line)
  if (others.length > 0) return { fault: 'more than one request in the line; write METHOD URL' }
  if (request !== undefined)
    return { call: { ...request, otherUrls: shorter(request.url), time: timeOf(line) } }
  if (NO_REQUEST.test(line)) return undefined
  return { fault: 'no request found: write METHOD URL, as in POST /rest/api/v1/chat' }
}
