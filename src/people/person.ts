// The record of one person of the rollout, and the states derived from it. Pure. The service's newest response wins,
// from pages and runs alike; an app that it no longer lists is connected. The record has no path, token or link.
import { datasourceType } from '../company/app-names.ts'
import { availabilityOf, isUnavailable, isUnstartable, type AppStatus } from '../client-api/app-status.ts'
import { omitUndefined } from '../omit-undefined.ts'

/** One app, as of the newest check. Times are milliseconds since 1970. */
export type AppRecord = {
  instance: string
  name: string
  status: AppStatus | 'connected'
  /** When the status was first seen. */
  since: number
  /** When a check after the person's first one first listed it. Absent once it was connected. */
  newAt?: number
  /**
   * When a check first lacked it, though the person hadn't left for its consent: it was connected elsewhere, restored
   * or removed. It counts as connected, unless many lists lost it.
   */
  delistedAt?: number
  /** The record before `delistedAt`. It is restored if many lists had lost the app, and the app is listed again. */
  beforeDelisting?: Omit<AppRecord, 'instance' | 'name'>
  /** A new instance in the check that delisted this one. It takes this one's place in every count. */
  movedTo?: string
  /** The last `delistedAt`, once the app is listed again. `newAt` after a removal: see `isBackAfterRemoval`. */
  previousDelistedAt?: number
  /** The instance that this one replaces, unless the person never connected that one. Absent once connected. */
  movedFrom?: string
  /** When an app that had been connected was first listed again. */
  lapsedAt?: number
  /** Start of the last lapse, once the app is connected again or has moved. */
  previousLapsedAt?: number
}

/** "Not now", "I need an admin", or an unconfirmed consent. */
export type AppIntent = {
  instance: string
  kind: 'skipped' | 'blocked' | 'unconfirmed'
  /** When the person skipped the app, clicked "I need an admin", or waited in vain. Absent in older records. */
  since?: number
}

/**
 * `sending` is written before an email is sent. If the process dies, it stays and counts as `unknown`: the mail server
 * may have accepted the email. `deferred` is a temporary rejection, `failed` a permanent one.
 */
export type EmailRecord = {
  /** 0: the invitation; 1 and up: reminders. */
  reminder: number
  state: 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown'
  at: number
  /** A former address rejected it, so it is `deferred`, to be tried again at the present one. */
  wasRejected?: true
  /** Such rejections, once it was tried again. */
  rejected?: readonly Pick<EmailRecord, 'at' | 'apps' | 'alsoListed'>[] | undefined
  /** The run that sends it: only that run writes its outcome. */
  runId?: string | undefined
  /** Instances that it is about. Absent in older records. */
  apps?: readonly string[] | undefined
  /** Instances that it also lists, because the person lacks them, though other emails are about them. */
  alsoListed?: readonly string[] | undefined
  /** True if all of these apps replace others, false if none does. Absent if only some do, and in older records. */
  isMoved?: boolean | undefined
  /** The operator who released the email, if it was on hold. Only the first email about a loss has it. */
  releasedBy?: string | undefined
}

/** True if the app is back after its removal, and starts over. `withEvaluation` then sets both to the same time. */
export const isBackAfterRemoval = ({ newAt, previousDelistedAt }: AppRecord): boolean =>
  newAt !== undefined && newAt === previousDelistedAt

export const mayHaveBeenSent = ({ state }: EmailRecord): boolean =>
  state === 'sent' || state === 'unknown' || state === 'sending'

/** An event for another system, kept until it is delivered (outbox.ts). */
export type OutboxEvent = {
  id: string
  type:
    | 'person.signed_in'
    | 'app.added'
    | 'app.connected'
    | 'app.disconnected'
    | 'person.finished'
    | 'app.waiting_for_admin'
  at: number
  app?: { instance: string; name: string }
  tries: number
  dueAt: number
}

