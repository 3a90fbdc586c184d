// The watch as a wrapper for any fetch: the same answer at the same time, looked at on the side.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import { documentsIn } from './body.ts'
import type { Schedule } from './schedule.ts'
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

const MOST_BYTES = 1024 * 1024

/** The names in a value without the values: `{"a":[{"b":"x"}]}` becomes `{"a":[{"b":null}]}`. */
export const withoutValues = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || depth > 200) return null
  if (Array.isArray(value)) return value.map((item) => withoutValues(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutValues(member, depth + 1)]),
  )
}

const isRequest = (input: unknown): input is Request =>
  typeof input === 'object' && input !== null && 'url' in input

const addressOf = (input: unknown) => (isRequest(input) ? input.url : String(input))
const methodOf = (input: unknown, init: Init | undefined) =>
  init?.method ?? (isRequest(input) ? input.method : 'GET')

/** What is sent, where that can be told without taking it from the call. */
const requestBody = async (input: unknown, init: Init | undefined): Promise<unknown> => {
  if (typeof init?.body === 'string') return init.body
  if (init?.body !== undefined && init.body !== null) return undefined
  if (!isRequest(input) || input.body === null) return ''
  return input.clone().text()
}

/** A copy of an answer's text; undefined when it is longer than is looked through. */
const textOf = async (answer: Answer): Promise<string | undefined> => {
  const { body } = answer.clone()
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    // Leaving the loop cancels the copy; the caller's own body is not affected.
    if (bytes > MOST_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

type Seen = { method: string; url: string; sent: Promise<unknown>; answer: Answer }

const lookAt = async (watch: Watch, { method, url, sent, answer }: Seen, record?: (line: string) => void) => {
  const { status, headers } = answer
  const bodies = watch.wantsBodies(method, url)
  const [request, response] = bodies ? await Promise.all([sent, textOf(answer).catch(() => undefined)]) : []
  const known = {
    ...(request === undefined ? {} : { request }),
    ...(response === undefined ? {} : { response }),
  }
  watch.observe({ method, url, status, headers, ...known })
  if (record === undefined) return
  const names = Object.entries(known).map(([side, body]) => [
    side,
    documentsIn(body).map((d) => withoutValues(d))[0],
  ])
  const time = new Date().toISOString()
  const address = url.replace(/[?#].*$/, '')
  record(`${JSON.stringify({ time, method, url: address, status, ...Object.fromEntries(names) })}\n`)
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
    lookAt(watch, { method, url, sent, answer }, options.record).catch(() => undefined)
    return answer
  }
}
