// Who is calling: the contract's section on authentication, for the Indexing API too, whose own rules are not shown.
// The contract names two messages without a status for them; `refusalStatus` is that status.
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { SwitchesControl } from '../control/switches.ts'
import { findPerson, personWithEmail, personWithId, type Person } from '../people.ts'
import type { OperationName } from './operations.ts'
import { Refusal } from './refusal.ts'

export type ServiceTokens = {
  global: string
  /** The token of a person; with `scopes`, a new one that is narrowed to these operations. */
  user: (personId: string, scopes?: OperationName[]) => string
}

export type Callers = ReturnType<typeof createCallers>

/** The id of the person that an access token stands for, while it is valid. */
type Issuer = { personOf: (accessToken: string) => Promise<string | undefined> }

type CallersOptions = {
  people: Person[]
  switches: SwitchesControl
  own: Issuer
  external: Issuer
  /** What the service's own headers begin with, such as `X-Service`. */
  headerPrefix: string
}

/** Creates the service tokens, and the rules for these and for what the service's own and the external issuer issue. */
export function createCallers({ people, switches, own, external, headerPrefix }: CallersOptions) {
  const actAsHeader = `${headerPrefix}-ActAs`
  const authTypeHeader = `${headerPrefix}-Auth-Type`.toLowerCase()
  const global = newToken()
  const unrestricted = new Map<string, string>()
  const users = new Map<string, { personId: string; scopes: string[] | undefined }>()

  function user(personId: string, scopes?: OperationName[]): string {
    findPerson(people, personId)
    const token = (scopes ? undefined : unrestricted.get(personId)) ?? newToken()
    users.set(token, { personId, scopes })
    if (!scopes) unrestricted.set(personId, token)
    return token
  }

  function actAs(email: string | string[] | undefined): Person {
    if (typeof email !== 'string' || email === '')
      throw new Refusal(switches.get().refusalStatus, `Required header missing: ${actAsHeader}`)
    const person = personWithEmail(people, email)
    if (!person) throw new Refusal(400, `${actAsHeader} names an unknown person: ${email}`)
    return person
  }

  async function oauthCaller(token: string, authType: unknown): Promise<string | undefined> {
    const known = await own.personOf(token)
    if (known !== undefined) return known
    const found = await external.personOf(token)
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

function newToken(): string {
  return randomBytes(24).toString('base64url')
}
