// What the service says of a person's apps, and what their walk says, taken into what is known of them. Pure.
import type { Waiting } from '../client-api/answers.ts'
import { isOff } from '../client-api/app-status.ts'
import { countable, MAX_PEOPLE, wordOf, type Person, type Source, type Stand } from './person.ts'

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

/** When the service was asked, and what was known then (stampOf). */
export type When = { at: number; known: string }

/** Differs as soon as anything is taken in: an order that needs no clock. */
export const stampOf = (arrival: Person | undefined): string =>
  JSON.stringify([arrival?.asOf, arrival?.walked, arrival?.isAsked, standsOf(arrival?.sources ?? [])])

/**
 * Takes in what the service said is left. What was known and is no longer listed is connected. "Not now" and "I need my
 * administrator" are the person's words, and stay while it is listed.
 * @param when it was asked, where that was earlier: if anything was taken in since, this may be older, and counts no more
 */
export function withLeft(
  arrival: Person,
  left: readonly Waiting[],
  now: number,
  { at = now, known = stampOf(arrival) }: Partial<When> = {},
): Person {
  if (stampOf(arrival) !== known) return arrival
  const before = new Map(arrival.sources.map((source) => [source.instance, source]))
  const listed = left.map((entry) => listedSource(entry, before.get(entry.instance), now))
  return { ...withListed(arrival, listed, now), asOf: at, isAsked: true }
}

/**
 * How a walk is told of. `isAsked`: the service was asked for it just then. `isLate`: told again, because it could not be
 * taken in at once.
 */
export type ToldStand = Stand & { isAsked: boolean; isLate?: boolean }

/**
 * Takes in the person's own walk. What was known and is no longer in it is connected. Where the service was not asked for it,
 * or was asked by others since, only what the person said counts.
 * @param at as of when it is how the walk stands
 * @param stand processes tell in any order, and again: what was before, or says no more than is known, changes nothing
 */
export function withSources(
  arrival: Person,
  sources: readonly Source[],
  at: number,
  stand?: ToldStand,
): Person {
  if (stand === undefined) return withAnswer(arrival, sources, at)
  const { asOf, isAsked = false, walked = {}, begun = {} } = arrival
  const { person, startedAt } = stand
  const last = (begun[person] ?? startedAt) === startedAt ? (walked[person] ?? -1) : -1
  if (stand.revisedAt < last) return arrival
  // Of one walk alone, its changes have an order that needs no clock: those of two processes may differ.
  const isAlone = Object.keys(walked).every((one) => one === person)
  const isNewest = !stand.isLate || (asOf ?? 0) < at || (!isAsked && isAlone)
  const isAnswer = isNewest && (stand.isAsked || asOf === undefined)
  const after = isAnswer ? withAnswer(arrival, sources, at) : withWords(arrival, sources, isAlone)
  // The same again says more where not all of it was taken in, or the service said otherwise meanwhile; and where one that
  // hides an app told it before.
  const saysMore = isAnswer && (isAsked || (isAlone && standsOf(after.sources) !== standsOf(arrival.sources)))
  if (stand.revisedAt === last && !saysMore) return arrival
  return {
    ...after,
    walked: withLast(walked, person, stand.revisedAt),
    begun: withLast(begun, person, startedAt),
  }
}

/** What of sources the report sees, to be compared. */
export const standsOf = (sources: readonly Source[]): string =>
  sources
    .map(({ instance, state, word, unconfirmed }) =>
      JSON.stringify([instance, state, word?.state, unconfirmed]),
    )
    .toSorted()
    .join()

function withAnswer(arrival: Person, sources: readonly Source[], at: number): Person {
  const { isAsked: _isAsked, ...rest } = arrival
  return withListed(rest, sources, Math.max(at, arrival.asOf ?? 0))
}

/** Whether an app is listed, switched off or connected stays as it is known; one that is not known is as it is told. */
function withWords(arrival: Person, sources: readonly Source[], isAlone: boolean): Person {
  const told = new Map(sources.map((source) => [source.instance, source]))
  const known = new Set(arrival.sources.map(({ instance }) => instance))
  const all = [
    ...arrival.sources.map((source) => said(source, told.get(source.instance))),
    ...sources.filter(({ instance }) => !known.has(instance)),
  ]
  const isWhole = isAlone && standsOf(all) === standsOf(sources)
  return concluded({ ...arrival, sources: all, ...(!isWhole && { isAsked: true }) }, arrival.asOf ?? 0)
}

/** What the person said of an app that is not connected. */
function said(source: Source, told: Source | undefined): Source {
  if (source.state === 'connected' || told === undefined || told.state === 'connected') return source
  const word = wordOf(told)
  const { word: _word, unconfirmed: _unconfirmed, ...rest } = source
  if (source.state === 'off') return word ? { ...rest, word } : rest
  if (word !== undefined) return { ...rest, ...word }
  const at = source.state === 'waiting' ? source.at : told.at
  return { ...rest, state: 'waiting', at, ...(told.unconfirmed && { unconfirmed: true }) }
}

/** Of as many people as are kept, those who were told of last. */
const withLast = (known: Record<string, number>, person: string, time: number): Record<string, number> =>
  Object.fromEntries(
    [...Object.entries(known).filter(([other]) => other !== person), [person, time] as const].slice(
      -MAX_PEOPLE,
    ),
  )

function withListed(arrival: Person, listed: readonly Source[], now: number): Person {
  const instances = new Set(listed.map(({ instance }) => instance))
  const gone = arrival.sources.filter(({ instance }) => !instances.has(instance))
  const sources = [...gone.map((source) => connected(source, now)), ...listed]
  return concluded({ ...arrival, sources, asOf: now }, now)
}

/** Everything connected, or no longer. */
function concluded({ finishedAt, ...arrival }: Person, now: number): Person {
  return isDone(arrival) ? { ...arrival, finishedAt: finishedAt ?? now } : arrival
}

function isDone(arrival: Omit<Person, 'finishedAt'>): boolean {
  const own = countable(arrival)
  return own.length > 0 && own.every(({ state }) => state === 'connected')
}

/**
 * Leaves out the apps that the company hides: they count neither as left nor as connected. One that was hidden for a while
 * counts again.
 * @param arrange see Company
 */
export function withoutHidden(arrival: Person, arrange: (sources: Source[]) => Source[]): Person {
  const sources = arrange(arrival.sources)
  const isFinished = arrival.finishedAt !== undefined
  if (sources.length === arrival.sources.length && isFinished === isDone(arrival)) return arrival
  return concluded({ ...arrival, sources }, Math.max(0, ...sources.map(({ at }) => at)))
}

/** What was left out of `before` is still known afterwards. */
export function withHidden(after: Person, whole: Person, before: Person): Person {
  const seen = new Set([...before.sources, ...after.sources].map(({ instance }) => instance))
  const hidden = whole.sources.filter(({ instance }) => !seen.has(instance))
  return hidden.length === 0 ? after : { ...after, sources: [...after.sources, ...hidden] }
}

function connected(source: Source, now: number): Source {
  if (source.state === 'connected') return source
  const { word: _word, unconfirmed: _unconfirmed, ...rest } = source
  return { ...rest, state: 'connected', at: now }
}
