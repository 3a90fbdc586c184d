// Leaving for a datasource and coming back from it: what each does to the walk. Pure. What surprises: a return decides
// nothing, it only ends an attempt; what the service says then decides (walk.ts, observe).
import { isInFlight, NOTHING_SAID, settled, withKnown, type Attempt, type Walk } from './walk.ts'

const MAX_ATTEMPTS = 50

/** `byItself`: no click led to it, it follows a return. */
export type Departure = { instance: string; step: string; now: number; byItself?: boolean }

/** The person leaves for a datasource. Takes back "not now" and an earlier "not confirmed". */
export function depart(walk: Walk, { instance, step, now, byItself = false }: Departure): Walk {
  const clicks = (walk.clicks ?? 0) + (byItself ? 0 : 1)
  const ended = settled(walk.attempts, (other) => other === instance)
  const left = withKnown(walk, instance, (entry) => ({
    ...entry,
    ...NOTHING_SAID,
    departures: entry.departures + 1,
    departedIn: clicks,
  }))
  const attempts = [...ended, { step, instance, departedAt: now, looks: 0 }].slice(-MAX_ATTEMPTS)
  return { ...left, attempts, clicks }
}

/** The attempt that a return with this step id ends, or undefined: no step, another person's, or one that has ended. */
export const attemptOf = (walk: Walk, step: string | undefined): Attempt | undefined =>
  walk.attempts.find((attempt) => attempt.step === step && attempt.done === undefined)

const withAttempt = (walk: Walk, step: string, changed: Partial<Attempt>): Walk => ({
  ...walk,
  attempts: walk.attempts.map((attempt) => (attempt.step === step ? { ...attempt, ...changed } : attempt)),
})

/**
 * A return with this step id, after the service was asked (observe comes first).
 * connected: go on. waiting: look again. unconfirmed: the time to confirm is over.
 * @param isRefused the return says that it failed: not believed, but no reason to wait for a consent any longer
 */
export function comeBack(
  walk: Walk,
  step: string,
  now: number,
  isRefused = false,
): { walk: Walk; outcome: 'connected' | 'waiting' | 'unconfirmed' } {
  const attempt = walk.attempts.find((candidate) => candidate.step === step)
  const known = walk.known.find((entry) => entry.instance === attempt?.instance)
  const isConnected = known?.status === 'connected'
  if (attempt === undefined || attempt.done) return { walk, outcome: 'unconfirmed' }
  const returnedAt = attempt.returnedAt ?? now
  if (!isConnected && !isRefused)
    return { walk: withAttempt(walk, step, { returnedAt, looks: attempt.looks + 1 }), outcome: 'waiting' }
  const ended = withAttempt(walk, step, { returnedAt, done: true })
  if (isConnected) return { walk: ended, outcome: 'connected' }
  const givenUp = withKnown(ended, attempt.instance, (entry) => ({ ...entry, unconfirmedAt: now }))
  return { walk: givenUp, outcome: 'unconfirmed' }
}

/** May the service be asked now without harm to a departure that is under way? */
export const mayAsk = (walk: Walk, now: number): boolean =>
  !walk.attempts.some((attempt) => isInFlight(attempt, now))

/** A datasource that agrees without a page sends the browser back at once. */
const RUSH_MS = 3_000
/** Browsers give up after some 20 redirects in a row, and such a datasource takes about four. */
const MAX_RUSH = 4

/**
 * Has the browser been sent on and on without a page? Asked when it comes back from `attempt`, once: a second look at the
 * same return is no rush.
 */
export function isRushed(walk: Walk, attempt: Attempt, now: number): boolean {
  if (attempt.looks > 0) return false
  let [length, end] = [0, now]
  for (const { departedAt, returnedAt } of walk.attempts.toReversed()) {
    const returned = returnedAt ?? now
    if (end - returned > RUSH_MS || returned - departedAt > RUSH_MS) break
    end = departedAt
    length++
  }
  return length > 0 && length % MAX_RUSH === 0
}

/** The same return, to be looked at once more after a page: that page costs one check and no click. */
export const reopened = (walk: Walk, step: string): Walk => {
  const looks = walk.attempts.find((attempt) => attempt.step === step)?.looks ?? 0
  return withAttempt(walk, step, { done: undefined, looks: looks + 1 })
}
