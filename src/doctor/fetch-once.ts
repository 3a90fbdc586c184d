// Sends one request to another server, limited in time and size. Redirects are not followed.
import { getGlobalDispatcher } from 'undici'
import { exchange, type HttpResponse } from '../http/exchange.ts'
import { networkErrorOf, type NetworkError } from '../http/network-error.ts'

export type FetchResult = ({ kind: 'response' } & HttpResponse) | { kind: 'no-response'; why: NetworkError }

const TIME_LIMIT_MS = 8_000

export async function fetchOnce(
  url: string | URL,
  { headers = {}, ...post }: { method?: 'POST'; headers?: object; body?: string } = {},
): Promise<FetchResult> {
  try {
    const { origin, pathname, search } = new URL(url)
    const sentHeaders = { accept: '*/*', 'user-agent': 'onramp-doctor', ...headers }
    const request = { method: 'GET', ...post, origin, path: pathname + search, headers: sentHeaders } as const
    return { kind: 'response', ...(await exchange(getGlobalDispatcher(), request, TIME_LIMIT_MS)) }
  } catch (error) {
    return { kind: 'no-response', why: networkErrorOf(error) }
  }
}

/** @param base the URL of the request @returns undefined without a redirect */
export const redirectTarget = (result: FetchResult, base: string): URL | undefined =>
  result.kind === 'response' && result.status >= 300 && result.status < 400
    ? (URL.parse(String(result.headers['location'] ?? ''), base) ?? undefined)
    : undefined
