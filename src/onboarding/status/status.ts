// How far a person is, in figures: GET /api/status, for the intranet. Pure.
import { standingIn } from '../course.ts'
import { figureOf, type Figure } from '../standing.ts'
import type { Walk } from '../walk.ts'

export type Status = { signedIn: true; connected: number; pending: number; skipped: number }

/**
 * Of all datasources, whatever the visit was narrowed to. What waits for an administrator or is switched off is in none
 * of the figures: there is nothing that the person could do.
 * @param now milliseconds since 1970
 */
export function statusOf(walk: Walk, now: number): Status {
  const figures = walk.known.map((entry) => figureOf(standingIn(walk, entry, now)))
  const count = (wanted: Figure) => figures.filter((figure) => figure === wanted).length
  return {
    signedIn: true,
    connected: count('connected'),
    pending: count('pending'),
    skipped: count('skipped'),
  }
}
