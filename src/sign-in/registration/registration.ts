// Dynamic registration (RFC 7591): one registration over all processes, kept sealed, taken up again after a restart, made
// anew when its secret expires, when its management address says that it is gone (RFC 7592), or when other things are
// asked for. The library is not used for it: it gives up on answers after the client was made.
import { setTimeout as pause } from 'node:timers/promises'
import type { ServerMetadata } from 'openid-client'
import { parseJsonObject, readBody } from '../../http/body.ts'
import { requestedWait } from '../../http/retry-after.ts'
import {
  hasAdvice,
  describeNetworkError,
  networkErrorOf,
  type NetworkError,
} from '../../http/network-error.ts'
import { isSafe } from '../../http/loopback.ts'
import { Problem } from '../../problem.ts'
import type { KeyRing } from '../../records/data-key.ts'
import { takeLease } from '../../records/lease.ts'
import type { Records } from '../../records/records.ts'
import { sealedJson } from '../../records/sealed-json.ts'
import { timed, type OnCall } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Log } from '../../web/log.ts'
import { signInUnavailable } from '../server/error-response.ts'
import { keyThumbprint, publicJwks } from '../server/client-authentication.ts'
import {
  readErrorResponse,
  readRegistrationResponse,
  requestedMetadata,
  registrationAttempts,
  type RegisteredClient,
} from './metadata.ts'

type Asking = { log: Pick<Log, 'info' | 'warn'>; onCall?: OnCall | undefined; now: () => number }

const TIME_LIMIT_MS = 10_000
/** A client was made, or may have been: the next try could make another one. */
const HOUR_SECONDS = 3600
/** The next tries come later and later. */
const REFUSED_SECONDS = 5
/** These fail before anything is sent. */
const UNSENT: readonly NetworkError[] = ['unknown-name', 'refused', 'no-tls']

