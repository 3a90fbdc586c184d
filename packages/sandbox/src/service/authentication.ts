// Authentication and the rate limit of the Client API and the Indexing API, according to the contract's section on
// authentication. The contract has two messages without a status; here they are 401.
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { findPerson, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

/** An error that becomes the response of a call. */
export class HttpError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Finds the person of a valid access token. */
type TokenIssuer = { personOf: (accessToken: string) => Promise<string | undefined> }

/** @param headerPrefix of the service's own headers */
export function createAuthentication(
  people: Person[],
  switches: SwitchesControl,
  [own, external]: readonly [own: TokenIssuer, external: TokenIssuer],
  headerPrefix = 'X-Service',
) {
  const users = new Map<string, { person: Person; scopes: string[] | undefined }>()
  const global = randomBytes(24).toString('base64url')
  const actAsHeader = `${headerPrefix}-ActAs`

  /** The service token of a person; with `scopes`, limited to these operations. */
  function user(personId: string, scopes?: string[]): string {
    const person = findPerson(people, personId)
    const token = createHmac('sha256', global)
      .update(JSON.stringify([personId, scopes]))
      .digest('base64url')
    users.set(token, { person, scopes })
    return token
  }

  function actAs(value: string | string[] | undefined): Person {
    if (!value) throw new HttpError(401, `Required header missing: ${actAsHeader}`)
    const email = String(value).toLowerCase()
    const person = people.find((candidate) => candidate.email.toLowerCase() === email)
    if (!person) throw new HttpError(400, `${actAsHeader} names an unknown person: ${email}`)
    return person
  }

  async function personOf(accessToken: string, authType: unknown): Promise<Person | undefined> {
    const id = await own.personOf(accessToken)
    const externalId = id === undefined ? await external.personOf(accessToken) : undefined
    if (externalId !== undefined && authType !== 'OAUTH')
      throw new HttpError(401, switches.get().externalTokenMessage)
    return people.find((person) => person.id === (id ?? externalId))
  }

  /** @throws HttpError */
  async function identify(headers: IncomingHttpHeaders, operation: string): Promise<Person> {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    if (token === undefined) throw new HttpError(401, 'Unauthorized')
    if (token === global) return actAs(headers[actAsHeader.toLowerCase()])
    const knownUser = users.get(token)
    if (knownUser?.scopes && !knownUser.scopes.includes(operation))
      throw new HttpError(403, `Forbidden: the token lacks the scope for ${operation}`)
    const authType = headers[`${headerPrefix}-Auth-Type`.toLowerCase()]
    const person = knownUser?.person ?? (await personOf(token, authType))
    if (!person) throw new HttpError(401, 'Unauthorized')
    return person
  }

  return { tokens: { global, user }, identify }
}

const FULL = { tokens: Infinity, filledAt: 0, waitUntil: 0, refused: 0, tooEarly: 0 }

/** A token bucket for the switch `rateLimit`. */
export function createRateLimit(switches: SwitchesControl) {
  let bucket = { ...FULL }

  /** @returns seconds to wait; undefined if the call is allowed */
  function take(): number | undefined {
    const limit = switches.get().rateLimit
    if (!limit) return undefined
    const now = Date.now()
    bucket.tokens = Math.min(limit.burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * limit.perSecond)
    bucket.filledAt = now
    if (now >= bucket.waitUntil && bucket.tokens >= 1) {
      bucket.tokens--
      return undefined
    }
    bucket.refused++
    if (now < bucket.waitUntil) bucket.tooEarly++
    const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / limit.perSecond))
    bucket.waitUntil = Math.max(bucket.waitUntil, now + seconds * 1000)
    return seconds
  }

  return {
    take,
    /** `tooEarly`: refused calls during an earlier Retry-After. */
    counts: () => ({ refused: bucket.refused, tooEarly: bucket.tooEarly }),
    clear: () => void (bucket = { ...FULL }),
  }
}
