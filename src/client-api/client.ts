// Calls the search service (contract section 4), for the server, campaigns, `onramp status` and the doctor. Never
// follows redirects, because X-Service-ActAs could then reach another origin.
import { Pool } from 'undici'
import { parseJson } from '../http/body.ts'
import { exchange, type HttpResponse } from '../http/exchange.ts'
import { networkErrorOf, type NetworkError } from '../http/network-error.ts'
import { connectOptions } from '../http/proxy.ts'
import { measureCall, type OnCall } from '../trace/measure-call.ts'
import { inHttpSpan, traceHeaders } from '../trace/spans.ts'
import { credentialHeaders, type Credentials } from './credentials.ts'
import { readErrorResponse, type ErrorResponse } from './error-response.ts'
import { isGlobalTokenRejected, noValidResponse, serviceProblemOf } from './errors.ts'
import { readCheckResponse, readSearchResponse, type SearchResponse, type ListedApp } from './responses.ts'

/** A POST that only reads. `path` is below SERVICE_BASE_URL; `signal` aborts when no one waits for the response. */
type ServiceCall = {
  operation: 'checkdatasourceauth' | 'search'
  path: string
  body?: string
  signal?: AbortSignal | null
}

const JSON_BOTH_WAYS = { 'content-type': 'application/json', accept: 'application/json' }

/** `url` has path and query only. */
type ServiceExchange = Omit<HttpResponse, 'text'> & {
  method: 'POST'
  url: string
  request: string | undefined
  response: string
}

/** The shape of one-time paths, because a probe never returns the paths themselves. */
type PathShape = { parameters: number; namesRedirect: boolean }

/** When a probe's response came: by the service's Date header, and by our clock; milliseconds since 1970. */
type ResponseTimes = { serverTime: number | undefined; receivedAt: number }

export type ProbeResult =
  | ({ kind: 'accepted'; unconnected: ListedApp[]; shape: PathShape | undefined } & ResponseTimes)
  | ({ kind: 'rejected' } & ErrorResponse & ResponseTimes)
  | { kind: 'unreachable'; why: NetworkError }

type ServiceClientOptions = {
  /** SERVICE_BASE_URL without a trailing slash. */
  baseUrl: string
  headerPrefix?: string
  /** The limit of the whole call with its body; milliseconds. */
  timeLimitMs?: number
  onCall?: OnCall
  /** Called with a fixed sentence for each kind of oversized content in responses. */
  onExcess?: (excess: string) => void
  onResponse?: (exchange: ServiceExchange) => void
  /** Milliseconds since 1970. */
  now?: () => number
}

/** All pages that may call at once (sign-in/service-for-person.ts): 128 own, 64 for other sites, and 64 widgets. */
const MAX_CONNECTIONS = 256
const TIME_LIMIT_MS = 10_000

/** Every method throws {TypeError} for a token or address with forbidden characters. The message doesn't quote it. */
export class ServiceClient {
  readonly #options: ServiceClientOptions & { timeLimitMs: number; now: () => number }
  readonly #server: URL
  readonly #pool: Pool

  constructor(options: ServiceClientOptions) {
    this.#options = { timeLimitMs: TIME_LIMIT_MS, now: Date.now, ...options }
    this.#server = new URL(options.baseUrl)
    const pool = { connections: MAX_CONNECTIONS, keepAliveTimeout: 30_000 }
    this.#pool = new Pool(this.#server.origin, { ...connectOptions(this.#options.timeLimitMs), ...pool })
  }

  /** Checks a person (contract 4.1). @param signal its reason is thrown, and isn't counted @throws {ServiceProblem} */
  checkDatasourceAuth(
    credentials: Credentials,
    finalRedirectUrl?: string,
    signal: AbortSignal | null = null,
  ) {
    const call = { ...checkCall(finalRedirectUrl), signal }
    return this.#call(call, credentials, (json) => readCheckResponse(json, this.#options.onExcess))
  }

  /** Like checkDatasourceAuth, without one-time paths. @throws {ServiceProblem} */
  async unconnectedApps(credentials: Credentials): Promise<ListedApp[]> {
    return (await this.checkDatasourceAuth(credentials)).map(withoutPath)
  }

  /** Searches (contract 4.2). @param signal its reason is thrown, and isn't counted @throws {ServiceProblem} */
  search(
    credentials: Credentials,
    searchRequest: { query: string; pageSize: number },
    signal: AbortSignal | null = null,
  ): Promise<SearchResponse> {
    const call = { path: '/rest/api/v1/search', body: JSON.stringify(searchRequest), signal }
    return this.#call({ operation: 'search', ...call }, credentials, readSearchResponse)
  }

