// The walk over HTTP: the overview, the way to an app and back, "not now", and the status for the intranet.
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { personKey, requireSignedIn, type User } from '../session/signed-in.ts'
import { isRecentSignIn } from '../sign-in/require-sign-in.ts'
import { parseReturnTo, type ReturnToRules } from '../sign-in/return-to.ts'
import type { Audit } from '../web/audit.ts'
import { browserGoneSignal } from '../web/error-page.ts'
import { mayBeFromOwnPage, isFromOtherSite, untrustedPath } from '../web/cross-site.ts'
import type { Languages } from '../web/languages/languages.ts'
import type { Log } from '../web/log.ts'
import { PLACEHOLDERS, type SendPage } from '../web/pages.ts'
import { seeOther } from '../web/see-other.ts'
import type { WalkChecker } from './walk-checker.ts'
import { Consents } from './consents.ts'
import type { DescribeApp } from '../company/app-description.ts'
import type { Approval, KeepStateStore } from '../people/keep-state.ts'
import { isRecordedChoice } from '../people/person.ts'
import { Problem } from '../problem.ts'
import { Turns } from '../turns.ts'
import { fitText } from './overview/card.ts'
import { overviewOf, sharedWalk } from './overview/overview.ts'
import { callbackPath, CONSENT_CALLBACK_PATH, overviewPath, parseVisit } from './paths.ts'
import { createStatusRoute } from './status.ts'
import { unknownApp } from './transition.ts'
import { block, decline, skip, unblock, unskip, type StartedApp, type TrackedApp, type Walk } from './walk.ts'
import type { WalkStore } from './walk-store.ts'
import type { ProgressRecorder } from './progress-recorder.ts'

const CONNECT_PATHS = ['/onboarding/connect', '/onboarding/connect/:instance']

/** A person's choices about an app, with their audit event. Undoing one has no event, and accepts an unknown app. */
const CHOICE_ROUTES = [
  { path: 'skip', change: skip, event: 'skipped' },
  { path: 'blocked', change: block, event: 'blocked' },
  { path: 'declined', change: decline, event: 'declined' },
  { path: 'unskip', change: unskip, event: undefined },
  { path: 'unblock', change: unblock, event: undefined },
] as const

type OnboardingDeps = {
  walkChecker: WalkChecker
  walks: WalkStore
  progress: Pick<ProgressRecorder, 'recordFailure' | 'recordIntents'>
  describeIn: (lang: string) => DescribeApp
  isAutomatic: boolean
  confirmSeconds: number
  publicUrl: string
  returnTo: ReturnToRules
  keepStateStore: Pick<KeepStateStore, 'load'>
  languages: Pick<Languages, 'ofRequest' | 'nearest'>
  limit: RequestHandler
  sendPage: SendPage
  audit: Audit
  log: Pick<Log, 'debug' | 'isLevelEnabled'>
  now: () => number
}

export function createOnboardingRoutes(deps: OnboardingDeps): Router {
  const { walkChecker, walks, progress, returnTo, languages, limit, publicUrl, audit, log, now } = deps
  const router = Router()
  const consents = new Consents(deps)
  const choices = Turns.forChanges()

  router.use(['/onboarding', '/api/status'], limit)
  // No page needs it, and each such view would wait for the service.
  router.get('/api/status', (req, _res, next) => {
    const isOpened = req.get('sec-fetch-mode') === 'navigate' && isFromOtherSite(req, publicUrl)
    next(isOpened ? new Problem(403, 'cross_site', { detail: 'opened by another site' }) : undefined)
  })

  router.get('/onboarding', async (req, res) => {
    const visit = parseVisit(req.query, (value) => parseReturnTo(value, returnTo))
    const from = textParameter(req, 'from')

    const { user } = requireSignedIn(req)
    const walk = await walkChecker
      .checkWalk(req, (before) => ({ ...before, visit }), browserGoneSignal(res))
      .catch((error: unknown) => {
        const code = error instanceof Problem ? error.code : ''
        // In the background: the store may be slow, too.
        if (code.startsWith('service_')) void progress.recordFailure(user, { at: now(), code })
        throw error
      })

    const approvedInstances = approvedApps(walk, await approvalsFor(deps, walk))
    const unblockApproved = (before: Walk) =>
      approvedInstances.reduce((next, app) => unblock(next, app), before)
    if (approvedInstances.length > 0)
      await progress.recordIntents(user, await walks.update(user, unblockApproved))

    await sendOverview(deps, req, res, unblockApproved(walk), from)
  })

  router.get(CONNECT_PATHS, async (req, res) => {
    const { user, signedInAt } = requireSignedIn(req)
    const { instance } = req.params as { instance?: string }
    if (!mayBeFromOwnPage(req, publicUrl)) {
      if (!isRecentSignIn(signedInAt, now())) return seeOther(res, '/onboarding')
      // A sign-in interrupted the click.
      const { visit } = await walks.load(user)
      return seeOther(res, overviewPath(visit, instance, true))
    }

    await sendResult(deps, req, res, await consents.start(req, instance))
  })

  router.get(CONSENT_CALLBACK_PATH, async (req, res) => {
    await sendResult(deps, req, res, await consents.finish(req))
  })

  for (const { path, change, event } of CHOICE_ROUTES)
    router.post(`/onboarding/${path}/:instance`, async (req, res) => {
      const { user } = requireSignedIn(req)
      const { instance } = req.params

      const choice = { instance, change, event }
      const { visit, isKnown } = await choices.run(personKey(user), () => recordChoice(deps, user, choice))
      log.debug({ change: path, instance: isKnown ? instance : undefined }, 'walk: change by the person')

      if (event !== undefined) {
        if (!isKnown) {
          const unknown = unknownApp()
          audit({ event: 'step_failed', user, datasource: undefined, code: unknown.code })
          throw unknown
        }
        audit({ event, user, datasource: instance })
      }
      seeOther(res, overviewPath(visit, isKnown ? instance : undefined))
    })

  router.use(createStatusRoute(walkChecker, walks, languages, now))
  return router
}

