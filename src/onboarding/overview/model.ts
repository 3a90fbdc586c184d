// What every part of the overview is made from: the apps of the visit, what is counted in them, and where it goes on. Pure.
import { withUniqueNames, readableName } from '../../company/app-names.ts'
import type { Texts } from '../../web/languages/texts.ts'
import {
  firstApps,
  firstOffered,
  nextStep,
  automaticNext,
  trackedAppState,
  type NextStep,
} from '../next-step.ts'
import { bucketOf, type AppState } from '../app-state.ts'
import { startConsent, inScope, type TrackedApp, type Walk } from '../walk.ts'
import type { DescribeApp } from './about.ts'
import { countsOf, endingOf, headlineOf } from './headline.ts'

/** An app of the walk, under the company's name for it, and how it is doing. `short`: without what tells it apart. */
export type OverviewApp = { entry: TrackedApp; standing: AppState; name: string; short: string }

export type OverviewContext = {
  now: number
  t: Texts
  /** How the signed-in person is called; empty when that is not known. */
  person: string
  /** How they are addressed. */
  name?: string | undefined
  /** What the list is filtered by. */
  query?: string | undefined
  /** The instance that the person just came from: its state is told first. */
  from: string | undefined
  /** Did a sign-in come between the person's click and the app? Then that app is offered. */
  isSignedInAgain?: boolean | undefined
  about: DescribeApp
  /** ADVANCE=auto. */
  advances: boolean
  /** CONFIRM_SECONDS. */
  confirmSeconds: number
}

export type OverviewModel = ReturnType<typeof createOverviewModel>

export function createOverviewModel(walk: Walk, context: OverviewContext) {
  const { t, now, about } = context
  const { visit } = walk
  const named = (entry: TrackedApp) => ({ ...entry, name: about(entry.instance).name ?? entry.name })
  // A narrowed visit calls its apps what the whole list calls them.
  const all = withUniqueNames(walk.known.map(named)).map((entry): OverviewApp => ({
    entry,
    name: entry.name,
    short: entry.short,
    standing: trackedAppState(entry, now),
  }))
  const [apps, others] = [[], []] as [OverviewApp[], OverviewApp[]]
  for (const app of all) (inScope(visit, app.entry.instance) ? apps : others).push(app)
  const few = firstApps(walk)
  const isFirst = ({ entry }: OverviewApp) => few?.has(entry.instance) !== false
  const first = apps.filter(isFirst)
  const seen = {
    shown: countsOf(first),
    hidden: countsOf([...apps.filter((app) => !isFirst(app)), ...others]),
    isStart: few !== undefined,
    isNarrowed: visit.only.length > 0,
    hasBegun: apps.some(
      (app) => app.entry.instance === context.from || app.standing.kind === 'confirming' || hasLapsed(app),
    ),
  }
  const opening = headlineOf(endingOf(seen), seen, t)
  const from = apps.find(({ entry }) => entry.instance === context.from)
  const where: NextStep =
    context.isSignedInAgain && isOffered(from)
      ? { kind: 'connect', instance: from.entry.instance }
      : nextStep(walk, now)
  return {
    ...context,
    visit,
    apps,
    /** Apps of this visit by their short name. */
    byShortName: Map.groupBy(apps, ({ short }) => short),
    /** Instances whose account is also that of another app with the same name, shown or not. */
    sharedAccounts: new Set(
      [...Map.groupBy(all, ({ short, entry }) => `${short}\n${about(entry.instance).account}`).values()]
        .filter(({ length }) => length > 1)
        .flatMap((some) => some.map(({ entry }) => entry.instance)),
    ),
    where,
    /** The apps that a long walk begins with. */
    few,
    /** What comes after these, once they are done. */
    following: few && where.kind === 'finished' ? firstOffered(walk, now, () => true) : undefined,
    /** Does a return from this app lead straight to another one? Decided as the return will decide it. */
    goesOn(instance: string): boolean {
      const left = startConsent(walk, { instance, step: '', now })
      const then = automaticNext(left, now, () => true)
      return context.advances && then !== undefined && about(then).help === undefined
    },
    counts: seen.shown,
    opening,
    earliest: Math.min(...apps.map(({ entry }) => entry.firstSeen)),
    /** Nothing waits. */
    isOver: opening.state !== 'open',
  }
}

/** Can the person leave for it? */
const isOffered = (app: OverviewApp | undefined): app is OverviewApp =>
  app !== undefined && !['connected', 'confirming', 'off'].includes(app.standing.kind)

/**
 * Was it connected, and waits for the person again? By the person's record, or else by the walk or the service's word.
 * Skipped and blocked apps keep their own words.
 */
export const hasLapsed = ({ entry: { status, lapsedAt, connectedAt }, standing }: OverviewApp): boolean =>
  status === 'stale' || (bucketOf(standing) === 'pending' && (lapsedAt ?? connectedAt) !== undefined)

export const findApp = (
  { apps }: Pick<OverviewModel, 'apps'>,
  instance: string | undefined,
): OverviewApp | undefined => apps.find(({ entry }) => entry.instance === instance)

export const appName = (situation: Pick<OverviewModel, 'apps'>, instance: string): string =>
  findApp(situation, instance)?.name ?? readableName({ name: instance, instance })
