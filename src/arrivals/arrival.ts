// What is known of one person on the way: invited, opened, signed in, and how each datasource stands. Pure. No one-time
// path, no token and no link is ever part of it.
import type { Waiting } from '../client-api/answers.ts'

/** `off`: switched off by an administrator. `blocked`: the person waits for an administrator. */
export type SourceState = 'waiting' | 'connected' | 'skipped' | 'blocked' | 'off'

export type Source = {
  instance: string
  name: string
  state: SourceState
  at: number
  /** What the person said before an administrator switched it off: it counts again when that ends. */
  word?: Word
}

type Word = { state: 'skipped' | 'blocked'; at: number }

/**
 * One mail: written down as `sending` before it leaves, with its outcome afterwards. `unknown`: the process died, or the
 * connection broke, in between; `deferred`: the mail server said "not now"; `failed`: it said "never".
 */
export type Mailing = {
  /** 0: the invitation; 1 and up: reminders. */
  wave: number
  state: 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown'
  at: number
  tries: number
  /** Which try is sending it just now. */
  by?: string
}

/** It has left, or may have. */
export const isOut = ({ state }: Mailing): boolean =>
  state === 'sent' || state === 'unknown' || state === 'sending'

export type Campaign = { name: string; mailings: Mailing[] }

/** Times are milliseconds since 1970. */
export type Arrival = {
  /** Normalized. */
  email: string
  /** What the list said: a department, a place. */
  group?: string
  changedAt: number
  openedAt?: number
  signedInAt?: number
  /** Since when everything is connected; absent while something waits, and for whoever never had anything to connect. */
  finishedAt?: number
  optedOutAt?: number
  sources: Source[]
  /** When the service was last asked about the sources. */
  asOf?: number
  campaigns: Campaign[]
}

export const newArrival = (email: string, now: number): Arrival => ({
  email,
  changedAt: now,
  sources: [],
  campaigns: [],
})

type Moment = 'openedAt' | 'signedInAt' | 'optedOutAt'

/** The first time counts; later ones change nothing. */
export const reached = (arrival: Arrival, moment: Moment, now: number): Arrival =>
  arrival[moment] === undefined ? { ...arrival, [moment]: now } : arrival

export function optedIn(arrival: Arrival): Arrival {
  if (arrival.optedOutAt === undefined) return arrival
  const { optedOutAt: _optedOut, ...rest } = arrival
  return rest
}

/**
 * Can the person do something about it? Whatever the service lists is theirs to authorize (contract 2.1, which leaves the
 * values of authStatus open), but for what an administrator switched off.
 */
export const isToConnect = ({ status }: Waiting): boolean => status !== 'disabled'

/** What the person said of it, as long as it is listed. */
export const wordOf = (source: Source | undefined): Word | undefined =>
  source?.state === 'skipped' || source?.state === 'blocked'
    ? { state: source.state, at: source.at }
    : source?.word

/** One that the service lists: switched off comes first, then what the person said. */
function listedSource({ instance, name, status }: Waiting, known: Source | undefined, now: number): Source {
  const word = wordOf(known)
  if (status !== 'disabled') {
    const since = known?.state === 'waiting' ? known.at : now
    return { instance, name, state: word?.state ?? 'waiting', at: word?.at ?? since }
  }
  const at = known?.state === 'off' ? known.at : now
  return { instance, name, state: 'off', at, ...(word && { word }) }
}

/**
 * Takes in what the service says is left: what was known and is not listed any more is connected. "Not now" and
 * "waiting for my administrator" are the person's words, and stay while it is listed.
 */
export function withLeft(arrival: Arrival, left: readonly Waiting[], now: number): Arrival {
  const before = new Map(arrival.sources.map((source) => [source.instance, source]))
  const listed = left.map((entry): Source => {
    const known = before.get(entry.instance)
    before.delete(entry.instance)
    return listedSource(entry, known, now)
  })
  const gone = [...before.values()].map((source) => connected(source, now))
  return { ...finished({ ...arrival, sources: [...gone, ...listed] }, now), asOf: now }
}

function connected(source: Source, now: number): Source {
  if (source.state === 'connected') return source
  const { word: _word, ...rest } = source
  return { ...rest, state: 'connected', at: now }
}

/** Takes in how the person's own walk is doing. What was known and is not in it any more is connected. */
export function withSources(arrival: Arrival, walked: readonly Source[], now: number): Arrival {
  const inWalk = new Set(walked.map(({ instance }) => instance))
  const gone = arrival.sources
    .filter(({ instance }) => !inWalk.has(instance))
    .map((source) => connected(source, now))
  const sources = [...gone, ...walked]
  if (arrival.asOf !== undefined && JSON.stringify(sources) === JSON.stringify(arrival.sources))
    return arrival
  return { ...finished({ ...arrival, sources }, now), asOf: now }
}

/** What the person can do something about. */
export const countable = ({ sources }: Arrival): Source[] => sources.filter(({ state }) => state !== 'off')

/** The service was asked, and there is nothing that the person could connect. */
export const hadNothing = (arrival: Arrival): boolean =>
  arrival.asOf !== undefined && countable(arrival).length === 0

/** Nothing keeps the person from searching: everything is connected, or there was nothing to connect. */
export const isReady = (arrival: Arrival): boolean => arrival.finishedAt !== undefined || hadNothing(arrival)

function finished(arrival: Arrival, now: number): Arrival {
  const { finishedAt, ...rest } = arrival
  const own = countable(arrival)
  const isFinished = own.length > 0 && own.every(({ state }) => state === 'connected')
  return isFinished ? { ...rest, finishedAt: finishedAt ?? now } : rest
}
