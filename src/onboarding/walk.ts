// The heart: pure decisions over what the service says and what the record remembers. Imports nothing.
// The record keeps only what the service cannot know: what was seen, what is in flight, what was skipped. Whether a
// datasource is connected is the service's to say, so there is no stored "next page" and no state that can go stale.

/** What the service says of one instance that is not connected. */
export type Waiting = {
  instance: string
  name: string
  status: 'awaiting' | 'stale' | 'disabled' | 'attention'
}

/** Everything ever seen of one datasource instance. Times are milliseconds since 1970. */
export type Known = {
  instance: string
  name: string
  /** As of the last time the service was asked. */
  status: Waiting['status'] | 'connected'
  firstSeen: number
  connectedAt?: number
  skippedAt?: number
  /** "I need my administrator": since when. */
  blockedAt?: number
  /** When waiting for the service to confirm a consent was given up. */
  unconfirmedAt?: number
  /** Departures since it was last unconnected. */
  departures: number
  /** Walk.clicks at the last departure, also of one that was connected since. */
  departedIn?: number
}

/** One departure to a datasource, named by the step id that its return must bring. */
export type Attempt = {
  step: string
  instance: string
  departedAt: number
  returnedAt?: number
  looks: number
  done?: true
}

/** What this visit is about: datasources it was narrowed to, and where the person wants to go afterwards. */
export type Visit = { only: string[]; returnTo?: string }

export type Walk = {
  version: 1
  startedAt: number
  known: Known[]
  attempts: Attempt[]
  visit: Visit
  /** How often the person has started out; what follows by itself belongs to the last time. */
  clicks?: number
}

/** No check for so long after a departure: it could void the one-time path that the browser is just following. */
export const IN_FLIGHT_MS = 15_000
/** A return counts for so long after its departure. */
const ATTEMPT_LIFE_MS = 24 * 3600 * 1000
const MOST_ATTEMPTS = 50

export const startWalk = (now: number): Walk => ({
  version: 1,
  startedAt: now,
  known: [],
  attempts: [],
  visit: { only: [] },
})

/**
 * Takes in what the service just said. Gone from the list is connected; listed is not, whatever was believed before.
 * @param confirmSeconds how long a returned consent may take to show
 */
export function observe(walk: Walk, waiting: readonly Waiting[], now: number, confirmSeconds: number): Walk {
  if (isKnownAlready(walk, waiting)) return walk
  const listed = new Map(waiting.map((entry) => [entry.instance, entry]))
  const overdue = new Set(
    walk.attempts
      .filter((attempt) => isReturned(attempt) && now - attempt.returnedAt >= confirmSeconds * 1000)
      .map((attempt) => attempt.instance),
  )
  const isListedAgain = (entry: Known) => entry.status === 'connected' && listed.has(entry.instance)
  const listedAgain = new Set(walk.known.filter(isListedAgain).map((entry) => entry.instance))
  const known = walk.known.map((entry) => {
    const found = listed.get(entry.instance)
    if (found === undefined) return connected(entry, now)
    const said = { name: found.name, status: found.status }
    if (listedAgain.has(entry.instance)) return { ...restarted(entry), ...said }
    return overdue.has(entry.instance) ? { ...entry, ...said, unconfirmedAt: now } : { ...entry, ...said }
  })
  const seen = new Set(known.map((entry) => entry.instance))
  for (const { instance, name, status } of listed.values())
    if (!seen.has(instance)) known.push({ instance, name, status, firstSeen: now, departures: 0 })
  const isOver = ({ instance }: Attempt) =>
    listedAgain.has(instance) || (overdue.has(instance) && listed.has(instance))
  const attempts = walk.attempts
    .filter((attempt) => now - attempt.departedAt < ATTEMPT_LIFE_MS)
    .map((attempt) =>
      isReturned(attempt) && isOver(attempt) ? { ...attempt, done: true as const } : attempt,
    )
  return { ...walk, known: bounded(known), attempts }
}

/** More were never seen of one person; a service that makes up names must not fill the record. */
const MAX_KNOWN = 2_000

/** Forgets those that were connected first, and never one that waits: it would count as connected when it is gone. */
function bounded(known: Known[]): Known[] {
  let surplus = known.length - MAX_KNOWN
  return surplus <= 0 ? known : known.filter((entry) => entry.status !== 'connected' || surplus-- <= 0)
}

/** The same as last time, and nobody under way: nothing to take in. */
function isKnownAlready(walk: Walk, waiting: readonly Waiting[]): boolean {
  if (walk.attempts.length > 0) return false
  const unconnected = walk.known.filter((entry) => entry.status !== 'connected')
  if (unconnected.length !== waiting.length) return false
  const byInstance = new Map(unconnected.map((entry) => [entry.instance, entry]))
  return waiting.every(({ instance, name, status }) => {
    const entry = byInstance.get(instance)
    return entry?.name === name && entry.status === status
  })
}

function connected(entry: Known, now: number): Known {
  if (entry.status === 'connected') return entry
  const { skippedAt: _skipped, unconfirmedAt: _unconfirmed, blockedAt: _blocked, ...rest } = entry
  return { ...rest, status: 'connected', connectedAt: now }
}

/** Connected once and listed again: the person starts afresh with it. */
function restarted(entry: Known): Known {
  const { connectedAt: _connected, ...rest } = entry
  return { ...rest, departures: 0 }
}

/** Back, and not yet judged. */
export const isReturned = (attempt: Attempt): attempt is Attempt & { returnedAt: number } =>
  attempt.returnedAt !== undefined && attempt.done === undefined

/** Left a moment ago, and not back. */
export const isInFlight = (attempt: Attempt, now: number) =>
  attempt.returnedAt === undefined && attempt.done === undefined && now - attempt.departedAt < IN_FLIGHT_MS

/** `byItself`: nobody clicked, it follows a return. */
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
  const attempts = [...others, { step, instance, departedAt: now, looks: 0 }].slice(-MOST_ATTEMPTS)
  return { ...walk, known, attempts, clicks }
}

/** The attempt that a return with this step id ends, or undefined: no step, one of somebody else, one that has ended. */
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

/** `slack` stands for every instance of it (slack_1, slack_2), `slack_1` for that one (contract 2.1, datasourceInstance). */
export const inScope = (visit: Visit, instance: string): boolean =>
  visit.only.length === 0 ||
  visit.only.includes(instance) ||
  visit.only.includes(instance.replace(/_\d+$/, ''))

/** What this visit shows, in the order in which it was first seen. */
export const shown = (walk: Walk): Known[] =>
  walk.known.filter((entry) => inScope(walk.visit, entry.instance))
