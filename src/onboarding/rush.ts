// When a browser has followed enough redirects in a row: pure. A page in between costs one check more and no click.
import type { Attempt, Walk } from './walk.ts'

/** A datasource that agrees without a page sends the browser back at once. */
const RUSH_MS = 3_000
/** Browsers give up after some 20 redirects in a row, and such a datasource takes about four. */
const RUSH_MOST = 4

/**
 * Has the browser been sent on and on without a page? Asked when it comes back from `attempt`, once: a second look at the
 * same return is no rush.
 */
export function isRushed(walk: Walk, attempt: Attempt, now: number): boolean {
  if (attempt.looks > 0) return false
  let [length, end] = [0, now]
  for (const { departedAt, returnedAt } of walk.attempts.toReversed()) {
    const returned = returnedAt ?? now
    if (end - returned > RUSH_MS || returned - departedAt > RUSH_MS) break
    end = departedAt
    length++
  }
  return length > 0 && length % RUSH_MOST === 0
}

/** The same return will be looked at once more. */
export const lookAgain = (walk: Walk, step: string): Walk => ({
  ...walk,
  attempts: walk.attempts.map(({ done: _done, ...attempt }) =>
    attempt.step === step
      ? { ...attempt, looks: attempt.looks + 1 }
      : { ...attempt, ...(_done && { done: _done }) },
  ),
})
