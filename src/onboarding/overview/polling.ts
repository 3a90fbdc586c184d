// What a page that waits gives its script (views/assets/walk.js): how often to ask how far the person is, and where to
// look. Pure.
import { FREQUENT_POLLING_MS, type NextStep } from '../next-step.ts'
import { callbackPath } from '../paths.ts'
import { statusOf } from '../status.ts'
import type { Walk } from '../walk.ts'

/**
 * @param now milliseconds since 1970
 * @param confirmSeconds CONFIRM_SECONDS
 */
export function pollingOf(walk: Walk, where: NextStep, now: number, confirmSeconds: number) {
  if (where.kind !== 'wait') return undefined
  const { connected, pending, skipped } = statusOf(walk, now)
  const since = Math.ceil((where.backAt - now) / 1000)
  return {
    /** Where a look leads: the return, once more. */
    go: callbackPath(where.step),
    /** What /api/status answered if nothing has changed since. */
    seen: [connected, pending, skipped].join(' '),
    /** For so many seconds it asks often. */
    often: Math.max(0, since + FREQUENT_POLLING_MS / 1000),
    /** Seconds until CONFIRM_SECONDS are over; the page then loads again, whatever the status is. */
    left: Math.max(0, since + confirmSeconds),
  }
}
