// One request to another server, limited in time and size. Redirects are not followed.
import { request } from 'undici'
import { readBody } from '../http/body.ts'
import { networkErrorOf, type NetworkError } from '../http/network-error.ts'
import { isSafe } from '../http/loopback.ts'

export type HttpReply =
  | { kind: 'answer'; status: number; text: string; header(name: string): string | undefined }
  | { kind: 'silent'; why: NetworkError }

type Request = { method?: 'POST'; headers?: Record<string, string>; body?: string }

const TIME_LIMIT_MS = 8_000

export async function fetchOnce(
  url: string | URL,
  { headers = {}, ...init }: Request = {},
): Promise<HttpReply> {
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS)
    const sent = { accept: '*/*', 'user-agent': 'onramp-doctor', ...headers }
    const { statusCode: status, body, ...answer } = await request(url, { ...init, headers: sent, signal })
    return {
      kind: 'answer',
      status,
      text: await readBody({ status, body, coding: answer.headers['content-encoding'] }),
      header: (name) => [answer.headers[name]].flat()[0],
    }
  } catch (error) {
    return { kind: 'silent', why: networkErrorOf(error) }
  }
}

/** A URL with https, or of this machine. */
export const isSafeAddress = (text: unknown): text is string =>
  typeof text === 'string' && URL.canParse(text) && isSafe(new URL(text))
