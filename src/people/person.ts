// What is written down about one person of the rollout, and what follows from it. Pure. The newest answer of the service
// counts, no matter who asked, and what it no longer lists is connected; states are derived when read. It holds no
// one-time path, token or link.
import { isUnavailable, type AppStatus } from '../client-api/app-status.ts'
import { omitUndefined } from '../omit-undefined.ts'

/** One app, as of the newest answer. Times are milliseconds since 1970. */
export type AppRecord = {
  instance: string
  name: string
  status: AppStatus | 'connected'
  /** When it came to be so, as far as is known. */
  since: number
  /** It was connected and is listed again: since when that was noticed. */
  lapsedAt?: number
  /** How often that has happened. */
  lapses?: number
}

/** "Not now", "I need an admin", or a consent that never showed. */
export type AppIntent = { instance: string; kind: 'skipped' | 'blocked' | 'unconfirmed' }

/**
 * One email: `sending` before it leaves, its outcome afterwards. `unknown`: the connection broke when it may have been
 * taken. A process that dies leaves `sending` for ever, which counts as unknown. `deferred`: the mail server said "not
 * now". `failed`: it said "never".
 */
export type EmailRecord = {
  /** 0: the invitation; 1 and up: reminders. */
  reminder: number
  state: 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown'
  at: number
  /** The run that began to send it: only that run writes its outcome. */
  runId?: string | undefined
  /** The apps whose lapse it was about. */
  apps?: readonly string[] | undefined
}

/** It has left, or may have. */
export const mayHaveBeenSent = ({ state }: EmailRecord): boolean =>
  state === 'sent' || state === 'unknown' || state === 'sending'

type Campaign = { name: string; emails: EmailRecord[] }

/** What another system is to learn of a person; it stays with the person until it was delivered (outbox.ts). */
export type OutboxEvent = {
  id: string
  type:
    'person.signed_in' | 'app.connected' | 'app.disconnected' | 'person.finished' | 'app.waiting_for_admin'
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
  /** Of the list: what to call them, in which language to write to them (BCP 47), a department or a place, and where they are. */
  name?: string
  language?: string
  group?: string
  /** IANA, such as Europe/Berlin. */
  timezone?: string
  /** When `onramp keep` first found them on its list; and when it no longer did. */
  listedAt?: number
  leftAt?: number
  changedAt: number
  openedAt?: number
  /** When a page first asked the service for them. */
  signedInAt?: number
  /** When everything was connected the first time. */
  finishedAt?: number
  optedOutAt?: number
  /** Since when the service knows no one with this address. */
  unknownAt?: number
  /** The people (personKey) who signed in with this address: their walks go when it is forgotten. */
  signIns?: string[]
  /** What the service said last. An app that was listed before and no longer is counts as connected. */
  lastCheck?: { checkedAt: number; apps: AppRecord[] }
  /** What the person said, as a page found it last in their walk. */
  intents?: { checkedAt: number; apps: AppIntent[] }
  campaigns: Campaign[]
  outbox?: OutboxEvent[]
}

export const newPerson = (email: string, now: number): Person => ({ email, changedAt: now, campaigns: [] })

export type PersonDetails = Pick<Person, 'name' | 'language' | 'group' | 'timezone'>

/** With what a list says of them. The same person where that is known. */
export function withDetails(person: Person, { name, language, group, timezone }: PersonDetails): Person {
  const given = omitUndefined({ name, language, group, timezone })
  const isNew = Object.entries(given).some(([key, value]) => Reflect.get(person, key) !== value)
  return isNew ? { ...person, ...given } : person
}

/** On the list of `onramp keep`, or no longer. The same person where that is known. */
export function withListing(person: Person, isListed: boolean, now: number): Person {
  const { leftAt, ...rest } = person
  if (isListed)
    return person.listedAt !== undefined && leftAt === undefined ? person : { ...rest, listedAt: now }
  return person.listedAt === undefined || leftAt !== undefined ? person : { ...person, leftAt: now }
}

/** The first time counts; later ones change nothing. */
export const withMilestone = (
  person: Person,
  moment: 'openedAt' | 'signedInAt' | 'optedOutAt',
  now: number,
): Person => (person[moment] === undefined ? { ...person, [moment]: now } : person)

