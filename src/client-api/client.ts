// The service's Client API for the server and for campaigns: an answer, or a ServiceProblem that says what is wrong.
// What surprises: the time limit covers the body too.
import {
  readCheckResponse,
  readLeft,
  readSearchResponse,
  type SearchResponse,
  type OnExcess,
  type UnconnectedApp,
} from './responses.ts'
import { parseJson } from '../http/body.ts'
import { checkCall, createConnection, searchCall, type SearchQuery, type ServiceCall } from './connection.ts'
import { secretsIn, type Credentials } from './credentials.ts'
import { noResponse, serviceProblemOf, unreadableResponse } from './errors.ts'
import { readErrorResponse } from './error-response.ts'
import { requestedWait } from '../http/retry-after.ts'
import { timed, type OnCall } from '../trace/calls.ts'

export type ServiceClient = {
  /**
   * Which datasources the person still has to authorize (contract 4.1). One request.
   * @param finalRedirectUrl where the service sends the browser after a consent; absent: the tenant's own setting counts
   * @param gone aborts when no one waits for the response; the call then throws its reason, and isn't counted
   * @throws {ServiceProblem}
   */
  checkDatasourceAuth(
    credentials: Credentials,
    finalRedirectUrl?: string,
    gone?: AbortSignal | null,
  ): Promise<UnconnectedApp[]>
  /** The same without one-time paths, for callers that only tell what is left. @throws {ServiceProblem} */
  unconnectedApps(credentials: Credentials): Promise<UnconnectedApp[]>
  /** Contract 4.2. @throws {ServiceProblem} */
  search(credentials: Credentials, query: SearchQuery, gone?: AbortSignal | null): Promise<SearchResponse>
  close(): Promise<void>
}

type ClientApiOptions = {
  /** SERVICE_BASE_URL without a trailing slash. */
  baseUrl: string
  /** SERVICE_HEADER_PREFIX. */
  headerPrefix?: string
  /** For the whole call, body included; milliseconds. */
  timeLimitMs?: number
  onCall?: OnCall
  /** Called once for each thing in answers that is too long or too much. */
  onExcess?: OnExcess
  /** Sees every call and its answer, such as a watch for what the service will remove. Must not throw. */
  onResponse?: (answered: Answered) => void
}

type Answered = {
  method: 'POST'
  /** The path and query, without the service's address. */
  url: string
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  request: string | undefined
  response: string
}

const MAX_CONNECTIONS = 128
const TIME_LIMIT_MS = 10_000

export function createServiceClient({
  baseUrl,
  headerPrefix,
  timeLimitMs = TIME_LIMIT_MS,
  onCall,
  onExcess,
  onResponse,
}: ClientApiOptions): ServiceClient {
  const connection = createConnection({ baseUrl, headerPrefix, timeLimitMs, connections: MAX_CONNECTIONS })

  const reported = new Set<string>()
  const reportOnce: OnExcess = (what) => {
    if (!reported.has(what)) onExcess?.(what)
    reported.add(what)
  }

  /** @param read undefined: it can't be read, which counts as no answer */
  async function send<T>(
    call: ServiceCall,
    credentials: Credentials,
    read: (json: unknown) => T | undefined,
  ): Promise<T> {
    const { operation, path, body, gone } = call
    const { status, text, headers, found } = await timed(
      async () => {
        const answer = await connection.send(call, credentials)
        return { ...answer, found: answer.status === 200 ? read(parseJson(answer.text)) : undefined }
      },
      (answer, seconds) => {
        if (gone?.aborted) return
        const isUnreadable = answer?.status === 200 && answer.found === undefined
        onCall?.({ operation, status: isUnreadable ? undefined : answer?.status, seconds })
      },
    ).catch((error: unknown) => {
      gone?.throwIfAborted()
      throw noResponse(operation, 'no usable answer', error)
    })
    onResponse?.({ method: 'POST', url: path, status, headers, request: body, response: text })
    if (status !== 200) {
      const secrets = secretsIn(credentials)
      const refusal = readErrorResponse({ status, text, headers }, { headerPrefix, secrets }, Date.now())
      throw Object.assign(serviceProblemOf(refusal, { operation, credentials, headerPrefix }), {
        answered: status,
        requestedWait: requestedWait(headers['retry-after']?.toString()),
        isFromIntermediary: refusal.isFromIntermediary,
      })
    }
    if (found === undefined) throw unreadableResponse(operation, text)
    return found
  }

  return {
    checkDatasourceAuth: (credentials, finalRedirectUrl, gone = null) =>
      send({ ...checkCall(finalRedirectUrl), gone }, credentials, (json) =>
        readCheckResponse(json, reportOnce),
      ),
    unconnectedApps: (credentials) => send(checkCall(), credentials, (json) => readLeft(json, reportOnce)),
    search: (credentials, query, gone = null) =>
      send({ ...searchCall(query), gone }, credentials, readSearchResponse),
    close: () => connection.close(),
  }
}
