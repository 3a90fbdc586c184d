// The heart: pure decisions over what the service says and what the record remembers. Imports nothing.
// The record keeps only what the service cannot know: what was seen, what is in flight, what was skipped. Whether a
// datasource is connected is the service's to say, so there is no stored "next page" and no state that can go stale.

/** What the service says of one instance that is not connected: of client-api/answers.ts, what the walk needs. */
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

/** The same as last time, and no attempt under way: nothing to take in. */
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

/** `slack` means every instance of it (slack_1, slack_2), `slack_1` for that one (contract 2.1, datasourceInstance). */
export const inScope = (visit: Visit, instance: string): boolean =>
  visit.only.length === 0 ||
  visit.only.includes(instance) ||
  visit.only.includes(instance.replace(/_\d+$/, ''))

/** What this visit shows, in the order in which it was first seen. */
export const shown = (walk: Walk): Known[] =>
  walk.known.filter((entry) => inScope(walk.visit, entry.instance))