/** Access to an app ended or is back, or the app is listed again after its removal, at `at` (ms since 1970). */
type AccessEvent = { at: number; what: 'lost' | 'back' | 'listed'; instance: string }

/** `code`: as in the audit log, `unconfirmed`, or the person's choice. No `instance`: unknown. */
type ActionFailure = { at: number; instance?: string | undefined; code: string }

/** An action of an operator or an app's owner. `by`: the operating system's user, or an address. */
export type OperatorAction = {
  at: number
  /** `released`: emails about a mass disconnect. `markedConnected`: an app that left many lists is connected. */
  what:
    | 'renamed'
    | 'opted_out'
    | 'bounced'
    | 'released'
    | 'markedConnected'
    | 'confirmed'
    | 'removed'
    | 'approved'
  by: string
  /** An instance. */
  app?: string
  /** When the first person lost the app. */
  since?: number
}

/** Columns of the list besides the address. `language` is BCP 47, `timezone` IANA; `id` survives a new address. */
export const LIST_COLUMNS = ['name', 'language', 'group', 'timezone', 'id'] as const
export type ListDetails = Partial<Record<(typeof LIST_COLUMNS)[number], string>>

/** Times are milliseconds since 1970. */
export type Person = ListDetails & {
  /** A normalized address. */
  email: string
  /** Former addresses, the newest last. */
  formerEmails?: string[]
  /** After an interrupted rename: the former address, whose record still has to be removed. */
  renamingFrom?: string
  /** An operator, or a sign-in, gave the person this address, and no list has had it since. */
  hasUnlistedAddress?: true
  /** When `onramp keep` first found the person on its list, and when it no longer did. */
  listedAt?: number
  leftAt?: number
  changedAt: number
  /** When the person clicked Start on the page of an invitation. */
  openedAt?: number
  /** The first sign-in. */
  signedInAt?: number
  /** The time of the newest recorded page. */
  visitedAt?: number
  /** When everything was first connected. */
  finishedAt?: number
  optedOutAt?: number
  /** When the service first had no account with this address. */
  unknownAt?: number
  /** personKey of each sign-in with this address, whose walks are deleted with the person. */
  signIns?: string[]
  /**
   * An app that is no longer listed counts as connected. `emptyAt`: a later check listed nothing, for many people at
   * once. It wasn't recorded, because the service may have failed.
   */
  lastCheck?: { checkedAt: number; apps: AppRecord[]; emptyAt?: number }
  intents?: { checkedAt: number; apps: AppIntent[] }
  campaigns: { name: string; emails: EmailRecord[] }[]
  outbox?: OutboxEvent[]
  /** Newest last, as are `actions` and `accessEvents`. */
  failures?: ActionFailure[]
  accessEvents?: AccessEvent[]
  actions?: OperatorAction[]
}

export const newPerson = (email: string, now: number): Person => ({ email, changedAt: now, campaigns: [] })

/** @returns the same object if the details are known already */
export function withDetails(person: Person, details: ListDetails): Person {
  const columns = LIST_COLUMNS.filter((key) => details[key] !== undefined && details[key] !== person[key])
  return columns.length === 0
    ? person
    : { ...person, ...Object.fromEntries(columns.map((key) => [key, details[key]])) }
}

/** @returns the same object if the listing is known already */
export function withListing(person: Person, isListed: boolean, now: number): Person {
  const { leftAt, ...rest } = person
  if (isListed)
    return person.listedAt !== undefined && leftAt === undefined ? person : { ...rest, listedAt: now }
  return person.listedAt === undefined || leftAt !== undefined ? person : { ...person, leftAt: now }
}

/** Sets the time of a milestone, unless it was reached before. */
export const withMilestone = (
  person: Person,
  milestone: 'openedAt' | 'signedInAt' | 'optedOutAt',
  now: number,
): Person => (person[milestone] === undefined ? { ...person, [milestone]: now } : person)

