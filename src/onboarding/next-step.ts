// Derives the states of a walk's apps, once for each request, and the next step. Pure.
import { availabilityOf } from '../client-api/app-status.ts'
import { MAX_SCANNABLE_APPS } from '../company/app-names.ts'
import { appStateOf, type AppState } from './app-state.ts'
import { inScope, isInFlight, isBeingConfirmed, type TrackedApp, type Walk } from './walk.ts'

type NextStep =
  /** The service doesn't show a consent yet: check again. `meanwhile`: the app to connect until then. */
  | {
      kind: 'wait'
      instance: string
      step: string
      checksSinceReturn: number
      backAt: number
      /** Until this time the page polls every 5 seconds, afterwards more slowly; milliseconds since 1970. */
      frequentPollingUntil: number
      nextPollSeconds: number
      meanwhile: string | undefined
    }
  | { kind: 'unconfirmed'; instance: string; meanwhile: string | undefined }
  | { kind: 'connect'; instance: string }
  | { kind: 'finished' }

/** Most consents show within half a minute. views/assets/walk.js has the same two pauses, of 5 and 30 seconds. */
const FREQUENT_POLLING_MS = 60_000

type AppWithState = { entry: TrackedApp; state: AppState }

export type WalkStates = {
  now: number
  clicks: number
  all: readonly AppWithState[]
  shown: readonly AppWithState[]
  firstApps: ReadonlySet<string> | undefined
}

export function walkStates(walk: Walk, now: number): WalkStates {
  const all = walk.known.map((entry) => ({ entry, state: trackedAppState(entry, now) }))
  const shown = all.filter(({ entry }) => inScope(walk.visit, entry.instance))
  return { now, clicks: walk.clicks, all, shown, firstApps: firstAppsOf(shown) }
}

export const trackedAppState = (entry: TrackedApp, now: number): AppState =>
  appStateOf({
    ...entry,
    availability: availabilityOf(entry.status),
    isConfirming: isBeingConfirmed(entry),
    isInFlight: isInFlight(entry, now),
  })

const FIRST_APPS = 5

/** The first instances of a long walk; undefined for a short walk, and once the person has continued beyond them. */
export function firstAppsOf(shown: readonly AppWithState[]): ReadonlySet<string> | undefined {
  const entries = shown.filter(({ state }) => state.kind !== 'off').map(({ entry }) => entry)
  const wasConnected = ({ status, lapsedAt, connectedAt }: TrackedApp) =>
    status === 'connected' || status === 'stale' || (lapsedAt ?? connectedAt) !== undefined
  if (entries.length <= MAX_SCANNABLE_APPS || entries.slice(FIRST_APPS).some(wasConnected)) return undefined
  return new Set(entries.slice(0, FIRST_APPS).map(({ instance }) => instance))
}

const withoutLater = ({ shown, firstApps }: WalkStates): readonly AppWithState[] =>
  firstApps === undefined ? shown : shown.filter(({ entry }) => firstApps.has(entry.instance))

export function nextStep(states: WalkStates): NextStep {
  const meanwhile = firstOf(withoutLater(states), () => true)
  const back = states.shown
    .flatMap(({ entry, state }) => (state.kind === 'confirming' && isBeingConfirmed(entry) ? entry : []))
    .toSorted((one, other) => one.attempt.leftAt - other.attempt.leftAt)
    .at(-1)
  if (back !== undefined) {
    const { step, looks: checksSinceReturn, backAt } = back.attempt
    const nextPollSeconds = Math.abs(states.now - backAt) < FREQUENT_POLLING_MS ? 5 : 30
    const frequentPollingUntil = backAt + FREQUENT_POLLING_MS
    const { instance } = back
    return {
      kind: 'wait',
      instance,
      step,
      checksSinceReturn,
      backAt,
      frequentPollingUntil,
      nextPollSeconds,
      meanwhile,
    }
  }
  const unconfirmed = states.shown.find(({ state }) => state.kind === 'unconfirmed')
  if (unconfirmed !== undefined)
    return { kind: 'unconfirmed', instance: unconfirmed.entry.instance, meanwhile }
  return meanwhile === undefined ? { kind: 'finished' } : { kind: 'connect', instance: meanwhile }
}

/** Prefers apps not started yet to those that may be open in another tab. */
function firstOf(apps: readonly AppWithState[], isWanted: (entry: TrackedApp) => boolean) {
  const find = (kind: AppState['kind']) =>
    apps.find(({ entry, state }) => state.kind === kind && isWanted(entry))
  return (find('unconnected') ?? find('elsewhere'))?.entry.instance
}

export const firstOffered = (
  { shown }: WalkStates,
  isStartable: (instance: string) => boolean = () => true,
): string | undefined => firstOf(shown, ({ instance }) => isStartable(instance))

/**
 * The app to continue to without a click. Never one with an open attempt, and each app once per click; otherwise a
 * service that lists an app again would cause a loop.
 * @param leaving the app that a click starts now: the result is the app after its return
 */
export const automaticNext = (
  states: WalkStates,
  isStartable: (instance: string) => boolean,
  leaving?: string,
): string | undefined =>
  firstOf(withoutLater(states), ({ instance, attempt, leftIn }) => {
    const wasStarted = leaving === undefined ? leftIn === states.clicks : instance === leaving
    return attempt === undefined && !wasStarted && isStartable(instance)
  })
