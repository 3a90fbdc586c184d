// The notices of the watch: of a use, of what a header announces, of a 410. Pure.
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
import type { Announcement } from './announcement.ts'

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

const removedOn = (removal: Day, daysLeft: number) =>
  daysLeft > 0 ? `removed on ${removal}, ${daysLeft} days left` : `removed on ${removal}`

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
  const message = `${titleOf(entry)} ${how}: ${removedOn(removal, daysLeft)}, ${insteadOf(entry)}`
  const by = isCertain ? 'use' : 'possible'
  return { item, operation: operationOf(entry), by, side, removal, fixBy: fixBy(entry), daysLeft, message }
}

/** The operation of a call. An address may hold ids, so a step that does not look like a word is left out. */
const operationName = (method: string, url: string, scheduled: Scheduled | undefined): string => {
  const [known] = scheduled?.entries ?? []
  if (known !== undefined) return operationOf(known)
  const steps = pathOf(url)
    .split('/')
    .map((step) => (/^[a-z][a-z_-]{0,40}$|^v\d{1,2}$|^$/.test(step) ? step : '{…}'))
  return `${method.toUpperCase()} ${steps.join('/')}`
}

/** What the schedule says of an operation, as the end of a sentence on its end. */
const onSchedule = (scheduled: Scheduled | undefined): string => {
  if (scheduled === undefined) return 'it is not on the published schedule'
  const [endpoint] = endpointsOf(scheduled)
  if (endpoint !== undefined)
    return `the published schedule has it removed on ${endpoint.removal}, ${insteadOf(endpoint)}`
  const fields = scheduled.entries.map((entry) => `${'field' in entry ? entry.field : ''} (${entry.removal})`)
  return `the published schedule has only fields of it: ${[...new Set(fields)].join(', ')}`
}

/** Notices of what the answer to a call says of the operation itself: in its headers, or with 410. */
export const answerNotices = (
  { method, url, status }: { method: string; url: string; status: number },
  announcement: Announcement | undefined,
  { scheduled, day }: { scheduled: Scheduled | undefined; day: Day },
): Notice[] => {
  const operation = operationName(method, url, scheduled)
  const [endpoint] = scheduled === undefined ? [] : endpointsOf(scheduled)
  const notices: Notice[] = []
  if (announcement !== undefined) {
    const { header, sunset } = announcement
    const removal = sunset === undefined ? undefined : dayOf(new Date(sunset))
    const what = removal === undefined ? 'a deprecation' : `a removal on ${removal}`
    const message = `the ${header} header of ${operation} announces ${what}; ${onSchedule(scheduled)}`
    // A Sunset is of the operation (RFC 8594), but where only fields are known to go it is more likely meant for them.
    const isOfOperation = removal !== undefined && (scheduled === undefined || endpoint !== undefined)
    const when = isOfOperation ? { removal, daysLeft: daysBetween(day, removal) } : {}
    notices.push({ item: operation, operation, by: 'announced', header, ...when, message })
  }
  const message = `${operation} returned 410; ${onSchedule(scheduled)}`
  if (status === 410) notices.push({ item: endpoint?.id ?? operation, operation, by: 'gone', message })
  return notices
}
