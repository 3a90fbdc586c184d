// The watch as a wrapper for any fetch: the same answer at the same time, looked at on the side.
//   const fetch = watchDeprecations(globalThis.fetch, publishedSchedule, { log: (notice) => logger.warn(notice) })
import type { Schedule } from '../schedule/schedule.ts'
import { readBody } from '../matching/fields.ts'
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

/** A body's text, as far as it was looked at: the beginning of a long one. */
type SeenBody = { text: string; isCut: boolean }

/** The part of a body that is looked through. */
const MAX_BYTES = 1024 * 1024
/** The part that is recorded, in characters: a line of the check has 2 Mi, and quotes within a text count twice. */
const MAX_NAMES = 256 * 1024

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

/** The Request that is sent, of this process's fetch or of another one. */
const requestIn = (input: unknown) =>
  typeof input === 'object' && input !== null && 'url' in input ? (input as Request) : undefined

/** What is sent, where it can be read without taking it from the call: a stream can't. */
const sentBody = async (input: unknown, body: unknown): Promise<SeenBody | undefined> => {
  if (body === undefined || body === null) return seenIn(requestIn(input)?.clone().body ?? null)
  if (typeof body === 'object' && Symbol.asyncIterator in body) return undefined
  return seenIn(new Response(body as ConstructorParameters<typeof Response>[0]).body)
}

/**
 * The names in a body as JSON Lines, every value replaced by null. It is never cleaner than the body: nothing where that was
 * not seen, is not JSON or nests too deep, and marked where a part of it is lost.
 */
const namesIn = (body: SeenBody | undefined): { names?: string; isPart: boolean } => {
  if (body === undefined) return { isPart: false }
  const { documents, unread } = readBody(body.text)
  let isPart = body.isCut || unread !== undefined
  const withoutValue = (_name: string, value: unknown) => {
    // It may be JSON in a text.
    if (typeof value === 'string' && value.includes('"')) isPart = true
    return typeof value === 'object' ? value : null
  }
  try {
    const names = documents.map((document) => `${JSON.stringify(document, withoutValue)}\n`).join('')
    const isLost = names.length > MAX_NAMES || (documents.length === 0 && isPart)
    return isLost ? { isPart } : { names, isPart }
  } catch {
    return { isPart }
  }
}

type SeenCall = {
  method: string
  status: number
  request: SeenBody | undefined
  response: SeenBody | undefined
}

/** A call as a line of NDJSON for the check. @param fields whose names are kept of the query */
const lineOf = (
  url: string,
  { request, response, ...call }: SeenCall,
  now: number,
  fields: ReadonlySet<string>,
) => {
  const [path = '', query = ''] = url.replace(/#[^]*$/, '').split(/\?([^]*)/)
  const kept = [...new Set(new URLSearchParams(query).keys())].filter((name) => fields.has(name))
  const [sent, received] = [namesIn(request), namesIn(response)]
  const record = {
    time: new Date(now).toISOString(),
    ...call,
    url: [path, ...kept.map((name) => `${encodeURIComponent(name)}=`)].join('?'),
    request: sent.names,
    response: received.names,
    incomplete: [...(sent.isPart ? ['request'] : []), ...(received.isPart ? ['response'] : [])],
  }
  return `${JSON.stringify(record)}\n`
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
  const fields = new Set(schedule.flatMap((entry) => (entry.kind === 'field' ? entry.field : [])))
  return async (input, init) => {
    const request = requestIn(input)
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
        safely(record, lineOf(address, { method, status, request: sent, response: received }, now(), fields))
    }
    look().catch(() => undefined)
    return answer
  }
}
