// Watches a client's own calls for what is going away: by the schedule, and by what the answers themselves announce.
// Logs once an item and process, counts every time, never throws, and keeps names and places but no values.
import { announcementIn, type HeaderPairs } from './announcement.ts'
import { createMatcher, pathOf, type Call, type Matcher } from '../matching/deprecated-use.ts'
import {
  announcedNotice,
  announcedOfFields,
  explainGone,
  onlyFieldsOf,
  useNotice,
  type Notice,
  type Used,
} from './notice.ts'
import { dayOf, operationOf, statusOn, type Schedule } from '../schedule/schedule.ts'

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
