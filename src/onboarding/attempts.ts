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

/**
 * The attempt that a return with this step id ends. A return without one that is known is of whatever the person left for
 * last: services and datasources may lose the query on the way back.
 */
export function attemptOf(walk: Walk, step: string | undefined): Attempt | undefined {
  const named = walk.attempts.find((attempt) => attempt.step === step)
  if (named !== undefined) return named.done === undefined ? named : undefined
  return walk.attempts.findLast(({ returnedAt }) => returnedAt === undefined)
}

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

/** So soon after leaving, a return may have taken no click: browsers give up after some 20 redirects in a row. */
const QUICK_MS = 10_000

/** Is this the first that is heard of the return, and was it quick? */
export const isQuick = ({ departedAt, returnedAt }: Attempt, now: number): boolean =>
  returnedAt === undefined && Math.abs(now - departedAt) < QUICK_MS

/** The person is back, and the service was not asked yet. */
export const returned = (walk: Walk, step: string, now: number): Walk => {
  const returnedAt = walk.attempts.find((attempt) => attempt.step === step)?.returnedAt ?? now
  return withAttempt(walk, step, { returnedAt })
}
