// Reads Retry-After: seconds, a date (RFC 9110 10.2.3), or nonsense. Pure.

const MIN_SECONDS = 1
const MAX_SECONDS = 300
const DAY_SECONDS = 86_400
/** The wait if the header is missing or unusable. */
const DEFAULT_SECONDS = 5

/** Seconds that a person waits: 1 to `max`. @param now milliseconds since 1970 */
export function retryAfterSeconds(header = '', now: number = Date.now(), max = MAX_SECONDS): number {
  const text = header.trim()
  // A date starts with the name of a day, in GMT (RFC 9110 5.6.7). Date.parse would take "-5" for a year.
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)
  const at = isDate ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : NaN
  const seconds = /^\d+$/.test(text) ? Number(text) : (at - now) / 1000
  return Number.isNaN(seconds) ? DEFAULT_SECONDS : Math.min(max, Math.max(MIN_SECONDS, Math.ceil(seconds)))
}

/** Seconds that a program waits, at most a day; undefined without the header. */
export const requestedWait = (header: string | undefined, now: number = Date.now()): number | undefined =>
  header === undefined ? undefined : retryAfterSeconds(header, now, DAY_SECONDS)
