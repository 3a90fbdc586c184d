// What the overview shows, from the walk alone. Pure.
import type { Next } from '../course.ts'
import { callbackPath } from '../paths.ts'
import type { Walk } from '../walk.ts'
import { bannerOf, type Banner } from './banner.ts'
import { entriesOf, type Action, type Entry } from './entries.ts'
import type { Opening } from './opening.ts'
import { sceneOf, type OverviewContext, type Scene } from './scene.ts'
import { stepOf, type Step } from './step.ts'

export type Overview = Opening & {
  title: string
  banner: Banner | undefined
  progress: { connected: number; total: number; label: string } | undefined
  step: Step | undefined
  entries: Entry[]
  narrowed: boolean
  returnTo: Action | undefined
  refresh: { seconds: number; url: string } | undefined
}

export function overviewOf(walk: Walk, context: OverviewContext): Overview {
  const { t, now } = context
  const scene = sceneOf(walk, context)
  const { known, opening } = scene
  const step = stepOf(scene)
  const banner = step?.focus ? undefined : bannerOf(scene)
  const counted = countOf(scene)
  const result = banner?.title ?? (step?.kind === 'connect' ? undefined : step?.title)
  return {
    ...opening,
    title: [result, counted?.label, opening.heading]
      .filter((part) => part !== undefined)
      .slice(0, 2)
      .join(' - '),
    banner,
    progress: counted,
    step,
    entries: entriesOf(walk, known, {
      t,
      now,
      names: scene.names,
      current: scene.where.kind === 'finished' ? undefined : scene.where.instance,
      finished: opening.mood !== 'open',
    }),
    narrowed: walk.visit.only.length > 0 && (known.length === 0 || known.length < walk.known.length),
    returnTo: returnAction(scene),
    refresh: refreshOf(scene.where),
  }
}

/** What is switched off is left out: nobody can connect it, and counting it, a walk could never be complete. */
function countOf({ counts, t }: Scene): Overview['progress'] {
  const { connected, pending, skipped, blocked } = counts
  const total = connected + pending + skipped + blocked
  if (total === 0) return undefined
  return { connected, total, label: t.overview.progress(connected, total) }
}

function returnAction({ walk, t }: Scene): Action | undefined {
  const { returnTo } = walk.visit
  if (returnTo === undefined) return undefined
  const label = URL.canParse(returnTo) ? t.overview.backTo(new URL(returnTo).host) : t.overview.goOn
  return { href: returnTo, label }
}

const refreshOf = (where: Next): Overview['refresh'] =>
  where.kind === 'wait' ? { seconds: where.lookAgainSeconds, url: callbackPath(where.step) } : undefined
