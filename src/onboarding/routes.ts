// The walk over HTTP. What surprises: the one check on return both judges the step that ended and brings the one-time
// path for the next, so N datasources cost N + 1 checks; a path is used in that very answer and kept nowhere.
import { randomBytes } from 'node:crypto'
import { Router, type Request, type RequestHandler, type Response } from 'express'
import type { Unconnected } from '../client-api/answers.ts'
import { departureUrl } from '../client-api/departure.ts'
import { Problem } from '../problem.ts'
import type { User } from '../session/session.ts'
import { whoIsSignedIn } from '../sign-in/require-sign-in.ts'
import { safeReturnTo, type ReturnToRules } from '../sign-in/return-to.ts'
import type { Note, StepResult } from '../web/audit.ts'
import { isFollowedFromOwnPage } from '../web/cross-site.ts'
import type { SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import { texts } from '../web/texts.en.ts'
import { block, unblock } from './blocked.ts'
import { standingIn } from './course.ts'
import { createOnce } from './once.ts'
import { callbackPath, overviewOf } from './overview.ts'
import { passageOfClick, passageOfReturn, type Passage, type Question } from './passage.ts'
import { overviewPath, visitOf, withVisit } from './visit.ts'
import { createRecentChecks } from './recent-checks.ts'
import { skip, unskip } from './skipping.ts'
import { unhandled } from './standing.ts'
import { statusOf } from './status.ts'
import { attemptOf, isReturned, mayAsk, observe, type Walk } from './walk.ts'
import type { Walks } from './walks.ts'

/** Asks the service for the person who made the request. @throws {Problem} */
export type CheckFor = (req: Request, finalRedirectUrl?: string) => Promise<Unconnected[]>

export type OnboardingParts = {
  /** How often a person may ask for what reaches the service. */
  limit: RequestHandler
  checkFor: CheckFor
  walks: Walks
  sendPage: SendPage
  returnTo: ReturnToRules
  /** PUBLIC_URL and SERVICE_BASE_URL. */
  publicUrl: string
  baseUrl: string
  /** ADVANCE=auto. */
  advances: boolean
  confirmSeconds: number
  note: Note
  now: () => number
}

/** Every route below that asks the service. */
const REACHING_THE_SERVICE = [
  '/onboarding',
  '/onboarding/connect',
  '/onboarding/connect/:instance',
  '/onboarding/callback',
  '/api/status',
]

const nameOfPerson = ({ issuer, subject }: User) => `${issuer}\n${subject}`

type Go = { location: string } | { page: Walk; from?: string; goOn?: string }

export function createOnboardingRoutes(parts: OnboardingParts): Router {
  const router = Router()
  const { walks, now, confirmSeconds, note } = parts
  const once = createOnce<Go>()
  const recent = createRecentChecks(now)
  const newStep = () => randomBytes(16).toString('base64url')
  const callbackUrl = (step: string) => `${parts.publicUrl}/onboarding/callback?step=${step}`

  /** What the service says now, taken in; while somebody is just leaving it is not asked (the path could be voided). */
  async function current(req: Request, user: User, change: (walk: Walk) => Walk): Promise<Walk> {
    const walk = await walks.load(user)
    const waiting = mayAsk(walk, now()) ? await parts.checkFor(req) : undefined
    const at = now()
    const take = (before: Walk) =>
      waiting === undefined ? before : observe(before, waiting, at, confirmSeconds)
    return await walks.update(user, (before) => take(change(before)), walk)
  }

  /** Asks with a fresh step id, decides, keeps the decision, and only then says where to go. */
  async function pass(
    req: Request,
    user: User,
    walk: Walk,
    decide: (walk: Walk, question: Question) => Passage,
    tell: (after: Walk) => void = () => {},
  ): Promise<Go> {
    const step = newStep()
    const waiting = await parts.checkFor(req, callbackUrl(step))
    const paths = new Map(waiting.map((entry) => [entry.instance, entry.authUrlRelativePath]))
    const addressOf = (instance: string) => {
      const path = paths.get(instance)
      return path === undefined ? undefined : departureUrl(parts.baseUrl, instance, path)
    }
    const isStartable = (instance: string) => addressOf(instance) !== undefined
    const question = { now: now(), confirmSeconds, step, waiting, isStartable }
    let passage: Passage | undefined
    const kept = await walks.update(user, (before) => (passage = decide(before, question)).walk, walk)
    const decided = passage ?? decide(kept, question)
    recent.forget(nameOfPerson(user))
    tell(kept)
    if (decided.kind === 'leave') note({ event: 'step_started', user, datasource: decided.instance })
    return goOf(decided, kept, addressOf)
  }

  router.get(REACHING_THE_SERVICE, parts.limit)

  router.get('/onboarding', async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const { query } = req
    const visit = visitOf(query, (value) => safeReturnTo(value, parts.returnTo))
    const from = typeof query['from'] === 'string' ? query['from'] : undefined

    const walk = await current(req, user, (before) => withVisit(before, visit))

    showOverview(req, res, walk, { from })
  })

  type Told = { from?: string | undefined; goOn?: string | undefined }

  function showOverview(req: Request, res: Response, walk: Walk, { from, goOn }: Told) {
    const { user } = whoIsSignedIn(req)
    const person = user.email ?? user.name ?? ''
    const context = { now: now(), t: texts, person, from, advances: parts.advances }
    const overview = overviewOf(walk, context)
    const refresh = goOn === undefined ? overview.refresh : { seconds: 0, url: goOn }
    parts.sendPage(req, res, { view: 'onboarding/overview', data: { ...overview, refresh } })
  }

  router.get(['/onboarding/connect', '/onboarding/connect/:instance'], async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const { instance } = req.params as { instance?: string }
    if (!isFollowedFromOwnPage(req, parts.publicUrl)) return seeOther(res, '/onboarding')

    const go = await once(`${user.issuer}\n${user.subject}\nclick\n${instance ?? ''}`, async () => {
      const walk = await walks.load(user)
      return await pass(req, user, walk, (before, question) => passageOfClick(before, question, instance))
    })

    if ('location' in go) seeOther(res, go.location)
  })

  router.get('/onboarding/callback', async (req, res) => {
    const { user } = whoIsSignedIn(req)
    const step = typeof req.query['step'] === 'string' ? req.query['step'] : undefined
    const walk = await walks.load(user)
    const attempt = attemptOf(walk, step)
    if (attempt === undefined) return seeOther(res, overviewPath(walk.visit))
    // A page that waits is not worth a check that voids the path which another tab is just following.
    if (isReturned(attempt) && !mayAsk(walk, now())) return showOverview(req, res, walk, {})

    const go = await once(`${user.issuer}\n${user.subject}\nreturn\n${attempt.step}`, () => {
      const { step: ended, instance } = attempt
      const isBrowser =
        req.get('sec-fetch-dest') === 'document' && req.get('user-agent')?.startsWith('Mozilla/') === true
      const isRefused = Boolean(req.query['error'])
      const back = { step: ended, instance, advances: parts.advances, isBrowser, isRefused }
      return pass(
        req,
        user,
        walk,
        (before, question) => passageOfReturn(before, question, back),
        (after) => {
          const at = now()
          const result = resultOf(after, attempt.instance, at)
          if (
            result !== resultOf(walk, attempt.instance, at) ||
            (result === 'waiting' && attempt.looks === 0)
          )
            note({ event: 'step_result', user, datasource: attempt.instance, result })
        },
      )
    })

    if ('page' in go) showOverview(req, res, go.page, go)
    else seeOther(res, go.location)
  })

  const puttingOff = [
    { path: 'skip', change: skip, event: 'skipped' },
    { path: 'blocked', change: block, event: 'blocked' },
  ] as const
  for (const { path, change, event } of puttingOff)
    router.post(`/onboarding/${path}/:instance`, async (req, res) => {
      const { user } = whoIsSignedIn(req)
      const { instance } = req.params
      const walk = await walks.update(user, (before) => change(before, instance, now()))
      recent.forget(nameOfPerson(user))
      if (!walk.known.some((entry) => entry.instance === instance)) throw unknownDatasource()
      note({ event, user, datasource: instance })
      seeOther(res, overviewPath(walk.visit, instance))
    })

  const takingBack = [
    { path: 'unskip', change: unskip },
    { path: 'unblock', change: unblock },
  ] as const
  for (const { path, change } of takingBack)
    router.post(`/onboarding/${path}/:instance`, async (req, res) => {
      const { user } = whoIsSignedIn(req)
      const { instance } = req.params
      const walk = await walks.update(user, (before) => change(before, instance))
      recent.forget(nameOfPerson(user))
      seeOther(res, overviewPath(walk.visit))
    })

  router.get('/api/status', async (req, res) => {
    const { user, sessionId } = whoIsSignedIn(req)
    // A page of the intranet may ask in every tab. What was done here shows at once: the walk itself is read each time.
    await recent.ask(nameOfPerson(user), sessionId, () => current(req, user, (before) => before))
    res.json(statusOf(await walks.load(user), now()))
  })

  return router
}

