// What the service says of a person's apps, and what their walk says, taken into what is known of them. Pure.
import type { Waiting } from '../client-api/answers.ts'
import { isOff } from '../client-api/app-status.ts'
import { countable, MAX_PEOPLE, wordOf, type Arrival, type Source, type Stand } from './arrival.ts'

/** A source that the service lists: switched off comes first, then what the person said. */
function listedSource({ instance, name, status }: Waiting, known: Source | undefined, now: number): Source {
  const word = wordOf(known)
  const off = isOff(status)
  const state = off ? 'off' : (word?.state ?? 'waiting')
  const at = known?.state === state ? known.at : now
  return {
    instance,
    name,
    state,
    at: off ? at : (word?.at ?? at),
    ...(off && word && { word }),
    ...(state === 'waiting' && known?.unconfirmed && { unconfirmed: true }),
  }
}

/**
 * Takes in what the service said is left. What was known and is no longer listed is connected. "Not now" and "I need my
 * administrator" are the person's words, and stay while it is listed.
 * @param askedAt an answer that is older than what is known counts no more
 */
export function withLeft(
  arrival: Arrival,
  left: readonly Waiting[],
  now: number,
  askedAt: number = now,
): Arrival {
  if (arrival.asOf !== undefined && arrival.asOf > askedAt) return arrival
  const known = new Map(arrival.sources.map((source) => [source.instance, source]))
  const listed = left.map((entry) => listedSource(entry, known.get(entry.instance), now))
  return { ...withListed(arrival, listed, now), isAsked: true }
}

/**
 * Takes in the person's own walk. What was known and is no longer in it is connected.
 * @param at as of when it is how the walk stands; what the service was known to say since stays
 * @param stand processes tell in any order, and again: what is in this already, or was before, changes nothing
 */
export function withSources(
  arrival: Arrival,
  sources: readonly Source[],
  at: number,
  stand?: Stand,
): Arrival {
  const { isAsked, asOf = 0, ...rest } = arrival
  let isNewer = asOf < at
  if (stand !== undefined) {
    const last = arrival.walked?.[stand.person] ?? -1
    // The service may have said otherwise meanwhile, and may have said the same again as before.
    if (stand.revisedAt < last || (stand.revisedAt === last && !(isAsked && isNewer))) return arrival
    // Of one walk alone, its changes have an order that needs no clock: those of two processes may differ.
    isNewer ||= !isAsked && Object.keys(arrival.walked ?? {}).every((person) => person === stand.person)
  }
  const told = new Set(sources.map(({ instance }) => instance))
  // What was connected since, or is on the list only since.
  const since = isNewer
    ? []
    : arrival.sources.filter((one) => !told.has(one.instance) || (one.state === 'connected' && one.at > at))
  const all = new Map([...sources, ...since].map((one) => [one.instance, one]))
  const after = withListed(isNewer ? rest : arrival, [...all.values()], Math.max(at, asOf))
  return stand === undefined ? after : { ...after, walked: walkedOf(arrival, stand) }
}

const walkedOf = ({ walked }: Arrival, { person, revisedAt }: Stand): Record<string, number> =>
  Object.fromEntries(
    [
      ...Object.entries(walked ?? {}).filter(([other]) => other !== person),
      [person, revisedAt] as const,
    ].slice(-MAX_PEOPLE),
  )

function withListed(arrival: Arrival, listed: readonly Source[], now: number): Arrival {
  const instances = new Set(listed.map(({ instance }) => instance))
  const gone = arrival.sources.filter(({ instance }) => !instances.has(instance))
  const sources = [...gone.map((source) => connected(source, now)), ...listed]
  return concluded({ ...arrival, sources, asOf: now }, now)
}

/** Everything connected, or no longer. */
function concluded({ finishedAt, ...arrival }: Arrival, now: number): Arrival {
  return isDone(arrival) ? { ...arrival, finishedAt: finishedAt ?? now } : arrival
}

function isDone(arrival: Omit<Arrival, 'finishedAt'>): boolean {
  const own = countable(arrival)
  return own.length > 0 && own.every(({ state }) => state === 'connected')
}

/**
 * Leaves out the apps that the company hides: they count neither as left nor as connected. One that was hidden for a while
 * counts again.
 * @param arrange see Company
 */
export function withoutHidden(arrival: Arrival, arrange: (sources: Source[]) => Source[]): Arrival {
  const sources = arrange(arrival.sources)
  if (sources.length === arrival.sources.length && (arrival.finishedAt === undefined || isDone(arrival)))
    return arrival
  return concluded({ ...arrival, sources }, Math.max(0, ...sources.map(({ at }) => at)))
}

/** What was left out of `before` is still known afterwards. */
export function withHidden(after: Arrival, whole: Arrival, before: Arrival): Arrival {
  const seen = new Set([...before.sources, ...after.sources].map(({ instance }) => instance))
  const hidden = whole.sources.filter(({ instance }) => !seen.has(instance))
  return hidden.length === 0 ? after : { ...after, sources: [...after.sources, ...hidden] }
}

function connected(source: Source, now: number): Source {
  if (source.state === 'connected') return source
  const { word: _word, unconfirmed: _unconfirmed, ...rest } = source
  return { ...rest, state: 'connected', at: now }
}
