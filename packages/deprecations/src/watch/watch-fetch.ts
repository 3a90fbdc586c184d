// The watch as a wrapper for any fetch: the same answer at the same time, looked at on the side.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import { createRecorder, type SeenBody } from './recording.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { createWatch, safely, type WatchOptions } from './watch.ts'

/** As much of a fetch as the wrapper needs; the global one and undici's both fit. */
type Answer = {
  status: number
  url?: string
  redirected?: boolean
  headers: Iterable<[string, string]>
  clone: () => { body: AsyncIterable<Uint8Array> | null }
}
type Init = { method?: string | undefined; body?: unknown }
type Fetch<I, O extends Init, A extends Answer> = (input: I, init?: O) => Promise<A>

export type WatchFetchOptions = WatchOptions & {
  /**
   * Receives a line of NDJSON for every call, for `onramp deprecations check`: operation and field names only, each value
   * replaced by null; of the query only the names of fields on the schedule.
   */
  record?: (line: string) => void
}

/** The part of an answer that is looked through. */
const MAX_BYTES = 1024 * 1024

const isRequest = (input: unknown): input is Request =>
  typeof input === 'object' && input !== null && 'url' in input

type Plain = string | URLSearchParams | ArrayBuffer | Uint8Array<ArrayBuffer> | Blob | FormData

/** What a fetch can send that can be read again; a stream can't. */
const isPlain = (body: unknown): body is Plain =>
  typeof body === 'string' ||
  ArrayBuffer.isView(body) ||
  [URLSearchParams, ArrayBuffer, Blob, FormData].some((kind) => body instanceof kind)

/** The text in a copy of a body, or the beginning of a long one. */
const seenIn = async (copy: () => AsyncIterable<Uint8Array> | null): Promise<SeenBody> => {
  const chunks = copy()?.[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  let bytes = 0
  for (let next = await chunks?.next(); next?.done === false; next = await chunks?.next()) {
    parts.push(next.value.subarray(0, MAX_BYTES - bytes))
    bytes += next.value.length
    if (bytes <= MAX_BYTES) continue
    // Cancels the copy; the caller's own body is not affected. Not awaited: that takes until the caller's is read.
    chunks?.return?.()?.catch(() => undefined)
    break
  }
  return { text: Buffer.concat(parts).toString('utf8'), isCut: bytes > MAX_BYTES }
}

/** What is sent, where it can be read without taking it from the call. */
const requestBody = async (input: unknown, init: Init | undefined): Promise<SeenBody | undefined> => {
  const body = init?.body ?? undefined
  if (isPlain(body)) return seenIn(() => new Response(body).body)
  if (body !== undefined) return undefined
  return seenIn(() => (isRequest(input) ? input.clone().body : null))
}

/**
 * Wraps a fetch so that its calls are watched. The answer is the fetch's own, handed on at once; looking happens on the
 * side, and nothing that goes wrong there reaches the caller.
 */
export const watchDeprecations = <I, O extends Init, A extends Answer>(
  fetch: Fetch<I, O, A>,
  schedule: Schedule,
  options: WatchFetchOptions = {},
): Fetch<I, O, A> => {
  const watch = createWatch(schedule, options)
  const { record, now = Date.now } = options
  const lineOf = createRecorder(schedule)
  return async (input, init) => {
    const method = init?.method ?? (isRequest(input) ? input.method : 'GET')
    const url = isRequest(input) ? input.url : String(input)
    const isWanted = watch.wantsBodies(method, url)
    const bodySent = () => requestBody(input, init).catch(() => undefined)
    const sent = isWanted ? bodySent() : undefined
    const answer = await fetch(input, init)
    const look = async () => {
      const { status, headers } = answer
      const redirectedTo = answer.redirected === true ? answer.url : undefined
      const otherUrls = redirectedTo === undefined ? [] : [redirectedTo]
      // A redirect may lead to an operation on the schedule; some of what can be sent can still be read.
      const isWantedNow = isWanted || otherUrls.some((other) => watch.wantsBodies(method, other))
      const received = isWantedNow ? seenIn(() => answer.clone().body).catch(() => undefined) : undefined
      const [request, response] = await Promise.all([
        sent ?? (isWantedNow ? bodySent() : undefined),
        received,
      ])
      const bodies = { request: request?.text, response: response?.text }
      watch.observe({ method, url, otherUrls, status, headers, ...bodies })
      if (record !== undefined)
        safely(record, lineOf({ time: now(), method, url, redirectedTo, status, request, response }))
    }
    look().catch(() => undefined)
    return answer
  }
}
