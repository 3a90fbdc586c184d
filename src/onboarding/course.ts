// Where a person is on the walk and where it goes on, from how each app is doing (standing.ts). Pure.
import { figureOf, standingOf, turnOf, type Standing } from './standing.ts'
import { isInFlight, isReturned, shown, type Known, type Walk } from './walk.ts'

export type Next =
  /**
   * A consent was given (or not) and the service does not show it yet: look again in so many seconds. `meanwhile`: the app
   * that the person can go on with.
   */
  | {
      kind: 'wait'
      instance: string
      step: string
      looks: number
      lookAgainSeconds: number
      meanwhile: string | undefined
    }
  /** A consent that never showed: the person decides. */
  | { kind: 'attend'; instance: string; meanwhile: string | undefined }
  | { kind: 'connect'; instance: string }
  | { kind: 'finished' }

/** Every reload takes a reader back to the top of the page, so each pause is longer than the one before. */
const LOOK_AGAIN_SECONDS = [2, 5, 10, 20]
const MAX_LOOK_AGAIN_SECONDS = 30

/** How an app of this walk is doing. @param now milliseconds since 1970 */
export function standingIn(walk: Walk, entry: Known, now: number): Standing {
  const own = walk.attempts.filter(({ instance }) => instance === entry.instance)
  // "Not now" in one tab counts at once, whatever an earlier tab has open.
  const isLater = (at: number) => entry.skippedAt === undefined || at > entry.skippedAt
  return standingOf({
    ...entry,
    isConfirming: own.some(isReturned),
    isUnderWay: own.some((attempt) => isInFlight(attempt, now) && isLater(attempt.departedAt)),
  })
}

/** Where the person is: what a page offers first. */
export function next(walk: Walk, now: number): Next {
  const standings = new Map(
    shown(walk).map((entry) => [entry.instance, standingIn(walk, entry, now)] as const),
  )
  const meanwhile = firstOffered(walk, now, () => true)
  const returned = walk.attempts.findLast(
    (attempt) => isReturned(attempt) && standings.get(attempt.instance)?.kind === 'confirming',
  )
  if (returned !== undefined) {
    const { instance, step, looks } = returned
    const lookAgainSeconds = LOOK_AGAIN_SECONDS[Math.max(0, looks - 1)] ?? MAX_LOOK_AGAIN_SECONDS
    return { kind: 'wait', instance, step, looks, lookAgainSeconds, meanwhile }
  }
  for (const [instance, { kind }] of standings)
    if (kind === 'unconfirmed') return { kind: 'attend', instance, meanwhile }
  return meanwhile === undefined ? { kind: 'finished' } : { kind: 'connect', instance: meanwhile }
}

/** The app to offer first among those that `isWanted` lets pass; those without a usable address come after the others. */
export function firstOffered(
  walk: Walk,
  now: number,
  isWanted: (instance: string) => boolean,
): string | undefined {
  let first: { instance: string; turn: number } | undefined
  for (const entry of shown(walk)) {
    const turn = turnOf(standingIn(walk, entry, now))
    if (turn === undefined || (first !== undefined && first.turn <= turn) || !isWanted(entry.instance))
      continue
    first = { instance: entry.instance, turn }
  }
  return first?.instance
}

/**
 * Where a return goes on without a click: only to what was not started yet, so that nothing starts twice; and to each at
 * most once a click, or a service that takes back what it said would lead in circles.
 */
export const onward = (
  walk: Walk,
  now: number,
  isStartable: (instance: string) => boolean,
): string | undefined =>
  shown(walk).find(
    (entry) =>
      turnOf(standingIn(walk, entry, now)) !== undefined &&
      entry.departures === 0 &&
      (entry.departedIn === undefined || entry.departedIn !== walk.clicks) &&
      isStartable(entry.instance),
  )?.instance

/** "2 of 5": neither number shrinks while nothing is taken away by the service. */
export function progress(walk: Walk, now: number): { connected: number; total: number } {
  const figures = shown(walk).map((entry) => figureOf(standingIn(walk, entry, now)))
  return { connected: figures.filter((figure) => figure === 'connected').length, total: figures.length }
}
