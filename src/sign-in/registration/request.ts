// Asks the registration endpoint for a client (RFC 7591 3), and its management address whether it is still known
// (RFC 7592). The library is not used for it: it gives up on answers after the client was made.
import { objectIn, readLimited } from '../../client-api/body.ts'
import { requestedWait } from '../../client-api/retry-after.ts'
import { isOfProxy, silenceInWords, silenceOf, type Silence } from '../../client-api/silence.ts'
import { isSafe } from '../../loopback.ts'
import { Problem } from '../../problem.ts'
import { timed, type OnCall } from '../../trace/calls.ts'
import { inSpan } from '../../trace/spans.ts'
import type { Log } from '../../web/log.ts'
import { signInUnavailable } from '../answer-problems.ts'
import { readRefusal, readRegistered, type Registered } from './answer.ts'
import { isAboutTheRequest, requestsFor, type Refusal, type RequestedMetadata } from './metadata.ts'

type RegistrationRequest = {
  endpoint: string
  metadata: RequestedMetadata
  initialAccessToken: string | undefined
  /** Milliseconds since 1970. */
  now: () => number
  log: Pick<Log, 'info' | 'warn'>
  onCall?: OnCall | undefined
}

const TIME_LIMIT_MS = 10_000
/** A client was made, or may have been: the next try could make another one. */
const HOUR_SECONDS = 3600
/** The next tries come later and later. */
const REFUSED_SECONDS = 5
/** These fail before anything is sent. */
const UNSENT: readonly Silence[] = ['unknown-name', 'refused', 'certificate', 'no-tls']

