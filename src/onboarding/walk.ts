// The heart: pure decisions over what the service says and what the record remembers. Imports nothing.
// Whether an app is connected is the service's to say: what the walk has of it is its last word, replaced by every check.
// What only the walk knows is what was seen, what is in flight and what was skipped.

/** What the service says of one instance that is not connected: of client-api/responses.ts, what the walk needs. */
export type UnconnectedApp = {
  instance: string
  name: string
  /** The names of client-api/app-status.ts, once more: this file imports nothing. */
  status: 'awaiting' | 'stale' | 'disabled' | 'attention'
}

/** One departure to an app, named by the step id that its return must bring. Times are milliseconds since 1970. */
export type Attempt = {
  step: string
  leftAt: number
  backAt?: number | undefined
  /** How often the service was asked since the person is back. */
  looks: number
  /** Judged, given up or set aside: a return with this step changes nothing. */
  isOver?: true | undefined
  /** The person or the app told us that access wasn't allowed. */
  isDeclined?: true | undefined
}

/** Everything ever seen of one app. Times are milliseconds since 1970. */
export type TrackedApp = {
  instance: string
  name: string
  /** As of the last check. */
  status: UnconnectedApp['status'] | 'connected'
  firstSeen: number
  /** Counts while it is connected. */
  connectedAt?: number | undefined
  /** Counts while it isn't: since when it is known that access has ended, as the person's record has it. */
  lapsedAt?: number | undefined
  skippedAt?: number | undefined
  /** "I need an admin to approve this": since when. */
  blockedAt?: number | undefined
  /** When we gave up waiting for the service to confirm a consent. */
  unconfirmedAt?: number | undefined
  /** The last time the person left for it; none where it was never left for, or was connected since. */
  attempt?: Attempt | undefined
  /** Walk.clicks at the last departure, also of one that was connected since. */
  leftIn?: number | undefined
}

/** An app that the person has left for. */
export type StartedApp = TrackedApp & { attempt: Attempt }

/** What this visit is about: datasources it was narrowed to, and where the person wants to go afterwards. */
export type Visit = { only: string[]; returnTo?: string | undefined }

export type Walk = {
  startedAt: number
  known: TrackedApp[]
  visit: Visit
  /** How many times the person has started out. Departures without a click belong to the last time. */
  clicks: number
}

/** No check for so long after a departure: it could void the one-time path that the browser is just following. */
export const IN_FLIGHT_MS = 15_000
/** So soon after leaving, a return may have taken no click: browsers give up after some 20 redirects in a row. */
const QUICK_MS = 10_000

export const startWalk = (now: number): Walk => ({
  startedAt: now,
  known: [],
  clicks: 0,
  visit: { only: [] },
})

/** Void once the person leaves for the app, or it is connected. */
const NOT_SET_ASIDE = { skippedAt: undefined, unconfirmedAt: undefined, blockedAt: undefined } as const

/** The walk with one app changed. */
const withApp = (walk: Walk, instance: string, change: (entry: TrackedApp) => TrackedApp): Walk => ({
  ...walk,
  known: walk.known.map((entry) => (entry.instance === instance ? change(entry) : entry)),
})

/**
 * Takes in what the service just said. Gone from the list is connected; listed is not, whatever was believed before.
 * @param confirmSeconds how long a returned consent may take to show
 */
export function applyCheck(
  walk: Walk,
  waiting: readonly UnconnectedApp[],
  now: number,
  confirmSeconds: number,
): Walk {
  if (isUnchanged(walk, waiting)) return walk
  const listed = new Map(waiting.map((entry) => [entry.instance, entry]))
  const known = walk.known.map((entry): TrackedApp => {
    const found = listed.get(entry.instance)
    if (found === undefined)
      return entry.status === 'connected'
        ? entry
        : { ...entry, ...NOT_SET_ASIDE, status: 'connected', connectedAt: now }
    const current = { ...entry, name: found.name, status: found.status }
    // Connected once and listed again: the person starts afresh with it.
    if (entry.status === 'connected') return isAway(entry) ? current : { ...current, attempt: undefined }
    const isOverdue = isReturned(entry) && !isWithin(confirmSeconds * 1000, entry.attempt.backAt, now)
    return isOverdue ? { ...current, unconfirmedAt: now, attempt: ended(entry.attempt) } : current
  })
  const seen = new Set(known.map((entry) => entry.instance))
  for (const { instance, name, status } of listed.values())
    if (!seen.has(instance)) known.push({ instance, name, status, firstSeen: now })
  return { ...walk, known: bounded(known) }
}

