// Requests to the service (contract section 4) over a keep-alive pool. Redirects are never followed, because
// X-Service-ActAs would then reach another origin.
import { Pool } from 'undici'
import { inHttpSpan, traceHeaders } from '../trace/spans.ts'
import { exchange, type HttpResponse } from '../http/exchange.ts'
import { credentialHeaders, type Credentials } from './credentials.ts'
import type { Operation } from './errors.ts'
import { createConnector, HTTP1 } from '../http/proxy.ts'

/** A POST that only reads; `path` without the service's address. `gone` aborts when no one waits for the response. */
export type ServiceCall = { operation: Operation; path: string; body?: string; gone?: AbortSignal | null }

/** Contract 4.2. */
export type SearchQuery = { query: string; pageSize: number }

/** Contract 4.1. @param finalRedirectUrl absent: the tenant's own setting counts */
export function checkCall(finalRedirectUrl?: string): ServiceCall {
  const query =
    finalRedirectUrl === undefined ? '' : `?final_redirect_url=${encodeURIComponent(finalRedirectUrl)}`
  return { operation: 'checkdatasourceauth', path: `/rest/api/v1/checkdatasourceauth${query}` }
}

export const searchCall = (query: SearchQuery): ServiceCall => ({
  operation: 'search',
  path: '/rest/api/v1/search',
  body: JSON.stringify(query),
})

export type ServiceEndpoint = {
  /** SERVICE_BASE_URL without a trailing slash. */
  baseUrl: string
  /** For the whole call, body included; milliseconds. */
  timeLimitMs: number
  /** At most so many at once. */
  connections: number
  /** SERVICE_HEADER_PREFIX. */
  headerPrefix?: string | undefined
}

export type ServiceConnection = {
  /** @throws {TypeError} at once, without quoting it, for a token or address that must not go into a header */
  send(call: ServiceCall, credentials: Credentials): Promise<HttpResponse>
  close(): Promise<void>
}

const JSON_BOTH_WAYS = { 'content-type': 'application/json', accept: 'application/json' }

export function createConnection({
  baseUrl,
  timeLimitMs,
  connections,
  headerPrefix,
}: ServiceEndpoint): ServiceConnection {
  const server = new URL(baseUrl)
  const { origin, pathname } = server
  const prefix = pathname.replace(/\/$/, '')
  const dispatcher = new Pool(origin, {
    ...HTTP1,
    connections,
    keepAliveTimeout: 30_000,
    connect: createConnector(timeLimitMs),
  })
  return {
    send({ path, body, gone }, credentials) {
      const own = { ...credentialHeaders(credentials, headerPrefix), ...JSON_BOTH_WAYS }
      const request = { method: 'POST', path: prefix + path, idempotent: true } as const
      return inHttpSpan({ ...request, server }, () => {
        const headers = { ...own, ...traceHeaders() }
        const options = { ...request, origin, headers, body: body ?? null, signal: gone ?? null }
        return exchange(dispatcher, options, timeLimitMs)
      })
    },
    close: () => dispatcher.destroy(),
  }
}
