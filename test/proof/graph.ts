// Every state of a walk with two tabs: breadth-first search over the pure decisions, with every choice of the person,
// the service and the clock. Walks with equal decisions count as one state.
import { trackedAppState } from '../../src/onboarding/next-step.ts'
import { afterClick, afterReturn } from '../../src/onboarding/transition.ts'
import type { TransitionCheck, Transition } from '../../src/onboarding/transition.ts'
import {
  type UnconnectedApp,
  type Walk,
  findReturn,
  block,
  isInFlight,
  isBeingConfirmed,
  applyCheck,
  skip,
  newWalk,
  unblock,
  unskip,
} from '../../src/onboarding/walk.ts'

/** The app's state at the service; `late`: consented, but not confirmed yet. */
type Listed = 'listed' | 'late' | 'off' | 'gone'
type Consent = { step: string; instance: string }
export type State = {
  walk: Walk
  service: Readonly<Record<string, Listed>>
  tabs: readonly Consent[]
  now: number
}

/** A move and its app. `startedAutomatically`: an app to which the walk redirected without a click. */
export type Move = {
  what: string
  app?: string | undefined
  startedAutomatically?: string | undefined
  state: State
}

const CONFIRM_SECONDS = 30
/** Ends both a started consent and the wait for its confirmation. */
const PAUSE_MS = 40_000

const unconnectedIn = (service: State['service']): UnconnectedApp[] =>
  Object.entries(service).flatMap(([instance, listed]) =>
    listed === 'gone'
      ? []
      : [{ instance, name: instance, status: listed === 'off' ? 'disabled' : 'awaiting' } as const],
  )

function beginning(apps: number): State {
  const names = Array.from({ length: apps }, (_, number) => [`app_${number + 1}`, 'listed'] as const)
  return { walk: newWalk(0), service: Object.fromEntries(names), tabs: [], now: 0 }
}

let steps = 0

function checkIn({ service, now }: State): TransitionCheck {
  const unconnected = unconnectedIn(service)
  const isStartable = (instance: string) => unconnected.some((app) => app.instance === instance)
  const step = `step${++steps}`
  return {
    now,
    confirmSeconds: CONFIRM_SECONDS,
    step,
    unconnected,
    isStartable,
    hasInstructions: () => false,
  }
}

function followed(state: State, transition: Transition, step: string): State {
  const { walk } = transition
  if (transition.kind !== 'leave') return { ...state, walk }
  return { ...state, walk, tabs: [...state.tabs, { step, instance: transition.instance }] }
}

const withListed = (state: State, app: string, listed: Listed): State => ({
  ...state,
  service: { ...state.service, [app]: listed },
})

function click(state: State, app: string | undefined): Move {
  const check = checkIn(state)
  return { what: 'click', app, state: followed(state, afterClick(state.walk, check, app), check.step) }
}

/** The browser is back: from the consent, or to look again. */
function land(state: State, what: string, { step, instance }: Consent, hasError = false): Move {
  const started = findReturn(state.walk, step, hasError)
  if (started === undefined) return { what: `${what}, over already`, app: instance, state }
  const check = checkIn(state)
  const app = started.instance
  const returned = { step: started.attempt.step, instance: app, isAutomatic: true, hasError }
  const transition = afterReturn(state.walk, check, returned)
  const startedAutomatically = transition.kind === 'leave' ? transition.instance : undefined
  return { what, app, startedAutomatically, state: followed(state, transition, check.step) }
}

/** `isWhole` adds moves that give too many states for three apps: undo, "I need an admin", disabling, relisting. */
type Extent = { apps: number; isWhole: boolean }

const MAX_TABS = 2

