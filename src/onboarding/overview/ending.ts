// What a list comes to: which heading is true of it. Pure. What surprises: switched off and “not now” are not connected, and
// a visit that was narrowed says nothing about the apps that it does not show.
import type { Figure } from '../standing.ts'

/** Apps by figure, each counted once. */
export type Counts = Record<Figure, number>

export type Sight = {
  /** The apps that this visit shows. */
  shown: Counts
  /** The other apps of the same person. */
  hidden: Counts
  /** Was the visit narrowed to some apps? */
  isNarrowed: boolean
}

export type Ending =
  /** Something waits for the person, or for the service. */
  | 'open'
  /** The link names an app that is not there. */
  | 'unknown-name'
  /** The service never listed anything. */
  | 'nothing'
  | 'all'
  /** Everything that is not switched off. */
  | 'all-but-off'
  /** Everything that the visit was narrowed to; others are not. */
  | 'these'
  /** Some are; the others are “not now”, or wait for an administrator. */
  | 'some'
  /** None is: all are “not now”, or wait for an administrator. */
  | 'none'
  /** None is: all are switched off. */
  | 'off'

export function endingOf({ shown, hidden, isNarrowed }: Sight): Ending {
  const left = shown.skipped + shown.blocked
  if (shown.pending > 0) return 'open'
  if (shown.connected + left + shown.off === 0) return isNarrowed ? 'unknown-name' : 'nothing'
  if (shown.connected === 0) return left > 0 ? 'none' : 'off'
  if (left > 0) return 'some'
  if (hidden.pending + hidden.skipped + hidden.blocked > 0) return 'these'
  return shown.off + hidden.off > 0 ? 'all-but-off' : 'all'
}

export function countsOf(figures: readonly Figure[]): Counts {
  const counts: Counts = { connected: 0, pending: 0, skipped: 0, blocked: 0, off: 0 }
  for (const figure of figures) counts[figure]++
  return counts
}
