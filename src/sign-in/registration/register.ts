// Registers a client (RFC 7591), asks about it, and removes it (RFC 7592). The library isn't used, because it rejects some
// responses after which a client exists.
import type { ServerMetadata } from 'openid-client'
import { parseJsonObject, readBody } from '../../http/body.ts'
import { isSafe } from '../../http/loopback.ts'
import {
  describeNetworkError,
  hasAdvice,
  networkErrorOf,
  type NetworkError,
} from '../../http/network-error.ts'
import { requestedWait } from '../../http/retry-after.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { Problem } from '../../problem.ts'
import type { Settings } from '../../settings/settings.ts'
import { timed, type OnCall } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import type { Log } from '../../web/log.ts'
import { publicJwks } from '../server/client-authentication.ts'
import { signInUnavailable } from '../server/error-response.ts'
import {
  readErrorResponse,
  readRegistrationResponse,
  registrationAttempts,
  requestedMetadata,
  type RegisteredClient,
  type RequestedMetadata,
} from './metadata.ts'

const TIME_LIMIT_MS = 10_000
/** A client was made, or may have been: each further attempt could make another one. */
const HOUR_SECONDS = 3600
const REFUSED_SECONDS = 5
/** These fail before anything is sent. */
const UNSENT: readonly NetworkError[] = ['unknown-name', 'refused', 'no-tls']

type RegisterDeps = { log: Pick<Log, 'info' | 'warn'>; onCall?: OnCall | undefined; now: () => number }

