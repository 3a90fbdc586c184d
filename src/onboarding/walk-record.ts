// A walk as it was written, read back. Pure. Each field is taken as far as it is known and valid; what a newer version
// added stays in it and is written again. What cannot be used costs that field, not the whole walk.
import { present } from '../present.ts'
import type { Attempt, Known, Visit, Walk } from './walk.ts'

export const WALK_VERSION = 1

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

function isKnown(value: unknown): value is Known {
  const entry = value as Unread<Known>
  if (entry === null || typeof entry !== 'object') return false
  const { instance, name, firstSeen, departures } = entry
  const whole = isText(instance) && isText(name) && isNumber(firstSeen) && isNumber(departures)
  return (
    whole &&
    isText(entry.status) &&
    isMissingOr(
      isNumber,
      entry.connectedAt,
      entry.skippedAt,
      entry.blockedAt,
      entry.unconfirmedAt,
      entry.departedIn,
    )
  )
}

/** A status that only a newer version knows waits until the service was asked, which every page does. */
const withKnownStatus = (entry: Known): Known =>
  STATUSES.includes(entry.status) ? entry : { ...entry, status: 'awaiting' }

function isAttempt(value: unknown): value is Attempt {
  const attempt = value as Unread<Attempt>
  if (attempt === null || typeof attempt !== 'object') return false
  const { step, instance, departedAt, looks, returnedAt } = attempt
  const whole = isText(step) && isText(instance) && isNumber(departedAt) && isNumber(looks)
  return whole && isMissingOr(isNumber, returnedAt)
}

/** @param checked where a return may lead, or undefined */
export type CheckReturnTo = (value: unknown) => string | undefined

/** What was kept of an address is checked as if it came from a browser: the rules may have changed since. */
function visitIn(value: unknown, checked: CheckReturnTo): Visit {
  const { only, returnTo: kept, ...rest } = (value ?? {}) as Record<string, unknown>
  const ids = Array.isArray(only) ? only.filter((id) => typeof id === 'string') : []
  const returnTo = checked(kept)
  return { ...rest, only: ids, ...present({ returnTo }) }
}

/** @returns undefined where there is nothing that could be gone on with */
export function readWalk(json: Readonly<Record<string, unknown>>, checked: CheckReturnTo): Walk | undefined {
  const { known, attempts, visit, startedAt, clicks, ...rest } = json
  if (!Array.isArray(known)) return undefined
  return {
    ...(rest as Pick<Walk, 'version'>),
    startedAt: typeof startedAt === 'number' ? startedAt : 0,
    known: known.filter(isKnown).map(withKnownStatus),
    attempts: Array.isArray(attempts) ? attempts.filter(isAttempt) : [],
    visit: visitIn(visit, checked),
    ...(typeof clicks === 'number' ? { clicks } : {}),
  }
}
