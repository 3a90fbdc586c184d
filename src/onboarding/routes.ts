// The walk over HTTP: the overview, leaving for an app, coming back from one, and setting one aside. The figures for the
// intranet are in status.ts.
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { Problem } from '../problem.ts'
import { createSingleFlight } from '../records/lease.ts'
import { personKey, whoIsSignedIn, type User } from '../session/signed-in.ts'
import { isRecentSignIn } from '../sign-in/require-sign-in.ts'
import { enteredReturnTo, type ReturnToRules } from '../sign-in/return-to.ts'
import type { Audit } from '../web/audit.ts'
import { browserGoneSignal } from '../web/browser-gone.ts'
import { isFollowedFromOwnPage, unattendedPath } from '../web/cross-site.ts'
import type { Texts } from '../web/languages/texts.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import { createChecks, type Checking, type Decided } from './check.ts'
import type { DescribeApp } from './overview/about.ts'
import { fitText } from './overview/entries.ts'
import { overviewOf } from './overview/overview.ts'
import { CONSENT_CALLBACK_PATH, callbackPath, overviewPath, stepIn, visitOf, withVisit } from './paths.ts'
import { createStatusRoute } from './status.ts'
import { afterClick, afterReturn, stepResultOf, unknownApp } from './transition.ts'
import {
  findReturn,
  block,
  decline,
  isQuickReturn,
  isReturned,
  mayCheck,
  markReturned,
  skip,
  unblock,
  unskip,
} from './walk.ts'
import type { StartedApp, Walk } from './walk.ts'

/** Every route below that asks the service. */
const REACHING_THE_SERVICE = [
  '/onboarding',
  '/onboarding/connect',
  '/onboarding/connect/:instance',
  CONSENT_CALLBACK_PATH,
  '/api/status',
]

/** How a person sets an app aside, with the event of it. Taking it back is no event, and may be about no app. */
const SETTING_ASIDE = [
  { path: 'skip', change: skip, event: 'skipped' },
  { path: 'blocked', change: block, event: 'blocked' },
  { path: 'declined', change: decline, event: 'declined' },
  { path: 'unskip', change: unskip, event: undefined },
  { path: 'unblock', change: unblock, event: undefined },
] as const

/** What a request is answered with. */
type Answer = { location: string } | Page
type Page = { page: Walk; from?: string | undefined }

type Onboarding = Omit<Checking, 'hasHelp'> & {
  /** ADVANCE=auto. */
  advances: boolean
  returnTo: ReturnToRules
  /** What the company says of each app, in a language. */
  aboutIn: (lang: string) => DescribeApp
  /** How often a person may ask for what reaches the service. */
  limit: RequestHandler
  sendPage: SendPage
  audit: Audit
}

