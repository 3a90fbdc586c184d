// What a click or a return leads to, once the service was asked: pure, and safe to compute again when the walk was changed
// elsewhere in between.
import { Problem } from '../problem.ts'
import type { StepResult } from '../web/audit.ts'
import { firstOffered, nextStep, automaticNext, trackedAppState } from './next-step.ts'
import { bucketOf } from './app-state.ts'
import {
  finishReturn,
  startConsent,
  applyCheck,
  type StartedApp,
  type UnconnectedApp,
  type Walk,
} from './walk.ts'

export type CheckResult = {
  now: number
  confirmSeconds: number
  /** The step id that the next departure would carry: the one that the service was asked with. */
  step: string
  waiting: readonly UnconnectedApp[]
  /** Is there an address for it that the browser may be sent to? */
  isStartable: (instance: string) => boolean
  /** Does the company's file name something to do before leaving for this app? */
  hasHelp: (instance: string) => boolean
}

export type Transition =
  | { walk: Walk; kind: 'leave'; instance: string }
  /** To the overview, which shows this app's result first and asks the service anew. */
  | { walk: Walk; kind: 'overview'; from?: string }
  /** The same page, made of this answer. */
  | { walk: Walk; kind: 'page'; from: string }

export const unknownApp = () =>
  new Problem(404, 'datasource_unknown', { detail: 'not on the list of the person' })

/**
 * A click on "connect": on the app that is wanted, or on whatever comes next.
 * @throws {Problem} for an app that is not on the list, or that has no address to start from
 */
export function afterClick(before: Walk, check: CheckResult, wanted: string | undefined): Transition {
  const { now, step, waiting, confirmSeconds } = check
  const walk = applyCheck(before, waiting, now, confirmSeconds)
  const instance = wanted ?? nextOf(walk, check)
  if (instance === undefined) return { walk, kind: 'overview' }
  const known = walk.known.find((entry) => entry.instance === instance)
  if (known === undefined) throw unknownApp()
  const { kind } = trackedAppState(known, now)
  const hasNoAddress = known.status === 'attention'
  if (kind === 'connected' || (kind === 'off' && !hasNoAddress))
    return { walk, kind: 'overview', from: instance }
  if (hasNoAddress || !check.isStartable(instance)) {
    const detail = `the service's authUrlRelativePath for ${instance} is missing or leads elsewhere`
    throw new Problem(502, 'datasource_cannot_start', { detail, datasource: { instance, among: walk.known } })
  }
  return { walk: startConsent(walk, { instance, step, now }), kind: 'leave', instance }
}

/** What a click that names no app leads to: the others while one is being confirmed, then what was not confirmed. */
function nextOf(walk: Walk, { now, isStartable }: CheckResult): string | undefined {
  const offered = firstOffered(walk, now, isStartable)
  if (offered !== undefined) return offered
  const where = nextStep(walk, now)
  return where.kind === 'attend' ? where.instance : undefined
}

type Return = {
  step: string
  instance: string
  /** Straight on to the next (ADVANCE=auto), or a page in between. */
  advances: boolean
  /** Does the return say that it failed? Not believed, but then nothing is waited for. */
  isRefused?: boolean
}

/** A return from an app: it believes the service and nothing that the browser brought, but for the step id. */
export function afterReturn(before: Walk, check: CheckResult, back: Return): Transition {
  const { now, waiting, confirmSeconds } = check
  const { step, instance, advances, isRefused = false } = back
  const observed = applyCheck(before, waiting, now, confirmSeconds)
  const { walk, outcome } = finishReturn(observed, step, now, isRefused)
  const onwardTo =
    outcome === 'connected' && advances ? automaticNext(walk, now, check.isStartable) : undefined
  // What has to be done first is read before leaving.
  if (onwardTo === undefined || check.hasHelp(onwardTo)) return { walk, kind: 'page', from: instance }
  return {
    walk: startConsent(walk, { instance: onwardTo, step: check.step, now, byItself: true }),
    kind: 'leave',
    instance: onwardTo,
  }
}

function resultIn(walk: Walk, instance: string, now: number): StepResult {
  const entry = walk.known.find((known) => known.instance === instance)
  const standing = entry && trackedAppState(entry, now)
  if (standing?.kind === 'unconfirmed') return 'unconfirmed'
  const figure = standing === undefined ? 'pending' : bucketOf(standing)
  return figure === 'pending' ? 'waiting' : figure
}

/**
 * What came of a return, for the audit log: at the first look, and whenever it has changed since the walk was loaded.
 * @param now milliseconds since 1970
 */
export function stepResultOf(
  before: Walk,
  after: Walk,
  { instance, attempt }: StartedApp,
  now: number,
): StepResult | undefined {
  const result = resultIn(after, instance, now)
  const isNew = result !== resultIn(before, instance, now) || (result === 'waiting' && attempt.looks === 0)
  return isNew ? result : undefined
}
