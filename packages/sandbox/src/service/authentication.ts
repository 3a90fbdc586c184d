// Who may call, and how often: the contract's section on authentication, for the Indexing API too, whose own rules are
// not shown. The contract names two messages without a status for them; here it is 401.
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { findPerson, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

/** A refused call: thrown while it is answered; the service answers with it. */
export class HttpError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Issuer = {
  /** The id of the person that an access token stands for, while it is valid. */
  personOf: (accessToken: string) => Promise<string | undefined>
}

/**
 * Creates the service tokens, and the rules for these and for access tokens of both issuers.
 * @param headerPrefix what the service's own headers begin with
 */
export function createAuthentication(
  people: Person[],
  switches: SwitchesControl,
  [own, external]: [Issuer, Issuer],
  headerPrefix = 'X-Service',
) {
  const actAsHeader = `${headerPrefix}-ActAs`
  const global = randomBytes(24).toString('base64url')
  const users = new Map<string, { person: Person; scopes: string[] | undefined }>()

  function user(personId: string, scopes?: string[]): string {
    const person = findPerson(people, personId)
    const named = JSON.stringify([personId, scopes])
    const token = createHmac('sha256', global).update(named).digest('base64url')
    users.set(token, { person, scopes })
    return token
  }

  function actAs(given: string | string[] | undefined): Person {
    if (!given) throw new HttpError(401, `Required header missing: ${actAsHeader}`)
    const email = String(given).toLowerCase()
    const person = people.find((one) => one.email.toLowerCase() === email)
    if (!person) throw new HttpError(400, `${actAsHeader} names an unknown person: ${email}`)
    return person
  }

  async function oauthCaller(token: string, authType: unknown): Promise<Person | undefined> {
    const id = await own.personOf(token)
    const externalId = id === undefined ? await external.personOf(token) : undefined
    if (externalId !== undefined && authType !== 'OAUTH')
      throw new HttpError(401, switches.get().externalTokenMessage)
    return people.find((person) => person.id === (id ?? externalId))
  }

  return {
    /** `user`: the token of a person; with `scopes`, one that is narrowed to these operations. */
    tokens: { global, user },
    limit: createRateLimit(switches),
    /** @throws HttpError */
    async identify(headers: IncomingHttpHeaders, operation: string): Promise<Person> {
      const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (token === undefined) throw new HttpError(401, 'Unauthorized')
      if (token === global) return actAs(headers[actAsHeader.toLowerCase()])
      const known = users.get(token)
      if (known?.scopes && !known.scopes.includes(operation))
        throw new HttpError(403, `Forbidden: the token lacks the scope for ${operation}`)
      const authType = headers[`${headerPrefix}-Auth-Type`.toLowerCase()]
      const person = known?.person ?? (await oauthCaller(token, authType))
      if (!person) throw new HttpError(401, 'Unauthorized')
      return person
    },
  }
}

/** The limit of the Client API, when the switch sets one: a bucket that fills evenly. */
function createRateLimit(switches: SwitchesControl) {
  let tokens = Infinity
  let filledAt = 0
  let waitUntil = 0
  let counts = { refused: 0, tooEarly: 0 }
  return {
    /** @returns seconds to wait, or undefined when the call may go on */
    take(): number | undefined {
      const limit = switches.get().rateLimit
      if (!limit) return undefined
      const now = Date.now()
      tokens = Math.min(limit.burst, tokens + ((now - filledAt) / 1000) * limit.perSecond)
      filledAt = now
      if (now >= waitUntil && tokens >= 1) {
        tokens--
        return undefined
      }
      counts.refused++
      if (now < waitUntil) counts.tooEarly++
      const seconds = Math.max(1, Math.ceil((1 - tokens) / limit.perSecond))
      waitUntil = Math.max(waitUntil, now + seconds * 1000)
      return seconds
    },
    /** `tooEarly`: refused calls that came before the Retry-After of another one was over. */
    counts: () => ({ ...counts }),
    clear(): void {
      tokens = Infinity
      filledAt = waitUntil = 0
      counts = { refused: 0, tooEarly: 0 }
    },
  }
}