/** Records a choice. Runs as a whole in one turn, so that those who wait for theirs keep no walk in memory. */
async function recordChoice(
  { walks, progress, now }: OnboardingDeps,
  user: User,
  {
    instance,
    change,
    event,
  }: Pick<(typeof CHOICE_ROUTES)[number], 'change' | 'event'> & { instance: string },
) {
  const walk = await walks.update(user, (before) => change(before, instance, now()))
  const isKnown = walk.apps.some((app) => app.instance === instance)
  const isRecorded = isKnown && event !== undefined && isRecordedChoice(event)
  await progress.recordIntents(user, walk, isRecorded ? { at: now(), instance, code: event } : undefined)
  return { visit: walk.visit, isKnown }
}

const isBlocked = ({ status, blockedAt }: TrackedApp): boolean =>
  status !== 'connected' && blockedAt !== undefined

/** Approvals for the overview. Reads the store only if an app waits for an admin. */
async function approvalsFor({ keepStateStore }: OnboardingDeps, { apps }: Walk): Promise<Approval[]> {
  return apps.some(isBlocked) ? ((await keepStateStore.load()).approvals ?? []) : []
}

/** Apps to offer again, because the approval works for others, or the person followed a link to test it. */
const approvedApps = ({ apps, visit }: Walk, approvals: readonly Approval[]): string[] =>
  apps.filter(isBlocked).flatMap(({ instance, blockedAt = 0 }) => {
    const { stage, stageChangedAt = 0 } = approvals.find((approval) => approval.instance === instance) ?? {}
    const isApproved = stage === 'confirmed' || (stage === 'approved' && visit.datasources.includes(instance))
    return isApproved && stageChangedAt > blockedAt ? instance : []
  })

async function sendResult(
  deps: OnboardingDeps,
  req: Request,
  res: Response,
  result: Awaited<ReturnType<Consents['start']>>,
) {
  if (result.kind === 'redirect') seeOther(res, result.location)
  else if (result.kind === 'interstitial') sendInterstitial(deps, req, res, result.app)
  else await sendOverview(deps, req, res, result.walk, result.from)
}

/** Sends a page between two apps, which continues at once, without a check. */
function sendInterstitial(
  { describeIn, sendPage }: OnboardingDeps,
  req: Request,
  res: Response,
  { instance, name, attempt }: StartedApp,
): void {
  sendPage(req, res, {
    view: 'web/interstitial',
    sheet: 'walk',
    data: (t) => ({
      title: fitText(describeIn(t.lang)(instance).name ?? name, t, ['wait.title', 'plain.checking']),
      refresh: { seconds: 0, url: callbackPath(attempt.step) },
    }),
  })
}

async function sendOverview(deps: OnboardingDeps, req: Request, res: Response, walk: Walk, from?: string) {
  const { describeIn, isAutomatic, confirmSeconds, sendPage, log, now } = deps
  const { user, signedInAt } = requireSignedIn(req)
  const approvals = await approvalsFor(deps, walk)
  const person = user.email ?? user.name ?? ''
  // The debug line of the offered step is written for each page, so it needs pages that aren't shared.
  const isShareable = req.originalUrl === '/onboarding' && person !== '' && !log.isLevelEnabled('debug')
  const shareableWalk = isShareable ? sharedWalk(walk) : undefined
  sendPage(req, res, {
    view: 'onboarding/overview',
    sheet: 'walk',
    script: 'walk',
    sharedKey: shareableWalk && JSON.stringify(shareableWalk.apps),
    data: (t) => {
      const page = overviewOf(shareableWalk ?? walk, {
        now: shareableWalk ? 0 : now(),
        t,
        person: shareableWalk ? PLACEHOLDERS.inMessage : person,
        name: shareableWalk ? undefined : (user.givenName ?? user.name),
        query: textParameter(req, 'q'),
        from,
        isSignedInAgain: textParameter(req, 'again') !== undefined && isRecentSignIn(signedInAt, now()),
        describe: describeIn(t.lang),
        approvals,
        isAutomatic,
        confirmSeconds,
      })
      const { state, card, confirming, refresh, polling } = page
      const next = confirming === undefined ? (card?.kind ?? state) : 'confirming'
      log.debug({ next, instance: (confirming ?? card)?.instance }, 'walk: offered step')
      return {
        ...page,
        // The person may have signed out before the page loads again.
        refresh: refresh && { ...refresh, url: untrustedPath(refresh.url) },
        polling: polling && { ...polling, url: untrustedPath(polling.url) },
      }
    },
  })
}

const textParameter = (req: Request, name: string) => {
  const value = req.query[name]
  return typeof value === 'string' ? value : undefined
}
