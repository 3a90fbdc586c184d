// Where a person is on the walk and where it goes on, from how each app is doing (app-state.ts). Pure.
import { APP_STATUSES, isUnavailable } from '../client-api/app-status.ts'
import { MAX_SCANNABLE_APPS } from '../company/app-names.ts'
import { OFFERED, appStateOf, type AppState } from './app-state.ts'
import { isInFlight, isReturned, lastReturned, shownApps, type TrackedApp, type Walk } from './walk.ts'

export type NextStep =
  /**
   * A consent was given (or not) and the service does not show it yet: look again in so many seconds. `meanwhile`: the app
   * that the person can go on with.
   */
  | {
      kind: 'wait'
      instance: string
      step: string
      looks: number
      /** Milliseconds since 1970. */
      backAt: number
      lookAgainSeconds: number
      meanwhile: string | undefined
    }
  /** A consent that never showed: the person decides. */
  | { kind: 'attend'; instance: string; meanwhile: string | undefined }
  | { kind: 'connect'; instance: string }
  | { kind: 'finished' }

/** Most consents show within half a minute. views/assets/walk.js has the same two pauses, of 5 and 30 seconds. */
export const FREQUENT_POLLING_MS = 60_000

/** How an app of a walk is doing. @param now milliseconds since 1970 */
export const trackedAppState = (entry: TrackedApp, now: number): AppState =>
  appStateOf({
    ...entry,
    priority: entry.status === 'connected' ? 'over' : APP_STATUSES[entry.status].priority,
    isConfirming: isReturned(entry),
    // "Not now" in one tab counts at once, whatever an earlier tab has open; leaving takes it back.
    isUnderWay: entry.skippedAt === undefined && isInFlight(entry, now),
  })

type ShownApp = { entry: TrackedApp; standing: AppState }

/** Each app that this visit shows, with how it is doing. */
const shownStates = (walk: Walk, now: number): ShownApp[] =>
  shownApps(walk).map((entry) => ({ entry, standing: trackedAppState(entry, now) }))

/** How many apps a long walk begins with. */
const FIRST_APPS = 5

/**
 * The apps that a long walk begins with, in the company's order. Undefined: the walk is short, or the person has connected
 * one of the others, and goes on with all of them.
 */
export function firstApps(walk: Walk): ReadonlySet<string> | undefined {
  const apps = shownApps(walk).filter(({ status }) => !isUnavailable(status))
  const isBeyond = apps
    .slice(FIRST_APPS)
    .some(
      (app) => ['connected', 'stale'].includes(app.status) || (app.lapsedAt ?? app.connectedAt) !== undefined,
    )
  if (apps.length <= MAX_SCANNABLE_APPS || isBeyond) return undefined
  return new Set(apps.slice(0, FIRST_APPS).map(({ instance }) => instance))
}

function withoutLater(walk: Walk, apps: ShownApp[]): ShownApp[] {
  const few = firstApps(walk)
  return few === undefined ? apps : apps.filter(({ entry }) => few.has(entry.instance))
}

/** Where the person is: what a page offers first. */
export function nextStep(walk: Walk, now: number): NextStep {
  const apps = shownStates(walk, now)
  const meanwhile = firstOf(withoutLater(walk, apps), () => true)
  const back = lastReturned(
    apps.flatMap(({ entry, standing }) => (standing.kind === 'confirming' ? [entry] : [])),
  )
  if (back !== undefined) {
    const { instance, attempt } = back
    const { step, looks, backAt } = attempt
    const lookAgainSeconds = Math.abs(now - backAt) < FREQUENT_POLLING_MS ? 5 : 30
    return { kind: 'wait', instance, step, looks, backAt, lookAgainSeconds, meanwhile }
  }
  const unconfirmed = apps.find(({ standing }) => standing.kind === 'unconfirmed')
  if (unconfirmed !== undefined) return { kind: 'attend', instance: unconfirmed.entry.instance, meanwhile }
  return meanwhile === undefined ? { kind: 'finished' } : { kind: 'connect', instance: meanwhile }
}

function firstOf(apps: readonly ShownApp[], isWanted: (app: ShownApp) => boolean): string | undefined {
  for (const kind of OFFERED) {
    const found = apps.find((app) => app.standing.kind === kind && isWanted(app))
    if (found !== undefined) return found.entry.instance
  }
  return undefined
}

/** The app to offer first among those that `isStartable` lets pass. */
export const firstOffered = (
  walk: Walk,
  now: number,
  isStartable: (instance: string) => boolean,
): string | undefined => firstOf(shownStates(walk, now), ({ entry }) => isStartable(entry.instance))

/**
 * Where a return goes on without a click: only to what was not started yet, so that nothing starts twice; to each at most
 * once a click, or a service that takes back an answer would lead in circles; and not beyond the first few of a long walk.
 */
export const automaticNext = (
  walk: Walk,
  now: number,
  isStartable: (instance: string) => boolean,
): string | undefined =>
  firstOf(
    withoutLater(walk, shownStates(walk, now)),
    ({ entry }) => entry.attempt === undefined && entry.leftIn !== walk.clicks && isStartable(entry.instance),
  )
