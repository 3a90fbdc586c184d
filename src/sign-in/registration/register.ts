// Registers a client (RFC 7591), reads it, and removes it (RFC 7592). Doesn't use the library, because it rejects some
// responses after which a client exists.
import type { ServerMetadata } from 'openid-client'
import { parseJsonObject, readBody } from '../../http/body.ts'
import { isSafeUrl } from '../../http/loopback.ts'
import { describeNetworkError, hasAdvice, networkErrorOf } from '../../http/network-error.ts'
import type { NetworkError } from '../../http/network-error.ts'
import { requestedWait } from '../../http/retry-after.ts'
import { omitUndefined } from '../../omit-undefined.ts'
import { Problem } from '../../problem.ts'
import type { Settings } from '../../settings/settings.ts'
import { measureCall, type OnCall } from '../../trace/measure-call.ts'
import { inSpan } from '../../trace/spans.ts'
import type { Log } from '../../web/log.ts'
import { publicJwks } from '../server/client-authentication.ts'
import { signInUnavailable } from '../server/error-response.ts'
import { readRegistrationError, readRegistrationResponse, requestedMetadata } from './metadata.ts'
import type { RegisteredClient } from './metadata.ts'

const TIME_LIMIT_MS = 10_000
const HOUR_SECONDS = 3600
const REFUSED_SECONDS = 5
const UNSENT: readonly NetworkError[] = ['unknown-name', 'refused', 'no-tls']

/** Optional members, dropped one by one after a refusal: first dispensable ones, then those that are usual defaults. */
const LEFT_OUT = [
  [],
  ['backchannel_logout_uri', 'application_type', 'scope', 'client_uri', 'post_logout_redirect_uris'],
  ['grant_types', 'response_types'],
]