export function withoutOptOut(person: Person): Person {
  const { optedOutAt: _optedOutAt, ...rest } = person
  return person.optedOutAt === undefined ? person : rest
}

const MAX_SIGN_INS = 10

export const withSignIn = (person: Person, key: string): Person => {
  const { signIns = [] } = person
  return signIns.includes(key) ? person : { ...person, signIns: [...signIns, key].slice(-MAX_SIGN_INS) }
}

/** "I need an admin", and a consent that the person denied. Both are kept among the failures. */
export const isRecordedChoice = (code: string): code is 'blocked' | 'declined' =>
  code === 'blocked' || code === 'declined'

const MAX_FAILURES = 10
const HOUR_MS = 3_600_000
const MAX_ACTIONS = 20

/** Adds a failure. A page that reloads while it can't be shown counts once in an hour. */
export function withFailure(person: Person, failure: ActionFailure): Person {
  const { failures = [] } = person
  const isAgain = ({ at, code, instance }: ActionFailure) =>
    instance === undefined && code === failure.code && failure.at - at < HOUR_MS
  if (failure.instance === undefined && failures.some(isAgain)) return person
  return { ...person, failures: [...failures, failure].slice(-MAX_FAILURES) }
}

export const withAction = (person: Person, action: OperatorAction): Person => ({
  ...person,
  actions: [...(person.actions ?? []), action].slice(-MAX_ACTIONS),
})

/** A check dated further ahead (by a wrong clock) may be replaced by an older one. */
const MAX_AHEAD_MS = 60_000

const isNewer = (checkedAt: number, stored: { checkedAt: number } | undefined, now: number): boolean =>
  stored === undefined || stored.checkedAt <= checkedAt || stored.checkedAt > now + MAX_AHEAD_MS

/** When the person last left for the app's consent; milliseconds since 1970. Absent in runs. */
type ConsentStart = { consentStartedAt?: number | undefined }

/** `checkedAt`: milliseconds since 1970. */
export type CheckToRecord = {
  checkedAt: number
  unconnected: readonly { instance: string; name: string; status: AppStatus }[]
  /** Apps of the walk. */
  connected?: readonly (Pick<AppRecord, 'instance' | 'name' | 'since'> & ConsentStart)[]
  /** Apps delisted for many people: their return is no lapse. */
  delisted?: ReadonlySet<string>
}

/** Bounds the record if the service lists ever new names. Connected apps are dropped first. */
const MAX_APPS = 2_000

