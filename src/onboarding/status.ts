// GET /api/status, for the intranet: a person's unconnected apps, as numbers and as the widget's sentences. Many tabs
// may poll it, so the service is checked at most every few seconds. Actions in onramp show at once.
import { Router, type Request } from 'express'
import { createSingleFlight } from '../single-flight.ts'
import { personKey, requireSignedIn } from '../session/signed-in.ts'
import type { Languages } from '../web/languages/languages.ts'
import type { Texts } from '../web/languages/texts.ts'
import { bucketOf } from './app-state.ts'
import { countsOf, headlineOf } from './overview/headline.ts'
import type { WalkChecker } from './walk-checker.ts'
import { firstAppsOf, walkStates, type WalkStates } from './next-step.ts'
import type { Walk } from './walk.ts'
import type { WalkStore } from './walk-store.ts'

type Status = { connected: number; pending: number; skipped: number }

/**
 * Counts all apps, also outside a narrowed visit. In a long walk, counts the first apps until they are done, like the
 * page. Apps that are off or wait for an admin aren't counted, because the person can't do anything.
 */
export function statusOf({ all }: Pick<WalkStates, 'all'>): Status {
  const firstApps = firstAppsOf(all)
  const firstAppStates = all.filter(({ tracked }) => firstApps?.has(tracked.instance))
  const countedApps = firstAppStates.some(({ state }) => bucketOf(state) === 'pending') ? firstAppStates : all
  const count = (wanted: keyof Status) => countedApps.filter(({ state }) => bucketOf(state) === wanted).length
  return { connected: count('connected'), pending: count('pending'), skipped: count('skipped') }
}

/** Skipped apps count as unconnected. If none is left, but not all are connected, the headline is that of the page. */
function statusTexts({ connected, pending, skipped }: Status, all: WalkStates['all'], t: Texts) {
  const count = pending + skipped
  const { outcome, heading } = headlineOf(
    { shown: countsOf(all), hidden: countsOf([]), isNarrowed: false },
    t,
  )
  return {
    lang: t.lang,
    dir: t.dir,
    left: count > 0 || outcome === 'all' ? t('widget.left', { count, n: t.number(count) }) : heading,
    progress: t('widget.progress', { connected, total: connected + count }),
  }
}

const FRESH_MS = 3_000
const MAX_REMEMBERED = 10_000

export function createStatusRoute(
  walkChecker: Pick<WalkChecker, 'checkForWidget'>,
  walks: Pick<WalkStore, 'load'>,
  languages: Pick<Languages, 'ofRequest' | 'nearest'>,
  now: () => number,
): Router {
  const shareCheck = createSingleFlight<Walk>()
  const checkTimes = new Map<string, number>()

  /** Sessions share only a completed check, because the service may reject the token of one and not of the other. */
  async function currentWalk(req: Request): Promise<Walk> {
    const { user, id } = requireSignedIn(req)
    const key = personKey(user)
    if (now() - (checkTimes.get(key) ?? -Infinity) < FRESH_MS) return await walks.load(user)
    const walk = await shareCheck(`${key} ${id}`, () => walkChecker.checkForWidget(req))
    if (checkTimes.size >= MAX_REMEMBERED) checkTimes.clear()
    checkTimes.set(key, now())
    return walk
  }

  return Router().get('/api/status', async (req, res) => {
    const { language } = req.query

    const walk = await currentWalk(req)

    const states = walkStates(walk, now())
    const status = statusOf(states)
    const t = typeof language === 'string' ? languages.nearest(language) : languages.ofRequest(req)
    res.json({ signedIn: true, ...status, texts: statusTexts(status, states.all, t) })
  })
}
