// Derives the states of a walk's apps, once for each request, and the next step. Pure.
import { availabilityOf } from '../client-api/app-status.ts'
import { MAX_SCANNABLE_APPS } from '../company/app-names.ts'
import { appStateOf, type AppState } from './app-state.ts'
import { inScope, isInFlight, isBeingConfirmed, type TrackedApp, type Walk } from './walk.ts'

type NextStep =
  /** The service doesn't show a consent yet: check again. `otherApp`: the app to connect until then. */
  | {
      kind: 'confirming'
      instance: string
      step: string
      checksSinceReturn: number
      backAt: number
      /** Until this time the page polls every 5 seconds, afterwards more slowly; milliseconds since 1970. */
      frequentPollingUntil: number
      nextPollSeconds: number
      otherApp: string | undefined
    }
  | { kind: 'unconfirmed'; instance: string; otherApp: string | undefined }
  | { kind: 'connect'; instance: string }
  | { kind: 'finished' }

/** Most consents show within half a minute. views/assets/walk.js has the same two pauses, of 5 and 30 seconds. */
const FREQUENT_POLLING_MS = 60_000

type AppWithState = { tracked: TrackedApp; state: AppState }

export type WalkStates = {
  now: number
  clicks: number
  all: readonly AppWithState[]
  shown: readonly AppWithState[]
  firstApps: ReadonlySet<string> | undefined
}

export function walkStates(walk: Walk, now: number): WalkStates {
  const all = walk.apps.map((tracked) => ({ tracked, state: trackedAppState(tracked, now) }))
  const shown = all.filter(({ tracked }) => inScope(walk.visit, tracked.instance))
  return { now, clicks: walk.clicks, all, shown, firstApps: firstAppsOf(shown) }
}

export const trackedAppState = (tracked: TrackedApp, now: number): AppState =>
  appStateOf({
    ...tracked,
    availability: availabilityOf(tracked.status),
    isConfirming: isBeingConfirmed(tracked),
    isInFlight: isInFlight(tracked, now),
  })

const FIRST_APPS = 5

/** The first instances of a long walk; undefined for a short walk, and once the person has continued beyond them. */
export function firstAppsOf(shown: readonly AppWithState[]): ReadonlySet<string> | undefined {
  const apps = shown.filter(({ state }) => state.kind !== 'off').map(({ tracked }) => tracked)
  const wasConnected = ({ status, lapsedAt, connectedAt }: TrackedApp) =>
    status === 'connected' || status === 'stale' || (lapsedAt ?? connectedAt) !== undefined
  if (apps.length <= MAX_SCANNABLE_APPS || apps.slice(FIRST_APPS).some(wasConnected)) return undefined
  return new Set(apps.slice(0, FIRST_APPS).map(({ instance }) => instance))
}

const withoutLater = ({ shown, firstApps }: WalkStates): readonly AppWithState[] =>
  firstApps === undefined ? shown : shown.filter(({ tracked }) => firstApps.has(tracked.instance))

export function nextStep(states: WalkStates): NextStep {
  const otherApp = firstOf(withoutLater(states), () => true)
  const confirmingApp = states.shown
    .flatMap(({ tracked: app, state }) => (state.kind === 'confirming' && isBeingConfirmed(app) ? app : []))
    .toSorted((one, other) => one.attempt.consentStartedAt - other.attempt.consentStartedAt)
    .at(-1)
  if (confirmingApp !== undefined) {
    const { instance, attempt } = confirmingApp
    const { step, checksSinceReturn, backAt } = attempt
    const nextPollSeconds = Math.abs(states.now - backAt) < FREQUENT_POLLING_MS ? 5 : 30
    const polling = { frequentPollingUntil: backAt + FREQUENT_POLLING_MS, nextPollSeconds }
    return { kind: 'confirming', instance, step, checksSinceReturn, backAt, ...polling, otherApp }
  }
  const unconfirmedApp = states.shown.find(({ state }) => state.kind === 'unconfirmed')
  if (unconfirmedApp !== undefined)
    return { kind: 'unconfirmed', instance: unconfirmedApp.tracked.instance, otherApp }
  return otherApp === undefined ? { kind: 'finished' } : { kind: 'connect', instance: otherApp }
}

/** Prefers apps not started yet to those that may be open in another tab. */
function firstOf(apps: readonly AppWithState[], isWanted: (tracked: TrackedApp) => boolean) {
  const find = (kind: AppState['kind']) =>
    apps.find(({ tracked, state }) => state.kind === kind && isWanted(tracked))
  return (find('unconnected') ?? find('in-flight'))?.tracked.instance
}

export const firstOffered = (
  { shown }: WalkStates,
  isStartable: (instance: string) => boolean = () => true,
): string | undefined => firstOf(shown, ({ instance }) => isStartable(instance))

/**
 * The app to continue to without a click. It has no open attempt, and each app is started once per click. Otherwise,
 * a service that lists an app again would cause a loop.
 * @param starting the app that a click starts now: the result is the app after its return
 */
export const automaticNext = (
  states: WalkStates,
  isStartable: (instance: string) => boolean,
  starting?: string,
): string | undefined =>
  firstOf(withoutLater(states), ({ instance, attempt, startedAtClick }) => {
    const wasStarted = starting === undefined ? startedAtClick === states.clicks : instance === starting
    return attempt === undefined && !wasStarted && isStartable(instance)
  })