export function createOnboardingRoutes(needs: Onboarding): Router {
  const { walks, log, now, audit, advances, aboutIn, sendPage, confirmSeconds } = needs
  const router = Router()
  // A double click and a reload get one answer: a second check would void the one-time path that the first one brought.
  const once = createSingleFlight<Answer>()
  const hasHelp = (instance: string) => aboutIn('')(instance).help !== undefined
  const checks = createChecks({ ...needs, hasHelp })

  router.get(REACHING_THE_SERVICE, needs.limit)

  router.get('/onboarding', async (req, res) => {
    const visit = visitOf(req.query, (value) => enteredReturnTo(value, needs.returnTo))
    const from = textIn(req, 'from')

    const change = (before: Walk) => withVisit(before, visit)
    const walk = await checks.current(req, change, browserGoneSignal(res))

    answer(req, res, { page: walk, from })
  })

  router.get(['/onboarding/connect', '/onboarding/connect/:instance'], async (req, res) => {
    const { user, signedInAt } = whoIsSignedIn(req)
    const { instance } = req.params as { instance?: string }
    if (!isFollowedFromOwnPage(req, needs.publicUrl)) {
      if (!isRecentSignIn(signedInAt, now())) return seeOther(res, '/onboarding')
      // A sign-in came between the click and us.
      const { visit } = await walks.load(user)
      return seeOther(res, overviewPath(visit, instance, true))
    }

    const found = await once(`${personKey(user)} click ${instance ?? ''}`, async () => {
      const walk = await walks.load(user)
      const decision = checks.decide(req, user, walk, (...on) => afterClick(...on, instance))
      return settled(user, await decision.catch(failed(user, walk, instance)))
    })

    answer(req, res, found)
  })

  router.get(CONSENT_CALLBACK_PATH, async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const walk = await walks.load(user)
    const left = findReturn(walk, stepIn(req.query))
    log.debug({ return: left?.instance, looks: left?.attempt.looks }, 'walk: a return')
    if (left === undefined) return seeOther(res, overviewPath(walk.visit))
    // A page that waits is not worth a check that voids the path which another tab is just following.
    if (isReturned(left) && !mayCheck(walk, now())) {
      const page = await walks.update(user, (before) => markReturned(before, left, now(), 1), walk)
      return answer(req, res, { page })
    }
    // Without the step, it may be another site's link.
    const isRefused = Boolean(req.query['error']) && stepIn(req.query) === left.attempt.step
    // One app in each chain of redirects: the page goes on automatically.
    if (advances && !isRefused && isQuickReturn(left.attempt, now()) && isBrowser(req)) {
      await walks.update(user, (before) => markReturned(before, left, now()), walk)
      return showBetween(req, res, left)
    }
    const back = { instance: left.instance, step: left.attempt.step, advances, isRefused }

    const found = await once(`${personKey(user)} return ${back.step}`, async () => {
      const decision = checks.decide(req, user, walk, (...on) => afterReturn(...on, back))
      const decided = await decision.catch(async (error: unknown) => {
        // Back is back, also where the service can't be asked now.
        await walks.update(user, (before) => markReturned(before, left, now(), 1))
        return failed(user, walk, left.instance)(error)
      })
      const result = stepResultOf(walk, decided.walk, left, now())
      if (result !== undefined && result !== 'connected')
        audit({ event: 'step_result', user, datasource: left.instance, result })
      return settled(user, decided)
    })

    answer(req, res, found)
  })

  for (const { path, change, event } of SETTING_ASIDE)
    router.post(`/onboarding/${path}/:instance`, async (req, res) => {
      const { user } = whoIsSignedIn(req)
      const { instance } = req.params

      const walk = await walks.update(user, (before) => change(before, instance, now()))
      const isKnown = walk.known.some((entry) => entry.instance === instance)
      log.debug({ change: path, instance: isKnown ? instance : undefined }, 'walk: what the person sets')

      if (event !== undefined) {
        if (!isKnown) throw unknownApp()
        audit({ event, user, datasource: instance })
      }
      seeOther(res, overviewPath(walk.visit, isKnown ? instance : undefined))
    })

  router.use(createStatusRoute(checks, walks, now))

  /** The line of a failed request names neither the person nor the app. */
  const failed = (user: User, walk: Walk, instance?: string) => (error: unknown) => {
    const { code, datasource } = error instanceof Problem ? error : new Problem(500, 'internal')
    const app = datasource ?? walk.known.find((known) => known.instance === instance)
    audit({ event: 'step_failed', user, datasource: app?.instance, code })
    throw error
  }

  /** Once for each transition, however many requests wait for it. */
  function settled(user: User, decided: Decided): Answer {
    const { transition } = decided
    if (transition.kind === 'leave') audit({ event: 'step_started', user, datasource: transition.instance })
    return answerOf(decided)
  }

  function answer(req: Request, res: Response, found: Answer): void {
    if ('page' in found) showOverview(req, res, found)
    else seeOther(res, found.location)
  }

  /** Asks the service nothing, and goes on at once. */
  function showBetween(req: Request, res: Response, { instance, name, attempt }: StartedApp): void {
    const data = (t: Texts) => {
      const title = fitText(aboutIn(t.lang)(instance).name ?? name, t, ['wait.title', 'plain.checking'])
      return { title, refresh: { seconds: 0, url: callbackPath(attempt.step) } }
    }
    sendPage(req, res, { view: 'onboarding/between', sheet: 'walk', data })
  }

  function showOverview(req: Request, res: Response, { page: walk, from }: Page): void {
    const { user, signedInAt } = whoIsSignedIn(req)
    const name = user.givenName ?? user.name
    const person = user.email ?? user.name ?? ''
    const query = textIn(req, 'q')
    const isSignedInAgain = textIn(req, 'again') !== undefined && isRecentSignIn(signedInAt, now())
    const data = (t: Texts) => {
      const about = aboutIn(t.lang)
      const page = overviewOf(walk, {
        now: now(),
        t,
        person,
        name,
        query,
        from,
        isSignedInAgain,
        about,
        advances,
        confirmSeconds,
      })
      const { state, step, checking, refresh, watch } = page
      const offers = checking === undefined ? (step?.kind ?? state) : 'wait'
      log.debug({ next: offers, instance: (checking ?? step)?.instance }, 'walk: what the page offers')
      return {
        ...page,
        // A page that loads again may find that the person has signed out meanwhile.
        refresh: refresh && { ...refresh, url: unattendedPath(refresh.url) },
        watch: watch && { ...watch, go: unattendedPath(watch.go) },
      }
    }
    sendPage(req, res, { view: 'onboarding/overview', sheet: 'walk', data })
  }

  return router
}

function answerOf({ transition, walk, addressOf }: Decided): Answer {
  if (transition.kind === 'page') return { page: walk, from: transition.from }
  if (transition.kind === 'overview') return { location: overviewPath(walk.visit, transition.from) }
  return { location: addressOf(transition.instance) ?? overviewPath(walk.visit) }
}

/** A parameter of the query, where it came once and as text. */
const textIn = (req: Request, name: string) => {
  const value = req.query[name]
  return typeof value === 'string' ? value : undefined
}

/** Does it give up on too many redirects in a row? */
const isBrowser = (req: Request) =>
  req.get('sec-fetch-dest') === 'document' && req.get('user-agent')?.startsWith('Mozilla/') === true
