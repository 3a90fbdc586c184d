// Asks the registration endpoint for a client (RFC 7591 3): once, and again with less only where the server refused and
// so made none. The library is not used for it: it gives up on answers after the client was made.
import type { AuthorizationServer as ServerMetadata } from 'oauth4webapi'
import { readLimited } from '../../client-api/body.ts'
import { silenceInWords, silenceOf, type Silence } from '../../client-api/silence.ts'
import { readRefusal, readRegistered, type Registered } from './answer.ts'
import { isAboutTheRequest, withoutOne, type Refusal, type Wishes } from './wishes.ts'

export type RegistrationLog = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** What came of asking; `why` is for the log. */
export type Outcome =
  | { kind: 'registered'; client: Registered }
  /** Nothing was made. `isFinal`: nor with anything less. */
  | { kind: 'refused'; status: number; why: string; isFinal?: boolean }
  /** The server took the request, so that a client may have been made, but it cannot be used. */
  | { kind: 'unusable'; why: string }
  /** An error of the server's own: a client may have been made all the same. */
  | { kind: 'failed'; status: number; why: string }
  /** Nothing was heard; `sent`: a client may have been made all the same. */
  | { kind: 'unanswered'; sent: boolean; why: string }

export type RegistrationRequest = {
  server: ServerMetadata & { registration_endpoint: string }
  wishes: Wishes
  initialAccessToken: string | undefined
  /** Milliseconds since 1970. */
  now: () => number
  log: RegistrationLog
}

const TIME_LIMIT_MS = 10_000
const MAX_TRIES = 8
/** These fail before anything is sent. */
const UNSENT: readonly Silence[] = ['unknown-name', 'refused', 'certificate', 'no-tls']

export async function requestRegistration(request: RegistrationRequest): Promise<Outcome> {
  const { log, now, initialAccessToken } = request
  let { wishes } = request
  const leftOut: string[] = []
  for (let tries = 1; ; tries++) {
    const answer = await post(request, wishes)
    if ('silence' in answer) {
      const why = `the registration endpoint gives no answer: ${silenceInWords[answer.silence]}`
      return { kind: 'unanswered', sent: !UNSENT.includes(answer.silence), why }
    }
    const { status, text } = answer
    if (status >= 200 && status < 300) return accepted({ status, text, wishes, leftOut, log, now: now() })
    const refusal: Refusal = { status, ...readRefusal(text, initialAccessToken) }
    // Only a refusal says that none was made. 503 says so too (RFC 9110 15.6.4), and that it may soon be otherwise.
    if (status < 400 || status >= 500)
      return { kind: status === 503 ? 'refused' : 'failed', status, why: inWords(refusal) }
    const isOurs = isAboutTheRequest(refusal)
    const less = isOurs && tries < MAX_TRIES ? withoutOne(wishes, refusal) : undefined
    if (less === undefined) return { kind: 'refused', status, why: inWords(refusal), isFinal: isOurs }
    log.warn({ ...refusal, leftOut: less.leftOut }, `${inWords(refusal)}: asking without ${less.leftOut}`)
    leftOut.push(less.leftOut)
    ;({ wishes } = less)
  }
}

const inWords = ({ status, error, description }: Refusal): string => {
  const said = [error, description].filter((words) => words !== undefined).join(': ')
  return `the registration endpoint answered ${status}${said === '' ? '' : ` (${said})`}`
}

type Accepted = {
  status: number
  text: string
  wishes: Wishes
  leftOut: string[]
  log: RegistrationLog
  now: number
}

function accepted({ status, text, wishes, leftOut, log, now }: Accepted): Outcome {
  const read = readRegistered(text, wishes, now)
  if ('unusable' in read)
    return { kind: 'unusable', why: `the registration endpoint answered ${status}, but ${read.unusable}` }
  if (read.oddities.length > 0)
    log.warn(
      { oddities: read.oddities },
      `the client is registered, but not as asked: ${read.oddities.join('; ')}`,
    )
  if (leftOut.length > 0) log.warn({ leftOut }, `the client is registered without ${leftOut.join(', ')}`)
  else log.info({}, 'the client is registered')
  return { kind: 'registered', client: read.client }
}

async function post(
  { server, initialAccessToken }: RegistrationRequest,
  wishes: Wishes,
): Promise<{ status: number; text: string } | { silence: Silence }> {
  const token = initialAccessToken === undefined ? {} : { authorization: `Bearer ${initialAccessToken}` }
  try {
    const response = await fetch(server.registration_endpoint, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...token },
      body: JSON.stringify(wishes),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
    })
    const text = response.body === null ? '' : await textOf(response.body)
    return { status: response.status, text }
  } catch (error) {
    return { silence: silenceOf(error) }
  }
}

/** A status says enough by itself: a body that breaks off does not make it unheard. */
async function textOf(body: ReadableStream<Uint8Array>): Promise<string> {
  return await readLimited(body).catch(() => '')
}