/** @param wait seconds until the next attempt @param instead what the operator can do besides */
const notRegistered = (what: string, wait: number, instead = ''): Problem =>
  new Problem(503, 'sign_in_misconfigured', {
    detail: `${what}: ${instead}register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
    retryAfter: wait,
  })

/**
 * Registers once; requests less only after a refusal of what was requested, which made no client.
 * @throws {Problem} with the seconds until the next attempt: an hour if a client was made or may have been, else what the
 * server asks for (an hour at most)
 */
export async function registerClient(
  settings: Settings,
  server: ServerMetadata,
  { log, onCall, now }: RegisterDeps,
): Promise<RegisteredClient> {
  const { OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key, OIDC_INITIAL_ACCESS_TOKEN: token } = settings
  const { registration_endpoint: endpoint } = server
  if (endpoint === undefined)
    throw notRegistered('the authorization server has no registration endpoint', REFUSED_SECONDS)
  const metadata = requestedMetadata(
    settings,
    server,
    method === 'private_key_jwt' ? publicJwks(key ?? '') : undefined,
  )
  if (metadata['scope'] !== settings.OIDC_SCOPE) {
    const words = 'OIDC_SCOPE has scopes that the server does not list: not registered for'
    log.info({ asked: metadata['scope'] }, words)
  }
  let refusal: Problem | undefined
  for (const requested of registrationAttempts(metadata)) {
    const { status, text, retryAfter } = await postRegistration(endpoint, { requested, token, onCall })
    const { error, description } = readErrorResponse(text, token)
    if (status >= 200 && status < 300 && error === undefined) {
      const client = readResponse(text, { requested, status, log, now })
      if (refusal !== undefined)
        log.warn({ requested: Object.keys(requested) }, 'the client is registered with less')
      return client
    }
    refusal = refused(status, [error, description], requestedWait(retryAfter, now()))
    // Any other status is about the right to register.
    if (status >= 300 && status !== 400 && status !== 422) throw refusal
    log.warn({ requested: Object.keys(requested) }, refusal.detail ?? '')
  }
  throw refusal ?? new Error('there is always one attempt')
}

function readResponse(
  text: string,
  of: { requested: RequestedMetadata; status: number } & Pick<RegisterDeps, 'log' | 'now'>,
): RegisteredClient {
  const response = readRegistrationResponse(text, of.requested, of.now())
  if ('unusable' in response) {
    const what = `the registration endpoint answered ${of.status}, but ${response.unusable}`
    throw notRegistered(what, HOUR_SECONDS)
  }
  const oddities = response.oddities.join('; ')
  if (oddities === '') of.log.info({}, 'the client is registered')
  else of.log.warn({}, `the client is registered, but not as asked: ${oddities}`)
  return response.client
}

function refused(status: number, error: (string | undefined)[], wait: number | undefined): Problem {
  const words = error.filter((one) => one !== undefined).join(': ')
  const what = `the registration endpoint answered ${status}${words === '' ? '' : ` (${words})`}`
  const mayNeedToken = wait === undefined && (status === 401 || status === 403)
  const instead = mayNeedToken ? 'set OIDC_INITIAL_ACCESS_TOKEN if it asks for one, or ' : ''
  return notRegistered(what, Math.min(wait ?? REFUSED_SECONDS, HOUR_SECONDS), instead)
}

async function postRegistration(
  endpoint: string,
  of: { requested: RequestedMetadata; token: string | undefined; onCall: OnCall | undefined },
): Promise<RegistrationResponse> {
  const body = JSON.stringify(of.requested)
  try {
    return await timed(
      () =>
        inSpan('POST registration', { 'url.full': endpoint }, () =>
          request(endpoint, { method: 'POST', body, token: of.token }),
        ),
      (response, seconds) => of.onCall?.({ operation: 'registration', status: response?.status, seconds }),
    )
  } catch (error) {
    const networkError = networkErrorOf(error)
    const what = `the registration endpoint gives no answer: ${describeNetworkError(networkError)}`
    if (UNSENT.includes(networkError) || hasAdvice(networkError)) throw signInUnavailable(what, error)
    throw notRegistered(`${what} (a client may have been made all the same)`, HOUR_SECONDS)
  }
}

type RegistrationResponse = { status: number; text: string; retryAfter: string | undefined }

/** @throws if there is no response */
async function request(
  address: string,
  { method, token, body: sent }: { method: string; token: string | undefined; body?: string },
): Promise<RegistrationResponse> {
  const { status, body, headers } = await fetch(address, {
    method,
    headers: omitUndefined({
      accept: 'application/json',
      'content-type': sent && 'application/json',
      authorization: token && `Bearer ${token}`,
    }),
    body: sent ?? null,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  })
  // The status is enough: a truncated body is still a response.
  const text = await readBody({ status, body }).catch(() => '')
  return { status, text, retryAfter: headers.get('retry-after') ?? undefined }
}

/** Undefined if the server gave no management address, or one that isn't safe for the token. */
function manage(
  client: RegisteredClient,
  method: 'GET' | 'DELETE',
): Promise<RegistrationResponse> | undefined {
  const { registration_client_uri: uri, registration_access_token: token } = client
  if (typeof uri !== 'string' || typeof token !== 'string' || !URL.canParse(uri)) return undefined
  return isSafe(new URL(uri)) ? request(uri, { method, token }) : undefined
}

/** RFC 7592 3: a server may replace these when it is asked about a client. */
const REPLACEABLE =
  'client_secret client_secret_expires_at registration_access_token registration_client_uri'.split(' ')

/** RFC 7592 2.1; only 401 means gone. @returns the client with what was replaced, or unchanged if the server can't tell */
export async function readClient(client: RegisteredClient): Promise<RegisteredClient | 'gone'> {
  const response = await manage(client, 'GET')?.catch(() => undefined)
  if (response?.status === 401) return 'gone'
  const body = response?.status === 200 ? parseJsonObject(response.text) : undefined
  if (body?.['client_id'] !== client.client_id) return client
  const replaced = REPLACEABLE.filter(
    (name) => body[name] !== client[name] && typeof body[name] === typeof client[name],
  )
  if (replaced.length === 0) return client
  return { ...client, ...Object.fromEntries(replaced.map((name) => [name, body[name]])) } as RegisteredClient
}

/** `no-means`: the server gave no address or token for it. */
export type Removal = { kind: 'removed' | 'no-means' | 'unanswered' } | { kind: 'refused'; status: number }

/** RFC 7592 2.3. Best effort: doesn't throw. */
export async function removeClient(client: RegisteredClient): Promise<Removal> {
  const request = manage(client, 'DELETE')
  if (request === undefined) return { kind: 'no-means' }
  const response = await request.catch(() => undefined)
  if (response === undefined) return { kind: 'unanswered' }
  const isRemoved = response.status >= 200 && response.status < 300
  return isRemoved ? { kind: 'removed' } : { kind: 'refused', status: response.status }
}
