// The deprecation schedule as a page, JSON and a calendar. It is public, so it needs no sign-in.
import { Router, type Request } from 'express'
import { Problem } from '../problem.ts'
import type { SendPage } from '../web/pages.ts'
import { toCalendar, filterEntries, dayOf, listJson, publishedSchedule } from '@onramp/deprecations'
import type { EntryFilter } from '@onramp/deprecations'
import { scheduleView } from './schedule-view.ts'

/** The page's form sends an empty one. */
const APIS = new Set<unknown>([undefined, '', 'client', 'indexing'])
const MAX_QUERY = 200
const FOR_FIVE_MINUTES = 'public, max-age=300'

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value.slice(0, MAX_QUERY) : undefined

/** `GET /deprecations`, `.json` and `.ics`, each with `?api=client|indexing&operation=PIECE`. */
export function createDeprecationsRoutes(sendPage: SendPage, now: () => number): Router {
  const router = Router()
  const choose = ({ query }: Request) => {
    const asOf = dayOf(new Date(now()))
    const choice: EntryFilter = { asOf, api: text(query.api), operation: text(query.operation) }
    return { choice, entries: filterEntries(publishedSchedule, choice) }
  }
  /** A page can say that nothing matches; a program would read an empty list as an empty schedule. */
  const chooseForProgram = (req: Request) => {
    if (!APIS.has(req.query.api)) throw new Problem(400, 'api_unknown')
    return choose(req)
  }

  router.get('/deprecations', (req, res) => {
    const { choice, entries } = choose(req)

    sendPage(req, res, {
      view: 'deprecations/schedule',
      sheet: 'schedule',
      data: (t) => scheduleView(entries, choice, t),
    })
  })

  router.get('/deprecations.json', (req, res) => {
    const { choice, entries } = chooseForProgram(req)

    res.set('Cache-Control', FOR_FIVE_MINUTES).json(listJson(entries, choice.asOf))
  })

  router.get('/deprecations.ics', (req, res) => {
    const { entries } = chooseForProgram(req)

    res.set('Cache-Control', FOR_FIVE_MINUTES)
    res.set('Content-Disposition', 'inline; filename="deprecations.ics"')
    res.type('text/calendar; charset=utf-8').send(toCalendar(entries))
  })

  return router
}
