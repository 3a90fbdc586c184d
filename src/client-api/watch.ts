// Watches a client's own calls for what is going away: by the schedule, and by what the answers themselves announce.
// Logs once an item and process, counts every time, never throws, and keeps names and places but no values.
import { announcementIn, type Announcement, type HeaderPairs } from './announcement.ts'
import { createMatcher, pathOf, type Call, type Matcher } from './deprecated-use.ts'
import {
  dayOf,
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
  /** `use`: the schedule says so; `announced`: a header of the answer does; `gone`: the answer was 410. */
  by: 'use' | 'announced' | 'gone'
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

const useNotice = (entry: Entry, side: Side | undefined, day: string): Notice => ({
  item: entry.id,
  operation: operationOf(entry),
  by: 'use',
  ...(side === undefined ? {} : { side }),
  ...datesOf(entry, day),
  message: `${titleOf(entry)} is in use: ${fate(entry, day)}`,
})

const announcedNotice = (operation: string, { header, sunset }: Announcement, day: string): Notice => {
  const removal = sunset === undefined ? undefined : dayOf(new Date(sunset))
  const daysLeft =
    removal === undefined ? undefined : Math.round((Date.parse(removal) - Date.parse(day)) / 86_400_000)
  const until = removal === undefined ? 'no date given' : `goes on ${removal}, ${daysLeft} days left`
  return {
    item: operation,
    operation,
    by: 'announced',
    header,
    ...(removal === undefined || daysLeft === undefined ? {} : { removal, daysLeft }),
    message: `${operation} announces its end by the ${header} header: ${until}`,
  }
}

/**
 * A 410 in words: "removed on 2026-10-15, use …"; undefined for an operation that is not on the schedule.
 * An endpoint's own entry speaks first, else those of its fields.
 */
export const explainGone = (matcher: Matcher, method: string, url: string): string | undefined => {
  const operation = matcher.scheduled(method, url)
  const entry = operation?.endpoints[0] ?? operation?.entries[0]
  return entry === undefined ? undefined : `removed on ${entry.removal}, ${insteadOf(entry)}`
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

  const look = (observed: Observed) => {
    const day = dayOf(new Date(now()))
    const used = new Map<string, Notice>()
    matcher.eachUse(observed, ({ entry, confidence, side }) => {
      if (confidence !== 'endpoint' && statusOn(entry, day).state !== 'unannounced')
        used.set(entry.id, useNotice(entry, side, day))
    })
    for (const notice of used.values()) tell(notice)
    const operation = operationName(observed, matcher)
    const announcement = announcementIn(observed.headers)
    if (announcement !== undefined) tell(announcedNotice(operation, announcement, day))
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
