// Watches a client's own calls for what is going away: by the schedule, and by what the answers themselves announce.
// Logs an item once in a process, counts it every time, never throws, and keeps names and places but no values.
import { announcementIn, type ResponseHeaders } from './announcement.ts'
import { asText } from '../matching/bytes.ts'
import { createMatcher, reportUses, type Call, type Scheduled } from '../matching/deprecated-use.ts'
import { announcedNotice, goneNotice, operationName, useNotice, type Notice, type Used } from './notice.ts'
import { dayOf, type Schedule } from '../schedule/schedule.ts'

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

/** What a body in bytes may grow to when it is decompressed. */
const MAX_BYTES = 1024 * 1024

const seenInProcess = new Set<string>()
const MAX_SEEN = 1_000

/** Where a redirect may have made another method of it (Fetch: 301, 302 and 303), and no one can tell. */
const mayBecomeGet = (method: string) => !/^(?:get|head)$/i.test(method)

/** The items that a call uses, each once, in a sure place if there is one. */
const usedIn = (scheduled: Scheduled, observed: Observed, isRedirected: boolean): Used[] => {
  const isDoubtful = isRedirected && mayBecomeGet(observed.method)
  const used = new Map<string, Used>()
  const [request, response] = [observed.request, observed.response].map((body) =>
    asText(body, { maxBytes: MAX_BYTES }),
  )
  reportUses(scheduled, { ...observed, request, response }, ({ entry, confidence, side }) => {
    const isExact = confidence === 'exact'
    const isCertain = isExact && !isDoubtful
    if (isExact || (confidence === 'name' && used.get(entry.id)?.isCertain !== true))
      used.set(entry.id, { entry, side, isCertain, isRedirected })
  })
  return [...used.values()]
}

/** Calls what the client gave. One that throws, or a promise of its that fails, must never be why a call or a process does. */
export const safely = <T>(hook: ((value: T) => unknown) | undefined, value: T): void => {
  new Promise((resolve) => resolve(hook?.(value))).catch(() => undefined)
}

/** Prepares the watch over a schedule. */
export const createWatch = (schedule: Schedule, options: WatchOptions = {}): Watch => {
  const { log, count, now = Date.now, seen = seenInProcess } = options
  const matcher = createMatcher(schedule)
  const today = () => dayOf(new Date(now()))

  const tell = (notice: Notice) => {
    safely(count, notice)
    const key = `${notice.by} ${notice.item}`
    if (seen.has(key) || seen.size >= MAX_SEEN) return
    seen.add(key)
    safely(log, notice)
  }

  // This runs on every answer, and most have nothing to say: a name or a day is made only when something has.
  const look = (observed: Observed) => {
    // The last that a redirect led to is the one that answered.
    let scheduled: Scheduled | undefined
    for (scheduled of matcher.operationsOf(observed)) {
      const isRedirected = matcher.scheduled(observed.method, observed.url) !== scheduled
      for (const used of usedIn(scheduled, observed, isRedirected)) {
        const notice = useNotice(used, today())
        if (notice !== undefined) tell(notice)
      }
    }
    const announcement = announcementIn(observed.headers)
    if (announcement === undefined && observed.status !== 410) return
    const operation = operationName(observed, scheduled)
    if (announcement !== undefined)
      tell(announcedNotice(announcement, { operation, scheduled, day: today() }))
    if (observed.status === 410) tell(goneNotice(operation, scheduled))
  }

  return {
    observe: (observed) => {
      try {
        look(observed)
      } catch {
        // Nor must headers that are none, or a clock that throws.
      }
    },
    wantsBodies: (method, url) => (matcher.scheduled(method, url)?.fields.all.length ?? 0) > 0,
  }
}
