// One event on its way to WEBHOOK_URL. Redirects are not followed: the signature would go where no one named.
import { Pool } from 'undici'
import { exchange, HTTP1 } from '../client-api/connection.ts'
import { requestedWait } from '../client-api/retry-after.ts'
import { createConnector } from '../client-api/proxy.ts'
import { silenceOf, type Silence } from '../client-api/silence.ts'

export type Outcome =
  | { kind: 'taken' }
  /** `wait`: seconds, where Retry-After says so. */
  | { kind: 'refused'; why: string; wait: number | undefined }
  /** There was no answer, so that another event would have none either. */
  | { kind: 'silent'; why: Silence }

export type Post = {
  /** Never rejects. */
  send(headers: Record<string, string>, body: string): Promise<Outcome>
  close(): Promise<void>
}

/** Standard Webhooks asks for 15 to 30 seconds; a receiver answers first and works afterwards. */
export const TIME_LIMIT_MS = 15_000

export function createPost(url: string, connections: number): Post {
  const { origin, pathname, search } = new URL(url)
  const dispatcher = new Pool(origin, { ...HTTP1, connections, connect: createConnector(TIME_LIMIT_MS) })
  return {
    async send(headers, body) {
      const options = {
        origin,
        path: pathname + search,
        method: 'POST' as const,
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'onramp' },
        body,
      }
      try {
        const { status, headers: told } = await exchange(dispatcher, options, TIME_LIMIT_MS)
        if (status >= 200 && status < 300) return { kind: 'taken' }
        const wait = requestedWait(told['retry-after']?.toString())
        return { kind: 'refused', why: `status ${status}`, wait }
      } catch (error) {
        return { kind: 'silent', why: silenceOf(error) }
      }
    },
    close: () => dispatcher.destroy(),
  }
}