export function withoutOptOut(person: Person): Person {
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

const isNewer = (checkedAt: number, known: { checkedAt: number } | undefined, now: number): boolean =>
  known === undefined || known.checkedAt <= checkedAt || known.checkedAt > now + MAX_AHEAD_MS

export type ListedApp = { instance: string; name: string; status: AppStatus }

type CheckResponse = {
  checkedAt: number
  /** What the service listed. */
  listed: readonly ListedApp[]
  /** What it no longer lists, as a walk remembers it. */
  connected?: readonly Omit<AppRecord, 'status'>[]
}

/** A service that makes up names must not fill the record; what is connected goes first. */
const MAX_APPS = 2_000

/** Takes in an answer of the service, unless a newer one is known. */
export function withCheck(person: Person, given: CheckResponse, now: number): Person {
  const { checkedAt, listed, connected = [] } = given
  if (!isNewer(checkedAt, person.lastCheck, now)) return person
  const before = new Map(person.lastCheck?.apps.map((app) => [app.instance, app]))
  const apps = new Map<string, AppRecord>()
  for (const app of before.values()) apps.set(app.instance, asConnected(app, checkedAt))
  for (const { instance, name, since } of connected)
    if (!apps.has(instance)) apps.set(instance, { instance, name, since, status: 'connected' })
  for (const { instance, name, status } of listed) {
    const known = before.get(instance)
    const since = known?.status === status ? known.since : checkedAt
    apps.set(instance, { instance, name, status, since, ...lapseOf(known, checkedAt) })
  }
  let surplus = apps.size - MAX_APPS
  const kept = [...apps.values()].filter(({ status }) => status !== 'connected' || surplus-- <= 0)
  const { unknownAt: _unknownAt, ...rest } = person
  const after: Person = { ...rest, lastCheck: { checkedAt, apps: kept } }
  return isFinished(after) && after.finishedAt === undefined ? { ...after, finishedAt: checkedAt } : after
}

function asConnected(app: AppRecord, at: number): AppRecord {
  if (app.status === 'connected') return app
  const { lapsedAt: _lapsedAt, ...rest } = app
  return { ...rest, status: 'connected', since: at }
}

/** What an app that is listed has of a lapse: it was connected a moment ago, or was when it lapsed. */
const lapseOf = (known: AppRecord | undefined, at: number): Pick<AppRecord, 'lapsedAt' | 'lapses'> =>
  known?.status === 'connected'
    ? { lapsedAt: at, lapses: (known.lapses ?? 0) + 1 }
    : known?.lapsedAt !== undefined && isUnavailable(known.status)
      ? // Switched on again: for everyone at once, so it is judged anew.
        { lapsedAt: at, lapses: known.lapses ?? 1 }
      : omitUndefined({ lapsedAt: known?.lapsedAt, lapses: known?.lapses })

/** The service knows no one with this address. */
export const withoutAccount = (person: Person, now: number): Person =>
  person.unknownAt === undefined ? { ...person, unknownAt: now } : person

/** Takes in what the person said, as a page found it in their walk, unless a newer page was faster. */
export const withIntents = (person: Person, checkedAt: number, apps: AppIntent[], now: number): Person =>
  isNewer(checkedAt, person.intents, now) ? { ...person, intents: { checkedAt, apps } } : person

/** `off`: turned off, or without a usable address. `blocked`: the person waits for an administrator. */
export type PersonAppState = 'waiting' | 'connected' | 'skipped' | 'blocked' | 'off'

export type PersonApp = {
  instance: string
  name: string
  state: PersonAppState
  /** Among those that are waiting: the person came back from it, and the consent never showed. */
  isUnconfirmed: boolean
  /** Among those that are off: only an operator can fix it. */
  hasNoAddress?: boolean
  /** Among those that aren't connected: since when it is known that access has ended. */
  lapsedAt?: number | undefined
}

/**
 * How each app is doing, for reports, exports, emails and events: the service's word beats the person's. Pages have the walk,
 * which knows more of the moment (onboarding/app-state.ts).
 */
export function appsOf({ lastCheck, intents }: Person): PersonApp[] {
  const kinds = new Map(intents?.apps.map(({ instance, kind }) => [instance, kind]))
  return (lastCheck?.apps ?? []).map(({ instance, name, status, lapsedAt }) => {
    const kind = kinds.get(instance)
    const app = { instance, name, isUnconfirmed: false }
    if (status === 'connected') return { ...app, state: 'connected' }
    if (isUnavailable(status))
      return { ...app, state: 'off', ...(status === 'attention' && { hasNoAddress: true }) }
    if (kind === 'unconfirmed') return { ...app, state: 'waiting', isUnconfirmed: true, lapsedAt }
    return { ...app, state: kind ?? 'waiting', lapsedAt }
  })
}

/** What the person can do something about. */
const ownApps = ({ lastCheck }: Person): AppRecord[] =>
  lastCheck?.apps.filter(({ status }) => status === 'connected' || !isUnavailable(status)) ?? []

/** The person can search: everything is connected, or there was nothing to connect. */
export const isReady = (person: Person): boolean =>
  person.lastCheck !== undefined && ownApps(person).every(({ status }) => status === 'connected')

/** The service was asked, and the person has nothing to connect. */
const hadNothing = (person: Person): boolean => person.lastCheck !== undefined && ownApps(person).length === 0

/** Everything is connected. */
export const isFinished = (person: Person): boolean => isReady(person) && !hadNothing(person)

/** Was it connected, as far as is known, before a new answer lists it? */
export const wasConnected = (person: Person | undefined, instance: string): boolean => {
  const app = person?.lastCheck?.apps.find((known) => known.instance === instance)
  return app?.status === 'connected' || app?.lapsedAt !== undefined
}

/** Had connected everything, and has lost some of it. */
export const hasFallenBack = (person: Person): boolean =>
  person.finishedAt !== undefined &&
  !isReady(person) &&
  ownApps(person).some(({ lapsedAt }) => lapsedAt !== undefined)

/** Left the list, or the service knows no one with this address: counted apart, and erased after the retention. */
export const isGone = ({ leftAt, unknownAt }: Person): boolean =>
  leftAt !== undefined || unknownAt !== undefined
