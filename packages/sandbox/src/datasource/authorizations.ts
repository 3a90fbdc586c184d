// Who has authorized which datasource, and the one-time tokens that start an authorization.
// A consent can take a while to show (`consentDelaySeconds`); until then the person still counts as unauthorized.
import { randomBytes } from 'node:crypto'
import { findDatasource, type Datasource, type Person } from '../people.ts'
import type { SwitchesControl } from '../switches.ts'

/** `settling`: allowed, but does not show yet. */
type AuthorizationState = 'waiting' | 'settling' | 'authorized'

export type Authorizations = ReturnType<typeof createAuthorizations>

/** What a link is good for, once. */
type OneTimeToken = {
  personId: string
  instance: string
  /** The per-request `final_redirect_url`, if there was one. */
  destination: string | undefined
  /** Carries the destination in the link. Made up by the service, so that a client cannot make one. */
  redirect: string | undefined
  expiresAt: number
  isUsed: boolean
  /** How often the person's earlier tokens were voided before this one was made. */
  round: number
}

type Use = Pick<OneTimeToken, 'personId' | 'instance' | 'destination'> | { refused: string; status: number }

const newSecret = () => randomBytes(24).toString('base64url')

/** Creates the state of all people: what their datasources say from the start, no tokens. */
export function createAuthorizations(people: Person[], switches: SwitchesControl) {
  const tokens = new Map<string, OneTimeToken>()
  const rounds = new Map<string, number>()
  const roundOf = (personId: string) => rounds.get(personId) ?? 0
  const visibleFrom = new Map<string, number>()
  const keyOf = (personId: string, instance: string) => JSON.stringify([personId, instance])

  function stateOf(personId: string, instance: string): AuthorizationState {
    const from = visibleFrom.get(keyOf(personId, instance))
    if (from === undefined) return 'waiting'
    return from <= Date.now() ? 'authorized' : 'settling'
  }

  const datasourcesOf = ({ id, datasources }: Person, isAuthorized: boolean): Datasource[] =>
    datasources.filter(({ instance }) => (stateOf(id, instance) === 'authorized') === isAuthorized)

  function reset(): void {
    tokens.clear()
    visibleFrom.clear()
    for (const { id, datasources } of people)
      for (const { instance, authorized } of datasources)
        if (authorized) visibleFrom.set(keyOf(id, instance), 0)
  }

  reset()
  return {
    reset,
    authorize: (personId: string, instance: string, delaySeconds = 0): void => {
      findDatasource(people, personId, instance)
      visibleFrom.set(keyOf(personId, instance), Date.now() + delaySeconds * 1000)
    },
    unauthorize: (personId: string, instance: string): void => {
      findDatasource(people, personId, instance)
      visibleFrom.delete(keyOf(personId, instance))
    },
    state: ({ id, datasources }: Person): Record<string, AuthorizationState> =>
      Object.fromEntries(datasources.map(({ instance }) => [instance, stateOf(id, instance)])),
    /** The datasources that still count as unauthorized. */
    waiting: (person: Person) => datasourcesOf(person, false),
    /** The datasources whose content a search may show. */
    authorized: (person: Person) => datasourcesOf(person, true),
    /** Voids the earlier unused tokens of a person, if the switch says so. */
    voidTokens(personId: string): void {
      if (switches.get().voidEarlierTokens) rounds.set(personId, roundOf(personId) + 1)
    },
    /** Makes a token. @returns the query of a link that carries it, and the destination with it */
    issueToken(personId: string, instance: string, destination?: string): string {
      const id = newSecret()
      const redirect = destination && `${Buffer.from(destination).toString('base64url')}.${newSecret()}`
      const expiresAt = Date.now() + switches.get().authUrlSeconds * 1000
      const round = roundOf(personId)
      tokens.set(id, { personId, instance, destination, redirect, expiresAt, isUsed: false, round })
      return redirect ? `token=${id}&redirect=${redirect}` : `token=${id}`
    },
    /** Uses up the token of a link. */
    useToken(query: URLSearchParams, instance: string): Use {
      const token = tokens.get(query.get('token') ?? '')
      const redirect = query.get('redirect')
      if (!token) return { refused: 'is unknown', status: 410 }
      if (token.isUsed) return { refused: 'has been used', status: 410 }
      if (token.round < roundOf(token.personId))
        return { refused: 'has been replaced by a newer one', status: 403 }
      if (token.expiresAt <= Date.now()) return { refused: 'has expired', status: 403 }
      if (token.instance !== instance) return { refused: 'is for another datasource', status: 403 }
      if (redirect !== null && redirect !== token.redirect)
        return { refused: 'was changed on the way', status: 403 }
      token.isUsed = true
      return { ...token, destination: redirect === null ? undefined : token.destination }
    },
  }
}
