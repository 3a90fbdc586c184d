// Watches a client's own calls for what is going away: by the schedule, and by what the answers themselves announce.
// Logs an item once in a process, counts it every time, never throws, and keeps names and places but no values.
import { createMatcher, usesIn, type Call, type Scheduled } from '../matching/matcher.ts'
import { dayOf, type Entry, type Schedule, type Side } from '../schedule/schedule.ts'
import { announcementIn, answerNotices, useNotice, type Notice, type ResponseHeaders } from './notice.ts'

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
export type Observed = Call & {
  status: number
  headers: ResponseHeaders
  /** The address that answered, where a redirect led there. */
  redirectedTo?: string | undefined
}

export type Watch = {
  /** Looks at a call and its answer. Never throws. */
  observe: (observed: Observed) => void
  /** Whether the bodies of an operation are worth handing over: it is on the schedule with fields. */
  wantsBodies: (method: string, url: string) => boolean
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
  const today = () => dayOf(new Date(now()))

  const notify = (notice: Notice | undefined) => {
    if (notice === undefined) return
    safely(count, notice)
    const key = `${notice.by} ${notice.item}`
    if (seen.has(key) || seen.size >= MAX_SEEN) return
    seen.add(key)
    safely(log, notice)
  }
  const lookAtUses = (scheduled: Scheduled, observed: Observed, isRedirected: boolean) => {
    // On 301, 302 and 303 fetch makes a GET of a POST, and no one can tell afterwards.
    const isDoubtful = isRedirected && !/^(?:get|head)$/i.test(observed.method)
    // Each item once, in a sure place if there is one.
    const used = new Map<Entry, { side: Side | undefined; isCertain: boolean }>()
    for (const { entry, confidence, side } of usesIn(scheduled, observed))
      if (confidence === 'exact' || (confidence === 'name' && used.get(entry)?.isCertain !== true))
        used.set(entry, { side, isCertain: confidence === 'exact' && !isDoubtful })
    for (const [entry, use] of used) notify(useNotice(entry, { ...use, isRedirected }, today()))
  }
  // This runs on every answer, and most have nothing to say: a day or a name is made only when something has.
  const look = (observed: Observed) => {
    const { method, redirectedTo, status, headers } = observed
    const url = redirectedTo ?? observed.url
    const asked = matcher(method, observed.url)
    if (asked !== undefined) lookAtUses(asked, observed, false)
    const scheduled = redirectedTo === undefined ? asked : matcher(method, redirectedTo)
    if (scheduled !== undefined && scheduled !== asked) lookAtUses(scheduled, { ...observed, url }, true)
    const announcement = announcementIn(headers)
    if (announcement === undefined && status !== 410) return
    for (const notice of answerNotices({ method, url, status }, announcement, { scheduled, day: today() }))
      notify(notice)
  }

  return {
    observe: (observed) => {
      try {
        look(observed)
      } catch {
        // Nor must headers that are none, or a clock that throws.
      }
    },
    wantsBodies: (method, url) => matcher(method, url)?.entries.some(({ kind }) => kind === 'field') ?? false,
  }
}