/** Applies a check's result, unless the record has a newer one. */
export function withCheck(person: Person, response: CheckToRecord, now: number): Person {
  const { checkedAt, unconnected, connected = [], delisted } = response
  if (!isNewer(checkedAt, person.lastCheck, now)) return person
  const before = new Map(person.lastCheck?.apps.map((app) => [app.instance, app]))
  const apps = new Map<string, AppRecord>()
  const consents = new Map(connected.map((app) => [app.instance, app.consentStartedAt]))
  const hadSince = new Map<string, number>()
  const addedApps = unconnected.filter(({ instance }) => !before.has(instance))
  for (const app of before.values()) {
    const isOfType = (one: { instance: string }) =>
      datasourceType(one.instance) === datasourceType(app.instance)
    const movedTo = addedApps.find(isOfType)?.instance
    const consentStartedAt = consents.get(app.instance)
    apps.set(app.instance, withConnected(app, checkedAt, { consentStartedAt, movedTo }))
  }
  for (const { instance, name, since } of connected)
    if (!apps.has(instance)) apps.set(instance, { instance, name, since, status: 'connected' })
  for (const { instance, name, status } of unconnected) {
    const stored = before.get(instance)
    const isBack = stored?.delistedAt !== undefined && delisted?.has(instance) === true
    // Earlier versions stored no `beforeDelisting`, only the start of a former lapse.
    const loss: Partial<AppRecord> = omitUndefined({ lapsedAt: stored?.previousLapsedAt })
    const former = isBack ? (stored.beforeDelisting ?? loss) : stored
    const since = (former?.status === status ? former.since : undefined) ?? checkedAt
    const movedFrom = former?.movedFrom
    const isNew =
      stored === undefined ? person.lastCheck !== undefined : movedFrom && former?.newAt === undefined
    const newAt = isNew ? checkedAt : former?.newAt
    const previousDelistedAt = stored?.delistedAt ?? stored?.previousDelistedAt
    const lapse = lapseOf(former ?? {}, checkedAt)
    const history = omitUndefined({ ...lapse, newAt, movedFrom, previousDelistedAt })
    if (former?.status === 'connected') hadSince.set(instance, former.since ?? 0)
    apps.set(instance, { instance, name, status, since, ...history })
  }
  let surplus = apps.size - MAX_APPS
  const keptApps = [...apps.values()].filter(({ status }) => status !== 'connected' || surplus-- <= 0)
  const { unknownAt: _unknownAt, ...rest } = person
  const intents = withoutEnded(person.intents, hadSince)
  const after: Person = { ...rest, ...(intents && { intents }), lastCheck: { checkedAt, apps: keptApps } }
  const hasLeft = (app: AppRecord) => app.delistedAt !== undefined && delisted?.has(app.instance)
  const counted = { ...after, lastCheck: { checkedAt, apps: keptApps.filter((app) => !hasLeft(app)) } }
  return isFinished(counted) && after.finishedAt === undefined ? { ...after, finishedAt: checkedAt } : after
}

/** Removes choices about apps that the person has had since. A choice stays while its app may have been removed. */
function withoutEnded(intents: Person['intents'], hadSince: ReadonlyMap<string, number>): Person['intents'] {
  if (intents === undefined || hadSince.size === 0) return intents
  const isCurrent = ({ instance, since = intents.checkedAt }: AppIntent) =>
    since >= (hadSince.get(instance) ?? since)
  return { ...intents, apps: intents.apps.filter(isCurrent) }
}

/** An older attempt doesn't explain a new connection, because the person may have waited for an admin since. */
const MAX_CONSENT_MS = 86_400_000

function withConnected(
  app: AppRecord,
  at: number,
  { consentStartedAt = -Infinity, movedTo }: ConsentStart & { movedTo: string | undefined },
): AppRecord {
  if (app.status === 'connected') return app
  const { lapsedAt, newAt, movedFrom: _movedFrom, ...rest } = app
  const { instance: _instance, name: _name, ...beforeDelisting } = app
  const hasConsented = consentStartedAt >= Math.max(lapsedAt ?? newAt ?? 0, at - MAX_CONSENT_MS)
  const delisting = hasConsented ? {} : { delistedAt: at, movedTo, beforeDelisting }
  return {
    ...rest,
    status: 'connected',
    since: at,
    ...omitUndefined({ previousLapsedAt: lapsedAt, ...delisting }),
  }
}

function lapseOf({ status, lapsedAt, previousLapsedAt, movedFrom }: Partial<AppRecord>, at: number) {
  const isConnected = status === 'connected'
  // A move is no lapse. The time of the last lapse stays, because that one hasn't ended yet.
  if (movedFrom !== undefined) return isConnected ? {} : { previousLapsedAt }
  // An app is turned on again for everyone at once, so this may be a mass disconnect.
  const isTurnedOn = lapsedAt !== undefined && status !== undefined && isUnavailable(status)
  return { lapsedAt: isConnected || isTurnedOn ? at : lapsedAt }
}

/**
 * Applies the intents of a walk, unless the record has newer ones. A new unconfirmed consent is also a failure.
 * Leaves out intents that ended when the app was connected. If only a run saw that, the walk still has them.
 */
