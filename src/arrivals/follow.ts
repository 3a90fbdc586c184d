// Follows who signs in and what they do in their walks, so that the report need not ask the service.
import { personKey, type User } from '../session/signed-in.ts'
import { reached, withPerson, withSources, type Arrival, type Source } from './arrival.ts'
import type { Arrivals } from './arrivals.ts'

/** Nothing else that it may carry, such as a one-time path. */
const kept = ({ instance, name, state, at, word, unconfirmed }: Source): Source => ({
  instance,
  name,
  state,
  at,
  ...(word && { word }),
  ...(unconfirmed && { unconfirmed }),
})

export type Follow = {
  signedIn: (user: User) => Promise<void>
  walked: (user: User, sources: readonly Source[]) => Promise<void>
}

export type FollowParts = {
  arrivals: Pick<Arrivals, 'change'>
  log: { warn(fields: object, message: string): void }
  now: () => number
}

/** Only a verified address counts. While the store is away a figure is lost, and nothing else. */
export function createFollow({ arrivals, log, now }: FollowParts): Follow {
  async function count(user: User, change: (before: Arrival) => Arrival): Promise<void> {
    const { email, emailVerified } = user
    if (email === undefined || emailVerified !== true) return
    try {
      await arrivals.change(email, (before) => withPerson(change(before), personKey(user)))
    } catch (error) {
      log.warn({ err: error }, 'an arrival, or a step of a walk, was not counted for the report')
    }
  }
  return {
    signedIn: (user) => count(user, (before) => reached(before, 'signedInAt', now())),
    walked: (user, sources) => count(user, (before) => withSources(before, sources.map(kept), now())),
  }
}
