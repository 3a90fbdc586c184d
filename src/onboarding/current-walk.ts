// The walk with what the service says now taken in. What surprises: while the person is just leaving for a datasource, the
// service is not asked, because another check could void the one-time path that the browser is following.
import type { Request } from 'express'
import type { Waiting } from '../client-api/answers.ts'
import type { User } from '../session/signed-in.ts'
import { mayAsk } from './attempts.ts'
import { observe, type Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/** Asks the service for the person who made the request. @throws {Problem} */
export type CheckFor = (req: Request, finalRedirectUrl?: string) => Promise<Waiting[]>

export type CurrentWalkParts = {
  checkFor: CheckFor
  walks: Walks
  confirmSeconds: number
  /** Milliseconds since 1970. */
  now: () => number
}

/** @param change what the request itself changes, before the service's answer is taken in */
export type CurrentWalk = (req: Request, user: User, change?: (walk: Walk) => Walk) => Promise<Walk>

/** The function that it returns @throws {Problem} */
export function createCurrentWalk({ checkFor, walks, confirmSeconds, now }: CurrentWalkParts): CurrentWalk {
  return async (req, user, change = (walk) => walk) => {
    const walk = await walks.load(user)
    const waiting = mayAsk(walk, now()) ? await checkFor(req) : undefined
    const at = now()
    const take = (before: Walk) =>
      waiting === undefined ? before : observe(before, waiting, at, confirmSeconds)
    return await walks.update(user, (before) => take(change(before)), walk)
  }
}
