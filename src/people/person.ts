// What is known of one person on the way: invited, opened, signed in, and the state of each datasource. Pure. It never
// holds a one-time path, a token or a link.
import type { Waiting } from '../client-api/answers.ts'
import { isOff } from '../client-api/app-status.ts'

/** `off`: switched off by an administrator. `blocked`: the person waits for an administrator. */
export type SourceState = 'waiting' | 'connected' | 'skipped' | 'blocked' | 'off'

export type Source = {
  instance: string
  name: string
  state: SourceState
  at: number
  /** What the person said before an administrator switched it off. It counts again when that ends. */
  word?: Word
  /** The person came back from it, and the consent never showed. */
  unconfirmed?: true
}

type Word = { state: 'skipped' | 'blocked'; at: number }

/**
 * One email: `sending` before it leaves, its outcome afterwards. `unknown`: the process died or the connection broke in
 * between. `deferred`: the mail server said "not now". `failed`: it said "never".
 */
export type Mailing = {
  /** 0: the invitation; 1 and up: reminders. */
  reminder: number
  state: 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown'
  at: number
  /** Which try is sending it now, or was when a later run found it open (`unknown`). */
  by?: string | undefined
}

/** It has left, or may have. */
export const isOut = ({ state }: Mailing): boolean =>
  state === 'sent' || state === 'unknown' || state === 'sending'

export type Campaign = { name: string; mailings: Mailing[] }

/** What another system is to be told of a person; it stays with the person until it was (outbox.ts). */
export type OutboxEvent = {
  id: string
  type: 'person.signed_in' | 'app.connected' | 'person.finished' | 'app.waiting_for_admin'
  at: number
  app?: { instance: string; name: string }
  tries: number
  /** Not to be sent before. */
  dueAt: number
}

/** Whose walk (personKey), when it began, and when the last of its changes that count was. */
export type Stand = { person: string; startedAt: number; revisedAt: number }

/** Times are milliseconds since 1970. */
export type Person = {
  /** Normalized. */
  email: string
  /** Of the list: what to call them, in which language to write to them (BCP 47), and a department or a place. */
  name?: string
  language?: string
  group?: string
  /** When the first thing was written down of them, since they were forgotten last. Absent in earlier records. */
  since?: number
  changedAt: number
  openedAt?: number
  signedInAt?: number
  /** Since when everything is connected. Absent while something waits, and for people who had nothing to connect. */
  finishedAt?: number
  optedOutAt?: number
  /** The service, when it was asked last, knew no one with this address. */
  unknownAt?: number
  sources: Source[]
  /** When the service was last asked about the sources. */
  asOf?: number
  /** By person (personKey): the last change of their walk that is in this. */
  walked?: Record<string, number>
  /** By person, when that walk began: one that was lost begins anew. Absent in earlier records. */
  begun?: Record<string, number>
  /** Not all of this is how a walk stood: the service was asked since, or of the walk only what the person said is in it. */
  isAsked?: true
  campaigns: Campaign[]
  outbox?: OutboxEvent[]
  /** The people (personKey) who signed in with this address: their walks go when it is forgotten. */
  people?: string[]
}

export const newPerson = (email: string, now: number): Person => ({
  email,
  since: now,
  changedAt: now,
  sources: [],
  campaigns: [],
})

export const MOMENTS = ['openedAt', 'signedInAt', 'optedOutAt'] as const

/** The first time counts; later ones change nothing. */
export const reached = (arrival: Person, moment: (typeof MOMENTS)[number], now: number): Person =>
  arrival[moment] === undefined ? { ...arrival, [moment]: now } : arrival

/** With one address. */
export const MAX_PEOPLE = 10

/** @param person personKey of a sign-in with this address */
export const withPerson = (arrival: Person, person: string): Person => {
  const { people = [] } = arrival
  return people.includes(person) ? arrival : { ...arrival, people: [...people, person].slice(-MAX_PEOPLE) }
}

export function optedIn(arrival: Person): Person {
  if (arrival.optedOutAt === undefined) return arrival
  const { optedOutAt: _optedOut, ...rest } = arrival
  return rest
}

/**
 * Can the person do something about it? What the service lists is theirs to authorize (contract 2.1, which leaves the
 * values of authStatus open), except what is off.
 */
export const isToConnect = ({ status }: Waiting): boolean => !isOff(status)

/** What the person said about it, while it is listed. */
export const wordOf = (source: Source | undefined): Word | undefined =>
  source?.state === 'skipped' || source?.state === 'blocked'
    ? { state: source.state, at: source.at }
    : source?.word

/** What the person can do something about. */
export const countable = ({ sources }: Person): Source[] => sources.filter(({ state }) => state !== 'off')

/** The service was asked, and the person has nothing to connect. */
export const hadNothing = (arrival: Person): boolean =>
  arrival.asOf !== undefined && countable(arrival).length === 0

/** The person can search: everything is connected, or there was nothing to connect. */
export const isReady = (arrival: Person): boolean => arrival.finishedAt !== undefined || hadNothing(arrival)
