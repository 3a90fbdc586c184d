// Watches a client's calls for scheduled removals and for deprecation headers. Logs each item once per process,
// counts it every time, never throws, and keeps no values:
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import {
  createOperationLookup,
  endpointsOf,
  pathOf,
  matchCall,
  type Call,
  type Match,
} from '../matching/matching.ts'
import { dayOf, removalText, operationOf, statusOn, titleOf } from '../schedule/schedule.ts'
import type { Entry, Schedule } from '../schedule/schedule.ts'

type Notice = {
  /** The id in the schedule, else the operation. */
  item: string
  operation: string
  /** `use`, `possible`: by the schedule. `announced`: by a response header. `gone`: the response was 410. */
  by: 'use' | 'possible' | 'announced' | 'gone'
  message: string
}

type ObservedCall = Call & {
  status: number
  /** Names in any case. */
  headers:
    Iterable<readonly [string, string]> | Readonly<Record<string, string | readonly string[] | undefined>>
}

type WatchOptions = {
  /** Called once per process for each `item` and `by`. */
  log?: (notice: Notice) => void
  /** Called every time. `item` can be a metric's label: the schedule and the announcing operations bound it. */
  count?: (notice: Notice) => void
  /** Milliseconds since 1970. */
  now?: () => number
  /** Logged notices; by default one set for the process. */
  seen?: Set<string>
}

const USE_TEXTS = {
  exact: 'is in use',
  sent: 'may be in use (the service sends it, used or not)',
  name: 'may be in use',
}

/** Notices for each announced item that a call uses. */
const useNotices = (matches: readonly Match[], day: () => string): Notice[] =>
  [...Map.groupBy(matches, ({ entry }) => entry)].flatMap(([entry, ofEntry]): Notice[] => {
    const status = statusOn(entry, day())
    const confidences = new Set(ofEntry.map(({ confidence }) => confidence))
    const best = (['exact', 'sent', 'name'] as const).find((confidence) => confidences.has(confidence))
    if (best === undefined || status.state === 'unannounced') return []
    const message = `${titleOf(entry)} ${USE_TEXTS[best]}: ${removalText(entry, status)}`
    const by = best === 'exact' ? 'use' : 'possible'
    return [{ item: entry.id, operation: operationOf(entry), by, message }]
  })

const MAY_ANNOUNCE = /^(?:deprecation|sunset|warning)$|^x-.*(?:deprecat|sunset)/i

/** The date of a Sunset header (RFC 8594). Of repeated headers, joined by commas, the first counts. */
const sunsetIn = (value = '') => Date.parse(/^.*?GMT/.exec(value)?.[0] ?? '')

const isAnnouncement = (name: string, value: string): boolean => {
  // 299 is the persistent warning (RFC 7234 5.5); others are about caches.
  if (name === 'warning') return /(?:^|,)\s*299\b/.test(value) && /deprecat|sunset|remov/i.test(value)
  if (name === 'sunset') return !Number.isNaN(sunsetIn(value))
  // A date (RFC 9745), or true in its drafts.
  return !/^(?:false|\?0|0|no|)$/i.test(value.trim())
}

/** A path may have ids, so only segments that look like words are shown. */
const operationIn = ({ method, url }: Call): string => {
  const steps = pathOf(url).toLowerCase().split('/')
  const shownSteps = steps.map((step) => (/^[a-z][a-z_-]{0,40}$|^v\d{1,2}$|^$/.test(step) ? step : '{…}'))
  return `${method.toUpperCase()} ${shownSteps.join('/')}`
}

const scheduleText = (entries: readonly Entry[], day: string): string => {
  const [endpoint] = endpointsOf(entries)
  if (endpoint) return `the published schedule: ${removalText(endpoint, statusOn(endpoint, day))}`
  if (entries.length === 0) return 'it is not on the published schedule'
  const fields = entries.map((entry) => `${'field' in entry ? entry.field : ''} (${entry.removal})`)
  return `the published schedule has only fields of it: ${[...new Set(fields)].join(', ')}`
}

/** Notices of a response about its operation, by headers or by 410. */
const responseNotices = (observed: ObservedCall, entries: readonly Entry[], day: () => string): Notice[] => {
  const { headers, status } = observed
  const announcement = new Map<string, string>()
  for (const [name, value] of Symbol.iterator in headers ? headers : Object.entries(headers))
    if (value !== undefined && MAY_ANNOUNCE.test(name) && isAnnouncement(name.toLowerCase(), String(value)))
      announcement.set(name.toLowerCase(), String(value))
  if (announcement.size === 0 && status !== 410) return []
  const [entry] = entries
  const operation = entry === undefined ? operationIn(observed) : operationOf(entry)
  const scheduled = scheduleText(entries, day())
  const notices: Notice[] = []
  const [header] = announcement.keys()
  if (header !== undefined) {
    const sunset = sunsetIn(announcement.get('sunset'))
    const change = Number.isNaN(sunset) ? 'a deprecation' : `a removal on ${dayOf(new Date(sunset))}`
    const message = `the ${header} header of ${operation} announces ${change}; ${scheduled}`
    notices.push({ item: operation, operation, by: 'announced', message })
  }
  const item = endpointsOf(entries)[0]?.id ?? operation
  const message = `${operation} returned 410; ${scheduled}`
  return status === 410 ? [...notices, { item, operation, by: 'gone', message }] : notices
}

