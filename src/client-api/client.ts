// The service's Client API (contract section 4) over one keep-alive pool. What surprises: redirects are never followed
// (a client that does keeps X-Service-ActAs across origins) and the time limit covers the body too.
import { Pool } from 'undici'
import { present } from '../present.ts'
import {
  readCheck,
  readLeft,
  readSearch,
  type Left,
  type SearchAnswer,
  type Tell,
  type Unconnected,
} from './answers.ts'
import { credentialHeaders, type Credentials } from './credentials.ts'
import { exchange, type Exchanged } from './exchange.ts'
import { noAnswer, problemOf, waitAskedFor, type Operation } from './errors.ts'

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
  /** Told of every call; `status` undefined: there was no usable answer. */
  onCall?: (call: { operation: string; status: number | undefined; seconds: number }) => void
  /** Told once of each thing in answers that is too long or too much. */
  onExcess?: Tell
  /** Sees every call and its answer, such as a watch for what the service will remove. Must not throw. */
  onAnswer?: (answered: Answered) => void
}

type Answered = {
  method: 'POST'
  /** The path and query, without the service's address. */
  url: string
  status: number
  headers: [string, string][]
  request: string | undefined
  response: string
}

const MOST_BYTES = 1024 * 1024
const TIME_LIMIT_MS = 10_000

const JSON_BOTH_WAYS = { 'content-type': 'application/json', accept: 'application/json' }

type Call = { operation: Operation; path: string; credentials: Credentials; body?: string }

export function createClientApi({
  baseUrl,
  timeLimitMs = TIME_LIMIT_MS,
  onCall,
  onExcess,
  onAnswer,
}: ClientApiOptions): ClientApi {
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/$/, '')
  const dispatcher = new Pool(origin, {
    connections: 128,
    keepAliveTimeout: 30_000,
    connect: { timeout: timeLimitMs },
  })

  const told = new Set<string>()
  const tellOnce: Tell = (what) => {
    if (!told.has(what)) onExcess?.(what)
    told.add(what)
  }

  async function call({ operation, path, credentials, body }: Call): Promise<unknown> {
    let answer: Exchanged | undefined
    const began = performance.now()
    try {
      const headers = { ...credentialHeaders(credentials), ...JSON_BOTH_WAYS }
      const options = { origin, path: prefix + path, method: 'POST' as const, headers, body: body ?? null }
      answer = await exchange(dispatcher, options, timeLimitMs)
    } catch (error) {
      throw noAnswer(operation, 'no usable answer', error)
    } finally {
      onCall?.({ operation, status: answer?.status, seconds: (performance.now() - began) / 1000 })
    }
    const { status, text, headers } = answer
    onAnswer?.({
      method: 'POST',
      url: path,
      status,
      headers: headerPairs(headers),
      request: body,
      response: text,
    })
    if (status !== 200) {
      const retryAfter = headers['retry-after']?.toString()
      const asksToWait = waitAskedFor(retryAfter)
      const secrets = secretsIn(credentials)
      const saidOAuth = credentials.kind === 'oauth' && credentials.externalIdp
      throw Object.assign(problemOf({ operation, status, text, retryAfter, secrets, saidOAuth }), {
        answered: status,
        ...present({ asksToWait }),
      })
    }
    return parsed(text)
  }

  return {
    async checkDatasourceAuth(credentials, finalRedirectUrl) {
      const query =
        finalRedirectUrl === undefined ? '' : `?final_redirect_url=${encodeURIComponent(finalRedirectUrl)}`
      const operation = 'checkdatasourceauth'
      const answer = readCheck(
        await call({ operation, path: `/rest/api/v1/checkdatasourceauth${query}`, credentials }),
        tellOnce,
      )
      if (answer === undefined) throw noAnswer(operation, 'an answer without a readable list of datasources')
      return answer
    },
    async whatIsLeft(credentials) {
      const operation = 'checkdatasourceauth'
      const left = readLeft(
        await call({ operation, path: `/rest/api/v1/${operation}`, credentials }),
        tellOnce,
      )
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

/** What goes out with a call and is for no log. */
export const secretsIn = (credentials: Credentials): string[] =>
  Object.entries(credentials).flatMap(([name, value]) =>
    name !== 'kind' && typeof value === 'string' ? [value] : [],
  )

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
