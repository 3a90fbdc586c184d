// Watches a client's own calls for what is going away: by the schedule, and by what the answers themselves announce.
// Logs once an item and process, counts every time, never throws, and keeps names and places but no values.
import { announcementIn, type Announcement, type HeaderPairs } from './announcement.ts'
import { createMatcher, pathOf, type Call, type Matcher } from './deprecated-use.ts'
import {
  dayOf,
  daysBetween,
  fixBy,
  insteadOf,
  operationOf,
  statusOn,
  titleOf,
  type Entry,
  type Schedule,
  type Side,
} from './schedule.ts'

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

export type WatchOptions = {
  /** Called once for each item and way in this process. */
  log?: (notice: Notice) => void
  /** Called every time, for a metric; `item` has as many values as the schedule and the announcing operations. */
  count?: (notice: Notice) => void
  /** Milliseconds since 1970. */
  now?: () => number
  /** What was logged already; the process has one such set unless another is given. */
  seen?: Set<string>
}

/** What is known of a call when its answer is there. Bodies are looked through where they are given. */
export type Observed = Call & { status: number; headers: HeaderPairs }

export type Watch = {
  /** Looks at a call and its answer. Never throws. */
  observe: (observed: Observed) => void
  /** Whether the bodies of an operation are worth handing over: it is on the schedule with fields. */
  wantsBodies: (method: string, url: string) => boolean
}

const seenInProcess = new Set<string>()
const MOST_SEEN = 1_000

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

type Used = { entry: Entry; side: Side | undefined; isCertain: boolean }

const useNotice = ({ entry, side, isCertain }: Used, day: string): Notice => ({
  item: entry.id,
  operation: operationOf(entry),
  by: isCertain ? 'use' : 'possible',
  ...(side === undefined ? {} : { side }),
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
const onlyFieldsOf = (matcher: Matcher, method: string, url: string): Entry[] | undefined => {
  const known = matcher.scheduled(method, url)
  return known === undefined || known.endpoints.length > 0 ? undefined : known.entries
}

const nameOfHeader = (header: string) => header.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())

// A Sunset is of the operation (RFC 8594), but where only fields are known to go it is more likely meant for them.
const announcedOfFields = (
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

const announcedNotice = (operation: string, { header, sunset }: Announcement, day: string): Notice => {
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

// An address may hold ids, so a step that does not look like a word is left out of what is logged.
const operationName = ({ method, url }: Call, matcher: Matcher): string => {
  const known = matcher.scheduled(method, url)?.entries[0]
  if (known !== undefined) return operationOf(known)
  const steps = pathOf(url)
    .split('/')
    .map((step) => (/^[A-Za-z][a-z_-]{0,40}$|^v\d{1,2}$|^$/.test(step) ? step : '{…}'))
  return `${method.toUpperCase()} ${steps.join('/')}`
}

const goneNotice = (operation: string, { method, url }: Call, matcher: Matcher): Notice => ({
  item: matcher.scheduled(method, url)?.endpoints[0]?.id ?? operation,
  operation,
  by: 'gone',
  message: `${operation} answered 410: ${explainGone(matcher, method, url) ?? 'it is gone, and not on the schedule'}`,
})

/** Prepares the watch over a schedule. */
export const createWatch = (schedule: Schedule, options: WatchOptions = {}): Watch => {
  const { log, count, now = Date.now, seen = seenInProcess } = options
  const matcher = createMatcher(schedule)

  const tell = (notice: Notice) => {
    count?.(notice)
    const key = `${notice.by} ${notice.item}`
    if (seen.has(key) || seen.size >= MOST_SEEN) return
    seen.add(key)
    log?.(notice)
  }

  // One notice an item and call, of a sure place if there is one.
  const usesIn = (observed: Observed, day: string): Notice[] => {
    const used = new Map<string, Used>()
    matcher.eachUse(observed, ({ entry, confidence, side }) => {
      const isCertain = confidence === 'exact'
      if (!isCertain && (confidence !== 'name' || used.get(entry.id)?.isCertain === true)) return
      if (statusOn(entry, day).state !== 'unannounced') used.set(entry.id, { entry, side, isCertain })
    })
    return [...used.values()].map((one) => useNotice(one, day))
  }

  const look = (observed: Observed) => {
    const day = dayOf(new Date(now()))
    for (const notice of usesIn(observed, day)) tell(notice)
    const operation = operationName(observed, matcher)
    const announcement = announcementIn(observed.headers)
    const entries = onlyFieldsOf(matcher, observed.method, observed.url)
    if (announcement !== undefined)
      tell(
        entries === undefined
          ? announcedNotice(operation, announcement, day)
          : announcedOfFields(operation, announcement, entries),
      )
    if (observed.status === 410) tell(goneNotice(operation, observed, matcher))
  }

  return {
    observe: (observed) => {
      try {
        look(observed)
      } catch {
        // The watch must never be the reason that a call fails; a log or counter that throws is not its caller's matter.
      }
    },
    wantsBodies: (method, url) => (matcher.scheduled(method, url)?.fields.all.length ?? 0) > 0,
  }
}
