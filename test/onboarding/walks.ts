// Fixture: walks of someone with three apps, whose clock starts at 0.
import { nextStep, trackedAppState, walkStates } from '../../src/onboarding/next-step.ts'
import { applyCheck, finishReturn, startConsent, newWalk } from '../../src/onboarding/walk.ts'
import type { TrackedApp, UnconnectedApp, Walk } from '../../src/onboarding/walk.ts'
import { listedApp } from './overview-pages.ts'

/** Milliseconds without a check after a click. */
export const IN_FLIGHT_MS = 15_000
export const [slack, github, drive] = [listedApp('slack_1'), listedApp('github_1'), listedApp('gdrive_1')]
export const all = [slack, github, drive]
/** A walk after a check, where CONFIRM_SECONDS is 30. */
export const checkedWalk = (unconnected: UnconnectedApp[], walk = newWalk(0), now = 0) =>
  applyCheck(walk, unconnected, now, 30)
export const leave = (walk: Walk, instance: string, step: string, now = 0) =>
  startConsent(walk, { instance, step, now })
export const walkAfterClick = (unconnected = all) => leave(checkedWalk(unconnected), 'slack_1', 's1')
/** A return from Slack one second later, while the service still lists it. */
export const walkAfterReturn = (unconnected = all) =>
  finishReturn(checkedWalk(unconnected, walkAfterClick(unconnected), 1_000), 's1', 1_000).walk
export const nextOf = (walk: Walk, now: number) => nextStep(walkStates(walk, now))
export const kindOf = (walk: Walk, instance: string, now = 0) =>
  trackedAppState(walk.apps.find((entry) => entry.instance === instance) as TrackedApp, now).kind
