// Fixture: a fetch with a response for each address, and 404 for any other.
import { afterEach, vi } from 'vitest'

export type Sent = { url: string; method: string; headers: Headers; body: string }
type Answer = (sent: Sent) => Response | Promise<Response>

afterEach(() => vi.unstubAllGlobals())

/** @returns the requests, in order */
export function answerFetch(answers: Record<string, Answer>): Sent[] {
  const requests: Sent[] = []
  vi.stubGlobal('fetch', async (url: string | URL, init: RequestInit = {}) => {
    const { method = 'GET', headers, body } = init
    const sent = { url: String(url), method, headers: new Headers(headers), body: (body ?? '') as string }
    requests.push(sent)
    init.signal?.throwIfAborted()
    return await (answers[sent.url]?.(sent) ?? new Response('', { status: 404 }))
  })
  return requests
}

/** The error of fetch without a response. */
export const silent = (code: string) => () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) }))

export const moved = (location: string) => () => new Response(null, { status: 302, headers: { location } })
