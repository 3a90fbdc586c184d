// Watches a client's own calls for what is going away: by the schedule, and by what the answers themselves announce.
// Logs an item once in a process, counts it every time, never throws, and keeps names and places but no values.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import { createMatcher, endpointsOf, pathOf, matchCall, type Call } from '../matching/matching.ts'
import {
  dayOf,
  removalText,
  operationOf,
  statusOn,
  titleOf,
  type Entry,
  type Schedule,
} from '../schedule/schedule.ts'

/** What is known of something going away that a call used. */
export type Notice = {
  /** The id on the schedule; of what is not on it, the operation. */
  item: string
  operation: string
  /**
   * `use`: the schedule says so; `possible`: the service sends it on its own, or a field of that name is deeper in a body,
   * where it may be another;
   * `announced`: a header of the answer says so; `gone`: the answer was 410.
   */
  by: 'use' | 'possible' | 'announced' | 'gone'
  /** A sentence for the log. */
  message: string
}

/** Response headers as pairs, or as an object by name; names in any case. */
type ResponseHeaders =
  Iterable<readonly [string, string]> | Readonly<Record<string, string | readonly string[] | undefined>>

/** What is known of a call when its answer is there. Bodies are looked through where they are given. */
type ObservedCall = Call & { status: number; headers: ResponseHeaders }

type WatchOptions = {
  /** Called once in this process for each item and each value of `by`. */
  log?: (notice: Notice) => void
  /** Called every time, for a metric; `item` has as many values as the schedule and the announcing operations. */
  count?: (notice: Notice) => void
  /** Milliseconds since 1970. */
  now?: () => number
  /** What was logged already; the process has one such set by default. */
  seen?: Set<string>
}

const IN_WORDS = {
  exact: 'is in use',
  sent: 'may be in use (the service sends it, used or not)',
  name: 'may be in use',
}

