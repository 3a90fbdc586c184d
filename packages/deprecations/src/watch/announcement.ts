// Reads what an answer's headers announce of its own end: Deprecation (RFC 9745), Sunset (RFC 8594), Warning, vendor headers.
// Lenient towards the drafts of RFC 9745 that are still in use. Free text is never kept, only dates and the fact.

/** Response headers as pairs, or as an object by name; names in any case. */
export type ResponseHeaders =
  Iterable<readonly [string, string]> | Readonly<Record<string, string | readonly string[] | undefined>>

const isPairs = (headers: ResponseHeaders): headers is Iterable<readonly [string, string]> =>
  Symbol.iterator in headers

export type Announcement = {
  /** The header that says so: `deprecation`, `sunset`, `warning` or a vendor's. */
  header: string
  /** Since when it is deprecated, milliseconds since 1970. */
  since?: number | undefined
  /** When it goes, milliseconds since 1970. */
  sunset?: number | undefined
}

const MAY_ANNOUNCE = /^(?:deprecation|sunset|warning)$|^x-.*(?:deprecat|sunset)/i
/** The first of several, in one of the three forms of HTTP (RFC 9110 5.6.7), or in ISO 8601. */
const DATE =
  /^(?:Mon|Tues?|Wed|Wednes|Thu|Thurs|Fri|Sat|Satur|Sun)(?:day)?,? .+?(?: GMT|:\d\d \d{4})(?=\s*(?:,|$))|^\d{4}-\d\d-\d\d.*/

/** The moment in a header: `@1688169599` (RFC 9745), an HTTP date, or an ISO date of the drafts. */
const momentOf = (value: string | undefined): number | undefined => {
  const text = value?.trim() ?? ''
  const seconds = /^@(-?\d{1,12})(?:;|$)/.exec(text)?.[1]
  if (seconds !== undefined) return Number(seconds) * 1000
  const [date = ''] = DATE.exec(text) ?? []
  // The oldest form (asctime) has no zone, and means GMT.
  const time = Date.parse(/:\d\d \d{4}$/.test(date) ? `${date} GMT` : date)
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
  return [...headers].find(([name, text]) => name.startsWith('x-') && !saysNo(text))?.[0]
}

/** The headers that may announce something, by lower-case name; undefined, and nothing allocated, where there are none. */
const candidatesIn = (headers: ResponseHeaders): Map<string, string> | undefined => {
  let found: Map<string, string> | undefined
  const look = (name: string, value: string | readonly string[] | undefined) => {
    if (value !== undefined && MAY_ANNOUNCE.test(name))
      (found ??= new Map<string, string>()).set(name.toLowerCase(), value.toString())
  }
  if (isPairs(headers)) for (const [name, value] of headers) look(name, value)
  else for (const name of Object.keys(headers)) look(name, headers[name])
  return found
}

/** What the headers of an answer announce; undefined when they announce nothing. */
export const announcementIn = (headers: ResponseHeaders): Announcement | undefined => {
  const found = candidatesIn(headers)
  const header = found && headerThatSays(found)
  if (header === undefined) return undefined
  return { header, since: momentOf(found?.get('deprecation')), sunset: momentOf(found?.get('sunset')) }
}
