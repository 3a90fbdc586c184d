// Follows who signs in and what they do in their walks, so that the report knows it without asking the service.
import type { User } from '../session/session.ts'
import { reached, withSources, type Arrival, type Source } from './arrival.ts'
import type { Arrivals } from './arrivals.ts'

/** One datasource of a walk, as the walk keeps it. */
export type Followed = {
  instance: string
  name: string
  status: string
  firstSeen: number
  connectedAt?: number
  skippedAt?: number
  blockedAt?: number
}

const sourceOf = (entry: Followed): Source => {
  const { instance, name, status, firstSeen, connectedAt, skippedAt, blockedAt } = entry
  const of = (state: Source['state'], at = firstSeen): Source => ({ instance, name, state, at })
  if (status === 'connected') return of('connected', connectedAt)
  if (status === 'disabled') return of('off')
  if (blockedAt !== undefined) return of('blocked', blockedAt)
  return skippedAt === undefined ? of('waiting') : of('skipped', skippedAt)
}

export type FollowParts = {
  arrivals: Pick<Arrivals, 'change'>
  log: { warn(fields: object, message: string): void }
  now: () => number
}

export type Follow = {
  signedIn: (user: User) => Promise<void>
  walked: (user: User, known: readonly Followed[]) => Promise<void>
}

/** Only a verified address says who it is; a store that is away loses a figure and nothing else. */
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
    walked: (user, known) => count(user, (before) => withSources(before, known.map(sourceOf), now())),
  }
}
