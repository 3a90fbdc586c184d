// What a click or a return leads to, once the service was asked: pure, and safe to compute again when the walk was
// changed elsewhere in between.
import { firstOffered, next, onward, standingIn } from './course.ts'
import { comeBack, depart } from './attempts.ts'
import { observe, type Waiting, type Walk } from './walk.ts'

export type Question = {
  now: number
  confirmSeconds: number
  /** The step id that the next departure would carry: the one that the service was asked with. */
  step: string
  waiting: readonly Waiting[]
  /** Is there an address for it that the browser may be sent to? */
  isStartable: (instance: string) => boolean
  /** Does the company's file say what to heed in this app? */
  hasNotes: (instance: string) => boolean
}

export type Passage =
  | { walk: Walk; kind: 'leave'; instance: string }
  /** To the overview, which tells of this instance first and asks the service anew. */
  | { walk: Walk; kind: 'overview'; from?: string }
  /** The same page, made of this answer. */
  | { walk: Walk; kind: 'page'; from: string }
  | { walk: Walk; kind: 'unknown' }
  | { walk: Walk; kind: 'unstartable'; instance: string }

/** A click on "connect": on the one that is wanted, or on whatever comes next. */
export function passageOfClick(before: Walk, question: Question, wanted: string | undefined): Passage {
  const { now, step, waiting, confirmSeconds } = question
  const walk = observe(before, waiting, now, confirmSeconds)
  const instance = wanted ?? nextOf(walk, question)
  if (instance === undefined) return { walk, kind: 'overview' }
  const known = walk.known.find((entry) => entry.instance === instance)
  if (known === undefined) return { walk, kind: 'unknown' }
  const { kind } = standingIn(walk, known, now)
  if (kind === 'connected' || kind === 'off') return { walk, kind: 'overview', from: instance }
  if (!question.isStartable(instance)) return { walk, kind: 'unstartable', instance }
  return { walk: depart(walk, { instance, step, now }), kind: 'leave', instance }
}

/** What a click that names no app leads to: the others while one is being confirmed, then what was not confirmed. */
function nextOf(walk: Walk, { now, isStartable }: Question): string | undefined {
  const offered = firstOffered(walk, now, isStartable)
  if (offered !== undefined) return offered
  const where = next(walk, now)
  return where.kind === 'attend' ? where.instance : undefined
}

export type Return = {
  step: string
  instance: string
  /** Straight on to the next (ADVANCE=auto), or a page in between. */
  advances: boolean
  /** Does the return say that it failed? Not believed, but then nothing is waited for. */
  isRefused?: boolean
}

/** A return from a datasource: it believes the service and nothing that the browser brought, but for the step id. */
export function passageOfReturn(
  before: Walk,
  question: Question,
  { step, instance, advances, isRefused = false }: Return,
): Passage {
  const { now, waiting, confirmSeconds } = question
  const observed = observe(before, waiting, now, confirmSeconds)
  const { walk, outcome } = comeBack(observed, step, now, isRefused)
  const onwardTo = outcome === 'connected' && advances ? onward(walk, now, question.isStartable) : undefined
  // What the company says of an app is read before leaving for it.
  if (onwardTo === undefined || question.hasNotes(onwardTo)) return { walk, kind: 'page', from: instance }
  return {
    walk: depart(walk, { instance: onwardTo, step: question.step, now, byItself: true }),
    kind: 'leave',
    instance: onwardTo,
  }
}
