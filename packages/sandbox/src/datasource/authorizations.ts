// Who has authorized which datasource, and the one-time tokens that start an authorization.
// A consent can take a while to show (`consentDelaySeconds`); until then the person still counts as unauthorized.
import { randomBytes } from 'node:crypto'
import type { SwitchesControl } from '../control/switches.ts'
import { findDatasource, findPerson, type Datasource, type Person } from '../people.ts'

/** `settling`: allowed, but does not show yet. */
type AuthorizationState = 'waiting' | 'settling' | 'authorized'

export type Authorizations = ReturnType<typeof createAuthorizations>

/** Creates the state of all people: what their datasources say from the start, no tokens. */
export function createAuthorizations(people: Person[], switches: SwitchesControl) {
  const tokens = createOneTimeTokens(switches)
  const visibleFrom = new Map<string, number>()
  const keyOf = (personId: string, instance: string) => JSON.stringify([personId, instance])

  function stateOf(personId: string, instance: string): AuthorizationState {
    const from = visibleFrom.get(keyOf(personId, instance))
    if (from === undefined) return 'waiting'
    return from <= Date.now() ? 'authorized' : 'settling'
  }

  function authorize(personId: string, instance: string, delaySeconds = 0): void {
    findDatasource(people, personId, instance)
    visibleFrom.set(keyOf(personId, instance), Date.now() + delaySeconds * 1000)
  }

  function reset(): void {
    tokens.clear()
    visibleFrom.clear()
    for (const { id, datasources } of people)
      for (const { instance, authorized } of datasources) if (authorized) authorize(id, instance)
  }

  reset()
  return {
    ...tokens,
    authorize,
    reset,
    unauthorize: (personId: string, instance: string): void => {
      findDatasource(people, personId, instance)
      visibleFrom.delete(keyOf(personId, instance))
    },
    state: (personId: string): Record<string, AuthorizationState> => {
      const { datasources } = findPerson(people, personId)
      return Object.fromEntries(datasources.map(({ instance }) => [instance, stateOf(personId, instance)]))
    },
    /** The datasources that still count as unauthorized. */
    waiting: ({ id, datasources }: Person): Datasource[] =>
      datasources.filter(({ instance }) => stateOf(id, instance) !== 'authorized'),
    /** The datasources whose content a search may show. */
    authorized: ({ id, datasources }: Person): Datasource[] =>
      datasources.filter(({ instance }) => stateOf(id, instance) === 'authorized'),
  }
}

/** What a link is good for, once. */
type OneTimeToken = {
  personId: string
  instance: string
  /** The per-request `final_redirect_url`, if there was one. */
  destination: string | undefined
  /** Carries the destination in the link. Made up by the service, so that a client cannot make one. */
  redirect: string | undefined
  expiresAt: number
  /** How often the person's earlier tokens were voided before this one was made. */
  round: number
  isUsed: boolean
}

type Use = Pick<OneTimeToken, 'personId' | 'instance' | 'destination'> | { refused: string; status: number }

const newSecret = () => randomBytes(24).toString('base64url')

function createOneTimeTokens(switches: SwitchesControl) {
  const tokens = new Map<string, OneTimeToken>()
  const rounds = new Map<string, number>()
  const roundOf = (personId: string) => rounds.get(personId) ?? 0
  return {
    clear: () => tokens.clear(),
    /** Voids the earlier unused tokens of a person, if the switch says so. */
    voidTokens(personId: string): void {
      if (switches.get().voidEarlierTokens) rounds.set(personId, roundOf(personId) + 1)
    },
    /** Makes a token. @returns the query of a link that carries it, and the destination with it */
    issueToken(personId: string, instance: string, destination?: string): string {
      const token = newSecret()
      const redirect = destination && `${Buffer.from(destination).toString('base64url')}.${newSecret()}`
      const expiresAt = Date.now() + switches.get().authUrlSeconds * 1000
      const round = roundOf(personId)
      tokens.set(token, { personId, instance, destination, redirect, expiresAt, round, isUsed: false })
      return redirect ? `token=${token}&redirect=${redirect}` : `token=${token}`
    },
    /** Uses up the token of a link. */
    useToken(query: URLSearchParams, instance: string): Use {
      const token = tokens.get(query.get('token') ?? '')
      if (!token) return { refused: 'is unknown', status: 410 }
      if (token.isUsed) return { refused: 'has been used', status: 410 }
      if (token.round < roundOf(token.personId))
        return { refused: 'has been replaced by a newer one', status: 403 }
      if (token.expiresAt <= Date.now()) return { refused: 'has expired', status: 403 }
      if (token.instance !== instance) return { refused: 'is for another datasource', status: 403 }
      const redirect = query.get('redirect')
      if (redirect !== null && redirect !== token.redirect)
        return { refused: 'was changed on the way', status: 403 }
      token.isUsed = true
      const destination = redirect === null ? undefined : token.destination
      return { personId: token.personId, instance, destination }
    },
  }
}
