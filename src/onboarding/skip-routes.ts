// "Not now" and "I need my administrator", and taking each of them back. None of them asks the service.
import { Router } from 'express'
import { whoIsSignedIn } from '../session/signed-in.ts'
import type { Note } from '../web/audit.ts'
import { seeOther } from '../web/see-other.ts'
import { block, unblock } from './blocked.ts'
import { unknownDatasource } from './pass.ts'
import { skip, unskip } from './skipping.ts'
import { personOf, type RecentChecks } from './status/recent-checks.ts'
import { overviewPath } from './visit.ts'
import type { Walks } from './walks.ts'

export type SkipRoutesParts = {
  walks: Walks
  recent: RecentChecks
  note: Note
  /** Milliseconds since 1970. */
  now: () => number
}

const saying = [
  { path: 'skip', change: skip, event: 'skipped' },
  { path: 'blocked', change: block, event: 'blocked' },
] as const

const takingBack = [
  { path: 'unskip', change: unskip },
  { path: 'unblock', change: unblock },
] as const

export function createSkipRoutes({ walks, recent, note, now }: SkipRoutesParts): Router {
  const router = Router()

  for (const { path, change, event } of saying)
    router.post(`/onboarding/${path}/:instance`, async (req, res) => {
      const { user } = whoIsSignedIn(req)
      const { instance } = req.params

      const walk = await walks.update(user, (before) => change(before, instance, now()))
      recent.forget(personOf(user))

      if (!walk.known.some((entry) => entry.instance === instance)) throw unknownDatasource()

      note({ event, user, datasource: instance })
      seeOther(res, overviewPath(walk.visit, instance))
    })

  for (const { path, change } of takingBack)
    router.post(`/onboarding/${path}/:instance`, async (req, res) => {
      const { user } = whoIsSignedIn(req)
      const { instance } = req.params

      const walk = await walks.update(user, (before) => change(before, instance))
      recent.forget(personOf(user))

      seeOther(res, overviewPath(walk.visit))
    })

  return router
}