export function withIntents(person: Person, checkedAt: number, intents: AppIntent[], now: number): Person {
  if (!isNewer(checkedAt, person.intents, now)) return person
  const isKnown = ({ instance, since }: AppIntent) =>
    person.intents?.apps.some((one) => one.instance === instance && one.since === since)
  const records = new Map(person.lastCheck?.apps.map((app) => [app.instance, app]))
  const hasEnded = ({ instance, since = now }: AppIntent) => {
    const { lapsedAt, movedFrom, newAt } = records.get(instance) ?? {}
    return since + MAX_AHEAD_MS < (lapsedAt ?? (movedFrom === undefined ? undefined : newAt) ?? 0)
  }
  const apps = intents.filter((intent) => isKnown(intent) || !hasEnded(intent))
  const failedIntents = apps.filter((app) => app.kind === 'unconfirmed' && !isKnown(app))
  return failedIntents.reduce<Person>(
    (all, { instance, since: at = checkedAt }) => withFailure(all, { at, instance, code: 'unconfirmed' }),
    { ...person, intents: { checkedAt, apps } },
  )
}

export type PersonApp = {
  instance: string
  name: string
  /** `off`: turned off, or without a usable address. `blocked`: the person waits for an admin. */
  state: 'unconnected' | 'connected' | 'skipped' | 'blocked' | 'off'
  /** The person returned from an `unconnected` app, but its consent was never confirmed. */
  isUnconfirmed: boolean
  /** When the person began to wait for an admin. */
  blockedAt?: number
  /** An `off` app that only an operator can fix. */
  isUnstartable?: boolean
  /** When the loss of access was noticed. Absent while connected or off. */
  lapsedAt?: number | undefined
  /** When it was first listed after the person's first check. Absent once it was connected, and while off. */
  newAt?: number | undefined
  movedFrom?: string | undefined
  /** The instance that the person lost, if their list has this one instead. Set by summaries. */
  lostAs?: string
  /** Emails about the mass disconnect in which the app was lost. Set by summaries. */
  massDisconnect?: 'paused' | 'resumed'
}

/**
 * The state of each app, for reports, exports, emails and events: the service's status beats the person's choice. Pages
 * use the walk, which is more current (onboarding/app-state.ts).
 */
export function appsOf({ lastCheck, intents }: Person): PersonApp[] {
  const intentsByInstance = new Map(intents?.apps.map((app) => [app.instance, app]))
  const listedApps = lastCheck?.apps.filter(({ movedTo }) => movedTo === undefined) ?? []
  return listedApps.map(({ instance, name, status, lapsedAt, newAt, movedFrom }) => {
    const { kind, since: blockedAt } = intentsByInstance.get(instance) ?? {}
    const app = { instance, name, isUnconfirmed: false }
    const availability = availabilityOf(status)
    if (availability === 'connected') return { ...app, state: availability }
    if (availability === 'off')
      return { ...app, state: availability, ...(isUnstartable(status) && { isUnstartable: true }) }
    const open = { ...app, lapsedAt, newAt, movedFrom }
    if (kind === 'unconfirmed') return { ...open, state: 'unconnected', isUnconfirmed: true }
    return { ...open, state: kind ?? 'unconnected', ...(kind === 'blocked' && omitUndefined({ blockedAt })) }
  })
}

/** True if everything is connected, or there was nothing to connect. @param apps of `appsOf` */
export const isReady = (person: Person, apps: readonly PersonApp[] = appsOf(person)): boolean =>
  person.lastCheck !== undefined && apps.every(({ state }) => state === 'connected' || state === 'off')

/** True if everything is connected, and there was something to connect. @param apps of `appsOf` */
export const isFinished = (person: Person, apps: readonly PersonApp[] = appsOf(person)): boolean =>
  isReady(person, apps) && apps.some(({ state }) => state === 'connected')

/** True if the person left the list, or has no account at the service. Such people are erased after the retention. */
export const isGone = ({ leftAt, unknownAt }: Person): boolean =>
  leftAt !== undefined || unknownAt !== undefined