  /** checkdatasourceauth, with every outcome as a value. A global token is first tried without a person. */
  async probe(credentials: Credentials, finalRedirectUrl?: string): Promise<ProbeResult> {
    const withoutPerson =
      credentials.kind === 'global-token' ? await this.#probeWithoutPerson(credentials.token) : undefined
    if (withoutPerson?.result !== undefined) return withoutPerson.result
    // Outside of the try, because a TypeError isn't a network error.
    const sending = this.#send(checkCall(finalRedirectUrl), credentials)
    try {
      const response = await sending
      const date = Date.parse(response.headers['date']?.toString() ?? '')
      const times = { serverTime: Number.isNaN(date) ? undefined : date, receivedAt: this.#options.now() }
      const apps = response.status === 200 ? readCheckResponse(parseJson(response.text)) : undefined
      if (apps === undefined) {
        const error = this.#readError(response, credentials)
        // A server that refuses every call like this says nothing about the person.
        const isOther = withoutPerson !== undefined && withoutPerson.status !== error.status
        const isAboutPerson = isOther && finalRedirectUrl === undefined && error.mayBeAboutPerson
        const reason =
          isAboutPerson && error.reason === error.reasonByStatus ? 'act-as-refused' : error.reason
        return { kind: 'rejected', ...error, reason, ...times }
      }
      const shape = shapeOf(apps, finalRedirectUrl)
      return { kind: 'accepted', unconnected: apps.map(withoutPath), shape, ...times }
    } catch (error) {
      return { kind: 'unreachable', why: networkErrorOf(error) }
    }
  }

  /** Tries the token without a person. @returns `rejected` if that works (a personal token); undefined: maybe global */
  async probeGlobalToken(token: string): Promise<ProbeResult | undefined> {
    return (await this.#probeWithoutPerson(token)).result
  }

  async #probeWithoutPerson(token: string): Promise<{ result: ProbeResult | undefined; status?: number }> {
    const credentials = { kind: 'user-token', token } as const
    const result = await this.probe(credentials)
    if (result.kind === 'unreachable') return { result }
    const call = { operation: 'checkdatasourceauth', credentials, ...this.#options } as const
    if (result.kind === 'rejected') {
      const isGlobal = isGlobalTokenRejected(serviceProblemOf(result, call))
      return { result: isGlobal ? undefined : result, status: result.status }
    }
    const error = readErrorResponse({ status: 200, text: '', headers: {} }, {}, result.receivedAt)
    return { result: { ...result, ...error, kind: 'rejected', reason: 'personal' } }
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }

  async #call<T>(call: ServiceCall, credentials: Credentials, read: (json: unknown) => T | undefined) {
    const { operation, path, body, signal } = call
    const { onCall, onResponse, headerPrefix } = this.#options
    const response = await measureCall(
      async () => {
        const httpResponse = await this.#send(call, credentials)
        return {
          ...httpResponse,
          result: httpResponse.status === 200 ? read(parseJson(httpResponse.text)) : undefined,
        }
      },
      (httpResponse, seconds) => {
        if (signal?.aborted) return
        const isUnreadable = httpResponse?.status === 200 && httpResponse.result === undefined
        onCall?.({ operation, status: isUnreadable ? undefined : httpResponse?.status, seconds })
      },
    ).catch((error: unknown) => {
      signal?.throwIfAborted()
      throw noValidResponse(operation, { cause: error })
    })
    const { status, headers, text } = response
    onResponse?.({ method: 'POST', url: path, status, headers, request: body, response: text })
    if (status !== 200)
      throw serviceProblemOf(this.#readError(response, credentials), { operation, credentials, headerPrefix })
    if (response.result === undefined) throw noValidResponse(operation, { text })
    return response.result
  }

  /** @throws {TypeError} synchronously, for a token or address with forbidden characters */
  #send({ path, body, signal = null }: ServiceCall, credentials: Credentials): Promise<HttpResponse> {
    const ownHeaders = { ...credentialHeaders(credentials, this.#options.headerPrefix), ...JSON_BOTH_WAYS }
    const server = this.#server
    const whole = server.pathname.replace(/\/$/, '') + path
    const request = { method: 'POST', path: whole, idempotent: true } as const
    return inHttpSpan({ ...request, server }, () => {
      const headers = { ...ownHeaders, ...traceHeaders() }
      const options = { ...request, origin: server.origin, headers, body: body ?? null, signal }
      return exchange(this.#pool, options, this.#options.timeLimitMs)
    })
  }

  #readError(response: HttpResponse, credentials: Credentials): ErrorResponse {
    const { headerPrefix } = this.#options
    return readErrorResponse(response, { headerPrefix, secrets: secretsIn(credentials) }, this.#options.now())
  }
}

/** The call of contract 4.1. @param finalRedirectUrl default: the tenant's setting */
function checkCall(finalRedirectUrl?: string): ServiceCall {
  const query =
    finalRedirectUrl === undefined ? '' : `?final_redirect_url=${encodeURIComponent(finalRedirectUrl)}`
  return { operation: 'checkdatasourceauth', path: `/rest/api/v1/checkdatasourceauth${query}` }
}

const withoutPath = ({ authUrlRelativePath: _oneTime, ...app }: ListedApp): ListedApp => app

const secretsIn = ({ kind: _kind, setting: _setting, ...secrets }: Credentials & { setting?: string }) =>
  Object.values(secrets).filter((value) => typeof value === 'string')

function shapeOf(apps: readonly ListedApp[], redirect: string | undefined): PathShape | undefined {
  const paths = apps.flatMap(({ authUrlRelativePath }) => authUrlRelativePath ?? [])
  if (paths[0] === undefined) return undefined
  const parameters = (paths[0].split('?')[1] ?? '').split('&').filter(Boolean).length
  return {
    parameters,
    namesRedirect: redirect !== undefined && paths.every((path) => includesUrl(path, redirect)),
  }
}

function includesUrl(path: string, url: string): boolean {
  const encodedUrl = encodeURIComponent(url)
  const forms = [url, encodedUrl, encodeURIComponent(encodedUrl)]
  return forms.some((form) => path.toLowerCase().includes(form.toLowerCase()))
}
