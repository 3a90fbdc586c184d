// What a page that waits gives its script (views/assets/wait.js): when to ask how far the person is, and where to go on.
// Pure. What surprises: the first look is the page's own, because the one check of a look also leads on to the next app.
import { secondsBeforeLook, type Next } from '../next-step.ts'
import { callbackPath } from '../paths.ts'
import { statusOf } from '../status.ts'
import type { Walk } from '../walk.ts'

export type Watch = {
  /** Where a look leads: the return, once more. */
  go: string
  /** Does the first pause end with a look, not with a question as the others do? */
  looksFirst: boolean
  /** Seconds before each question, the last one again and again. */
  pauses: string
  /** What /api/status answered if nothing has changed since. */
  seen: string
  /** After so many seconds the time to confirm is over, and the page looks whatever it was told. */
  left: number
}

const QUESTIONS = 4

/**
 * @param now milliseconds since 1970
 * @param confirmSeconds CONFIRM_SECONDS
 */
export function watchOf(walk: Walk, where: Next, now: number, confirmSeconds: number): Watch | undefined {
  if (where.kind !== 'wait') return undefined
  const { step, looks, backAt, meanwhile } = where
  const pauses = Array.from({ length: QUESTIONS }, (_, ahead) =>
    secondsBeforeLook(looks + ahead, meanwhile === undefined),
  )
  const { connected, pending, skipped } = statusOf(walk, now)
  return {
    go: callbackPath(step),
    looksFirst: looks <= 1,
    pauses: pauses.join(' '),
    seen: [connected, pending, skipped].join(' '),
    left: Math.max(0, Math.ceil((backAt - now) / 1000) + confirmSeconds),
  }
}
