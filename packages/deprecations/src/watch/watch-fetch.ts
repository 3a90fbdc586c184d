// The watch as a wrapper for any fetch: the same answer at the same time, looked at on the side.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import { recordOf, type SeenBody } from './recording.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { createWatch, type Watch, type WatchOptions } from './watch.ts'

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
   * replaced by null, the query left out of the address.
   */
  record?: (line: string) => void
}

/** As much of an answer is looked through. */
const MAX_BYTES = 1024 * 1024

const isRequest = (input: unknown): input is Request =>
  typeof input === 'object' && input !== null && 'url' in input

const addressOf = (input: unknown) => (isRequest(input) ? input.url : String(input))
const methodOf = (input: unknown, init: Init | undefined) =>
  init?.method ?? (isRequest(input) ? input.method : 'GET')

const isBytes = (body: unknown): body is ArrayBuffer | ArrayBufferView =>
  body instanceof ArrayBuffer || ArrayBuffer.isView(body)

const decoded = (body: ArrayBuffer | ArrayBufferView) =>
  ArrayBuffer.isView(body)
    ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
    : Buffer.from(body).toString('utf8')

/** What is sent, where that can be told without taking it from the call. */
const requestBody = async (input: unknown, init: Init | undefined): Promise<SeenBody | undefined> => {
  const body = init?.body
  if (typeof body === 'string' || body instanceof URLSearchParams) return { text: String(body), isCut: false }
  if (isBytes(body)) return { text: decoded(body), isCut: false }
  if (body !== undefined && body !== null) return undefined
  if (!isRequest(input) || input.body === null) return { text: '', isCut: false }
  return { text: await input.clone().text(), isCut: false }
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

type Seen = { method: string; url: string; sent: Promise<SeenBody | undefined>; answer: Answer }

const lookAt = async (watch: Watch, { method, url, sent, answer }: Seen, options: WatchFetchOptions) => {
  const { status, headers } = answer
  const wanted = watch.wantsBodies(method, url)
  const [request, response] = wanted
    ? await Promise.all([sent, responseBody(answer).catch(() => undefined)])
    : []
  watch.observe({ method, url, status, headers, request: request?.text, response: response?.text })
  const { record, now = Date.now } = options
  record?.(recordOf({ time: now(), method, url, status, request, response }))
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
  return async (input, init) => {
    const method = methodOf(input, init)
    const url = addressOf(input)
    const wanted = watch.wantsBodies(method, url)
    const sent = wanted ? requestBody(input, init).catch(() => undefined) : Promise.resolve(undefined)
    const answer = await fetch(input, init)
    lookAt(watch, { method, url, sent, answer }, options).catch(() => undefined)
    return answer
  }
}
