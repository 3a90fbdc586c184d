import { standingIn } from '../../src/onboarding/next-step.ts'
import { type Walk, shown } from '../../src/onboarding/walk.ts'
import { figureOf } from '../../src/onboarding/standing.ts'

/** "2 of 5": neither number shrinks while nothing is taken away by the service. */
export function progress(walk: Walk, now: number): { connected: number; total: number } {
  const figures = shown(walk).map((entry) => figureOf(standingIn(entry, now)))
  return { connected: figures.filter((figure) => figure === 'connected').length, total: figures.length }
}