/** A registration that does not come about is for the operator to know, with what to do instead. @param wait seconds */
const notRegistered = (what: string, wait: number, instead = ''): Problem =>
  new Problem(503, 'sign_in_misconfigured', {
    detail: `${what}: ${instead}register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
    retryAfter: wait,
  })

/**
 * Asks once, and again with less only where the server refused what was asked for and so made nothing.
 * @throws {Problem} with the seconds until the next try: an hour where a client was made, or may have been; as long as the
 * server asks for (up to an hour) where it refuses
 */
export async function registerClient(
  settings: Settings,
  server: ServerMetadata,
  { log, onCall, now }: Asking,
): Promise<RegisteredClient> {
  const { OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key, OIDC_INITIAL_ACCESS_TOKEN: token } = settings
  const { registration_endpoint: endpoint } = server
  if (endpoint === undefined)
    throw notRegistered('the authorization server has no registration endpoint', REFUSED_SECONDS)
  const jwks = method === 'private_key_jwt' ? publicJwks(key ?? '') : undefined
  const metadata = requestedMetadata(settings, server, jwks)
  const words = 'OIDC_SCOPE has scopes that the server does not list: not registered for'
  if (metadata['scope'] !== settings.OIDC_SCOPE) log.info({ asked: metadata['scope'] }, words)
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  let refused: Problem | undefined
  for (const requested of registrationAttempts(metadata)) {
    const { status, text, retryAfter } = await post(
      endpoint,
      { method: 'POST', headers, body: JSON.stringify(requested) },
      onCall,
    )
    const { error, description } = readErrorResponse(text, token)
    if (status >= 200 && status < 300 && error === undefined) {
      const read = readRegistrationResponse(text, requested, now())
      if ('unusable' in read)
        throw notRegistered(
          `the registration endpoint answered ${status}, but ${read.unusable}`,
          HOUR_SECONDS,
        )
      const differs = read.oddities.join('; ')
      if (differs === '') log.info({}, 'the client is registered')
      else log.warn({}, `the client is registered, but not as asked: ${differs}`)
      if (refused !== undefined)
        log.warn({ requested: Object.keys(requested) }, 'the client is registered with less')
      return read.client
    }
    refused = refusal(status, [error, description], requestedWait(retryAfter, now()))
    // Anything else is about the right to register, not about what was asked for.
    if (status >= 300 && status !== 400 && status !== 422) throw refused
    log.warn({ requested: Object.keys(requested) }, refused.detail ?? '')
  }
  throw refused ?? new Error('there is a request to try')
}

function refusal(status: number, said: (string | undefined)[], wait: number | undefined): Problem {
  const words = said.filter((one) => one !== undefined).join(': ')
  const why = `the registration endpoint answered ${status}${words === '' ? '' : ` (${words})`}`
  const mayNeedToken = wait === undefined && (status === 401 || status === 403)
  const instead = mayNeedToken ? 'set OIDC_INITIAL_ACCESS_TOKEN if it asks for one, or ' : ''
  return notRegistered(why, Math.min(wait ?? REFUSED_SECONDS, HOUR_SECONDS), instead)
}

type Answer = { status: number; text: string; retryAfter: string | undefined }

async function post(endpoint: string, request: RequestInit, onCall: OnCall | undefined): Promise<Answer> {
  try {
    return await timed(
      () => inSpan('POST registration', { 'url.full': endpoint }, () => exchange(endpoint, request)),
      (answer, seconds) => onCall?.({ operation: 'registration', status: answer?.status, seconds }),
    )
  } catch (error) {
    const silence = networkErrorOf(error)
    const why = `the registration endpoint gives no answer: ${describeNetworkError(silence)}`
    if (UNSENT.includes(silence) || hasAdvice(silence)) throw signInUnavailable(why, error)
    throw notRegistered(`${why} (a client may have been made all the same)`, HOUR_SECONDS)
  }
}

async function exchange(address: string, request: RequestInit): Promise<Answer> {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS)
  const { status, body, headers } = await fetch(address, { ...request, redirect: 'manual', signal })
  // A status says enough: a body that breaks off does not make it unheard.
  const text = body === null ? '' : await readBody({ status, body }).catch(() => '')
  return { status, text, retryAfter: headers.get('retry-after') ?? undefined }
}

/** Asks at the client's management address, or undefined where the server gave none that is safe. */
function manage(client: RegisteredClient, method: 'GET' | 'DELETE'): Promise<Answer> | undefined {
  const { registration_client_uri: uri, registration_access_token: token } = client
  if (typeof uri !== 'string' || typeof token !== 'string' || !URL.canParse(uri)) return undefined
  // The token goes there.
  if (!isSafe(new URL(uri))) return undefined
  return exchange(uri, { method, headers: { accept: 'application/json', authorization: `Bearer ${token}` } })
}

/** What a server may replace when it is asked about a client (RFC 7592 3): its new secret and token count from now on. */
const REPLACED = [
  'client_secret',
  'client_secret_expires_at',
  'registration_access_token',
  'registration_client_uri',
]

/** RFC 7592 2.1. Only 401 means gone. @returns the client with what was replaced; unchanged if the server can't tell */
async function lookedUp(client: RegisteredClient): Promise<RegisteredClient | 'gone'> {
  const answer = await manage(client, 'GET')?.catch(() => undefined)
  if (answer?.status === 401) return 'gone'
  const body = answer?.status === 200 ? parseJsonObject(answer.text) : undefined
  if (body?.['client_id'] !== client.client_id) return client
  const replaced = REPLACED.filter(
    (name) => body[name] !== client[name] && typeof body[name] === typeof client[name],
  )
  if (replaced.length === 0) return client
  return { ...client, ...Object.fromEntries(replaced.map((name) => [name, body[name]])) } as RegisteredClient
}

/** `no-means`: the server gave no address or token for it. */
export type Removal = { kind: 'removed' | 'no-means' | 'unanswered' } | { kind: 'refused'; status: number }

/** Removes a client that registered itself (RFC 7592 2.3): best effort, it does not throw. */
export async function removeClient(client: RegisteredClient): Promise<Removal> {
  const asked = manage(client, 'DELETE')
  if (asked === undefined) return { kind: 'no-means' }
  const answer = await asked.catch(() => undefined)
  if (answer === undefined) return { kind: 'unanswered' }
  const isRemoved = answer.status >= 200 && answer.status < 300
  return isRemoved ? { kind: 'removed' } : { kind: 'refused', status: answer.status }
}

const LIFE_SECONDS = 5 * 365 * 24 * 3600
const RENEW_AHEAD_MS = 3600 * 1000
const WAIT_FOR_OTHERS_MS = 10_000
const LOOK_EVERY_MS = 200

/** When the client has to be made anew; milliseconds since 1970. 0 means that it does not expire (RFC 7591 3.2.1). */
export function renewalTime(client: Partial<RegisteredClient>): number {
  const expires = (client.client_secret_expires_at ?? 0) * 1000
  if (client.client_secret === undefined || expires === 0) return Infinity
  const life = typeof client.registered_at === 'number' ? expires - client.registered_at : RENEW_AHEAD_MS
  return expires - Math.min(RENEW_AHEAD_MS, life * 0.1)
}

/** Is the secret good for a while yet? */
export const isLasting = (client: Partial<RegisteredClient>, now: number): boolean =>
  renewalTime(client) > now

/** What a registration depends on: the server, and everything that is asked for there. Another one is made when it changes. */
function identityOf(settings: Settings): string {
  const { PUBLIC_URL, OIDC_ISSUER, OIDC_SCOPE, OIDC_CLIENT_AUTH: method, OIDC_CLIENT_KEY: key } = settings
  const keyName = method === 'private_key_jwt' ? keyThumbprint(key ?? '') : ''
  const scope = OIDC_SCOPE.split(' ').toSorted().join(' ')
  return [OIDC_ISSUER, PUBLIC_URL, scope, method, keyName].join('\n')
}

export type RegistrationNeeds = {
  records: Pick<Records, 'get' | 'put' | 'remove' | 'compareAndSet' | 'compareAndRemove'>
  keyRing: KeyRing
  now: () => number
}

/** The registration that onramp makes with these settings; this asks no one anything yet. */
export function createRegistration(settings: Settings, { records, keyRing, now }: RegistrationNeeds) {
  const identity = identityOf(settings)

  async function opened() {
    const { sealer, keyFor } = await keyRing.dataKey()
    const [key, json] = [`client:${keyFor('client', identity)}`, sealedJson<RegisteredClient>(sealer)]
    return { key, json, client: json.open(await records.get(key), key) }
  }

  /** The client as it is registered, if it is and lasts a while. */
  async function stored(): Promise<RegisteredClient | undefined> {
    const { client } = await opened()
    return client && isLasting(client, now()) ? client : undefined
  }

  async function save(client: RegisteredClient): Promise<RegisteredClient> {
    const { key, json } = await opened()
    await records.put(key, json.seal(client, key), LIFE_SECONDS)
    return client
  }

  async function registerNew(register: () => Promise<RegisteredClient>): Promise<RegisteredClient> {
    const client = await save(await register())
    const found = await lookedUp(client)
    // A server whose management address refuses a client that it has just made can't be asked there.
    const { registration_client_uri: _uri, ...unmanaged } = client
    if (found === 'gone') return await save(unmanaged)
    return found === client ? client : await save(found)
  }

  async function currentAlone(register: () => Promise<RegisteredClient>): Promise<RegisteredClient> {
    const client = await stored()
    const found = client === undefined ? 'gone' : await lookedUp(client)
    if (found === 'gone') return await registerNew(register)
    return found === client ? client : await save(found)
  }

  return {
    stored,
    /**
     * The same, registering it first if it is not there or the server says that it is gone: for background work only.
     * @param register asks the server @throws {Problem} what `register` throws, sign_in_unavailable
     */
    async current(register: () => Promise<RegisteredClient>): Promise<RegisteredClient> {
      for (const until = now() + WAIT_FOR_OTHERS_MS; now() < until; await pause(LOOK_EVERY_MS)) {
        const lease = await takeLease(records, (await opened()).key)
        if (lease !== undefined) return await currentAlone(register).finally(() => lease.release())
        // The holder of the lease asks whether it is still known.
        const client = await stored()
        if (client !== undefined) return client
      }
      throw signInUnavailable('another process holds the lease to register the client and does not finish')
    },
    /** For the operator: the next start registers again. @returns the client that was forgotten */
    async forget(): Promise<RegisteredClient | undefined> {
      const { key, client } = await opened()
      await records.remove(key)
      return client
    },
  }
}
