// What every part of the overview is made from: the walk, what is counted in it, and where it goes on. Pure.
import type { Texts } from '../../web/texts.en.ts'
import { next, standingIn, type Next } from '../course.ts'
import { figureOf } from '../standing.ts'
import { inScope, type Known, type Walk } from '../walk.ts'
import { countsOf, endingOf, type Counts } from './ending.ts'
import { isolated, namesOf } from './entries.ts'
import { openingOf, type Opening } from './opening.ts'

export type OverviewContext = {
  now: number
  t: Texts
  /** How the signed-in person is called; empty when that is not known. */
  person: string
  /** The instance that the person just came from: its state is told first. */
  from: string | undefined
  /** Does a return go straight on (ADVANCE)? */
  advances: boolean
}

export type Scene = OverviewContext & {
  walk: Walk
  known: Known[]
  names: Map<string, string>
  where: Next
  counts: Counts
  opening: Opening
}

export function sceneOf(walk: Walk, context: OverviewContext): Scene {
  const { t, now } = context
  const { visit } = walk
  const [known, others] = [[], []] as [Known[], Known[]]
  for (const entry of walk.known) (inScope(visit, entry.instance) ? known : others).push(entry)
  const countsIn = (entries: Known[]) =>
    countsOf(entries.map((entry) => figureOf(standingIn(walk, entry, now))))
  const sight = { shown: countsIn(known), hidden: countsIn(others), isNarrowed: visit.only.length > 0 }
  const opening = openingOf(endingOf(sight), sight, t)
  return {
    ...context,
    walk,
    known,
    names: namesOf(known),
    where: next(walk, now),
    counts: sight.shown,
    opening,
  }
}

export const nameOf = ({ names }: Scene, instance: string) => names.get(instance) ?? isolated(instance)
