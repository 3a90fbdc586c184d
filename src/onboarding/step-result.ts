// What came of a step that the person returned from, for the audit log. Pure.
import type { StepResult } from '../web/audit.ts'
import { standingIn } from './course.ts'
import { unhandled } from './standing.ts'
import type { Attempt, Walk } from './walk.ts'

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

function resultOf(walk: Walk, instance: string, now: number): StepResult {
  const entry = walk.known.find((known) => known.instance === instance)
  if (entry === undefined) return 'waiting'
  const standing = standingIn(walk, entry, now)
  switch (standing.kind) {
    case 'confirming':
    case 'elsewhere':
    case 'todo':
      return 'waiting'
    case 'connected':
    case 'off':
    case 'blocked':
    case 'unconfirmed':
    case 'skipped':
      return standing.kind
    default:
      return unhandled(standing)
  }
}
