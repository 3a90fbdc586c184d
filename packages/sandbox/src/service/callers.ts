// Who is calling: the contract's section on authentication, rule by rule, for the Indexing API too (its own are not shown).
// The contract names two messages but no status for them; `refusalStatus` is that status.
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { namedOperations, type OperationName } from './named-operations.ts'
import type { Person } from '../people.ts'
import type { SwitchesControl } from '../control/switches.ts'

/** What a service token may do: the operations, by name. */
type Scope = 'checkdatasourceauth' | 'search' | OperationName
const everything: string[] = ['checkdatasourceauth', 'search', ...Object.keys(namedOperations)]

/** A user-scoped service token; `token` absent: one is made. `scopes` absent: all of them. */
export type UserToken = { person: string; token?: string; scopes?: Scope[] }

export type Refusal = { status: number; message: string }
type Caller = { person: Person } | { refusal: Refusal }

export type ServiceTokens = {
  global: string
  /** The token of a person; with `scopes`, a new one that is narrowed to them. */
  user: (personId: string, scopes?: Scope[]) => string
}

export type Callers = {
  tokens: ServiceTokens
  identify: (headers: IncomingHttpHeaders, operation: string) => Promise<Caller>
}

export type CallersOptions = {
  people: Person[]
  switches: SwitchesControl
  userTokens: UserToken[]
  globalToken?: string
  /** Access tokens of the service's own authorization server, to a person's id. */
  ownToken: (token: string) => Promise<string | undefined>
  /** The same for the external identity provider. */
  externalToken: (token: string) => Promise<string | undefined>
}

const unauthorized: Caller = { refusal: { status: 401, message: 'Unauthorized' } }

/** Creates the service tokens and the rules by which any token is accepted. */
export function createCallers(options: CallersOptions): Callers {
  const { people } = options
  const global = options.globalToken ?? newToken()
  const userTokens = new Map<string, { person: string; scopes: string[] }>()
  const add = (person: string, token = newToken(), scopes: string[] = everything) => {
    userTokens.set(token, { person, scopes })
    return token
  }
  for (const { person, token, scopes } of options.userTokens) add(person, token, scopes)
  const own = (person: string) =>
    [...userTokens].find(([, user]) => user.person === person && user.scopes === everything)
  return {
    tokens: {
      global,
      user: (person, scopes) =>
        scopes ? add(person, newToken(), scopes) : (own(person)?.[0] ?? add(person)),
    },
    async identify(headers, operation) {
      const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
      if (!token) return unauthorized
      if (token === global) return actAs(headers['x-service-actas'], options)
      const user = userTokens.get(token)
      if (user) return withScope(user, operation, people)
      return oauthCaller(token, headers['x-service-auth-type'], options)
    },
  }
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}

function actAs(email: string | string[] | undefined, { people, switches }: CallersOptions): Caller {
  if (typeof email !== 'string' || email === '') {
    return {
      refusal: { status: switches.get().refusalStatus, message: 'Required header missing: X-Service-ActAs' },
    }
  }
  const person = byEmail(people).get(email.toLowerCase())
  return person ? { person } : { refusal: { status: 400, message: `X-Service-ActAs names nobody: ${email}` } }
}

const found = new WeakMap<Person[], Map<string, Person>>()

function byEmail(people: Person[]): Map<string, Person> {
  const known = found.get(people)
  if (known) return known
  const map = new Map(people.map((person) => [person.email.toLowerCase(), person]))
  found.set(people, map)
  return map
}

function withScope(user: { person: string; scopes: string[] }, operation: string, people: Person[]): Caller {
  const person = people.find(({ id }) => id === user.person)
  if (!person) return unauthorized
  if (user.scopes.includes(operation)) return { person }
  return { refusal: { status: 403, message: `Forbidden: the token lacks the scope for ${operation}` } }
}

async function oauthCaller(token: string, authType: string | string[] | undefined, options: CallersOptions) {
  const { people, switches } = options
  const known = await options.ownToken(token)
  const external = known === undefined ? await options.externalToken(token) : undefined
  if (external !== undefined && authType !== 'OAUTH') {
    const { refusalStatus, externalTokenMessage } = switches.get()
    return { refusal: { status: refusalStatus, message: externalTokenMessage } }
  }
  const person = people.find(({ id }) => id === (known ?? external))
  return person ? { person } : unauthorized
}
