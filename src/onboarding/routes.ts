// The walk over HTTP: the overview, leaving for a datasource, coming back from one, and saying "not now". The counts for
// the intranet are in status.ts.
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { createOnce } from '../records/lease.ts'
import type { User } from '../session/signed-in.ts'
import { whoIsSignedIn } from '../session/signed-in.ts'
import { enteredReturnTo, type ReturnToRules } from '../sign-in/return-to.ts'
import { isFollowedFromOwnPage, unattended } from '../web/cross-site.ts'
import type { Note } from '../web/audit.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import { attemptOf, isQuick, mayAsk, returned } from './attempts.ts'
import { newsOf } from './course.ts'
import { hasNotes, type About } from './overview/about.ts'
import { worded } from './overview/entries.ts'
import { overviewOf } from './overview/overview.ts'
import { createCurrentWalk, createPass, goOf, unknownDatasource } from './pass.ts'
import type { Go, Passed, PassParts } from './pass.ts'
import { passageOfClick, passageOfReturn } from './passage.ts'
import { CALLBACK_PATH, callbackPath, overviewPath, stepIn, visitOf, withVisit } from './paths.ts'
import { block, skip, unblock, unskip } from './set-aside.ts'
import { createRecentChecks, personOf } from './sparing.ts'
import { createStatusRoute } from './status.ts'
import { isReturned, type Attempt, type Walk } from './walk.ts'

export type OnboardingParts = PassParts & {
  /** How often a person may ask for what reaches the service. */
  limit: RequestHandler
  sendPage: SendPage
  returnTo: ReturnToRules
  /** ADVANCE=auto. */
  advances: boolean
  /** What the company says of each app, in a language. */
  aboutIn: (lang: string) => About
  note: Note
}

/** Every route below that asks the service. */
const REACHING_THE_SERVICE = [
  '/onboarding',
  '/onboarding/connect',
  '/onboarding/connect/:instance',
  CALLBACK_PATH,
  '/api/status',
]

/** What a person says of an app, with the event of saying it. Taking it back is no event, and asks for no app. */
const SAYINGS = [
  { path: 'skip', change: skip, event: 'skipped' },
  { path: 'blocked', change: block, event: 'blocked' },
  { path: 'unskip', change: unskip, event: undefined },
  { path: 'unblock', change: unblock, event: undefined },
] as const

