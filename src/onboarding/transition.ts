// Decides the next page or app after a click or a return, from the newest check. Pure, so it can run again if another
// request has changed the walk meanwhile.
import { isUnstartable } from '../client-api/app-status.ts'
import { Problem } from '../problem.ts'
import { bucketOf } from './app-state.ts'
import { automaticNext, firstOffered, nextStep, trackedAppState, walkStates } from './next-step.ts'
import { applyCheck, finishReturn, startConsent } from './walk.ts'
import type { StartedApp, UnconnectedApp, Walk } from './walk.ts'

export type TransitionCheck = {
  now: number
  confirmSeconds: number
  /** The step id in this check's final_redirect_url: the id of an attempt that uses one of its one-time paths. */
  step: string
  unconnected: readonly UnconnectedApp[]
  isStartable: (instance: string) => boolean
  hasInstructions: (instance: string) => boolean
}

export type Transition =
  | { walk: Walk; kind: 'leave'; instance: string }
  /** Redirect to the overview, which checks again and shows this app's result first. */
  | { walk: Walk; kind: 'redirect'; from?: string }
  /** Show the overview, made from this check. */
  | { walk: Walk; kind: 'show'; from: string }

export const unknownApp = () => new Problem(404, 'datasource_unknown', { detail: "not on the person's list" })

/** @param wanted undefined: the next app @throws {Problem} if it is unknown, or has no usable URL */
export function afterClick(before: Walk, check: TransitionCheck, wanted: string | undefined): Transition {
  const { now, step, unconnected, confirmSeconds } = check
  const walk = applyCheck(before, unconnected, now, confirmSeconds)
  const instance = wanted ?? nextApp(walk, check)
  if (instance === undefined) return { walk, kind: 'redirect' }
  const tracked = walk.apps.find((app) => app.instance === instance)
  if (tracked === undefined) throw unknownApp()
  const { kind } = trackedAppState(tracked, now)
  if (kind === 'connected' || (kind === 'off' && !isUnstartable(tracked.status)))
    return { walk, kind: 'redirect', from: instance }
  if (isUnstartable(tracked.status) || !check.isStartable(instance)) {
    const detail = `the service's authUrlRelativePath for ${instance} is missing or points elsewhere`
    const datasource = { instance, personsApps: walk.apps }
    throw new Problem(502, 'datasource_cannot_start', { detail, datasource })
  }
  return { walk: startConsent(walk, { instance, step, now }), kind: 'leave', instance }
}

/** The next unconnected app that isn't being confirmed, else one whose consent was not confirmed. */
function nextApp(walk: Walk, { now, isStartable }: TransitionCheck): string | undefined {
  const states = walkStates(walk, now)
  const offered = firstOffered(states, isStartable)
  if (offered !== undefined) return offered
  const next = nextStep(states)
  return next.kind === 'unconfirmed' ? next.instance : undefined
}

/**
 * Trusts the service, and of the request only the step id.
 * @param consentReturn isAutomatic: ADVANCE=auto. hasError: the return reports an error, so no page waits; the service
 * decides
 */
export function afterReturn(
  before: Walk,
  check: TransitionCheck,
  consentReturn: { step: string; instance: string; isAutomatic: boolean; hasError?: boolean },
): Transition {
  const { now, unconnected, confirmSeconds } = check
  const checkedWalk = applyCheck(before, unconnected, now, confirmSeconds)
  const { walk, outcome } = finishReturn(checkedWalk, consentReturn.step, now, consentReturn.hasError)
  const goesOn = outcome === 'connected' && consentReturn.isAutomatic
  const next = goesOn ? automaticNext(walkStates(walk, now), check.isStartable) : undefined
  // The person has to read the app's instructions first.
  if (next === undefined || check.hasInstructions(next))
    return { walk, kind: 'show', from: consentReturn.instance }
  const startedWalk = startConsent(walk, { instance: next, step: check.step, now, isAutomatic: true })
  return { walk: startedWalk, kind: 'leave', instance: next }
}

function resultIn(walk: Walk, instance: string, now: number) {
  const app = walk.apps.find((one) => one.instance === instance)
  const state = app && trackedAppState(app, now)
  if (state?.kind === 'unconfirmed') return 'unconfirmed'
  const bucket = state === undefined ? 'pending' : bucketOf(state)
  return bucket === 'pending' ? 'waiting' : bucket
}

/** The result of a return for the audit log; undefined if it was logged before. */
export function stepResultOf(before: Walk, after: Walk, { instance, attempt }: StartedApp, now: number) {
  const result = resultIn(after, instance, now)
  const isNew =
    result !== resultIn(before, instance, now) || (result === 'waiting' && attempt.checksSinceReturn === 0)
  return isNew ? result : undefined
}
