// GET /api/status, for the intranet: how far a person is, in figures. What surprises: a page may ask it in every tab, so
// the service is asked at most every few seconds; what was done here shows at once, because the walk is read each time.
import { Router } from 'express'
import { whoIsSignedIn } from '../session/signed-in.ts'
import { standingIn } from './course.ts'
import type { CurrentWalk } from './pass.ts'
import { personOf, type RecentChecks } from './sparing.ts'
import { figureOf, type Figure } from './standing.ts'
import type { Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/**
 * Of all datasources, whatever the visit was narrowed to. What waits for an administrator or is switched off is in none
 * of the figures: there is nothing that the person could do.
 * @param now milliseconds since 1970
 */
export function statusOf(walk: Walk, now: number) {
  const figures = walk.known.map((entry) => figureOf(standingIn(walk, entry, now)))
  const count = (wanted: Figure) => figures.filter((figure) => figure === wanted).length
  return {
    signedIn: true,
    connected: count('connected'),
    pending: count('pending'),
    skipped: count('skipped'),
  }
}

type Parts = { current: CurrentWalk; walks: Walks; recent: RecentChecks; now: () => number }

export function createStatusRoute({ current, walks, recent, now }: Parts): Router {
  return Router().get('/api/status', async (req, res) => {
    const { user, id } = whoIsSignedIn(req)

    await recent.ask(personOf(user), id, () => current(req, user))
    const walk = await walks.load(user)

    res.json(statusOf(walk, now()))
  })
}
