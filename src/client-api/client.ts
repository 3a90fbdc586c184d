// The service's Client API (contract section 4) over one keep-alive pool. What surprises: redirects are never followed
// (a client that does keeps X-Service-ActAs across origins) and the time limit covers the body too.
import { Agent, request } from 'undici'
import { readCheck, readLeft, readSearch, type Left, type SearchAnswer, type Unconnected } from './answers.ts'
import { credentialHeaders, type Credentials } from './credentials.ts'
import type { Watch } from './watch.ts'
import { noAnswer, problemOf, ServiceProblem } from './errors.ts'

export type ClientApi = {
  /**
   * Which datasources the person still has to authorize (contract 4.1). One request.
   * @param finalRedirectUrl where the service sends the browser after a consent; absent: the tenant's own setting counts
   * @throws {ServiceProblem}
   */
  checkDatasourceAuth(credentials: Credentials, finalRedirectUrl?: string): Promise<Unconnected[]>
  /** The same without one-time paths, for whoever only tells what is left. @throws {ServiceProblem} */
  whatIsLeft(credentials: Credentials): Promise<Left[]>
  /** Contract 4.2. @throws {ServiceProblem} */
  search(credentials: Credentials, query: { query: string; pageSize: number }): Promise<SearchAnswer>
  close(): Promise<void>
}

export type ClientApiOptions = {
  /** SERVICE_BASE_URL without a trailing slash. */
  baseUrl: string
  /** For the whole call, body included; milliseconds. */
  timeLimitMs?: number
  /** Sees every answer: is something in use that the service will remove? */
  watch?: Watch
}

const MOST_BYTES = 1024 * 1024
const TIME_LIMIT_MS = 10_000

const JSON_BOTH_WAYS = { 'content-type': 'application/json', accept: 'application/json' }

type Call = { operation: string; path: string; credentials: Credentials; body?: string }

export function createClientApi({
  baseUrl,
  timeLimitMs = TIME_LIMIT_MS,
  watch,
}: ClientApiOptions): ClientApi {
  const dispatcher = new Agent({
    connections: 128,
    keepAliveTimeout: 30_000,
    connect: { timeout: timeLimitMs },
  })

  async function call({ operation, path, credentials, body }: Call): Promise<unknown> {
    const limit = new AbortController()
    const timer = setTimeout(
      () => limit.abort(new Error(`no whole answer within ${timeLimitMs} ms`)),
      timeLimitMs,
    )
    try {
      const sent = { ...credentialHeaders(credentials), ...JSON_BOTH_WAYS }
      const options = {
        dispatcher,
        method: 'POST' as const,
        headers: sent,
        signal: limit.signal,
        body: body ?? null,
      }
      const response = await request(baseUrl + path, options)
      const text = await readLimited(response.body)
      const headers = headerPairs(response.headers)
      watch?.observe({
        method: 'POST',
        url: path,
        status: response.statusCode,
        headers,
        request: body,
        response: text,
      })
      if (response.statusCode !== 200) {
        const retryAfter = response.headers['retry-after']?.toString()
        const refusal = { operation, status: response.statusCode, text, retryAfter }
        throw Object.assign(problemOf(refusal), { answered: response.statusCode })
      }
      return parsed(text)
    } catch (error) {
      throw error instanceof ServiceProblem ? error : noAnswer(operation, 'no usable answer', error)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async checkDatasourceAuth(credentials, finalRedirectUrl) {
      const query =
        finalRedirectUrl === undefined ? '' : `?final_redirect_url=${encodeURIComponent(finalRedirectUrl)}`
      const operation = 'checkdatasourceauth'
      const answer = readCheck(
        await call({ operation, path: `/rest/api/v1/checkdatasourceauth${query}`, credentials }),
      )
      if (answer === undefined) throw noAnswer(operation, 'an answer without a readable list of datasources')
      return answer
    },
    async whatIsLeft(credentials) {
      const operation = 'checkdatasourceauth'
      const left = readLeft(await call({ operation, path: `/rest/api/v1/${operation}`, credentials }))
      if (left === undefined) throw noAnswer(operation, 'an answer without a readable list of datasources')
      return left
    },
    async search(credentials, query) {
      const body = JSON.stringify(query)
      const answer = readSearch(
        await call({ operation: 'search', path: '/rest/api/v1/search', credentials, body }),
      )
      if (answer === undefined) throw noAnswer('search', 'an answer without results')
      return answer
    },
    close: () => dispatcher.destroy(),
  }
}

export async function readLimited(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new RangeError(`an answer of more than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Undefined for what is not JSON: the parser's own message would quote the answer, which may hold a one-time path. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A header that came several times counts as one, joined (RFC 9110 5.3). */
const headerPairs = (headers: Record<string, string | string[] | undefined>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ])
