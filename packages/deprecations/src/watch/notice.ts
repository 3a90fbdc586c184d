// The notices of the watch: of a use, of what a header announces, of a 410. Pure.
// An announcement on an operation that only loses fields must not read as the end of the operation.
import type { Announcement } from './announcement.ts'
import type { Call, Scheduled } from '../matching/deprecated-use.ts'
import { pathOf } from '../matching/path.ts'
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
  /** Of the header that announced it, or of the body that bears the field. */
  header?: string
  side?: Side | undefined
  removal?: Day
  fixBy?: Day
  /** Whole days until the removal date; 0 or less once it has come. */
  daysLeft?: number
  /** A sentence for the log. */
  message: string
}

/** The operation of a call. An address may hold ids, so a step that does not look like a word is left out. */
export const operationName = ({ method, url }: Call, scheduled: Scheduled | undefined): string => {
  const [known] = scheduled?.entries ?? []
  if (known !== undefined) return operationOf(known)
  const steps = pathOf(url)
    .split('/')
    .map((step) => (/^[A-Za-z][a-z_-]{0,40}$|^v\d{1,2}$|^$/.test(step) ? step : '{…}'))
  return `${method.toUpperCase()} ${steps.join('/')}`
}

export type Used = {
  entry: Entry
  side: Side | undefined
  isCertain: boolean
  /** The call's own address is another one. */
  isRedirected: boolean
}

/** @returns undefined for an item that is not announced yet on this day */
export const useNotice = ({ entry, side, isCertain, isRedirected }: Used, day: Day): Notice | undefined => {
  const { state, daysLeft } = statusOn(entry, day)
  if (state === 'unannounced') return undefined
  const { removal } = entry
  const when = state === 'removed' ? `removed on ${removal}` : `removed on ${removal}, ${daysLeft} days left`
  return {
    item: entry.id,
    operation: operationOf(entry),
    by: isCertain ? 'use' : 'possible',
    side,
    removal,
    fixBy: fixBy(entry),
    daysLeft,
    message: `${titleOf(entry)} ${isCertain ? 'is' : 'may be'} in use${isRedirected ? ' (a redirect led there)' : ''}: ${when}, ${insteadOf(entry)}`,
  }
}

/** Fields with the day on which they go: `citations (2026-10-15)`. */
const fieldsThatGo = (entries: readonly Entry[]): string => {
  const fields = entries.flatMap((entry) =>
    entry.kind === 'field' ? `${entry.field} (${entry.removal})` : [],
  )
  return [...new Set(fields)].join(', ')
}

/** Whether the schedule knows the operation, and only fields of it go. */
const losesOnlyFields = (scheduled: Scheduled | undefined): scheduled is Scheduled =>
  scheduled !== undefined && scheduled.endpoints.length === 0

type Announced = { operation: string; scheduled: Scheduled | undefined; day: Day }

/** What a header announces of the operation. */
export const announcedNotice = (
  { header, sunset }: Announcement,
  { operation, scheduled, day }: Announced,
): Notice => {
  const notice = { item: operation, operation, by: 'announced' as const, header }
  const removal = sunset === undefined ? undefined : dayOf(new Date(sunset))
  // A Sunset is of the operation (RFC 8594), but where only fields are known to go it is more likely meant for them.
  if (losesOnlyFields(scheduled)) {
    const name = header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())
    const ofThatDay = fieldsThatGo(scheduled.entries.filter((entry) => entry.removal === removal))
    const knows =
      ofThatDay === ''
        ? `only field removals: ${fieldsThatGo(scheduled.entries)}`
        : `field removals of that day, not the end of the operation: ${ofThatDay}`
    const said = removal === undefined ? name : `Sunset: ${removal}`
    const message = `the service announced (${said}) for ${operation}; the published schedule has ${knows}`
    return { ...notice, message }
  }
  if (removal === undefined) {
    const message = `${operation} is deprecated, according to the ${header} header (no date given)`
    return { ...notice, message }
  }
  const daysLeft = daysBetween(day, removal)
  const until = daysLeft > 0 ? `removed on ${removal}, ${daysLeft} days left` : `removed on ${removal}`
  const message = `${operation} is being removed, according to the ${header} header: ${until}`
  return { ...notice, removal, daysLeft, message }
}

const whyGone = (scheduled: Scheduled | undefined): string => {
  const [endpoint] = scheduled?.endpoints ?? []
  if (endpoint !== undefined) return `removed on ${endpoint.removal}, ${insteadOf(endpoint)}`
  if (!losesOnlyFields(scheduled)) return 'it has been removed, but is not on the schedule'
  const fields = fieldsThatGo(scheduled.entries)
  return `it has been removed, although the published schedule only lists field removals: ${fields}`
}

/** A 410 in words. Where only fields are on the schedule, it says so: their removal is not the operation's. */
export const goneNotice = (operation: string, scheduled: Scheduled | undefined): Notice => {
  const message = `${operation} returned 410: ${whyGone(scheduled)}`
  return { item: scheduled?.endpoints[0]?.id ?? operation, operation, by: 'gone', message }
}
