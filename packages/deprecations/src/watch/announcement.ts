// Reads what an answer's headers announce of its own end: Deprecation (RFC 9745), Sunset (RFC 8594), Warning, vendor headers.
// Lenient towards the drafts of RFC 9745 that are still in use. Free text is never kept, only dates and the fact.
import { present } from '../present.ts'

/** Response headers by lower-case name. */
export type HeaderPairs = Iterable<readonly [string, string]>

export type Announcement = {
  /** The header that says so: `deprecation`, `sunset`, `warning` or a vendor's. */
  header: string
  /** Since when it is deprecated, milliseconds since 1970. */
  since?: number
  /** When it goes, milliseconds since 1970. */
  sunset?: number
}

const VENDOR = /^x-.*(?:deprecat|sunset)/
const HTTP_DATE = /^(?:Mon|Tues?|Wed|Wednes|Thu|Thurs|Fri|Sat|Satur|Sun)(?:day)?,? .+ GMT$|^\d{4}-\d\d-\d\d/

/** The moment in a header: `@1688169599` (RFC 9745), an HTTP date, or an ISO date of the drafts. */
const momentOf = (value: string | undefined): number | undefined => {
  const text = value?.trim() ?? ''
  const seconds = /^@(-?\d{1,12})(?:;|$)/.exec(text)?.[1]
  if (seconds !== undefined) return Number(seconds) * 1000
  const time = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const saysNo = (value: string) => /^\s*(?:false|\?0|0|no|)\s*$/i.test(value)

// RFC 7234 5.5: 299 is the persistent warning that services use for this; others are about caches.
const warns = (value: string) => /(?:^|,)\s*299\b/.test(value) && /deprecat|sunset|remov/i.test(value)

const headerThatSays = (headers: ReadonlyMap<string, string>): string | undefined => {
  const value = headers.get('deprecation')
  if (value !== undefined && !saysNo(value)) return 'deprecation'
  if (momentOf(headers.get('sunset')) !== undefined) return 'sunset'
  if (warns(headers.get('warning') ?? '')) return 'warning'
  return [...headers].find(([name, text]) => VENDOR.test(name) && !saysNo(text))?.[0]
}

/** What the headers of an answer announce; undefined when they announce nothing. Never throws. */
export const announcementIn = (pairs: HeaderPairs): Announcement | undefined => {
  const headers = new Map([...pairs].map(([name, value]) => [name.toLowerCase(), value]))
  const header = headerThatSays(headers)
  if (header === undefined) return undefined
  const since = momentOf(headers.get('deprecation'))
  const sunset = momentOf(headers.get('sunset'))
  return { header, ...present({ since, sunset }) }
}
