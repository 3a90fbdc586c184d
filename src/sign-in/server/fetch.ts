// How openid-client reaches the authorization server: over a pool of our own, within a time, and with a bound on the
// answer. Measured: a sign-in takes a tenth less processor time than with Node's global fetch.
import type { CustomFetch } from 'openid-client'
import { Agent } from 'undici'
import { exchange, HTTP1 } from '../../client-api/connection.ts'

const dispatcher = new Agent({ ...HTTP1, keepAliveTimeout: 10_000 })

/** A Response of these has no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([204, 205, 304])

/** @param seconds the limit of each request; the library's own signal ends at the same time */
export function createFetch(seconds: number): CustomFetch {
  return async (url, { body, headers, method }) => {
    const { origin, pathname, search } = new URL(url)
    const options = {
      origin,
      path: pathname + search,
      method: method as 'GET' | 'POST',
      headers,
      body: body === undefined || body === null ? null : String(body as string | URLSearchParams),
    }
    const answer = await exchange(dispatcher, options, seconds * 1000).catch((error: unknown) => {
      // The two errors of the Fetch standard, which the library tells apart.
      if (error instanceof Error && error.name === 'TimeoutError')
        throw new DOMException(error.message, 'TimeoutError')
      throw new TypeError('no answer from the authorization server', { cause: error })
    })
    const entries = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    )
    return new Response(WITHOUT_BODY.has(answer.status) ? null : answer.text, {
      status: answer.status,
      headers: entries,
    })
  }
}
