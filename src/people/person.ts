// What is written down about one person of the rollout, and what follows from it. Pure. The newest answer of the service
// counts, no matter who asked, and what it no longer lists is connected; states are derived when read. It holds no
// one-time path, token or link.
import { isOff, type AppStatus } from '../client-api/app-status.ts'

/** One app, as of the newest answer. `since`: when it came to be so, as far as is known; milliseconds since 1970. */
export type AnsweredApp = { instance: string; name: string; status: AppStatus | 'connected'; since: number }

/** "Not now", "I need an admin", or a consent that never showed. */
export type Intent = { instance: string; kind: 'skipped' | 'blocked' | 'unconfirmed' }

/**
 * One email: `sending` before it leaves, its outcome afterwards. `unknown`: the connection broke when it may have been
 * taken. A process that dies leaves `sending` for ever, which counts as unknown. `deferred`: the mail server said "not
 * now". `failed`: it said "never".
 */
export type Mailing = {
  /** 0: the invitation; 1 and up: reminders. */
  reminder: number
  state: 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown'
  at: number
  /** The run that began to send it: only that run writes its outcome. */
  by?: string | undefined
}

/** It has left, or may have. */
export const isOut = ({ state }: Mailing): boolean =>
  state === 'sent' || state === 'unknown' || state === 'sending'

type Campaign = { name: string; mailings: Mailing[] }

/** What another system is to learn of a person; it stays with the person until it was delivered (outbox.ts). */
export type OutboxEvent = {
  id: string
  type: 'person.signed_in' | 'app.connected' | 'person.finished' | 'app.waiting_for_admin'
  at: number
  app?: { instance: string; name: string }
  tries: number
  /** Not to be sent before. */
  dueAt: number
}

/** Times are milliseconds since 1970. */
export type Person = {
  /** Normalized. */
  email: string
  /** Of the list: what to call them, in which language to write to them (BCP 47), and a department or a place. */
  name?: string
  language?: string
  group?: string
  changedAt: number
  openedAt?: number
  /** When a page first asked the service for them. */
  signedInAt?: number
  /** When everything was connected the first time. */
  finishedAt?: number
  optedOutAt?: number
  /** The service, when it was asked last, knew no one with this address. */
  unknownAt?: number
  /** The people (personKey) who signed in with this address: their walks go when it is forgotten. */
  signIns?: string[]
  /** What the service said last. An app that was listed before and no longer is counts as connected. */
  answer?: { askedAt: number; apps: AnsweredApp[] }
  /** What the person said, as a page found it last in their walk. */
  intents?: { askedAt: number; apps: Intent[] }
  campaigns: Campaign[]
  outbox?: OutboxEvent[]
}

export const newPerson = (email: string, now: number): Person => ({ email, changedAt: now, campaigns: [] })

/** The first time counts; later ones change nothing. */
export const reached = (
  person: Person,
  moment: 'openedAt' | 'signedInAt' | 'optedOutAt',
  now: number,
): Person => (person[moment] === undefined ? { ...person, [moment]: now } : person)

export function optedIn(person: Person): Person {
  const { optedOutAt: _optedOutAt, ...rest } = person
  return person.optedOutAt === undefined ? person : rest
}

/** With one address. */
const MAX_SIGN_INS = 10

/** @param key personKey of a sign-in with this address */
export const withSignIn = (person: Person, key: string): Person => {
  const { signIns = [] } = person
  return signIns.includes(key) ? person : { ...person, signIns: [...signIns, key].slice(-MAX_SIGN_INS) }
}

/** A clock that ran ahead must not keep everyone else's answers out. */
const MAX_AHEAD_MS = 60_000

const isNewer = (askedAt: number, known: { askedAt: number } | undefined, now: number): boolean =>
  known === undefined || known.askedAt <= askedAt || known.askedAt > now + MAX_AHEAD_MS

export type Listed = { instance: string; name: string; status: AppStatus }

type ServiceAnswer = {
  askedAt: number
  /** What the service listed. */
  listed: readonly Listed[]
  /** What it no longer lists, as a walk remembers it. */
  connected?: readonly Omit<AnsweredApp, 'status'>[]
}

/** A service that makes up names must not fill the record; what is connected goes first. */
const MAX_APPS = 2_000

/** Takes in an answer of the service, unless a newer one is known. */
export function withAnswer(person: Person, given: ServiceAnswer, now: number): Person {
  const { askedAt, listed, connected = [] } = given
  if (!isNewer(askedAt, person.answer, now)) return person
  const before = new Map(person.answer?.apps.map((app) => [app.instance, app]))
  const apps = new Map<string, AnsweredApp>()
  for (const app of before.values())
    apps.set(app.instance, app.status === 'connected' ? app : { ...app, status: 'connected', since: askedAt })
  for (const { instance, name, since } of connected)
    if (!apps.has(instance)) apps.set(instance, { instance, name, since, status: 'connected' })
  for (const { instance, name, status } of listed) {
    const known = before.get(instance)
    apps.set(instance, { instance, name, status, since: known?.status === status ? known.since : askedAt })
  }
  let surplus = apps.size - MAX_APPS
  const kept = [...apps.values()].filter(({ status }) => status !== 'connected' || surplus-- <= 0)
  const { unknownAt: _unknownAt, ...rest } = person
  const after: Person = { ...rest, answer: { askedAt, apps: kept } }
  return isFinished(after) && after.finishedAt === undefined ? { ...after, finishedAt: askedAt } : after
}

/** Takes in what the person said, as a page found it in their walk, unless a newer page was faster. */
export const withIntents = (person: Person, askedAt: number, apps: Intent[], now: number): Person =>
  isNewer(askedAt, person.intents, now) ? { ...person, intents: { askedAt, apps } } : person

/** `off`: switched off by an administrator. `blocked`: the person waits for an administrator. */
export type AppState = 'waiting' | 'connected' | 'skipped' | 'blocked' | 'off'

export type App = {
  instance: string
  name: string
  state: AppState
  /** Among those that are waiting: the person came back from it, and the consent never showed. */
  isUnconfirmed: boolean
}

/**
 * How each app is doing, for reports, exports, emails and events: the service's word beats the person's. Pages have the walk,
 * which knows more of the moment (onboarding/standing.ts).
 */
export function appsOf({ answer, intents }: Person): App[] {
  const kinds = new Map(intents?.apps.map(({ instance, kind }) => [instance, kind]))
  return (answer?.apps ?? []).map(({ instance, name, status }) => {
    const kind = kinds.get(instance)
    if (status === 'connected') return { instance, name, state: 'connected', isUnconfirmed: false }
    if (isOff(status)) return { instance, name, state: 'off', isUnconfirmed: false }
    if (kind === 'unconfirmed') return { instance, name, state: 'waiting', isUnconfirmed: true }
    return { instance, name, state: kind ?? 'waiting', isUnconfirmed: false }
  })
}

/** What the person can do something about. */
const ownApps = ({ answer }: Person): AnsweredApp[] =>
  answer?.apps.filter(({ status }) => status === 'connected' || !isOff(status)) ?? []

/** The person can search: everything is connected, or there was nothing to connect. */
export const isReady = (person: Person): boolean =>
  person.answer !== undefined && ownApps(person).every(({ status }) => status === 'connected')

/** The service was asked, and the person has nothing to connect. */
const hadNothing = (person: Person): boolean => person.answer !== undefined && ownApps(person).length === 0

/** Everything is connected. */
export const isFinished = (person: Person): boolean => isReady(person) && !hadNothing(person)