/** Apps that are connected after a check and weren't before. */
export function newlyConnected(before: Walk, after: Walk): string[] {
  const unconnected = new Set(before.known.flatMap((app) => (app.status === 'connected' ? [] : app.instance)))
  return after.known.flatMap(({ instance, status }) =>
    status === 'connected' && unconnected.has(instance) ? instance : [],
  )
}

/** Takes in when access to apps has ended. The same walk where that is nothing new. */
export function withLapses(walk: Walk, lapsedAt: ReadonlyMap<string, number>): Walk {
  const known = walk.known.map((entry) => {
    const at = lapsedAt.get(entry.instance) ?? entry.lapsedAt
    return at === entry.lapsedAt ? entry : { ...entry, lapsedAt: at }
  })
  return known.some((entry, index) => entry !== walk.known[index]) ? { ...walk, known } : walk
}

/** More were never seen of one person; a service that makes up names must not fill the record. */
const MAX_KNOWN = 2_000

/** Forgets those that were connected first, and never one that waits: it would count as connected when it is gone. */
function bounded(known: TrackedApp[]): TrackedApp[] {
  let surplus = known.length - MAX_KNOWN
  return surplus <= 0 ? known : known.filter((entry) => entry.status !== 'connected' || surplus-- <= 0)
}

/** The same as last time, and nothing that the time to confirm may be over for: nothing to take in. */
function isUnchanged(walk: Walk, waiting: readonly UnconnectedApp[]): boolean {
  if (walk.known.some(isReturned)) return false
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

const isLeft = (entry: TrackedApp): entry is StartedApp => entry.attempt !== undefined

const isAway = ({ attempt }: TrackedApp) => attempt !== undefined && attempt.backAt === undefined

type ReturnedApp = StartedApp & { attempt: { backAt: number } }

/** Back, and not yet judged. */
export const isReturned = (entry: TrackedApp): entry is ReturnedApp =>
  entry.attempt?.backAt !== undefined && entry.attempt.isOver === undefined

/** Left a moment ago, and not back. */
export const isInFlight = (entry: TrackedApp, now: number): boolean =>
  isLeft(entry) && isAway(entry) && isWithin(IN_FLIGHT_MS, entry.attempt.leftAt, now)

/** May the service be asked now without harm to a departure that is under way? */
export const mayCheck = (walk: Walk, now: number): boolean =>
  !walk.known.some((entry) => isInFlight(entry, now))

/** Is this the first that is known of the return, and was it quick? */
export const isQuickReturn = ({ leftAt, backAt }: Attempt, now: number): boolean =>
  backAt === undefined && Math.abs(now - leftAt) < QUICK_MS

const ended = <A extends Attempt>(attempt: A): A => ({ ...attempt, isOver: true })

const declined = (attempt: Attempt, now: number): Partial<TrackedApp> => ({
  attempt: { ...ended(attempt), isDeclined: true },
  unconfirmedAt: now,
})

/** @param byItself no click led to it, it follows a return */
type Departure = { instance: string; step: string; now: number; byItself?: boolean }

/** The person leaves for an app. Takes back "not now" and an earlier "not confirmed". */
export function startConsent(walk: Walk, { instance, step, now, byItself = false }: Departure): Walk {
  const clicks = walk.clicks + (byItself ? 0 : 1)
  const attempt = { step, leftAt: now, looks: 0 }
  const left = withApp(walk, instance, (entry) => ({ ...entry, ...NOT_SET_ASIDE, attempt, leftIn: clicks }))
  return { ...left, clicks }
}

const latest = <L extends StartedApp>(entries: readonly L[]): L | undefined =>
  entries.reduce<L | undefined>(
    (last, entry) => (last !== undefined && last.attempt.leftAt > entry.attempt.leftAt ? last : entry),
    undefined,
  )

/** Of the apps whose consent is being confirmed, the one that was left for last. */
export const lastReturned = (known: readonly TrackedApp[]): ReturnedApp | undefined =>
  latest(known.filter(isReturned))

/**
 * The app that a return with this step id is from. A return without one that is known is from whatever was left for last:
 * services and apps may lose the query on the way back. Undefined: that step is over, or no one is away.
 */
export function findReturn(walk: Walk, step: string | undefined): StartedApp | undefined {
  const left = walk.known.filter(isLeft)
  const named = left.find(({ attempt }) => attempt.step === step)
  return named === undefined ? latest(left.filter(isAway)) : named.attempt.isOver ? undefined : named
}

/**
 * The person is back, and the service was not asked yet.
 * @param looks 1 where a page was shown: from there on, only a click goes on to the next app
 */
export const markReturned = (
  walk: Walk,
  { instance, attempt }: StartedApp,
  now: number,
  looks: 0 | 1 = 0,
): Walk =>
  withApp(walk, instance, (entry) => {
    if (entry.attempt?.step !== attempt.step) return entry
    const { backAt = now, looks: before } = entry.attempt
    return { ...entry, attempt: { ...entry.attempt, backAt, looks: Math.max(before, looks) } }
  })

/**
 * A return with this step id, after the service was asked (observe comes first). It decides nothing: the service does.
 * `connected` at once, or `noticed` by a page that waited.
 * @param isRefused the return says that it failed: not believed, but no reason to wait for a consent any longer
 */
export function finishReturn(
  walk: Walk,
  step: string,
  now: number,
  isRefused = false,
): { walk: Walk; outcome: 'connected' | 'noticed' | 'waiting' | 'over' } {
  const entry = walk.known.find(({ attempt }) => attempt?.step === step)
  if (entry?.attempt === undefined || entry.attempt.isOver) return { walk, outcome: 'over' }
  const back = { ...entry.attempt, backAt: entry.attempt.backAt ?? now }
  const become = (change: Partial<TrackedApp>) =>
    withApp(walk, entry.instance, (before) => ({ ...before, ...change }))
  if (entry.status === 'connected')
    return { walk: become({ attempt: ended(back) }), outcome: back.looks === 0 ? 'connected' : 'noticed' }
  if (isRefused) return { walk: become(declined(back, now)), outcome: 'over' }
  return { walk: become({ attempt: { ...back, looks: back.looks + 1 } }), outcome: 'waiting' }
}

function setAside(walk: Walk, instance: string, as: Partial<TrackedApp>): Walk {
  const change = (entry: TrackedApp): TrackedApp => {
    if (entry.status === 'connected') return entry
    const attempt = isReturned(entry) ? ended(entry.attempt) : entry.attempt
    return { ...entry, ...NOT_SET_ASIDE, ...as, attempt }
  }
  return withApp(walk, instance, change)
}

/** "Not now": it stays on the list and is not offered again in this walk. */
export const skip = (walk: Walk, instance: string, now: number): Walk =>
  setAside(walk, instance, { skippedAt: now })

export const unskip = (walk: Walk, instance: string): Walk =>
  withApp(walk, instance, (entry) => ({ ...entry, skippedAt: undefined }))

/** "I didn't allow it": ends the wait for a consent. The service still decides whether it is connected. */
export const decline = (walk: Walk, instance: string, now: number): Walk =>
  withApp(walk, instance, (entry) =>
    isReturned(entry) && entry.status !== 'connected' ? { ...entry, ...declined(entry.attempt, now) } : entry,
  )

/** "I need an admin to approve this", until the person takes it back or tries again. Administrators see it. */
export const block = (walk: Walk, instance: string, now: number): Walk =>
  setAside(walk, instance, { blockedAt: now })

export const unblock = (walk: Walk, instance: string): Walk =>
  withApp(walk, instance, (entry) => ({ ...entry, blockedAt: undefined }))

/** `slack` means every instance of it (slack_1, slack_2), `slack_1` for that one (contract 2.1, datasourceInstance). */
export const inScope = (visit: Visit, instance: string): boolean =>
  visit.only.length === 0 ||
  visit.only.includes(instance) ||
  visit.only.includes(instance.replace(/_\d+$/, ''))

/** What this visit shows, in the order in which it was first seen. */
export const shownApps = (walk: Walk): TrackedApp[] =>
  walk.known.filter((entry) => inScope(walk.visit, entry.instance))
