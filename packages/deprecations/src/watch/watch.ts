// Watches a client's own calls for what is going away: by the schedule, and by what the answers themselves announce.
// Logs an item once in a process, counts it every time, never throws, and keeps names and places but no values.
import {
  createMatcher,
  endpointsOf,
  pathOf,
  usesIn,
  type Call,
  type Scheduled,
} from '../matching/matching.ts'
import {
  dayOf,
  daysBetween,
  fateOf,
  operationOf,
  statusOn,
  titleOf,
  type Day,
  type Entry,
  type Schedule,
  type Side,
} from '../schedule/schedule.ts'

/** What is known of something going away that a call used. */
export type Notice = {
  /** The id on the schedule; of what is not on it, the operation. */
  item: string
  operation: string
  /**
   * `use`: the schedule says so; `possible`: a field of that name is deeper in a body, where it may be another;
   * `announced`: a header of the answer says so; `gone`: the answer was 410.
   */
  by: 'use' | 'possible' | 'announced' | 'gone'
  /** The header that announced it. */
  header?: string
  /** The body that has the field. */
  side?: Side | undefined
  removal?: Day
  /** Whole days until the removal date; 0 or less once it has come. */
  daysLeft?: number
  /** A sentence for the log. */
  message: string
}

/** Response headers as pairs, or as an object by name; names in any case. */
export type ResponseHeaders =
  Iterable<readonly [string, string]> | Readonly<Record<string, string | readonly string[] | undefined>>

export type WatchOptions = {
  /** Called once in this process for each item and each value of `by`. */
  log?: (notice: Notice) => void
  /** Called every time, for a metric; `item` has as many values as the schedule and the announcing operations. */
  count?: (notice: Notice) => void
  /** Milliseconds since 1970. */
  now?: () => number
  /** What was logged already; the process has one such set by default. */
  seen?: Set<string>
}

/** What is known of a call when its answer is there. Bodies are looked through where they are given. */
export type Observed = Call & { status: number; headers: ResponseHeaders }

export type Watch = {
  /** Looks at a call and its answer. Never throws. */
  observe: (observed: Observed) => void
  /** Whether the bodies of an operation are worth handing over: it is on the schedule with fields. */
  wantsBodies: (method: string, url: string) => boolean
}

/** Each item that a call uses, once, in a sure place if there is one. What is not announced yet is no use. */
const useNotices = (scheduled: Scheduled, observed: Observed, day: () => Day): Notice[] => {
  const used = new Map<Entry, { isCertain: boolean; side: Side | undefined }>()
  for (const { entry, confidence, side } of usesIn(scheduled, observed))
    if (confidence === 'exact' || (confidence === 'name' && !used.has(entry)))
      used.set(entry, { isCertain: confidence === 'exact', side })
  return [...used].flatMap(([entry, { isCertain, side }]): Notice[] => {
    const status = statusOn(entry, day())
    if (status.state === 'unannounced') return []
    const { id: item, removal } = entry
    const how = isCertain ? 'is in use' : 'may be in use'
    const message = `${titleOf(entry)} ${how}: ${fateOf(entry, status)}`
    const by = isCertain ? 'use' : 'possible'
    return [{ item, operation: operationOf(entry), by, side, removal, daysLeft: status.daysLeft, message }]
  })
}

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

/** The headers that announce an end, by lower-case name. */
const announcementIn = (headers: ResponseHeaders): Map<string, string> => {
  const found = new Map<string, string>()
  for (const [name, value] of Symbol.iterator in headers ? headers : Object.entries(headers))
    if (value !== undefined && MAY_ANNOUNCE.test(name) && announces(name.toLowerCase(), String(value)))
      found.set(name.toLowerCase(), String(value))
  return found
}

/** The operation of a call. An address may hold ids, so a step that does not look like a word is left out. */
const operationIn = ({ method, url }: Call): string => {
  const steps = pathOf(url).toLowerCase().split('/')
  const shown = steps.map((step) => (/^[a-z][a-z_-]{0,40}$|^v\d{1,2}$|^$/.test(step) ? step : '{…}'))
  return `${method.toUpperCase()} ${shown.join('/')}`
}

/** What the answer to a call says of the operation itself: by headers that announce its end, or by 410. */
const answerNotices = (observed: Observed, entries: readonly Entry[], day: () => Day): Notice[] => {
  const announcement = announcementIn(observed.headers)
  if (announcement.size === 0 && observed.status !== 410) return []
  const [[anyEntry], [endpoint]] = [entries, endpointsOf(entries)]
  const operation = anyEntry === undefined ? operationIn(observed) : operationOf(anyEntry)
  const fields = entries.map((entry) => `${'field' in entry ? entry.field : ''} (${entry.removal})`)
  const known =
    endpoint !== undefined
      ? `the published schedule: ${fateOf(endpoint, statusOn(endpoint, day()))}`
      : fields.length === 0
        ? 'it is not on the published schedule'
        : `the published schedule has only fields of it: ${[...new Set(fields)].join(', ')}`
  const notices: Notice[] = []
  for (const header of [...announcement.keys()].slice(0, 1)) {
    const sunset = sunsetIn(announcement.get('sunset'))
    const removal = Number.isNaN(sunset) ? undefined : dayOf(new Date(sunset))
    const what = removal === undefined ? 'a deprecation' : `a removal on ${removal}`
    // A Sunset is of the operation, but where only fields are known to go it is more likely meant for them.
    const isOfOperation = removal !== undefined && (endpoint !== undefined || fields.length === 0)
    const when = isOfOperation ? { removal, daysLeft: daysBetween(day(), removal) } : {}
    const message = `the ${header} header of ${operation} announces ${what}; ${known}`
    notices.push({ item: operation, operation, by: 'announced', header, ...when, message })
  }
  const message = `${operation} returned 410; ${known}`
  if (observed.status === 410)
    notices.push({ item: endpoint?.id ?? operation, operation, by: 'gone', message })
  return notices
}

const seenInProcess = new Set<string>()
const MAX_SEEN = 1_000

/** Calls what the client gave. One that throws, or a promise of its that fails, must never be why a call or a process does. */
export const safely = <T>(hook: ((value: T) => unknown) | undefined, value: T): void => {
  new Promise((resolve) => resolve(hook?.(value))).catch(() => undefined)
}

/** Prepares the watch over a schedule. */
export const createWatch = (schedule: Schedule, options: WatchOptions = {}): Watch => {
  const { log, count, now = Date.now, seen = seenInProcess } = options
  const matcher = createMatcher(schedule)
  // Most calls have nothing to say: a day is made only for one that has.
  const day = () => dayOf(new Date(now()))
  const notify = (notice: Notice) => {
    safely(count, notice)
    const key = `${notice.by} ${notice.item}`
    if (seen.has(key) || seen.size >= MAX_SEEN) return
    seen.add(key)
    safely(log, notice)
  }
  return {
    observe: (observed) => {
      try {
        const scheduled = matcher(observed.method, observed.url)
        if (scheduled !== undefined) useNotices(scheduled, observed, day).forEach(notify)
        answerNotices(observed, scheduled?.entries ?? [], day).forEach(notify)
      } catch {
        // Nor must headers that are none, or a clock that throws.
      }
    },
    wantsBodies: (method, url) => matcher(method, url)?.entries.some(({ kind }) => kind === 'field') ?? false,
  }
}
