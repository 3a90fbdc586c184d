// Who may call, and how often: the contract's section on authentication, for the Indexing API too, whose own rules are
// not shown. The contract names two messages without a status for them; `refusalStatus` is that status.
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { findPerson, personWithId, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

/** A refused call: thrown while it is answered; the service answers with it. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Answers with a refusal. The contract shows no shape for error bodies, so the switch `errorShape` chooses one. */
export function sendRefusal(
  res: ServerResponse,
  { status, message }: Refusal,
  switches: SwitchesControl,
): void {
  const [contentType, body] = {
    text: ['text/plain; charset=utf-8', message],
    html: ['text/html; charset=utf-8', `<!doctype html><title>${status}</title><p>${message}</p>`],
    message: ['application/json', JSON.stringify({ message })],
    error: ['application/json', JSON.stringify({ error: { code: status, message } })],
    errors: ['application/json', JSON.stringify({ errors: [{ message }] })],
  }[switches.get().errorShape]
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {}
  res.writeHead(status, { 'content-type': contentType, ...challenge }).end(body)
}

export type ServiceTokens = {
  global: string
  /** The token of a person; with `scopes`, a new one that is narrowed to these operations. */
  user: (personId: string, scopes?: string[]) => string
}

export type Callers = ReturnType<typeof createCallers>

/** The id of the person that an access token stands for, while it is valid. */
type PersonOf = (accessToken: string) => Promise<string | undefined>

type CallersOf = {
  people: Person[]
  switches: SwitchesControl
  own: PersonOf
  external: PersonOf
  /** What the service's own headers begin with, such as `X-Service`. */
  headerPrefix: string
}

const newToken = () => randomBytes(24).toString('base64url')

/** Creates the service tokens, and the rules for these and for what the service's own and the external issuer issue. */
export function createCallers({ people, switches, own, external, headerPrefix }: CallersOf) {
  const actAsHeader = `${headerPrefix}-ActAs`
  const authTypeHeader = `${headerPrefix}-Auth-Type`.toLowerCase()
  const global = newToken()
  const unrestricted = new Map<string, string>()
  const users = new Map<string, { personId: string; scopes: string[] | undefined }>()

  function user(personId: string, scopes?: string[]): string {
    findPerson(people, personId)
    const token = (scopes ? undefined : unrestricted.get(personId)) ?? newToken()
    users.set(token, { personId, scopes })
    if (!scopes) unrestricted.set(personId, token)
    return token
  }

  function actAs(given: string | string[] | undefined): Person {
    const { refusalStatus } = switches.get()
    if (!given) throw new Refusal(refusalStatus, `Required header missing: ${actAsHeader}`)
    const email = String(given).toLowerCase()
    const person = people.find((one) => one.email.toLowerCase() === email)
    if (!person) throw new Refusal(400, `${actAsHeader} names an unknown person: ${email}`)
    return person
  }

  async function oauthCaller(token: string, authType: unknown): Promise<string | undefined> {
    const known = await own(token)
    if (known !== undefined) return known
    const found = await external(token)
    const { refusalStatus, externalTokenMessage } = switches.get()
    if (found !== undefined && authType !== 'OAUTH') throw new Refusal(refusalStatus, externalTokenMessage)
    return found
  }

  return {
    tokens: { global, user } satisfies ServiceTokens,
    /** @throws Refusal */
    async identify(headers: IncomingHttpHeaders, operation: string): Promise<Person> {
      const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (token === undefined) throw new Refusal(401, 'Unauthorized')
      if (token === global) return actAs(headers[actAsHeader.toLowerCase()])
      const known = users.get(token)
      if (known?.scopes && !known.scopes.includes(operation))
        throw new Refusal(403, `Forbidden: the token lacks the scope for ${operation}`)
      const id = known?.personId ?? (await oauthCaller(token, headers[authTypeHeader]))
      const person = personWithId(people, id)
      if (!person) throw new Refusal(401, 'Unauthorized')
      return person
    },
  }
}

export type RateLimit = ReturnType<typeof createRateLimit>

/** The limit of the Client API, when the switch sets one: a bucket that fills evenly. */
export function createRateLimit(switches: SwitchesControl) {
  const initial = () => ({
    /** `tooEarly`: calls that came after a refusal and before its Retry-After was over. */
    counts: { answered: 0, refused: 0, tooEarly: 0 },
    tokens: Infinity,
    filledAt: 0,
    waitUntil: 0,
  })
  let state = initial()
  return {
    /** @returns seconds to wait, or undefined when the call may go on */
    take(): number | undefined {
      const { counts, filledAt, waitUntil } = state
      const limit = switches.get().rateLimit
      const now = Date.now()
      if (limit) {
        state.tokens = Math.min(limit.burst, state.tokens + ((now - filledAt) / 1000) * limit.perSecond)
        state.filledAt = now
      }
      if (!limit || (now >= waitUntil && state.tokens >= 1)) {
        if (limit) state.tokens--
        counts.answered++
        return undefined
      }
      if (now < waitUntil) counts.tooEarly++
      counts.refused++
      const seconds = Math.max(1, Math.ceil((1 - state.tokens) / limit.perSecond))
      state.waitUntil = Math.max(waitUntil, now + seconds * 1000)
      return seconds
    },
    counts: () => ({ ...state.counts }),
    clear: () => void (state = initial()),
  }
}
