// The rules of every state of the graph, and of every move.
import { nextStep, walkStates } from '../../src/onboarding/next-step.ts'
import { findReturn } from '../../src/onboarding/walk.ts'
import { kindsIn, type Move, type State } from './graph.ts'

const CHECKING: ReadonlySet<string> = new Set(['look', 'click', 'allow', 'deny', 'come back', 'look again'])

/** @throws if a move breaks a rule */
export function holdToRules(before: State, move: Move): void {
  const { state, what, startedAutomatically } = move
  const fail = (violation: string) => {
    throw new Error(
      `${violation}: ${what} ${move.app ?? ''} of ${JSON.stringify(before)} to ${JSON.stringify(state)}`,
    )
  }
  const kinds = kindsIn(before)
  const now = kindsIn(state)
  for (const [app, kind] of kinds) {
    if (!now.has(app)) fail('an app is lost')
    if (kind !== 'connected' && now.get(app) === 'connected' && state.service[app] !== 'gone')
      fail('an app that the service lists becomes connected')
  }
  if (CHECKING.has(what))
    for (const [app, listed] of Object.entries(state.service)) {
      if (!now.has(app) && listed !== 'gone') fail('an app is lost')
      if (now.has(app) && (now.get(app) === 'connected') !== (listed === 'gone'))
        fail('the walk contradicts the service')
    }
  const tracked = before.walk.apps.find(({ instance }) => instance === startedAutomatically)
  if (tracked?.attempt !== undefined && tracked.status !== 'connected')
    fail('a consent started twice without a click')
  if (isDeadEnd(state, now)) fail('a dead end')
}

/** True if the page has no action although an app is unconnected, or has an action without an effect. */
function isDeadEnd(state: State, kinds: ReadonlyMap<string, string>): boolean {
  const next = nextStep(walkStates(state.walk, state.now))
  switch (next.kind) {
    case 'confirming':
      return findReturn(state.walk, next.step) === undefined || next.nextPollSeconds <= 0
    case 'connect':
    case 'unconfirmed':
      return !kinds.has(next.instance)
    case 'finished':
      return [...kinds.values()].some((kind) => kind === 'unconnected' || kind === 'in-flight')
  }
}
