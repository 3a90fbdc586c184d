// GET /api/status, for the intranet: how far a person is, in figures. What surprises: a page may ask it in every tab, so
// the service is asked at most every few seconds; what was done here shows at once, because the walk is read each time.
import { Router } from 'express'
import { createSingleFlight } from '../records/lease.ts'
import { personKey, whoIsSignedIn } from '../session/signed-in.ts'
import type { Checks } from './check.ts'
import { firstApps, trackedAppState } from './next-step.ts'
import { bucketOf, type Bucket } from './app-state.ts'
import type { TrackedApp, Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/**
 * Of all apps, whatever the visit was narrowed to; of the first few of a long walk until these are done. What waits for an administrator or is switched off is in none of the
 * figures: there is nothing that the person could do.
 * @param now milliseconds since 1970
 */
export function statusOf(walk: Walk, now: number) {
  const few = firstApps({ ...walk, visit: { only: [] } })
  const bucketsOf = (apps: TrackedApp[]) => apps.map((app) => bucketOf(trackedAppState(app, now)))
  const first = bucketsOf(walk.known.filter(({ instance }) => few?.has(instance)))
  const buckets = first.includes('pending') ? first : bucketsOf(walk.known)
  const count = (wanted: Bucket) => buckets.filter((bucket) => bucket === wanted).length
  return {
    signedIn: true,
    connected: count('connected'),
    pending: count('pending'),
    skipped: count('skipped'),
  }
}

/** So long a check counts as fresh; milliseconds. */
const FRESH_MS = 3_000
const MAX_REMEMBERED = 10_000

/** @param now milliseconds since 1970 */
export function createStatusRoute(
  checks: Pick<Checks, 'current'>,
  walks: Pick<Walks, 'load'>,
  now: () => number,
): Router {
  const once = createSingleFlight<Walk>()
  /** When each person was asked about last. */
  const checkedAt = new Map<string, number>()

  return Router().get('/api/status', async (req, res) => {
    const { user, id } = whoIsSignedIn(req)
    const person = personKey(user)

    if (now() - (checkedAt.get(person) ?? -Infinity) >= FRESH_MS) {
      // Another session's token may be refused where this one's is not, so only a whole answer is shared between sessions.
      await once(`${person} ${id}`, () => checks.current(req))
      if (checkedAt.size >= MAX_REMEMBERED) checkedAt.clear()
      checkedAt.set(person, now())
    }
    const walk = await walks.load(user)

    res.json(statusOf(walk, now()))
  })
}
