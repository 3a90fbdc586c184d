// Follows who signs in and what they do in their walks, so that the report need not ask the service.
import type { User } from '../session/signed-in.ts'
import { reached, withSources, type Arrival, type Source } from './arrival.ts'
import type { Arrivals } from './arrivals.ts'

/** One datasource of a walk, as the walk decided it. Times are milliseconds since 1970. */
export type Followed = {
  instance: string
  name: string
  figure: 'connected' | 'pending' | 'skipped' | 'blocked' | 'off'
  /** Since when. */
  at: number
  /** What the person said about it, for the time after it was switched off. */
  word?: { figure: 'skipped' | 'blocked'; at: number }
}

const sourceOf = ({ figure, word, ...rest }: Followed): Source => ({
  instance: rest.instance,
  name: rest.name,
  state: figure === 'pending' ? 'waiting' : figure,
  at: rest.at,
  ...(word && { word: { state: word.figure, at: word.at } }),
})

export type Follow = {
  signedIn: (user: User) => Promise<void>
  walked: (user: User, told: readonly Followed[]) => Promise<void>
}

export type FollowParts = {
  arrivals: Pick<Arrivals, 'change'>
  log: { warn(fields: object, message: string): void }
  now: () => number
}

/** Only a verified address counts. While the store is away a figure is lost, and nothing else. */
export function createFollow({ arrivals, log, now }: FollowParts): Follow {
  async function count({ email, emailVerified }: User, change: (before: Arrival) => Arrival): Promise<void> {
    if (email === undefined || emailVerified !== true) return
    try {
      await arrivals.change(email, change)
    } catch (error) {
      log.warn({ err: error }, 'an arrival, or a step of a walk, was not counted for the report')
    }
  }
  return {
    signedIn: (user) => count(user, (before) => reached(before, 'signedInAt', now())),
    walked: (user, told) => count(user, (before) => withSources(before, told.map(sourceOf), now())),
  }
}
