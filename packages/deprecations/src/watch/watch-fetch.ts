// The watch as a wrapper for any fetch: the same answer at the same time, looked at on the side.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import { readBody } from '../matching/matching.ts'
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
   * Receives a line of NDJSON for every call, for `onramp deprecations check`: the operation and names of fields, each value
   * replaced by null; of the query and of texts only names of fields on the schedule.
   */
  record?: (line: string) => void
}

/** A longer body is not looked through. */
const MAX_BYTES = 1024 * 1024
/** What is recorded of a body, in characters: a line of the check has 2 Mi, and quotes within a text count twice. */
const MAX_NAMES = 256 * 1024

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

/** The names in a body as JSON Lines. It is never cleaner than the body: none where that was not seen and read to its end. */
const namesIn = (body: string | undefined, fields: readonly string[]): string | undefined => {
  if (body === undefined) return undefined
  const { documents, unread } = readBody(body)
  const withoutValue = (_name: string, value: unknown) => {
    if (typeof value === 'object') return value
    // It may be JSON in a text.
    const names = fields
      .map((field) => `"${field}`)
      .filter((name) => typeof value === 'string' && value.includes(name))
    return names.length === 0 ? null : names.join(' ')
  }
  try {
    const names = documents.map((document) => `${JSON.stringify(document, withoutValue)}\n`).join('')
    return unread === undefined && names.length <= MAX_NAMES ? names : undefined
  } catch {
    // It nests too deep.
    return undefined
  }
}

/** An address without the values of its query. */
const addressIn = (url: string, fields: readonly string[]) => {
  const [path = '', query = ''] = url.replace(/#[^]*$/, '').split(/\?([^]*)/)
  const names = [...new Set(new URLSearchParams(query).keys())].filter((name) => fields.includes(name))
  return [path, ...names.map((name) => `${encodeURIComponent(name)}=`)].join('?')
}

/**
 * Wraps a fetch so that its calls are watched. The answer is the fetch's own, handed on at once; looking happens on the
 * side, and nothing that goes wrong there reaches the caller. An answer that a redirect led to is taken for that of the
 * address that was called.
 */
export const watchDeprecations = <I, O extends Init, A extends Answer>(
  fetch: Fetch<I, O, A>,
  schedule: Schedule,
  options: WatchFetchOptions = {},
): Fetch<I, O, A> => {
  const watch = createWatch(schedule, options)
  const { record, now = Date.now } = options
  const fields = [...new Set(schedule.flatMap((entry) => (entry.kind === 'field' ? entry.field : [])))]
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
      if (record === undefined) return
      const [time, address] = [new Date(now()).toISOString(), addressIn(url, fields)]
      const names = { request: namesIn(request, fields), response: namesIn(response, fields) }
      safely(record, `${JSON.stringify({ time, method, status, url: address, ...names })}\n`)
    }
    look().catch(() => undefined)
    return answer
  }
}
