// Reads what an answer's headers announce of its own end: Deprecation (RFC 9745 and its drafts), Sunset (RFC 8594), Warning,
// vendor headers. Free text is never kept, only dates and the fact.

/** Response headers as pairs, or as an object by name; names in any case. */
export type ResponseHeaders =
  Iterable<readonly [string, string]> | Readonly<Record<string, string | readonly string[] | undefined>>

/** The header that says so, and when the operation goes, in milliseconds since 1970. */
export type Announcement = { header: string; sunset?: number | undefined }

const MAY_ANNOUNCE = /^(?:deprecation|sunset|warning)$|^x-.*(?:deprecat|sunset)/i

const announces = (name: string, value: string): boolean => {
  // RFC 7234 5.5: 299 is the persistent warning that services use for this; others are about caches.
  if (name === 'warning') return /(?:^|,)\s*299\b/.test(value) && /deprecat|sunset|remov/i.test(value)
  if (name === 'sunset') return !Number.isNaN(sunsetIn(value))
  return !/^\s*(?:false|\?0|0|no|)\s*$/i.test(value)
}

/** The first date, as two headers are joined by a comma. */
const sunsetIn = (value: string) => Date.parse(/^.*?GMT/.exec(value)?.[0] ?? '')

/** What the headers of an answer announce; undefined, and nothing allocated, when they announce nothing. */
export const announcementIn = (headers: ResponseHeaders): Announcement | undefined => {
  let found: [string, string][] | undefined
  const look = (name: string, value: string | readonly string[] | undefined) => {
    if (value === undefined || !MAY_ANNOUNCE.test(name)) return
    const one: [string, string] = [name.toLowerCase(), value.toString()]
    if (announces(...one)) (found ??= []).push(one)
  }
  if (Symbol.iterator in headers) for (const [name, value] of headers) look(name, value)
  else for (const name of Object.keys(headers)) look(name, headers[name])
  if (found === undefined) return undefined
  const sunset = found.find(([name]) => name === 'sunset')
  const [header] = found.find(([name]) => name === 'deprecation') ?? sunset ?? found[0] ?? ['']
  return { header, sunset: sunset && sunsetIn(sunset[1]) }
}