function* movesFrom(before: State, isWhole: boolean): Generator<Move> {
  const state = { ...before, now: before.now + 1 }
  const { walk, now, service, tabs } = state
  yield { what: 'time', state: { ...state, now: now + PAUSE_MS } }
  yield {
    what: 'look',
    state: { ...state, walk: applyCheck(walk, unconnectedIn(service), now, CONFIRM_SECONDS) },
  }
  if (tabs.length < MAX_TABS) yield click(state, undefined)
  for (const [app, listed] of Object.entries(service)) {
    if (tabs.length < MAX_TABS && walk.apps.some(({ instance }) => instance === app)) yield click(state, app)
    yield { what: 'skip', app, state: { ...state, walk: skip(walk, app, now) } }
    if (listed === 'late') yield { what: 'shows', app, state: withListed(state, app, 'gone') }
    if (!isWhole) continue
    yield { what: 'block', app, state: { ...state, walk: block(walk, app, now) } }
    yield { what: 'unskip', app, state: { ...state, walk: unskip(walk, app) } }
    yield { what: 'unblock', app, state: { ...state, walk: unblock(walk, app) } }
    if (listed === 'gone') yield { what: 'listed again', app, state: withListed(state, app, 'listed') }
    if (listed === 'listed') yield { what: 'switched off', app, state: withListed(state, app, 'off') }
    if (listed === 'off') yield { what: 'switched on', app, state: withListed(state, app, 'listed') }
  }
  for (const tab of tabs) {
    const away = { ...state, tabs: tabs.filter((other) => other !== tab) }
    const listed = service[tab.instance]
    yield { what: 'close', state: isWhole ? away : { ...away, now: now + PAUSE_MS } }
    yield land(away, 'deny', tab, true)
    yield land(away, 'come back', tab)
    if (listed !== 'off') yield land(withListed(away, tab.instance, 'gone'), 'allow', tab)
    if (listed === 'listed') yield land(withListed(away, tab.instance, 'late'), 'allow', tab)
  }
  for (const { instance, attempt } of walk.apps.filter(isBeingConfirmed))
    yield land(state, 'look again', { step: attempt.step, instance })
}

/** Equal for states from which the same can follow. */
function stateKey({ walk, service, tabs, now }: State): string {
  const apps = walk.apps.map((entry) => {
    const { instance, status, attempt, skippedAt, blockedAt, unconfirmedAt, startedAtClick } = entry
    const set = [skippedAt, blockedAt, unconfirmedAt].map((at) => at !== undefined)
    if (attempt === undefined) return [instance, status, set, startedAtClick === walk.clicks]
    const isOpen = tabs.some(({ step }) => step === attempt.step)
    const isOverdue = attempt.backAt !== undefined && now - attempt.backAt >= CONFIRM_SECONDS * 1000
    const isOver = attempt.isOver === true
    const how = isOver ? 'over' : attempt.backAt === undefined ? isInFlight(entry, now) : isOverdue
    return [instance, status, set, isBeingConfirmed(entry), how, isOpen]
  })
  // A tab whose app was left for again: its return counts for the newer attempt, or for none.
  const closed = tabs
    .filter(({ step }) => walk.apps.every(({ attempt }) => attempt?.step !== step || attempt.isOver))
    .map(({ step, instance }) => `${instance} ${findReturn(walk, step)?.instance}`)
  return JSON.stringify([apps, closed.toSorted(), Object.values(service)])
}

/** @returns the number of states and moves */
export function explore(
  extent: Extent,
  visit: (before: State, move: Move) => void,
): { states: number; moves: number } {
  const first = beginning(extent.apps)
  const visited = new Set([stateKey(first)])
  const counts = { states: 1, moves: 0 }
  let frontier = [first]
  while (frontier.length > 0) {
    const found: State[] = []
    for (const state of frontier)
      for (const move of movesFrom(state, extent.isWhole)) {
        counts.moves++
        visit(state, move)
        const key = stateKey(move.state)
        if (visited.has(key)) continue
        visited.add(key)
        found.push(move.state)
      }
    counts.states += found.length
    frontier = found
  }
  return counts
}

export const kindsIn = ({ walk, now }: State): Map<string, string> =>
  new Map(walk.apps.map((entry) => [entry.instance, trackedAppState(entry, now).kind]))
