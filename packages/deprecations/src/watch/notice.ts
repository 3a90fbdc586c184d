// The notices of the watch: of a use, of what the headers of an answer announce, of a 410. Pure.
// An announcement on an operation that only loses fields must not read as the end of the operation.
import { endpointsOf, pathOf, type Scheduled } from '../matching/matcher.ts'
import {
  dayOf,
  daysBetween,
  fixBy,
  insteadOf,
  operationOf,
  statusOn,
  titleOf,
  type Day,
  type Entry,
  type Side,
} from '../schedule/schedule.ts'

/** What is known of something going away that a call used. */
export type Notice = {
  /** The id on the schedule; of what is not on it, the operation. */
  item: string
  operation: string
  /**
   * `use`: the schedule says so; `possible`: a field of that name is deeper in a body, where it may be another, or a
   * redirect led there and may have made a GET of the call;
   * `announced`: a header of the answer says so; `gone`: the answer was 410.
   */
  by: 'use' | 'possible' | 'announced' | 'gone'
  /** The header that announced it. */
  header?: string
  /** The body that has the field. */
  side?: Side | undefined
  removal?: Day
  fixBy?: Day
  /** Whole days until the removal date; 0 or less once it has come. */
  daysLeft?: number
  /** A sentence for the log. */
  message: string
}

/** A use of an entry; undefined for one that is not announced yet on this day. */
export const useNotice = (
  entry: Entry,
  { side, isCertain, isRedirected }: { side: Side | undefined; isCertain: boolean; isRedirected: boolean },
  day: Day,
): Notice | undefined => {
  const { state, daysLeft } = statusOn(entry, day)
  if (state === 'unannounced') return undefined
  const { id: item, removal } = entry
  const how = `${isCertain ? 'is' : 'may be'} in use${isRedirected ? ' (a redirect led there)' : ''}`
  const when = daysLeft > 0 ? `removed on ${removal}, ${daysLeft} days left` : `removed on ${removal}`
  const message = `${titleOf(entry)} ${how}: ${when}, ${insteadOf(entry)}`
  const by = isCertain ? 'use' : 'possible'
  return { item, operation: operationOf(entry), by, side, removal, fixBy: fixBy(entry), daysLeft, message }
}

/** Response headers as pairs, or as an object by name; names in any case. */
export type ResponseHeaders =
  Iterable<readonly [string, string]> | Readonly<Record<string, string | readonly string[] | undefined>>

const MAY_ANNOUNCE = /^(?:deprecation|sunset|warning)$|^x-.*(?:deprecat|sunset)/i

/** The first date of a Sunset header (RFC 8594), as two of them are joined by a comma. */
const sunsetIn = (value = '') => Date.parse(/^.*?GMT/.exec(value)?.[0] ?? '')

const announces = (name: string, value: string): boolean => {
  // RFC 7234 5.5: 299 is the persistent warning that services use for this; others are about caches.
  if (name === 'warning') return /(?:^|,)\s*299\b/.test(value) && /deprecat|sunset|remov/i.test(value)
  if (name === 'sunset') return !Number.isNaN(sunsetIn(value))
  // RFC 9745 has a date, its drafts true or a date.
  return !/^\s*(?:false|\?0|0|no|)\s*$/i.test(value)
}

/** The headers that announce an end, by lower-case name; undefined, and nothing allocated, where there are none. */
export const announcementIn = (headers: ResponseHeaders): Map<string, string> | undefined => {
  let found: Map<string, string> | undefined
  const look = (name: string, value: string | readonly string[] | undefined) => {
    if (value === undefined || !MAY_ANNOUNCE.test(name)) return
    const [plain, text] = [name.toLowerCase(), value.toString()]
    if (announces(plain, text)) (found ??= new Map<string, string>()).set(plain, text)
  }
  if (Symbol.iterator in headers) for (const [name, value] of headers) look(name, value)
  else for (const name of Object.keys(headers)) look(name, headers[name])
  return found
}

/** The operation of a call. An address may hold ids, so a step that does not look like a word is left out. */
const operationName = (method: string, url: string, [known]: readonly Entry[]): string => {
  if (known !== undefined) return operationOf(known)
  const steps = pathOf(url)
    .split('/')
    .map((step) => (/^[a-z][a-z_-]{0,40}$|^v\d{1,2}$|^$/.test(step) ? step : '{…}'))
  return `${method.toUpperCase()} ${steps.join('/')}`
}

const onSchedule = ([endpoint]: readonly Entry[], entries: readonly Entry[]): string => {
  if (endpoint !== undefined)
    return `the published schedule has it removed on ${endpoint.removal}, ${insteadOf(endpoint)}`
  const fields = entries.map((entry) => `${'field' in entry ? entry.field : ''} (${entry.removal})`)
  if (fields.length === 0) return 'it is not on the published schedule'
  return `the published schedule has only fields of it: ${[...new Set(fields)].join(', ')}`
}

/** What the answer to a call says of the operation itself: by headers that announce its end, or by 410. */
export const answerNotices = (
  { method, url, status }: { method: string; url: string; status: number },
  announcement: ReadonlyMap<string, string> | undefined,
  { scheduled, day }: { scheduled: Scheduled | undefined; day: Day },
): Notice[] => {
  const entries = scheduled?.entries ?? []
  const endpoints = endpointsOf({ entries })
  const operation = operationName(method, url, entries)
  const known = onSchedule(endpoints, entries)
  const notices: Notice[] = []
  if (announcement !== undefined) {
    const [header = ''] = ['deprecation', 'sunset', ...announcement.keys()].filter((name) =>
      announcement.has(name),
    )
    const sunset = sunsetIn(announcement.get('sunset'))
    const removal = Number.isNaN(sunset) ? undefined : dayOf(new Date(sunset))
    const what = removal === undefined ? 'a deprecation' : `a removal on ${removal}`
    const message = `the ${header} header of ${operation} announces ${what}; ${known}`
    // A Sunset is of the operation, but where only fields are known to go it is more likely meant for them.
    const isOfOperation = removal !== undefined && endpoints.length === entries.length
    const when = isOfOperation ? { removal, daysLeft: daysBetween(day, removal) } : {}
    notices.push({ item: operation, operation, by: 'announced', header, ...when, message })
  }
  const message = `${operation} returned 410; ${known}`
  if (status === 410) notices.push({ item: endpoints[0]?.id ?? operation, operation, by: 'gone', message })
  return notices
}
