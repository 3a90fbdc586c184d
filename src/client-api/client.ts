// The search service (contract section 4), for the server, campaigns, `onramp status` and the doctor.
import type { HttpResponse } from '../http/exchange.ts'
import { networkErrorOf, type NetworkError } from '../http/network-error.ts'
import { parseJson } from '../http/body.ts'
import { timed, type OnCall } from '../trace/calls.ts'
import {
  checkCall,
  createConnection,
  searchCall,
  type SearchQuery,
  type ServiceCall,
  type ServiceConnection,
} from './connection.ts'
import { secretsIn, type Credentials } from './credentials.ts'
import { readErrorResponse, type ErrorResponse } from './error-response.ts'
import { noResponse, serviceProblemOf, unreadableResponse } from './errors.ts'
import {
  readCheckResponse,
  readSearchResponse,
  withoutPath,
  type SearchResponse,
  type UnconnectedApp,
} from './responses.ts'

type ServiceExchange = {
  method: 'POST'
  /** Path and query, without the service's address. */
  url: string
  status: number
  headers: HttpResponse['headers']
  request: string | undefined
  response: string
}

/** A probe never returns a one-time path, only a count of its parameters and whether it names the redirect. */
type PathShape = { parameters: number; namesRedirect: boolean }

/** When a probe was answered, by the service's clock and by ours; milliseconds since 1970. */
type ResponseTimes = { theirs: number | undefined; ours: number }

export type ProbeResult =
  | ({ kind: 'answered'; left: UnconnectedApp[]; shape: PathShape | undefined } & ResponseTimes)
  | ({ kind: 'rejected' } & ErrorResponse & ResponseTimes)
  | { kind: 'unreachable'; why: NetworkError }

type ServiceClientOptions = {
  /** SERVICE_BASE_URL without a trailing slash. */
  baseUrl: string
  /** SERVICE_HEADER_PREFIX. */
  headerPrefix?: string
  /** For the whole call, body included; milliseconds. */
  timeLimitMs?: number
  onCall?: OnCall
  /** Gets each kind of oversized content in responses once. */
  onExcess?: (what: string) => void
  onResponse?: (exchange: ServiceExchange) => void
  /** Milliseconds since 1970. */
  now?: () => number
}

const MAX_CONNECTIONS = 128
const TIME_LIMIT_MS = 10_000

/** Each method rejects a token or address that must not go into a header: {TypeError}, without quoting it. */
export class ServiceClient {
  readonly #options: ServiceClientOptions
  readonly #connection: ServiceConnection
  readonly #reported = new Set<string>()
  readonly #now: () => number

  constructor(options: ServiceClientOptions) {
    const { baseUrl, headerPrefix, timeLimitMs = TIME_LIMIT_MS, now = Date.now } = options
    this.#options = options
    this.#now = now
    this.#connection = createConnection({ baseUrl, headerPrefix, timeLimitMs, connections: MAX_CONNECTIONS })
  }

  /**
   * The apps that the person still has to authorize (contract 4.1), by one request.
   * @param finalRedirectUrl where a consent ends; absent: as the tenant has it
   * @param gone aborts when no one waits for the response; the call then throws its reason, and isn't counted
   * @throws {ServiceProblem}
   */
  checkDatasourceAuth(
    credentials: Credentials,
    finalRedirectUrl?: string,
    gone: AbortSignal | null = null,
  ): Promise<UnconnectedApp[]> {
    const call = { ...checkCall(finalRedirectUrl), gone }
    return this.#send(call, credentials, (json) => readCheckResponse(json, this.#reportOnce))
  }

  /** The same without one-time paths. @throws {ServiceProblem} */
  async unconnectedApps(credentials: Credentials): Promise<UnconnectedApp[]> {
    return (await this.checkDatasourceAuth(credentials)).map(withoutPath)
  }

  /** Contract 4.2. @param gone as above @throws {ServiceProblem} */
  search(
    credentials: Credentials,
    query: SearchQuery,
    gone: AbortSignal | null = null,
  ): Promise<SearchResponse> {
    return this.#send({ ...searchCall(query), gone }, credentials, readSearchResponse)
  }

