// Leaving for a datasource and coming back from it: what each does to the walk. Pure. What surprises: a return decides
// nothing, it only ends an attempt; what the service says then decides (walk.ts, observe).
import { isInFlight, isReturned, type Attempt, type Walk } from './walk.ts'

const MAX_ATTEMPTS = 50

/** `byItself`: no click led to it, it follows a return. */
export type Departure = { instance: string; step: string; now: number; byItself?: boolean }

/** The person leaves for a datasource. Takes back "not now" and an earlier "not confirmed". */
export function depart(walk: Walk, { instance, step, now, byItself = false }: Departure): Walk {
  const clicks = (walk.clicks ?? 0) + (byItself ? 0 : 1)
  const known = walk.known.map((entry) => {
    if (entry.instance !== instance) return entry
    const { skippedAt: _skipped, unconfirmedAt: _unconfirmed, blockedAt: _blocked, ...rest } = entry
    return { ...rest, departures: entry.departures + 1, departedIn: clicks }
  })
  const others = walk.attempts.map((attempt) =>
    attempt.instance === instance && isReturned(attempt) ? { ...attempt, done: true as const } : attempt,
  )
  const attempts = [...others, { step, instance, departedAt: now, looks: 0 }].slice(-MAX_ATTEMPTS)
  return { ...walk, known, attempts, clicks }
}

/** The attempt that a return with this step id ends, or undefined: no step, another person's, or one that has ended. */
export const attemptOf = (walk: Walk, step: string | undefined): Attempt | undefined =>
  walk.attempts.find((attempt) => attempt.step === step && attempt.done === undefined)

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
  const change = (changed: Partial<Attempt>): Walk => ({
    ...walk,
    attempts: walk.attempts.map((candidate) =>
      candidate.step === step ? { ...candidate, ...changed } : candidate,
    ),
  })
  const returnedAt = attempt?.returnedAt ?? now
  if (isConnected) return { walk: change({ returnedAt, done: true }), outcome: 'connected' }
  if (attempt === undefined || attempt.done) return { walk, outcome: 'unconfirmed' }
  if (isRefused)
    return { walk: givenUp(change({ returnedAt, done: true }), attempt, now), outcome: 'unconfirmed' }
  return { walk: change({ returnedAt, looks: attempt.looks + 1 }), outcome: 'waiting' }
}

const givenUp = (walk: Walk, { instance }: Attempt, now: number): Walk => ({
  ...walk,
  known: walk.known.map((entry) => (entry.instance === instance ? { ...entry, unconfirmedAt: now } : entry)),
})

/** May the service be asked now without harm to a departure that is under way? */
export const mayAsk = (walk: Walk, now: number): boolean =>
  !walk.attempts.some((attempt) => isInFlight(attempt, now))