/** A registration that does not come about is for the operator to know, with what to do instead. @param wait seconds */
export const notRegistered = (what: string, wait: number, instead = ''): Problem =>
  new Problem(503, 'sign_in_misconfigured', {
    detail: `${what}: ${instead}register a client by hand and set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
    retryAfter: wait,
  })

/**
 * Asks once, and again with less only where the server refused what was asked for and so made nothing.
 * @throws {Problem} with the seconds until the next try: an hour where a client was made, or may have been; as long as the
 * server asks for (up to an hour) where it refuses
 */
export async function requestRegistration(request: RegistrationRequest): Promise<Registered> {
  const { metadata, initialAccessToken, now, log } = request
  let refused: Problem | undefined
  for (const requested of requestsFor(metadata)) {
    const { status, text, retryAfter } = await post(request, requested)
    if (status >= 200 && status < 300) {
      const read = readRegistered(text, requested, now())
      if ('unusable' in read)
        throw notRegistered(
          `the registration endpoint answered ${status}, but ${read.unusable}`,
          HOUR_SECONDS,
        )
      noteWhatDiffers(read.oddities, log)
      if (refused !== undefined)
        log.warn({ requested: Object.keys(requested) }, 'the client is registered with less')
      return read.client
    }
    const refusal: Refusal = { status, ...readRefusal(text, initialAccessToken) }
    refused = problemOf(refusal, requestedWait(retryAfter, now()))
    if (!isAboutTheRequest(refusal)) throw refused
    log.warn({ requested: Object.keys(requested) }, refused.detail ?? '')
  }
  throw refused ?? new Error('there is a request to try')
}

function problemOf({ status, error, description }: Refusal, wait: number | undefined): Problem {
  const answer = [error, description].filter((words) => words !== undefined).join(': ')
  const why = `the registration endpoint answered ${status}${answer === '' ? '' : ` (${answer})`}`
  if (wait !== undefined) return notRegistered(why, Math.min(wait, HOUR_SECONDS))
  const instead =
    status === 401 || status === 403 ? 'set OIDC_INITIAL_ACCESS_TOKEN if it asks for one, or ' : ''
  return notRegistered(why, REFUSED_SECONDS, instead)
}

function noteWhatDiffers(oddities: string[], log: Pick<Log, 'info' | 'warn'>): void {
  if (oddities.length === 0) log.info({}, 'the client is registered')
  else log.warn({ oddities }, `the client is registered, but not as asked: ${oddities.join('; ')}`)
}

type Answer = { status: number; text: string; retryAfter: string | undefined }

async function post(
  { endpoint, initialAccessToken, onCall }: RegistrationRequest,
  requested: RequestedMetadata,
): Promise<Answer> {
  const token = initialAccessToken === undefined ? {} : { authorization: `Bearer ${initialAccessToken}` }
  const ask = () =>
    exchange(endpoint, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...token },
      body: JSON.stringify(requested),
    })
  try {
    return await timed(
      () => inSpan('POST registration', { 'url.full': endpoint }, ask),
      (answer, seconds) => onCall?.({ operation: 'registration', status: answer?.status, seconds }),
    )
  } catch (error) {
    const silence = silenceOf(error)
    const why = `the registration endpoint gives no answer: ${silenceInWords(silence)}`
    if (UNSENT.includes(silence) || isOfProxy(silence)) throw signInUnavailable(why, error)
    throw notRegistered(`${why} (a client may have been made all the same)`, HOUR_SECONDS)
  }
}

async function exchange(address: string, request: RequestInit): Promise<Answer> {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS)
  const { status, body, headers } = await fetch(address, { ...request, redirect: 'manual', signal })
  // A status says enough: a body that breaks off does not make it unheard.
  const text = body === null ? '' : await readLimited({ status, body }).catch(() => '')
  return { status, text, retryAfter: headers.get('retry-after') ?? undefined }
}

/** Asks at the client's management address, or undefined where the server gave none that is safe. */
function manage(client: Registered, method: 'GET' | 'DELETE'): Promise<Answer> | undefined {
  const { registration_client_uri: uri, registration_access_token: token } = client
  if (typeof uri !== 'string' || typeof token !== 'string' || !URL.canParse(uri)) return undefined
  // The token goes there.
  if (!isSafe(new URL(uri))) return undefined
  return exchange(uri, { method, headers: { accept: 'application/json', authorization: `Bearer ${token}` } })
}

/** `unknown`: the server has no management address, gave no answer, or one that says nothing. */
export type Standing = 'known' | 'gone' | 'unknown'

/**
 * Is the client still registered (RFC 7592 2.1)? Only 401 says no.
 * @returns with `renewed` what the server replaced: its new secret and access token count from now on (RFC 7592 3)
 */
export async function readStanding(
  client: Registered,
): Promise<{ standing: Standing; renewed?: Registered }> {
  const answer = await manage(client, 'GET')?.catch(() => undefined)
  if (answer?.status === 401) return { standing: 'gone' }
  if (answer?.status !== 200) return { standing: 'unknown' }
  const body = objectIn(answer.text)
  if (body?.['client_id'] !== client.client_id) return { standing: 'unknown' }
  const names = [
    'client_secret',
    'client_secret_expires_at',
    'registration_access_token',
    'registration_client_uri',
  ]
  const replaced = names.filter(
    (name) => body[name] !== client[name] && typeof body[name] === typeof client[name],
  )
  if (replaced.length === 0) return { standing: 'known' }
  const renewed = {
    ...client,
    ...Object.fromEntries(replaced.map((name) => [name, body[name]])),
  } as Registered
  return { standing: 'known', renewed }
}

/** `no-means`: the server gave no address or token for it. */
export type Removal = { kind: 'removed' | 'no-means' | 'unanswered' } | { kind: 'refused'; status: number }

/** Removes a client that registered itself (RFC 7592 2.3): best effort, it does not throw. */
export async function removeClient(client: Registered): Promise<Removal> {
  const asked = manage(client, 'DELETE')
  if (asked === undefined) return { kind: 'no-means' }
  const answer = await asked.catch(() => undefined)
  if (answer === undefined) return { kind: 'unanswered' }
  const isRemoved = answer.status >= 200 && answer.status < 300
  return isRemoved ? { kind: 'removed' } : { kind: 'refused', status: answer.status }
}
