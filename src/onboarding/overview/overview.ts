// What the overview shows, from the walk alone. Pure.
import { callbackPath } from '../paths.ts'
import type { Walk } from '../walk.ts'
import { entriesOf, type Action } from './entries.ts'
import { sceneOf, type OverviewContext, type Scene } from './scene.ts'
import { bannerOf, stepOf } from './step.ts'

export function overviewOf(walk: Walk, context: OverviewContext) {
  const scene = sceneOf(walk, context)
  const { apps, opening, where } = scene
  const step = stepOf(scene)
  const banner = step?.focus ? undefined : bannerOf(scene)
  const progress = progressOf(scene)
  const result = banner?.title ?? (step?.kind === 'connect' ? undefined : step?.title)
  const parts = [result, progress?.label, opening.heading].filter((part) => part !== undefined)
  return {
    ...opening,
    title: parts.slice(0, 2).join(' - '),
    banner,
    progress,
    step,
    entries: entriesOf(apps, {
      t: context.t,
      current: where.kind === 'finished' ? undefined : where.instance,
      finished: opening.mood !== 'open',
    }),
    narrowed: walk.visit.only.length > 0 && (apps.length === 0 || apps.length < walk.known.length),
    returnTo: returnAction(scene),
    refresh:
      where.kind === 'wait' ? { seconds: where.lookAgainSeconds, url: callbackPath(where.step) } : undefined,
  }
}

/** What is switched off is left out: no one can connect it, and counting it, a walk could never be complete. */
function progressOf({ counts, t }: Scene) {
  const { connected, pending, skipped, blocked } = counts
  const total = connected + pending + skipped + blocked
  return total === 0 ? undefined : { connected, total, label: t('overview.progress', { connected, total }) }
}

function returnAction({ visit: { returnTo }, t }: Scene): Action | undefined {
  if (returnTo === undefined) return undefined
  const label = URL.canParse(returnTo)
    ? t('overview.backTo', { place: new URL(returnTo).host })
    : t('overview.continue')
  return { href: returnTo, label }
}
