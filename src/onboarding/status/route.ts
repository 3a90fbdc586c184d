// GET /api/status, for the intranet. What surprises: a page may ask it in every tab, so the service is asked at most every
// few seconds; what was done here shows at once, because the walk itself is read each time.
import { Router } from 'express'
import { whoIsSignedIn } from '../../session/signed-in.ts'
import type { CurrentWalk } from '../current-walk.ts'
import type { Walks } from '../walks.ts'
import { personOf, type RecentChecks } from './recent-checks.ts'
import { statusOf } from './status.ts'

export type StatusRouteParts = {
  current: CurrentWalk
  walks: Walks
  recent: RecentChecks
  /** Milliseconds since 1970. */
  now: () => number
}

export function createStatusRoute({ current, walks, recent, now }: StatusRouteParts): Router {
  return Router().get('/api/status', async (req, res) => {
    const { user, id } = whoIsSignedIn(req)

    await recent.ask(personOf(user), id, () => current(req, user))
    const walk = await walks.load(user)

    res.json(statusOf(walk, now()))
  })
}