export function createOnboardingRoutes(parts: OnboardingParts): Router {
  const router = Router()
  const { walks, log, now, note, advances } = parts
  // A double click and a reload get one answer: a second check would void the one-time path that the first one brought.
  const once = createOnce<Go>()
  const recent = createRecentChecks(now)
  const current = createCurrentWalk(parts)
  const pass = createPass({ ...parts, hasNotes: (instance) => hasNotes(parts.aboutIn('')(instance)) })

  router.get(REACHING_THE_SERVICE, parts.limit)

  router.get('/onboarding', async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const visit = visitOf(req.query, (value) => enteredReturnTo(value, parts.returnTo))
    const from = textIn(req, 'from')

    const walk = await current(req, user, (before) => withVisit(before, visit))

    showOverview(req, res, { page: walk, from })
  })

  router.get(['/onboarding/connect', '/onboarding/connect/:instance'], async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const { instance } = req.params as { instance?: string }
    if (!isFollowedFromOwnPage(req, parts.publicUrl)) return seeOther(res, '/onboarding')

    const go = await once(`${personOf(user)}\nclick\n${instance ?? ''}`, async () => {
      const walk = await walks.load(user)
      return settle(
        user,
        await pass(req, user, walk, (before, question) => passageOfClick(before, question, instance)),
      )
    })

    answer(req, res, go)
  })

  router.get(CALLBACK_PATH, async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const walk = await walks.load(user)
    const attempt = attemptOf(walk, stepIn(req.query))
    log.debug({ return: attempt?.instance, looks: attempt?.looks }, 'walk: a return')
    if (attempt === undefined) return seeOther(res, overviewPath(walk.visit))
    // A page that waits is not worth a check that voids the path which another tab is just following.
    if (isReturned(attempt) && !mayAsk(walk, now())) return showOverview(req, res, { page: walk })
    const { step, instance } = attempt
    const isRefused = Boolean(req.query['error'])
    // One app in each chain of redirects: the page goes on automatically.
    if (advances && !isRefused && isQuick(attempt, now()) && isBrowser(req)) {
      await walks.update(user, (before) => returned(before, step, now()), { from: walk })
      return showBetween(req, res, walk, attempt)
    }
    const back = { step, instance, advances, isRefused }

    const go = await once(`${personOf(user)}\nreturn\n${step}`, async () => {
      const passed = await pass(req, user, walk, (before, question) =>
        passageOfReturn(before, question, back),
      ).catch(async (error: unknown) => {
        // Back is back, also where the service can't be asked now.
        await walks.update(user, (before) => returned(before, step, now()))
        throw error
      })
      const result = newsOf(walk, passed.after, attempt, now())
      if (result !== undefined) note({ event: 'step_result', user, datasource: instance, result })
      return settle(user, passed)
    })

    answer(req, res, go)
  })

  for (const { path, change, event } of SAYINGS)
    router.post(`/onboarding/${path}/:instance`, async (req, res) => {
      const { user } = whoIsSignedIn(req)
      const { instance } = req.params

      const walk = await walks.update(user, (before) => change(before, instance, now()))
      recent.forget(personOf(user))
      const isKnown = walk.known.some((entry) => entry.instance === instance)
      log.debug({ said: path, instance: isKnown ? instance : undefined }, 'walk: what the person says')

      if (event !== undefined) {
        if (!isKnown) throw unknownDatasource()
        note({ event, user, datasource: instance })
      }
      seeOther(res, overviewPath(walk.visit, isKnown ? instance : undefined))
    })

  router.use(createStatusRoute({ current, walks, recent, now }))

  /** Once for each passage, however many requests wait for it. @throws {Problem} */
  function settle(user: User, passed: Passed): Go {
    const { passage } = passed
    recent.forget(personOf(user))
    if (passage.kind === 'leave') note({ event: 'step_started', user, datasource: passage.instance })
    return goOf(passed)
  }

  function answer(req: Request, res: Response, go: Go): void {
    if ('page' in go) showOverview(req, res, go)
    else seeOther(res, go.location)
  }

  /** Asks the service nothing, and goes on at once. */
  function showBetween(req: Request, res: Response, walk: Walk, { instance, step }: Attempt): void {
    const data = (t: Texts) => {
      const app =
        parts.aboutIn(t.lang)(instance).name ?? walk.known.find((one) => one.instance === instance)?.name
      const title = worded(app ?? instance, t, ['wait.title', 'plain.checking'])
      return { title, refresh: { seconds: 0, url: callbackPath(step) } }
    }
    parts.sendPage(req, res, { view: 'onboarding/between', sheet: 'walk', data })
  }

  function showOverview(req: Request, res: Response, { page: walk, from }: Page): void {
    const { user } = whoIsSignedIn(req)
    const person = user.email ?? user.name ?? ''
    const data = (t: Texts) => {
      const { confirmSeconds } = parts
      const about = parts.aboutIn(t.lang)
      const { name } = user
      const query = textIn(req, 'q')
      const overview = overviewOf(walk, { now: now(), t, person, name, query, from, about, confirmSeconds })
      const { mood, step, checking } = overview
      const next = checking === undefined ? (step?.kind ?? mood) : 'wait'
      log.debug({ next, instance: (checking ?? step)?.instance }, 'walk: what the page offers')
      const { refresh, watch } = overview
      return {
        ...overview,
        // A page that loads again may find that the person has signed out meanwhile.
        refresh: refresh && { ...refresh, url: unattended(refresh.url) },
        watch: watch && { ...watch, go: unattended(watch.go) },
      }
    }
    parts.sendPage(req, res, { view: 'onboarding/overview', sheet: 'walk', data })
  }

  return router
}

/** `goOn`: where the page leads automatically, at once. */
type Page = Extract<Go, { page: Walk }> & { goOn?: string }

/** A parameter of the query, where it came once and as text. */
const textIn = (req: Request, name: string) => {
  const value = req.query[name]
  return typeof value === 'string' ? value : undefined
}

/** Does it give up on too many redirects in a row? */
const isBrowser = (req: Request) =>
  req.get('sec-fetch-dest') === 'document' && req.get('user-agent')?.startsWith('Mozilla/') === true