const seenInProcess = new Set<string>()
const MAX_SEEN = 1_000

/** Runs a hook, which must not fail the client's call or process if it throws or rejects. */
const safely = <T>(hook: ((value: T) => unknown) | undefined, value: T): void => {
  new Promise((resolve) => resolve(hook?.(value))).catch(() => undefined)
}

export const createWatch = (schedule: Schedule, options: WatchOptions = {}) => {
  const { log, count, now = Date.now, seen = seenInProcess } = options
  const findOperation = createOperationLookup(schedule)
  // Computed on demand, because most calls cause no notice.
  const day = () => dayOf(new Date(now()))
  const notify = (notice: Notice) => {
    safely(count, notice)
    const key = `${notice.by} ${notice.item}`
    if (seen.has(key) || seen.size >= MAX_SEEN) return
    seen.add(key)
    safely(log, notice)
  }
  return {
    /** Never throws. */
    observe: (observed: ObservedCall): void => {
      try {
        const scheduled = findOperation(observed.method, observed.url)
        if (scheduled !== undefined) useNotices(matchCall(scheduled, observed), day).forEach(notify)
        responseNotices(observed, scheduled?.entries ?? [], day).forEach(notify)
      } catch {
        // Malformed headers or a broken clock must not affect the client either.
      }
    },
    /** True if the schedule has fields of this operation. */
    wantsBodies: (method: string, url: string): boolean =>
      findOperation(method, url)?.entries.some(({ kind }) => kind === 'field') ?? false,
  }
}

/** Fits the global fetch and undici's. */
type FetchResponse = {
  status: number
  headers: Iterable<[string, string]>
  clone: () => { body: AsyncIterable<Uint8Array> | null }
}
type FetchInit = { method?: string | undefined; body?: unknown }
type FetchFunction<I, O extends FetchInit, A extends FetchResponse> = (input: I, init?: O) => Promise<A>

const MAX_BYTES = 1024 * 1024

const readText = async (body: AsyncIterable<Uint8Array> | null): Promise<string | undefined> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  const chunks = body?.[Symbol.asyncIterator]()
  for (let next = await chunks?.next(); next?.done === false; next = await chunks?.next()) {
    parts.push(next.value)
    bytes += next.value.length
    if (bytes <= MAX_BYTES) continue
    // Cancels only our copy. Awaiting that would wait until the caller has read the original.
    chunks?.return?.()?.catch(() => undefined)
    return undefined
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Recognizes a Request by its shape, because undici's class differs from the global one. */
const requestOf = (input: unknown) =>
  typeof input === 'object' && input !== null && 'url' in input ? (input as Request) : undefined

/** @returns undefined for a stream, which only the call may read */
const readSentBody = async (input: unknown, body: unknown): Promise<string | undefined> => {
  if (body === undefined || body === null) return readText(requestOf(input)?.clone().body ?? null)
  if (typeof body === 'object' && Symbol.asyncIterator in body) return undefined
  return readText(new Response(body as ConstructorParameters<typeof Response>[0]).body)
}

/** Wraps a fetch. Responses are passed through at once, and count for the original URL after a redirect. */
export const watchDeprecations = <I, O extends FetchInit, A extends FetchResponse>(
  fetch: FetchFunction<I, O, A>,
  schedule: Schedule,
  options: WatchOptions = {},
): FetchFunction<I, O, A> => {
  const watch = createWatch(schedule, options)
  return async (input, init) => {
    const request = requestOf(input)
    const method = init?.method ?? request?.method ?? 'GET'
    const url = request?.url ?? String(input)
    const wantsBodies = watch.wantsBodies(method, url)
    const sentBody = wantsBodies ? readSentBody(input, init?.body).catch(() => undefined) : undefined
    const response = await fetch(input, init)
    const observe = async () => {
      const { status, headers } = response
      const body = wantsBodies ? readText(response.clone().body).catch(() => undefined) : undefined
      watch.observe({ method, url, status, headers, request: await sentBody, response: await body })
    }
    observe().catch(() => undefined)
    return response
  }
}
