// A walk as it was written, read back. Pure. A record of another version, or a damaged one, is no reason to keep somebody
// out: the service knows what is true, so such a walk starts afresh.
import type { Attempt, Known, Visit, Walk } from './walk.ts'

const STATUSES: readonly unknown[] = [
  'awaiting',
  'stale',
  'disabled',
  'attention',
  'connected',
] satisfies Known['status'][]

type Unread<T> = { [K in keyof T]?: unknown } | null

const isNumber = (value: unknown) => typeof value === 'number'
const isText = (value: unknown) => typeof value === 'string'
const isMissingOr = (check: (value: unknown) => boolean, ...values: unknown[]) =>
  values.every((value) => value === undefined || check(value))

function isKnown(value: unknown): boolean {
  const entry = value as Unread<Known>
  if (entry === null || typeof entry !== 'object') return false
  const { instance, name, status, firstSeen, departures } = entry
  const whole = isText(instance) && isText(name) && isNumber(firstSeen) && isNumber(departures)
  const times = [entry.connectedAt, entry.skippedAt, entry.blockedAt, entry.unconfirmedAt, entry.departedIn]
  return whole && STATUSES.includes(status) && isMissingOr(isNumber, ...times)
}

function isAttempt(value: unknown): boolean {
  const attempt = value as Unread<Attempt>
  if (attempt === null || typeof attempt !== 'object') return false
  const { step, instance, departedAt, looks, returnedAt } = attempt
  const whole = isText(step) && isText(instance) && isNumber(departedAt) && isNumber(looks)
  return whole && isMissingOr(isNumber, returnedAt)
}

function isVisit(value: unknown): boolean {
  const visit = value as Unread<Visit>
  if (visit === null || typeof visit !== 'object') return false
  return Array.isArray(visit.only) && visit.only.every(isText) && isMissingOr(isText, visit.returnTo)
}

const isWhole = (walk: Unread<Walk>): walk is Walk =>
  walk?.version === 1 &&
  Array.isArray(walk.known) &&
  walk.known.every(isKnown) &&
  Array.isArray(walk.attempts) &&
  walk.attempts.every(isAttempt) &&
  isVisit(walk.visit)

/** @returns undefined where there is none that could be gone on with */
export function readWalk(text: string | undefined): Walk | undefined {
  if (text === undefined) return undefined
  try {
    const walk = JSON.parse(text) as Unread<Walk>
    return isWhole(walk) ? walk : undefined
  } catch {
    return undefined
  }
}
