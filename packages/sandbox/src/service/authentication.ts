// Authentication and the rate limit of the Client API and the Indexing API, by the contract's section on authentication.
// The contract shows two messages without a status; here they are 401.
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { findPerson, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

/** Thrown while a call is handled; it becomes the response. */
export class HttpError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The person of an access token, while it is valid. */
type TokenIssuer = { personOf: (accessToken: string) => Promise<string | undefined> }

export class Authentication {
  /** `user`: the service token of a person; with `scopes`, limited to these operations. */
  readonly tokens = {
    global: randomBytes(24).toString('base64url'),
    user: (personId: string, scopes?: string[]) => this.userToken(personId, scopes),
  }
  private readonly users = new Map<string, { person: Person; scopes: string[] | undefined }>()
  private readonly people: Person[]
  private readonly switches: SwitchesControl
  private readonly issuers: readonly [own: TokenIssuer, external: TokenIssuer]
  private readonly headerPrefix: string

  /** @param headerPrefix of the service's own headers */
  constructor(
    people: Person[],
    switches: SwitchesControl,
    issuers: readonly [own: TokenIssuer, external: TokenIssuer],
    headerPrefix = 'X-Service',
  ) {
    this.people = people
    this.switches = switches
    this.issuers = issuers
    this.headerPrefix = headerPrefix
  }

  /** @throws HttpError */
  async identify(headers: IncomingHttpHeaders, operation: string): Promise<Person> {
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    if (token === undefined) throw new HttpError(401, 'Unauthorized')
    const actAs = `${this.headerPrefix}-ActAs`
    if (token === this.tokens.global) return this.actAs(actAs, headers[actAs.toLowerCase()])
    const known = this.users.get(token)
    if (known?.scopes && !known.scopes.includes(operation))
      throw new HttpError(403, `Forbidden: the token lacks the scope for ${operation}`)
    const authType = headers[`${this.headerPrefix}-Auth-Type`.toLowerCase()]
    const person = known?.person ?? (await this.personOf(token, authType))
    if (!person) throw new HttpError(401, 'Unauthorized')
    return person
  }

  private userToken(personId: string, scopes?: string[]): string {
    const person = findPerson(this.people, personId)
    const token = createHmac('sha256', this.tokens.global)
      .update(JSON.stringify([personId, scopes]))
      .digest('base64url')
    this.users.set(token, { person, scopes })
    return token
  }

  private actAs(header: string, value: string | string[] | undefined): Person {
    if (!value) throw new HttpError(401, `Required header missing: ${header}`)
    const email = String(value).toLowerCase()
    const person = this.people.find((one) => one.email.toLowerCase() === email)
    if (!person) throw new HttpError(400, `${header} names an unknown person: ${email}`)
    return person
  }

  private async personOf(accessToken: string, authType: unknown): Promise<Person | undefined> {
    const [own, external] = this.issuers
    const id = await own.personOf(accessToken)
    const externalId = id === undefined ? await external.personOf(accessToken) : undefined
    if (externalId !== undefined && authType !== 'OAUTH')
      throw new HttpError(401, this.switches.get().externalTokenMessage)
    return this.people.find((person) => person.id === (id ?? externalId))
  }
}

/** The limit of the switch `rateLimit`: a token bucket. */
export class RateLimit {
  private readonly switches: SwitchesControl
  private tokens = Infinity
  private filledAt = 0
  private waitUntil = 0
  private refused = 0
  private tooEarly = 0

  constructor(switches: SwitchesControl) {
    this.switches = switches
  }

  /** @returns seconds to wait; undefined if the call is allowed */
  take(): number | undefined {
    const limit = this.switches.get().rateLimit
    if (!limit) return undefined
    const now = Date.now()
    this.tokens = Math.min(limit.burst, this.tokens + ((now - this.filledAt) / 1000) * limit.perSecond)
    this.filledAt = now
    if (now >= this.waitUntil && this.tokens >= 1) {
      this.tokens--
      return undefined
    }
    this.refused++
    if (now < this.waitUntil) this.tooEarly++
    const seconds = Math.max(1, Math.ceil((1 - this.tokens) / limit.perSecond))
    this.waitUntil = Math.max(this.waitUntil, now + seconds * 1000)
    return seconds
  }

  /** `tooEarly`: refused calls during an earlier Retry-After. */
  counts() {
    return { refused: this.refused, tooEarly: this.tooEarly }
  }

  clear(): void {
    this.tokens = Infinity
    this.filledAt = this.waitUntil = this.refused = this.tooEarly = 0
  }
}
