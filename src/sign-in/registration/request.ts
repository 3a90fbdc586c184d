// Asks the registration endpoint for a client (RFC 7591 3): once, and again with less only where the server refused and
// so made none. The library is not used for it: it gives up on answers after the client was made.
import { readLimited } from '../../client-api/body.ts'
import { waitAskedFor } from '../../client-api/errors.ts'
import { isOfProxy, silenceInWords, silenceOf, type Silence } from '../../client-api/silence.ts'
import { isSafe } from '../../loopback.ts'
import type { Log } from '../../web/log.ts'
import { readRefusal, readRegistered, type Read, type Registered } from './answer.ts'
import { isAboutTheRequest, withoutOne, type Refusal, type Wishes } from './wishes.ts'

/** What came of asking; `why` is for the log. */
export type Outcome =
  | { kind: 'registered'; client: Registered }
  /** Nothing was made. `isFinal`: nor with anything less. `wait`: seconds that the server asks to be left alone. */
  | { kind: 'refused'; status: number; why: string; isFinal?: boolean; wait?: number | undefined }
  /** The server took the request, so that a client may have been made, but it cannot be used. */
  | { kind: 'unusable'; why: string }
  /** An error of the server's own: a client may have been made all the same. */
  | { kind: 'failed'; status: number; why: string }
  /** Nothing was heard; `sent`: a client may have been made all the same. */
  | { kind: 'unanswered'; sent: boolean; why: string }

export type RegistrationRequest = {
  endpoint: string
  wishes: Wishes
  initialAccessToken: string | undefined
  /** Milliseconds since 1970. */
  now: () => number
  log: Pick<Log, 'info' | 'warn'>
}

const TIME_LIMIT_MS = 10_000
/** These fail before anything is sent. */
const UNSENT: readonly Silence[] = ['unknown-name', 'refused', 'certificate', 'no-tls']

export async function requestRegistration(request: RegistrationRequest): Promise<Outcome> {
  const { log, now, initialAccessToken } = request
  let { wishes } = request
  const leftOut: string[] = []
  // It ends with the wishes that can be left out.
  for (;;) {
    const answer = await post(request, wishes)
    if ('silence' in answer) {
      const why = `the registration endpoint gives no answer: ${silenceInWords(answer.silence)}`
      return { kind: 'unanswered', sent: !UNSENT.includes(answer.silence) && !isOfProxy(answer.silence), why }
    }
    const { status, text, retryAfter } = answer
    if (status >= 200 && status < 300) {
      const read = readRegistered(text, wishes, now())
      if ('client' in read) return accepted(read, leftOut, log)
      return { kind: 'unusable', why: `the registration endpoint answered ${status}, but ${read.unusable}` }
    }
    const refusal: Refusal = { status, ...readRefusal(text, initialAccessToken) }
    // Only a refusal says that none was made. 503 says so too (RFC 9110 15.6.4), and that it may soon be otherwise.
    const why = inWords(refusal)
    if (status === 503 || status === 429)
      return { kind: 'refused', status, why, wait: waitAskedFor(retryAfter, now()) }
    if (status < 400 || status >= 500) return { kind: 'failed', status, why }
    const isOurs = isAboutTheRequest(refusal)
    const less = isOurs ? withoutOne(wishes, refusal) : undefined
    if (less === undefined) return { kind: 'refused', status, why, isFinal: isOurs }
    log.warn({ ...refusal, leftOut: less.leftOut }, `${why}: asking without ${less.leftOut}`)
    leftOut.push(less.leftOut)
    ;({ wishes } = less)
  }
}

const inWords = ({ status, error, description }: Refusal): string => {
  const said = [error, description].filter((words) => words !== undefined).join(': ')
  return `the registration endpoint answered ${status}${said === '' ? '' : ` (${said})`}`
}

type Accepted = Extract<Read, { client: unknown }>

function accepted(
  { client, oddities }: Accepted,
  leftOut: string[],
  log: Pick<Log, 'info' | 'warn'>,
): Outcome {
  if (oddities.length > 0)
    log.warn({ oddities }, `the client is registered, but not as asked: ${oddities.join('; ')}`)
  if (leftOut.length > 0) log.warn({ leftOut }, `the client is registered without ${leftOut.join(', ')}`)
  else log.info({}, 'the client is registered')
  return { kind: 'registered', client }
}

async function post(
  { endpoint, initialAccessToken }: RegistrationRequest,
  wishes: Wishes,
): Promise<{ status: number; text: string; retryAfter: string | undefined } | { silence: Silence }> {
  const token = initialAccessToken === undefined ? {} : { authorization: `Bearer ${initialAccessToken}` }
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...token },
      body: JSON.stringify(wishes),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    // A status says enough: a body that breaks off does not make it unheard.
    const { status, body, headers } = response
    const text = body === null ? '' : await readLimited({ status, body }).catch(() => '')
    return { status, text, retryAfter: headers.get('retry-after') ?? undefined }
  } catch (error) {
    return { silence: silenceOf(error) }
  }
}

/** `no-means`: the server gave no address or token for it. */
export type Removal = { kind: 'removed' | 'no-means' | 'unanswered' } | { kind: 'refused'; status: number }

/** Removes a client that registered itself (RFC 7592 2.3): best effort, it does not throw. */
export async function removeClient(client: Registered): Promise<Removal> {
  const { registration_client_uri: uri, registration_access_token: token } = client
  if (typeof uri !== 'string' || typeof token !== 'string' || !URL.canParse(uri)) return { kind: 'no-means' }
  const url = new URL(uri)
  // The token goes there.
  if (!isSafe(url)) return { kind: 'no-means' }
  try {
    const response = await fetch(url.href, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    await response.body?.cancel()
    return response.ok ? { kind: 'removed' } : { kind: 'refused', status: response.status }
  } catch {
    return { kind: 'unanswered' }
  }
}
