// The watch as a wrapper for any fetch: the same answer at the same time, looked at on the side.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import type { Schedule } from '../schedule/schedule.ts'
import { createRecorder, type SeenBody } from './recording.ts'
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

/** The part of a body that is looked through. */
const MAX_BYTES = 1024 * 1024

/** The text in a copy of a body, or the beginning of a long one. */
const seenIn = async (body: AsyncIterable<Uint8Array> | null): Promise<SeenBody> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  const chunks = body?.[Symbol.asyncIterator]()
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

/** What is sent, where it can be read without taking it from the call: a stream can't. */
const sentBody = async (input: unknown, body: unknown): Promise<SeenBody | undefined> => {
  if (body === undefined || body === null) return seenIn(input instanceof Request ? input.clone().body : null)
  if (typeof body === 'object' && Symbol.asyncIterator in body) return undefined
  return seenIn(new Response(body as ConstructorParameters<typeof Response>[0]).body)
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
    const request = input instanceof Request ? input : undefined
    const method = init?.method ?? request?.method ?? 'GET'
    const url = request?.url ?? String(input)
    const wants = (address: string) => watch.wantsBodies(method, address)
    const sending = wants(url) ? sentBody(input, init?.body).catch(() => undefined) : undefined
    const answer = await fetch(input, init)
    const look = async () => {
      const { status, headers } = answer
      const redirectedTo = answer.redirected === true ? answer.url : undefined
      const addresses = redirectedTo === undefined ? [url] : [url, redirectedTo]
      const copy = addresses.some(wants) ? seenIn(answer.clone().body).catch(() => undefined) : undefined
      // A redirect may lead to an operation on the schedule; some of what was sent can still be read.
      const sent = await (sending ?? (copy && sentBody(input, init?.body)))
      const received = await copy
      watch.observe({
        method,
        url,
        redirectedTo,
        status,
        headers,
        request: sent?.text,
        response: received?.text,
      })
      if (record === undefined) return
      for (const address of addresses)
        safely(
          record,
          lineOf({ time: now(), method, url: address, status, request: sent, response: received }),
        )
    }
    look().catch(() => undefined)
    return answer
  }
}
