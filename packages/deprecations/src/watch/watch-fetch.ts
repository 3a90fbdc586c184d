// The watch as a wrapper for any fetch: the same answer at the same time, looked at on the side.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import { createRecorder, type SeenBody } from './recording.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { createWatch, safely, type WatchOptions } from './watch.ts'

/** As much of a fetch as the wrapper needs; the global one and undici's both fit. */
type Answer = {
  status: number
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

/** What a fetch can send that can be read again. */
const isPlain = (body: unknown): body is string | URLSearchParams | ArrayBuffer | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ||
  body instanceof URLSearchParams ||
  body instanceof ArrayBuffer ||
  ArrayBuffer.isView(body)

/** What is sent, where it can be read without taking it from the call. */
const requestBody = async (input: unknown, init: Init | undefined): Promise<SeenBody | undefined> => {
  const body = init?.body ?? undefined
  if (isPlain(body)) return { text: await new Response(body).text(), isCut: false }
  if (body !== undefined) return undefined
  return { text: isRequest(input) ? await input.clone().text() : '', isCut: false }
}

/** A copy of an answer's text, or of the beginning of a long one. */
const responseBody = async (answer: Answer): Promise<SeenBody> => {
  const chunks = answer.clone().body?.[Symbol.asyncIterator]()
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
    const wanted = watch.wantsBodies(method, url)
    const sent = wanted ? requestBody(input, init).catch(() => undefined) : undefined
    const answer = await fetch(input, init)
    const look = async () => {
      const { status, headers } = answer
      const received = wanted ? responseBody(answer).catch(() => undefined) : undefined
      const [request, response] = await Promise.all([sent, received])
      watch.observe({ method, url, status, headers, request: request?.text, response: response?.text })
      if (record !== undefined)
        safely(record, lineOf({ time: now(), method, url, status, request, response }))
    }
    look().catch(() => undefined)
    return answer
  }
}
