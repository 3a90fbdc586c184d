// Where a person is on the walk and where it goes on, from how each app is doing (standing.ts). Pure.
import { APP_STATUSES } from '../client-api/app-status.ts'
import type { StepResult } from '../web/audit.ts'
import { figureOf, standingOf, TURNS, turnOf, type Standing } from './standing.ts'
import { isInFlight, isReturned, shown, type Attempt, type Known, type Walk } from './walk.ts'

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
/** Where another app is offered, the next return looks as well. */
const LOOK_AGAIN_MEANWHILE_SECONDS = [3, 10, 20]
const MAX_LOOK_AGAIN_SECONDS = 30

/** How long a page waits before it looks for the nth time, the first being 1. */
export const secondsBeforeLook = (look: number, isBlocked: boolean): number =>
  (isBlocked ? LOOK_AGAIN_SECONDS : LOOK_AGAIN_MEANWHILE_SECONDS)[Math.max(0, look - 1)] ??
  MAX_LOOK_AGAIN_SECONDS

/** How an app of this walk is doing. @param now milliseconds since 1970 */
export function standingIn(walk: Walk, entry: Known, now: number): Standing {
  const own = walk.attempts.filter(({ instance }) => instance === entry.instance)
  return standingOf({
    ...entry,
    turn: entry.status === 'connected' ? 'over' : APP_STATUSES[entry.status].turn,
    isConfirming: own.some(isReturned),
    // "Not now" in one tab counts at once, whatever an earlier tab has open; leaving takes it back.
    isUnderWay: entry.skippedAt === undefined && own.some((attempt) => isInFlight(attempt, now)),
  })
}

/** Each app that this visit shows, with how it is doing. */
const standings = (walk: Walk, now: number) =>
  shown(walk).map((entry) => ({ ...standingIn(walk, entry, now), instance: entry.instance }))

/** Where the person is: what a page offers first. */
export function next(walk: Walk, now: number): Next {
  const all = standings(walk, now)
  // One without a usable address is no way to go on.
  const meanwhile = firstOf(
    all.filter((one) => !(one.kind === 'todo' && one.turn === 'last')),
    () => true,
  )
  const isConfirming = (wanted: string) =>
    all.some(({ instance, kind }) => instance === wanted && kind === 'confirming')
  const returned = walk.attempts.findLast((attempt) => isReturned(attempt) && isConfirming(attempt.instance))
  if (returned !== undefined) {
    const { instance, step, looks } = returned
    const lookAgainSeconds = secondsBeforeLook(looks, meanwhile === undefined)
    return { kind: 'wait', instance, step, looks, lookAgainSeconds, meanwhile }
  }
  const unconfirmed = all.find(({ kind }) => kind === 'unconfirmed')
  if (unconfirmed !== undefined) return { kind: 'attend', instance: unconfirmed.instance, meanwhile }
  const left = meanwhile ?? firstOf(all, () => true)
  return left === undefined ? { kind: 'finished' } : { kind: 'connect', instance: left }
}

/** The app to offer first among those that `isWanted` lets pass; those without a usable address come after the others. */
export const firstOffered = (
  walk: Walk,
  now: number,
  isWanted: (instance: string) => boolean,
): string | undefined => firstOf(standings(walk, now), isWanted)

function firstOf(
  all: ReturnType<typeof standings>,
  isWanted: (instance: string) => boolean,
): string | undefined {
  for (const wanted of TURNS) {
    const found = all.find((one) => turnOf(one) === wanted && isWanted(one.instance))
    if (found !== undefined) return found.instance
  }
  return undefined
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
  firstOffered(walk, now, (instance) => {
    const entry = walk.known.find((known) => known.instance === instance)
    const isNew = entry?.departures === 0
    const isOfThisClick = entry?.departedIn !== undefined && entry.departedIn === walk.clicks
    return isNew && !isOfThisClick && isStartable(instance)
  })

/** What came of a step that the person returned from, for the audit log. */
const resultOf = (walk: Walk, instance: string, now: number): StepResult => {
  const entry = walk.known.find((known) => known.instance === instance)
  const standing = entry && standingIn(walk, entry, now)
  if (standing?.kind === 'unconfirmed') return 'unconfirmed'
  const figure = standing === undefined ? 'pending' : figureOf(standing)
  return figure === 'pending' ? 'waiting' : figure
}

/**
 * Only news: the first look at a return, and whatever has changed since the walk was loaded.
 * @param now milliseconds since 1970
 */
export function newsOf(before: Walk, after: Walk, attempt: Attempt, now: number): StepResult | undefined {
  const result = resultOf(after, attempt.instance, now)
  const isNews =
    result !== resultOf(before, attempt.instance, now) || (result === 'waiting' && attempt.looks === 0)
  return isNews ? result : undefined
}
