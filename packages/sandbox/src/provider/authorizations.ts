// Who has authorized which datasource, and the one-time tokens that start an authorization.
// A consent can take a while to show (`consentDelaySeconds`); until then the person still counts as unauthorized.
import { randomBytes } from 'node:crypto'
import type { Datasource, Person } from '../people.ts'
import type { SwitchesControl } from '../control/switches.ts'

/** `settling`: allowed, but does not show yet. */
export type AuthorizationState = 'waiting' | 'settling' | 'authorized'

type OneTimeToken = {
  personId: string
  instance: string
  expiresAt: number
  state: 'unused' | 'used' | 'voided'
}
type TokenRefusal = 'unknown' | 'used' | 'voided' | 'expired' | 'for another datasource'

export type Authorizations = {
  state: (personId: string) => Record<string, AuthorizationState>
  authorize: (personId: string, instance: string, delaySeconds?: number) => void
  unauthorize: (personId: string, instance: string) => void
  /** Those that still count as unauthorized. */
  waiting: (person: Person) => Datasource[]
  /** Those whose content a search may show. */
  authorized: (person: Person) => Datasource[]
  /** Makes the earlier unused tokens of a person void, if the switch says so. */
  voidTokens: (personId: string) => void
  issueToken: (personId: string, instance: string) => string
  /** Uses a token up. */
  useToken: (token: string, instance: string) => { personId: string } | { refused: TokenRefusal }
  reset: () => void
}

/** Creates the state of all people: what their datasources say from the start, no tokens. */
export function createAuthorizations(people: Person[], switches: SwitchesControl): Authorizations {
  const tokens = new Map<string, OneTimeToken>()
  const visibleFrom = new Map<string, number>()
  const keyOf = (personId: string, instance: string) => JSON.stringify([personId, instance])
  const stateOf = (personId: string, instance: string): AuthorizationState => {
    const from = visibleFrom.get(keyOf(personId, instance))
    if (from === undefined) return 'waiting'
    return from <= Date.now() ? 'authorized' : 'settling'
  }
  const authorize = (personId: string, instance: string, delaySeconds = 0) => {
    findDatasource(people, personId, instance)
    visibleFrom.set(keyOf(personId, instance), Date.now() + delaySeconds * 1000)
  }
  const reset = () => {
    tokens.clear()
    visibleFrom.clear()
    for (const { id, datasources } of people)
      for (const { instance, authorized } of datasources) if (authorized) authorize(id, instance)
  }
  reset()
  return {
    ...tokenDesk(tokens, switches),
    authorize,
    reset,
    unauthorize(personId, instance) {
      findDatasource(people, personId, instance)
      visibleFrom.delete(keyOf(personId, instance))
    },
    state(personId) {
      const { datasources } = findPerson(people, personId)
      return Object.fromEntries(datasources.map(({ instance }) => [instance, stateOf(personId, instance)]))
    },
    waiting: ({ id, datasources }) =>
      datasources.filter(({ instance }) => stateOf(id, instance) !== 'authorized'),
    authorized: ({ id, datasources }) =>
      datasources.filter(({ instance }) => stateOf(id, instance) === 'authorized'),
  }
}

/** @throws Error when there is no such person */
export function findPerson(people: Person[], personId: string): Person {
  const person = byId(people).get(personId)
  if (!person) throw new Error(`The sandbox has no person ${personId}`)
  return person
}

const found = new WeakMap<Person[], Map<string, Person>>()

/** A company has thousands of people: they are not looked through one by one. */
function byId(people: Person[]): Map<string, Person> {
  const known = found.get(people)
  if (known?.size === people.length) return known
  const map = new Map(people.map((person) => [person.id, person]))
  found.set(people, map)
  return map
}

/** @throws Error when the person has no such datasource instance */
export function findDatasource(people: Person[], personId: string, instance: string): Datasource {
  const found = findPerson(people, personId).datasources.find(
    (datasource) => datasource.instance === instance,
  )
  if (!found) throw new Error(`${personId} has no datasource ${instance} in the sandbox`)
  return found
}

function tokenDesk(tokens: Map<string, OneTimeToken>, switches: SwitchesControl) {
  /** Those of each person that may still be unused. */
  const issued = new Map<string, OneTimeToken[]>()
  return {
    voidTokens(personId: string): void {
      if (!switches.get().voidEarlierTokens) return
      for (const token of issued.get(personId) ?? []) if (token.state === 'unused') token.state = 'voided'
      issued.delete(personId)
    },
    issueToken(personId: string, instance: string): string {
      const token = randomBytes(24).toString('base64url')
      const expiresAt = Date.now() + switches.get().authUrlSeconds * 1000
      const made: OneTimeToken = { personId, instance, expiresAt, state: 'unused' }
      tokens.set(token, made)
      issued.set(personId, [...(issued.get(personId) ?? []), made])
      return token
    },
    useToken(token: string, instance: string): { personId: string } | { refused: TokenRefusal } {
      const found = tokens.get(token)
      if (!found) return { refused: 'unknown' }
      if (found.state !== 'unused') return { refused: found.state }
      if (found.expiresAt <= Date.now()) return { refused: 'expired' }
      if (found.instance !== instance) return { refused: 'for another datasource' }
      found.state = 'used'
      return { personId: found.personId }
    },
  }
}