const notRegistered = (reason: string, waitSeconds: number, instead = ''): Problem =>
  new Problem(503, 'sign_in_misconfigured', {
    detail: `${reason}: ${instead}register a client yourself and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
    retryAfter: waitSeconds,
  })

/**
 * Registers once. Requests less only if the server refused the metadata, because then no client was created.
 * @param deps `uncertainPause`: seconds until the next attempt if this one may have created a client
 * @throws {Problem} with the seconds until the next attempt: that pause, or as long as the server requests (at most an
 * hour)
 */
export async function registerClient(
  settings: Settings,
  server: ServerMetadata,
  deps: { log: Pick<Log, 'info' | 'warn'>; onCall: OnCall; now: () => number; uncertainPause: () => number },
): Promise<RegisteredClient> {
  const { log, now, uncertainPause } = deps
  const { OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key = '', OIDC_INITIAL_ACCESS_TOKEN: token } = settings
  const { registration_endpoint: endpoint } = server
  if (endpoint === undefined)
    throw notRegistered('the authorization server has no registration endpoint', REFUSED_SECONDS)
  const jwks = method === 'private_key_jwt' ? publicJwks(key) : undefined
  let requested = requestedMetadata(settings, server, jwks)
  const { scope } = requested
  if (scope !== settings.OIDC_SCOPE)
    log.info({ requested: scope }, 'scopes of OIDC_SCOPE that the server does not list are not registered')
  let refusal: Problem | undefined
  for (const names of LEFT_OUT) {
    const kept = Object.entries(requested).filter(([name]) => !names.includes(name))
    requested = Object.fromEntries(kept) as typeof requested
    const { status, text, retryAfter } = await postRegistration(endpoint, { requested, token }, deps)
    const { error, description } = readRegistrationError(text, token)
    if (status >= 200 && status < 300 && error === undefined) {
      const client = readRegistrationResponse(text, requested, now())
      if (typeof client === 'string')
        throw notRegistered(`the registration endpoint responded ${status}, but ${client}`, uncertainPause())
      const differences = differencesIn(text, requested, client)
      if (differences !== '') log.warn({}, `the client is registered, but not as requested: ${differences}`)
      if (refusal !== undefined)
        log.warn({ requested: Object.keys(requested) }, 'the client is registered with less metadata')
      else if (differences === '') log.info({}, 'the client is registered')
      return client
    }
    refusal = refusalProblem(status, [error, description], requestedWait(retryAfter, now()))
    // Other statuses are about the permission to register.
    if (status >= 300 && status !== 400 && status !== 422) throw refusal
    log.warn({ requested: Object.keys(requested) }, refusal.detail)
  }
  throw refusal ?? new Error('there is always one attempt')
}

/** Members whose registered value differs from the requested one, for the log (RFC 7591 3.2.1). */
function differencesIn(
  text: string,
  requested: ReturnType<typeof requestedMetadata>,
  { token_endpoint_auth_method: method }: RegisteredClient,
): string {
  const { redirect_uris: addresses, token_endpoint_auth_method: agreed } = parseJsonObject(text) ?? {}
  const isOther = Array.isArray(addresses) && !requested.redirect_uris.every((one) => addresses.includes(one))
  return [
    isOther && 'redirect_uris differ from the request',
    method !== (agreed || requested.token_endpoint_auth_method) &&
      `the client authenticates with ${method}, because the response lacks the secret for the agreed method`,
  ]
    .filter((difference) => difference !== false)
    .join('; ')
}

function refusalProblem(status: number, error: (string | undefined)[], wait: number | undefined): Problem {
  const words = error.filter((part) => part !== undefined).join(': ')
  const reason = `the registration endpoint responded ${status}${words === '' ? '' : ` (${words})`}`
  const mayNeedToken = wait === undefined && (status === 401 || status === 403)
  const instead = mayNeedToken ? 'set OIDC_INITIAL_ACCESS_TOKEN if it requires one, or ' : ''
  return notRegistered(reason, Math.min(wait ?? REFUSED_SECONDS, HOUR_SECONDS), instead)
}

async function postRegistration(
  endpoint: string,
  { requested, token }: { requested: object; token: string | undefined },
  { onCall, uncertainPause }: { onCall: OnCall; uncertainPause: () => number },
) {
  const post = { method: 'POST', body: JSON.stringify(requested), token }
  try {
    return await measureCall(
      () => inSpan('POST registration', { 'url.full': endpoint }, () => request(endpoint, post)),
      (response, seconds) => onCall({ operation: 'registration', status: response?.status, seconds }),
    )
  } catch (error) {
    const networkError = networkErrorOf(error)
    const reason = `no response from the registration endpoint: ${describeNetworkError(networkError)}`
    if (UNSENT.includes(networkError) || hasAdvice(networkError)) throw signInUnavailable(reason, error)
    throw notRegistered(`${reason} (a client may have been created anyway)`, uncertainPause())
  }
}

async function request(
  address: string,
  { method, token, body: sent }: { method: string; token: string | undefined; body?: string },
) {
  const authorization = token && `Bearer ${token}`
  const type = sent && 'application/json'
  const { status, body, headers } = await fetch(address, {
    method,
    headers: omitUndefined({ accept: 'application/json', 'content-type': type, authorization }),
    body: sent ?? null,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  })
  // The status suffices: a truncated body is still a response.
  const text = await readBody({ status, body }).catch(() => '')
  return { status, text, retryAfter: headers.get('retry-after') ?? undefined }
}

/** @returns undefined if the management address is missing, or not safe for the token */
function requestManagement(client: RegisteredClient, method: 'GET' | 'DELETE') {
  const { registration_client_uri: uri, registration_access_token: token } = client
  return isSafeUrl(uri) && typeof token === 'string' ? request(uri, { method, token }) : undefined
}

const REPLACEABLE =
  'client_secret client_secret_expires_at registration_access_token registration_client_uri'.split(' ')

/** Reads the client (RFC 7592 2.1 and 3). Only 401 means gone. @returns the client, updated if the server responds */
export async function readClient(client: RegisteredClient): Promise<RegisteredClient | 'gone'> {
  const response = await requestManagement(client, 'GET')?.catch(() => undefined)
  if (response?.status === 401) return 'gone'
  const body = response?.status === 200 ? parseJsonObject(response.text) : undefined
  if (body?.['client_id'] !== client.client_id) return client
  const replaced = REPLACEABLE.filter(
    (name) => body[name] !== client[name] && typeof body[name] === typeof client[name],
  )
  if (replaced.length === 0) return client
  return { ...client, ...Object.fromEntries(replaced.map((name) => [name, body[name]])) } as RegisteredClient
}

/** RFC 7592 2.3. Never throws. @returns `unsupported` without an address or token for a removal; a refusal's status */
export async function removeClient(client: RegisteredClient) {
  const removal = requestManagement(client, 'DELETE')
  if (removal === undefined) return 'unsupported'
  const response = await removal.catch(() => undefined)
  if (response === undefined) return 'no-response'
  return response.status >= 200 && response.status < 300 ? 'removed' : response.status
}