/** Each item that a call uses, once. What is not announced yet is no use. */
const useNotices = (uses: ReturnType<typeof matchCall>, day: () => string): Notice[] => {
  return [...Map.groupBy(uses, ({ entry }) => entry)].flatMap(([entry, ofEntry]): Notice[] => {
    const status = statusOn(entry, day())
    const known = (['exact', 'sent', 'name'] as const).find((confidence) =>
      ofEntry.some((use) => use.confidence === confidence),
    )
    if (known === undefined || status.state === 'unannounced') return []
    const message = `${titleOf(entry)} ${IN_WORDS[known]}: ${removalText(entry, status)}`
    return [
      { item: entry.id, operation: operationOf(entry), by: known === 'exact' ? 'use' : 'possible', message },
    ]
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

/** The operation of a call. An address may hold ids, so a step that does not look like a word is left out. */
const operationIn = ({ method, url }: Call): string => {
  const steps = pathOf(url).toLowerCase().split('/')
  const shown = steps.map((step) => (/^[a-z][a-z_-]{0,40}$|^v\d{1,2}$|^$/.test(step) ? step : '{…}'))
  return `${method.toUpperCase()} ${shown.join('/')}`
}

const onSchedule = (entries: readonly Entry[], day: string): string => {
  const [endpoint] = endpointsOf(entries)
  if (endpoint !== undefined)
    return `the published schedule: ${removalText(endpoint, statusOn(endpoint, day))}`
  const fields = entries.map((entry) => `${'field' in entry ? entry.field : ''} (${entry.removal})`)
  if (fields.length === 0) return 'it is not on the published schedule'
  return `the published schedule has only fields of it: ${[...new Set(fields)].join(', ')}`
}

/** What the answer to a call says of the operation itself: by headers that announce its end, or by 410. */
const answerNotices = (observed: ObservedCall, entries: readonly Entry[], day: () => string): Notice[] => {
  const { headers, status } = observed
  const announcement = new Map<string, string>()
  for (const [name, value] of Symbol.iterator in headers ? headers : Object.entries(headers))
    if (value !== undefined && MAY_ANNOUNCE.test(name) && announces(name.toLowerCase(), String(value)))
      announcement.set(name.toLowerCase(), String(value))
  if (announcement.size === 0 && status !== 410) return []
  const [entry] = entries
  const operation = entry === undefined ? operationIn(observed) : operationOf(entry)
  const known = onSchedule(entries, day())
  const notices: Notice[] = []
  const [header] = announcement.keys()
  if (header !== undefined) {
    const sunset = sunsetIn(announcement.get('sunset'))
    const what = Number.isNaN(sunset) ? 'a deprecation' : `a removal on ${dayOf(new Date(sunset))}`
    const message = `the ${header} header of ${operation} announces ${what}; ${known}`
    notices.push({ item: operation, operation, by: 'announced', message })
  }
  const [{ id: item } = { id: operation }] = endpointsOf(entries)
  const message = `${operation} returned 410; ${known}`
  return status === 410 ? [...notices, { item, operation, by: 'gone', message }] : notices
}

const seenInProcess = new Set<string>()
const MAX_SEEN = 1_000

/** Calls what the client gave. One that throws, or a promise of its that fails, must never be why a call or a process does. */
const safely = <T>(hook: ((value: T) => unknown) | undefined, value: T): void => {
  new Promise((resolve) => resolve(hook?.(value))).catch(() => undefined)
}

/** Prepares the watch over a schedule. */
export const createWatch = (schedule: Schedule, options: WatchOptions = {}) => {
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
    /** Looks at a call and its answer. Never throws. */
    observe: (observed: ObservedCall): void => {
      try {
        const scheduled = matcher(observed.method, observed.url)
        if (scheduled !== undefined) useNotices(matchCall(scheduled, observed), day).forEach(notify)
        answerNotices(observed, scheduled?.entries ?? [], day).forEach(notify)
      } catch {
        // Nor must headers that are none, or a clock that throws.
      }
    },
    /** Whether the bodies of an operation are worth handing over: it is on the schedule with fields. */
    wantsBodies: (method: string, url: string): boolean =>
      matcher(method, url)?.entries.some(({ kind }) => kind === 'field') ?? false,
  }
}

/** As much of a fetch as the wrapper needs; the global one and undici's both fit. */
type FetchResponse = {
  status: number
  headers: Iterable<[string, string]>
  clone: () => { body: AsyncIterable<Uint8Array> | null }
}
type FetchInit = { method?: string | undefined; body?: unknown }
type FetchFunction<I, O extends FetchInit, A extends FetchResponse> = (input: I, init?: O) => Promise<A>

/** A longer body is not looked through. */
const MAX_BYTES = 1024 * 1024

/** The text of a body; undefined for a long one. */
const textIn = async (body: AsyncIterable<Uint8Array> | null): Promise<string | undefined> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  const chunks = body?.[Symbol.asyncIterator]()
  for (let next = await chunks?.next(); next?.done === false; next = await chunks?.next()) {
    parts.push(next.value)
    bytes += next.value.length
    if (bytes <= MAX_BYTES) continue
    // Cancels the copy; the caller's own body is not affected. Not awaited: that takes until the caller's is read.
    chunks?.return?.()?.catch(() => undefined)
    return undefined
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The Request that is sent, of this process's fetch or of another one. */
const requestIn = (input: unknown) =>
  typeof input === 'object' && input !== null && 'url' in input ? (input as Request) : undefined

/** What is sent, where it can be read without taking it from the call: a stream can't. */
const sentIn = async (input: unknown, body: unknown): Promise<string | undefined> => {
  if (body === undefined || body === null) return textIn(requestIn(input)?.clone().body ?? null)
  if (typeof body === 'object' && Symbol.asyncIterator in body) return undefined
  return textIn(new Response(body as ConstructorParameters<typeof Response>[0]).body)
}

/**
 * Wraps a fetch so that its calls are watched. The answer is the fetch's own, handed on at once; looking happens on the
 * side, and nothing that goes wrong there reaches the caller. An answer that a redirect led to is taken for that of the
 * address that was called.
 */
export const watchDeprecations = <I, O extends FetchInit, A extends FetchResponse>(
  fetch: FetchFunction<I, O, A>,
  schedule: Schedule,
  options: WatchOptions = {},
): FetchFunction<I, O, A> => {
  const watch = createWatch(schedule, options)
  return async (input, init) => {
    const sending = requestIn(input)
    const method = init?.method ?? sending?.method ?? 'GET'
    const url = sending?.url ?? String(input)
    const wantsBodies = watch.wantsBodies(method, url)
    const sent = wantsBodies ? sentIn(input, init?.body).catch(() => undefined) : undefined
    const answer = await fetch(input, init)
    const look = async () => {
      const { status, headers } = answer
      const received = wantsBodies ? textIn(answer.clone().body).catch(() => undefined) : undefined
      const [request, response] = [await sent, await received]
      watch.observe({ method, url, status, headers, request, response })
    }
    look().catch(() => undefined)
    return answer
  }
}
