// What the watch tells, in words: of a use, of what a header announces, of a 410. Pure.
// An announcement on an operation of which only fields go must not be told as the operation's end.
import { present } from '../present.ts'
import type { Announcement } from './announcement.ts'
import type { Matcher } from '../matching/deprecated-use.ts'
import {
  dayOf,
  daysBetween,
  fixBy,
  insteadOf,
  operationOf,
  statusOn,
  titleOf,
  type Entry,
  type Side,
} from '../schedule/schedule.ts'

/** What is known of something going away that a call used. */
export type Notice = {
  /** The id on the schedule; of what is not on it, the operation. */
  item: string
  operation: string
  /**
   * `use`: the schedule says so; `possible`: a field of that name lies deeper in a body, where it may be another;
   * `announced`: a header of the answer says so; `gone`: the answer was 410.
   */
  by: 'use' | 'possible' | 'announced' | 'gone'
  /** Of the header that announced it, or of the body that bears the field. */
  header?: string
  side?: Side
  removal?: string
  fixBy?: string
  /** Whole days until the removal date; 0 or less once it has come. */
  daysLeft?: number
  /** A sentence for the log. */
  message: string
}

const datesOf = (entry: Entry, day: string) => ({
  removal: entry.removal,
  fixBy: fixBy(entry),
  daysLeft: statusOn(entry, day).daysLeft,
})

const fate = (entry: Entry, day: string): string => {
  const { state, daysLeft } = statusOn(entry, day)
  const when =
    state === 'removed' ? `removed on ${entry.removal}` : `goes on ${entry.removal}, ${daysLeft} days left`
  return `${when}, ${insteadOf(entry)}`
}

export type Used = { entry: Entry; side: Side | undefined; isCertain: boolean }

export const useNotice = ({ entry, side, isCertain }: Used, day: string): Notice => ({
  item: entry.id,
  operation: operationOf(entry),
  by: isCertain ? 'use' : 'possible',
  ...present({ side }),
  ...datesOf(entry, day),
  message: `${titleOf(entry)} ${isCertain ? 'is' : 'may be'} in use: ${fate(entry, day)}`,
})

/** What the schedule says of an operation of which only fields go: `citations (2026-10-15)`. */
const fieldsThatGo = (entries: readonly Entry[], day?: string): string =>
  [
    ...new Set(
      entries
        .filter(({ removal }) => day === undefined || removal === day)
        .map((entry) => (entry.kind === 'field' ? `${entry.field} (${entry.removal})` : entry.removal)),
    ),
  ].join(', ')

/** Only fields of the operation go, as far as the schedule knows; undefined where it knows nothing or that all of it ends. */
export const onlyFieldsOf = (matcher: Matcher, method: string, url: string): Entry[] | undefined => {
  const known = matcher.scheduled(method, url)
  return known === undefined || known.endpoints.length > 0 ? undefined : known.entries
}

const nameOfHeader = (header: string) => header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())

// A Sunset is of the operation (RFC 8594), but where only fields are known to go it is more likely meant for them.
export const announcedOfFields = (
  operation: string,
  { header, sunset }: Announcement,
  entries: readonly Entry[],
): Notice => {
  const until = sunset === undefined ? undefined : dayOf(new Date(sunset))
  const said = until === undefined ? nameOfHeader(header) : `Sunset: ${until}`
  const ofThatDay = until === undefined ? '' : fieldsThatGo(entries, until)
  const knows =
    ofThatDay === ''
      ? `only field removals: ${fieldsThatGo(entries)}`
      : `field removals of that day, not the end of the operation: ${ofThatDay}`
  return {
    item: operation,
    operation,
    by: 'announced',
    header,
    message: `the service announced (${said}) for ${operation}; the published schedule has ${knows}`,
  }
}

export const announcedNotice = (operation: string, { header, sunset }: Announcement, day: string): Notice => {
  const notice = { item: operation, operation, by: 'announced' as const, header }
  if (sunset === undefined)
    return {
      ...notice,
      message: `${operation} is announced as deprecated by the ${header} header: no date given`,
    }
  const removal = dayOf(new Date(sunset))
  const daysLeft = daysBetween(day, removal)
  const until = daysLeft > 0 ? `goes on ${removal}, ${daysLeft} days left` : `ended on ${removal}`
  return {
    ...notice,
    removal,
    daysLeft,
    message: `${operation} announces its end by the ${header} header: ${until}`,
  }
}

/**
 * A 410 in words: "removed on 2026-10-15, use …"; undefined for an operation that is not on the schedule.
 * Where only fields are on the schedule, that is what it says: their removal is not the operation's.
 */
export const explainGone = (matcher: Matcher, method: string, url: string): string | undefined => {
  const [endpoint] = matcher.scheduled(method, url)?.endpoints ?? []
  if (endpoint !== undefined) return `removed on ${endpoint.removal}, ${insteadOf(endpoint)}`
  const entries = onlyFieldsOf(matcher, method, url)
  return (
    entries && `it is gone, though the published schedule has only field removals: ${fieldsThatGo(entries)}`
  )
}
