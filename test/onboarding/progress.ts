import { standingIn } from '../../src/onboarding/course.ts'
import { figureOf } from '../../src/onboarding/standing.ts'
import { shown, type Walk } from '../../src/onboarding/walk.ts'

/** "2 of 5": neither number shrinks while nothing is taken away by the service. */
export function progress(walk: Walk, now: number): { connected: number; total: number } {
  const figures = shown(walk).map((entry) => figureOf(standingIn(walk, entry, now)))
  return { connected: figures.filter((figure) => figure === 'connected').length, total: figures.length }
}
