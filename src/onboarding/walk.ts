// The heart: pure decisions over what the service says and what the record remembers. Imports nothing.
// The record keeps only what the service cannot know: what was seen, what is in flight, what was skipped. Whether a
// datasource is connected is the service's to say, so there is no stored "next page" and no state that can go stale.

/** What the service says of one instance that is not connected: of client-api/answers.ts, what the walk needs. */
export type Waiting = {
  instance: string
  name: string
  /** The names of client-api/app-status.ts, once more: this file imports nothing. */
  status: 'awaiting' | 'stale' | 'disabled' | 'attention'
}

/** Everything ever seen of one datasource instance. Times are milliseconds since 1970. */
export type Known = {
  instance: string
  name: string
  /** As of the last time the service was asked. */
  status: Waiting['status'] | 'connected'
  firstSeen: number
  /** Counts while it is connected. */
  connectedAt?: number | undefined
  skippedAt?: number | undefined
  /** "I need an admin to approve this": since when. */
  blockedAt?: number | undefined
  /** When we gave up waiting for the service to confirm a consent. */
  unconfirmedAt?: number | undefined
  /** Departures since it was last unconnected. */
  departures: number
  /** Walk.clicks at the last departure, also of one that was connected since. */
  departedIn?: number | undefined
}

/** One departure to a datasource, named by the step id that its return must bring. */
export type Attempt = {
  step: string
  instance: string
  departedAt: number
  returnedAt?: number | undefined
  looks: number
  done?: true | undefined
}

/** What this visit is about: datasources it was narrowed to, and where the person wants to go afterwards. */
export type Visit = { only: string[]; returnTo?: string | undefined }

export type Walk = {
  version: 1
  startedAt: number
  known: Known[]
  attempts: Attempt[]
  visit: Visit
  /** How many times the person has started out. Departures without a click belong to the last time. */
  clicks?: number | undefined
  /** The service had nothing when it was asked first; else `known` shows that it was asked. */
  isAsked?: true | undefined
  /** When the last of its changes was that count in the report (watched-walks.ts). In one walk, later ones are always later. */
  revisedAt?: number | undefined
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

/** What the person said of an app, or what was given up: void once they leave for it, or it is connected. */
export const NOTHING_SAID = { skippedAt: undefined, unconfirmedAt: undefined, blockedAt: undefined } as const

/** The walk with one app changed. */
export const withKnown = (walk: Walk, instance: string, change: (entry: Known) => Known): Walk => ({
  ...walk,
  known: walk.known.map((entry) => (entry.instance === instance ? change(entry) : entry)),
})

/** The attempts, with returns from these apps no longer waiting for anything. */
export const settled = (attempts: readonly Attempt[], isOver: (instance: string) => boolean): Attempt[] =>
  attempts.map((attempt) =>
    isReturned(attempt) && isOver(attempt.instance) ? { ...attempt, done: true as const } : attempt,
  )

/**
 * Takes in what the service just said. Gone from the list is connected; listed is not, whatever was believed before.
 * @param confirmSeconds how long a returned consent may take to show
 */
export function observe(walk: Walk, waiting: readonly Waiting[], now: number, confirmSeconds: number): Walk {
  if (isKnownAlready(walk, waiting)) return isAsked(walk) ? walk : { ...walk, isAsked: true }
  const listed = new Map(waiting.map((entry) => [entry.instance, entry]))
  const overdue = new Set(
    walk.attempts
      .filter((attempt) => isReturned(attempt) && !isWithin(confirmSeconds * 1000, attempt.returnedAt, now))
      .map((attempt) => attempt.instance),
  )
  // Connected once and listed again: the person starts afresh with it.
  const listedAgain = new Set(
    walk.known.flatMap(({ instance, status }) =>
      status === 'connected' && listed.has(instance) ? [instance] : [],
    ),
  )
  const known = walk.known.map((entry): Known => {
    const found = listed.get(entry.instance)
    if (found === undefined)
      return entry.status === 'connected'
        ? entry
        : { ...entry, ...NOTHING_SAID, status: 'connected', connectedAt: now }
    const said = { ...entry, name: found.name, status: found.status }
    if (listedAgain.has(entry.instance)) return { ...said, departures: 0 }
    return overdue.has(entry.instance) ? { ...said, unconfirmedAt: now } : said
  })
  const seen = new Set(known.map((entry) => entry.instance))
  for (const { instance, name, status } of listed.values())
    if (!seen.has(instance)) known.push({ instance, name, status, firstSeen: now, departures: 0 })
  const attempts = settled(
    walk.attempts.filter(({ departedAt }) => isWithin(ATTEMPT_LIFE_MS, departedAt, now)),
    (instance) => listedAgain.has(instance) || (overdue.has(instance) && listed.has(instance)),
  )
  return { ...walk, known: bounded(known), attempts }
}

/** Was the service asked since the walk began? Else it says nothing of any app. */
export const isAsked = (walk: Walk): boolean => walk.isAsked === true || walk.known.length > 0

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

/** Either way: a clock that ran ahead must not keep a person waiting until it was right. */
const isWithin = (milliseconds: number, at: number, now: number): boolean => Math.abs(now - at) < milliseconds

/** Back, and not yet judged. */
export const isReturned = (attempt: Attempt): attempt is Attempt & { returnedAt: number } =>
  attempt.returnedAt !== undefined && attempt.done === undefined

/** Left a moment ago, and not back. */
export const isInFlight = (attempt: Attempt, now: number) =>
  attempt.returnedAt === undefined && isWithin(IN_FLIGHT_MS, attempt.departedAt, now)

/** `slack` means every instance of it (slack_1, slack_2), `slack_1` for that one (contract 2.1, datasourceInstance). */
export const inScope = (visit: Visit, instance: string): boolean =>
  visit.only.length === 0 ||
  visit.only.includes(instance) ||
  visit.only.includes(instance.replace(/_\d+$/, ''))

/** What this visit shows, in the order in which it was first seen. */
export const shown = (walk: Walk): Known[] =>
  walk.known.filter((entry) => inScope(walk.visit, entry.instance))