  /** checkdatasourceauth with every outcome as a value. A global token is first tried without a person. */
  async probe(credentials: Credentials, finalRedirectUrl?: string): Promise<ProbeResult> {
    const personal =
      credentials.kind === 'global-token' ? await this.probeGlobalToken(credentials.token) : undefined
    if (personal !== undefined) return personal
    // Outside of the try: a TypeError is no network error.
    const sending = this.#connection.send(checkCall(finalRedirectUrl), credentials)
    try {
      const response = await sending
      const date = Date.parse(response.headers['date']?.toString() ?? '')
      const times = { theirs: Number.isNaN(date) ? undefined : date, ours: this.#now() }
      const apps = response.status === 200 ? readCheckResponse(parseJson(response.text)) : undefined
      if (apps === undefined) return { kind: 'rejected', ...this.#readError(response, credentials), ...times }
      const shape = shapeOf(apps, finalRedirectUrl)
      return { kind: 'answered', left: apps.map(withoutPath), shape, ...times }
    } catch (error) {
      return { kind: 'unreachable', why: networkErrorOf(error) }
    }
  }

  /** @returns 'rejected' if the token works without a person (contract section 5, rule 2); undefined if it may be global */
  async probeGlobalToken(token: string): Promise<ProbeResult | undefined> {
    const alone = await this.probe({ kind: 'user-token', token })
    if (alone.kind !== 'answered') return undefined
    const error = readErrorResponse({ status: 200, text: '', headers: {} }, {}, alone.ours)
    return { ...alone, ...error, kind: 'rejected', reason: 'personal' }
  }

  close(): Promise<void> {
    return this.#connection.close()
  }

  /** @param read returns undefined for an unreadable response */
  async #send<T>(
    call: ServiceCall,
    credentials: Credentials,
    read: (json: unknown) => T | undefined,
  ): Promise<T> {
    const { operation, path, body, gone } = call
    const { onCall, onResponse, headerPrefix } = this.#options
    const response = await timed(
      async () => {
        const received = await this.#connection.send(call, credentials)
        return { ...received, read: received.status === 200 ? read(parseJson(received.text)) : undefined }
      },
      (received, seconds) => {
        if (gone?.aborted) return
        const isUnreadable = received?.status === 200 && received.read === undefined
        onCall?.({ operation, status: isUnreadable ? undefined : received?.status, seconds })
      },
    ).catch((error: unknown) => {
      gone?.throwIfAborted()
      throw noResponse(operation, 'no usable answer', error)
    })
    const { status, headers, text } = response
    onResponse?.({ method: 'POST', url: path, status, headers, request: body, response: text })
    if (status !== 200)
      throw serviceProblemOf(this.#readError(response, credentials), { operation, credentials, headerPrefix })
    if (response.read === undefined) throw unreadableResponse(operation, text)
    return response.read
  }

  #readError(response: HttpResponse, credentials: Credentials): ErrorResponse {
    const { headerPrefix } = this.#options
    return readErrorResponse(response, { headerPrefix, secrets: secretsIn(credentials) }, this.#now())
  }

  readonly #reportOnce = (what: string): void => {
    if (!this.#reported.has(what)) this.#options.onExcess?.(what)
    this.#reported.add(what)
  }
}

function shapeOf(apps: readonly UnconnectedApp[], redirect: string | undefined): PathShape | undefined {
  const paths = apps.flatMap(({ authUrlRelativePath }) => authUrlRelativePath ?? [])
  const [first] = paths
  if (first === undefined) return undefined
  const query = first.split('?')[1] ?? ''
  return {
    parameters: query.split('&').filter((part) => part !== '').length,
    namesRedirect: redirect !== undefined && paths.every((path) => includesUrl(path, redirect)),
  }
}

function includesUrl(path: string, url: string): boolean {
  const once = encodeURIComponent(url)
  const lower = path.toLowerCase()
  return [url, once, encodeURIComponent(once)].some((form) => lower.includes(form.toLowerCase()))
}
