// What a page that waits gives its script (views/assets/wait.js): when to ask how far the person is, and where to look.
// Pure.
import { OFTEN, SELDOM_SECONDS, type Next } from '../next-step.ts'
import { callbackPath } from '../paths.ts'
import { statusOf } from '../status.ts'
import type { Walk } from '../walk.ts'

export type Watch = {
  /** Where a look leads: the return, once more. */
  go: string
  /** Seconds before each question, the last one again and again. */
  pauses: string
  /** What /api/status answered if nothing has changed since. */
  seen: string
  /** After so many seconds the time to confirm is over, and the page looks whatever it was told. */
  left: number
}

/**
 * @param now milliseconds since 1970
 * @param confirmSeconds CONFIRM_SECONDS
 */
export function watchOf(walk: Walk, where: Next, now: number, confirmSeconds: number): Watch | undefined {
  if (where.kind !== 'wait') return undefined
  const { step, backAt } = where
  const often = Math.ceil((OFTEN.forMs - Math.abs(now - backAt)) / 1000 / OFTEN.seconds)
  const pauses = Array.from({ length: Math.max(0, often) }, () => OFTEN.seconds)
  const { connected, pending, skipped } = statusOf(walk, now)
  return {
    go: callbackPath(step),
    pauses: [...pauses, SELDOM_SECONDS].join(' '),
    seen: [connected, pending, skipped].join(' '),
    left: Math.max(0, Math.ceil((backAt - now) / 1000) + confirmSeconds),
  }
}