function resultOf(walk: Walk, instance: string, now: number): StepResult {
  const entry = walk.known.find((known) => known.instance === instance)
  if (entry === undefined) return 'waiting'
  const standing = standingIn(walk, entry, now)
  switch (standing.kind) {
    case 'confirming':
    case 'elsewhere':
    case 'todo':
      return 'waiting'
    case 'connected':
    case 'off':
    case 'blocked':
    case 'unconfirmed':
    case 'skipped':
      return standing.kind
    default:
      return unhandled(standing)
  }
}

const unknownDatasource = () =>
  new Problem(404, 'datasource_unknown', { detail: 'not on the list of the person' })

function goOf(passage: Passage, walk: Walk, addressOf: (instance: string) => string | undefined): Go {
  switch (passage.kind) {
    case 'leave':
      return { location: addressOf(passage.instance) ?? overviewPath(walk.visit) }
    case 'overview':
      return { location: overviewPath(walk.visit, passage.from) }
    case 'wait':
      return { page: walk, from: passage.from }
    case 'pause':
      return { page: walk, from: passage.from, goOn: callbackPath(passage.step) }
    case 'unknown':
      throw unknownDatasource()
    case 'unstartable': {
      const datasource =
        walk.known.find((entry) => entry.instance === passage.instance)?.name ?? passage.instance
      const detail = `the service's authUrlRelativePath for ${passage.instance} is missing or leads elsewhere`
      throw new Problem(502, 'datasource_cannot_start', { detail, datasource })
    }
  }
}
